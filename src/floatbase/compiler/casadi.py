"""Programs as CasADi functions and CasADi functions as programs.

An exported program is an `SX` function: calls are inlined, loops unrolled (a `while` runs to its limit, each step
masked by its condition), look-ups become chains of `if_else`, factorisations are written out, `lu_solve` is CasADi's
own `solve`. Programs that would grow beyond `MAX_UNROLLED` operations are refused. Arrays of one axis are columns;
arrays of more than two axes are matrices with the later axes side by side. Guards are not exported: expressions are not
checked. The minimum of a number and NaN is the number there, NaN here (see `casadi_operations`).

CasADi is imported only when one of these functions is called (extra `ocp`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from floatbase.compiler.casadi_blocks import BLOCKS
from floatbase.compiler.casadi_operations import EXPORT, IMPORT, Casadi, casadi_module
from floatbase.compiler.explanation import non_finite, refusal
from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Port, Program
from floatbase.compiler.symbol_arrays import symbols
from floatbase.compiler.tracing import extract
from floatbase.errors import ArgumentError, ProgramError

MAX_UNROLLED = 1_000_000

# functions of programs that were called, without and with guards
_exported: WeakKeyDictionary[Program, dict[bool, Any]] = WeakKeyDictionary()


def to_casadi(program: Program, name: str | None = None) -> Any:
    """The program as a `casadi.Function` with named inputs and outputs; structural zeros are structural there too."""
    return _as_function(casadi_module("the export to CasADi"), program, name or program.name)


def _as_function(casadi: Casadi, program: Program, name: str, with_guards: bool = False) -> Any:
    """The program as a function of CasADi's, `with_guards` as a last output: a column of 1 for each that holds."""
    size = program.unrolled_count
    if size > MAX_UNROLLED:
        raise ArgumentError(
            f"program {program.name!r} would become about {size} operations in CasADi, more than {MAX_UNROLLED}: "
            "its loops or systems are too large to be written out"
        )
    inputs = [casadi.SX.sym(port.name, *_matrix_shape(port)) for port in program.inputs]
    flat: list[Any] = []
    for port, matrix in zip(program.inputs, inputs, strict=True):
        rows, columns = _matrix_shape(port)
        entries = matrix.nonzeros()  # column by column
        flat.extend(entries[j * rows + i] for i in range(rows) for j in range(columns))
    values = run(casadi, program, flat)
    outputs = []
    start = 0
    for port in program.outputs:
        results = [values[k] for k in program.results[start : start + port.size].tolist()]
        pattern = program.sparsity(port.name).reshape(_matrix_shape(port))
        outputs.append(_as_matrix(casadi, results, pattern))
        start += port.size
    names_in = [_identifier(port.name) for port in program.inputs]
    names_out = [_identifier(port.name) for port in program.outputs]
    names_out = [f"{item}_out" if item in names_in else item for item in names_out]
    if with_guards:
        outputs.append(casadi.vertcat(*(values[value] for value, _ in program.guards)))
        names_out.append("which_guards_hold")
    return casadi.Function(_identifier(name), inputs, outputs, names_in, names_out)


def casadi_call(program: Program, *arguments: Any) -> tuple[Any, ...]:
    """The outputs of a program for CasADi matrices (`SX`, `MX` or `DM`) of the inputs' shapes.

    `DM` and other numbers alone are checked as a compiled function checks its arguments.
    """
    if len(arguments) != len(program.inputs):
        names = ", ".join(port.name for port in program.inputs)
        raise ArgumentError(f"{program.name}: takes {len(program.inputs)} inputs ({names}), got {len(arguments)}")
    casadi = casadi_module("the evaluation of a program on CasADi expressions")
    for port, argument in zip(program.inputs, arguments, strict=True):
        given = tuple(getattr(argument, "shape", None) or np.shape(argument))
        if given not in (_matrix_shape(port), port.shape):
            raise ArgumentError(f"{program.name}: {port.name} must have shape {_matrix_shape(port)}, got {given}")
    kinds = {type(argument) for argument in arguments} & {casadi.SX, casadi.MX}
    if len(kinds) > 1:
        raise ArgumentError(f"{program.name}: SX and MX do not mix; give expressions of one kind, numbers beside them")
    if not kinds:
        return _numbers(casadi, program, arguments)
    return tuple(_exported_function(casadi, program, False).call([casadi.densify(item) for item in arguments]))


def _numbers(casadi: Casadi, program: Program, arguments: Sequence[Any]) -> tuple[Any, ...]:
    matrices = [casadi.densify(casadi.DM(argument)) for argument in arguments]
    arrays = [np.array(matrix).reshape(port.shape) for matrix, port in zip(matrices, program.inputs, strict=True)]
    error = non_finite(program, arrays)
    if error is not None:
        raise error
    *results, holds = _exported_function(casadi, program, True).call(matrices)
    failed = [text for (_, text), fine in zip(program.guards, np.array(holds).ravel(), strict=True) if not fine]
    if failed:
        raise refusal(program, arrays, failed, (), ())
    return tuple(results)


def _exported_function(casadi: Casadi, program: Program, with_guards: bool) -> Any:
    functions = _exported.setdefault(program, {})
    if with_guards not in functions:
        functions[with_guards] = _as_function(casadi, program, program.name, with_guards)
    return functions[with_guards]


def from_casadi(function: Any) -> Program:
    """A `casadi.Function` as a program; functions of `MX` are expanded to scalar operations first.

    Columns become arrays of one axis, 1 x 1 matrices become scalars. Structural zeros of the inputs are not looked at.
    """
    casadi = casadi_module("the import from CasADi")
    if not isinstance(function, casadi.Function):
        raise ArgumentError(f"from_casadi needs a casadi.Function, got {type(function).__name__}")
    name = function.name()
    if not function.is_a("SXFunction"):
        try:
            function = function.expand()
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise ProgramError(f"CasADi function {name!r} cannot be expanded to scalar operations: {reason}") from None
    if function.has_free():
        raise ProgramError(f"CasADi function {name!r} has free variables: {function.get_free()}")
    with Graph() as graph:
        ports = [_port(function.name_in(k), function.sparsity_in(k)) for k in range(function.n_in())]
        inputs = {port.name: symbols(port.name, port.shape) for port in ports}
        known = [_places(function.sparsity_in(k)) for k in range(function.n_in())]
        entries = [
            [array.reshape(function.size_in(k))[place] for place in known[k]] for k, array in enumerate(inputs.values())
        ]
        results = _interpret(casadi, function, entries)
        outputs = {}
        for k, result in enumerate(results):
            port = _port(function.name_out(k), function.sparsity_out(k))
            matrix = np.full(function.size_out(k), 0.0, dtype=object)
            for place, value in zip(_places(function.sparsity_out(k)), result, strict=True):
                matrix[place] = value
            outputs[port.name] = matrix.reshape(port.shape)
        return extract(graph, name, inputs, outputs)


def run(casadi: Casadi, program: Program, inputs: list[Any]) -> list[Any]:
    """The value of every instruction as an `SX` scalar."""
    constants = [casadi.SX(value) for value in program.constants.tolist()]
    values: list[Any] = []
    for op, a, b, c in program.code.tolist():
        rule = EXPORT.get(op)
        if rule is not None:
            values.append(rule(casadi, values[a], values[b], values[c]))
        elif op == Op.INPUT:
            values.append(inputs[a])
        elif op == Op.CONSTANT:
            values.append(constants[a])
        elif op == Op.PROJECT:
            values.append(values[a][b])
        else:
            block = program.blocks[a]
            values.append(BLOCKS[block.kind](casadi, block, [values[k] for k in block.arguments.tolist()]))
    return values


def _interpret(casadi: Casadi, function: Any, inputs: list[list[Any]]) -> list[list[Any]]:
    """Run the instructions of an `SX` function on our symbols."""
    rules = {getattr(casadi, name): rule for name, rule in IMPORT.items()}
    names = {getattr(casadi, name): name for name in dir(casadi) if name.startswith("OP_")}
    work: list[Any] = [0.0] * function.sz_w()
    outputs: list[list[Any]] = [[0.0] * function.nnz_out(k) for k in range(function.n_out())]
    for k in range(function.n_instructions()):
        op = function.instruction_id(k)
        if op == casadi.OP_INPUT:
            port, place = function.instruction_input(k)
            work[function.instruction_output(k)[0]] = inputs[port][place]
        elif op == casadi.OP_OUTPUT:
            port, place = function.instruction_output(k)
            outputs[port][place] = work[function.instruction_input(k)[0]]
        elif op == casadi.OP_CONST:
            work[function.instruction_output(k)[0]] = function.instruction_constant(k)
        elif op in rules:
            operands = [work[place] for place in function.instruction_input(k)]
            work[function.instruction_output(k)[0]] = rules[op](*operands)
        else:
            raise ProgramError(
                f"CasADi function {function.name()!r} uses {names.get(op, op)}, which has no counterpart here"
            )
    return outputs


def _matrix_shape(port: Port) -> tuple[int, int]:
    if len(port.shape) < 2:
        return (port.size, 1)
    return (port.shape[0], int(np.prod(port.shape[1:], dtype=np.int64)))


def _as_matrix(casadi: Casadi, results: list[Any], pattern: np.ndarray) -> Any:
    rows, columns = pattern.shape
    places = [(i, j) for j in range(columns) for i in range(rows) if pattern[i, j]]
    sparsity = casadi.Sparsity.triplet(rows, columns, [i for i, _ in places], [j for _, j in places])
    if not places:
        return casadi.SX(sparsity)
    return casadi.SX(sparsity, casadi.vertcat(*(results[i * columns + j] for i, j in places)))


def _identifier(name: str) -> str:
    """CasADi's names are letters, digits and single underscores, beginning with a letter."""
    clean = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")
    return clean if clean[:1].isalpha() else f"f{clean}"


def _port(name: str, sparsity: Any) -> Port:
    rows, columns = sparsity.shape
    if columns != 1:
        return Port(name, (rows, columns))
    return Port(name, (rows,)) if rows != 1 else Port(name)


def _places(sparsity: Any) -> list[tuple[int, int]]:
    rows, columns = sparsity.get_triplet()
    return list(zip(rows, columns, strict=True))
