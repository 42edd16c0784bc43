"""Running a program with NumPy, instruction by instruction.

Slow for one state, fair for thousands at once; works for any dtype: float64, float32, complex (complex-step
differentiation), longdouble (an oracle). Every instruction is applied to arrays over the batch axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.compiler.blocks import tree_rows
from floatbase.compiler.dense import solve_tree
from floatbase.compiler.operations import ARITY, NUMPY, Op
from floatbase.compiler.program import Block, Program, check_program
from floatbase.errors import ArgumentError, ShapeError

_OPERATIONS: dict[int, tuple[Any, int]] = {int(op): (function, ARITY[op]) for op, function in NUMPY.items()}


def interpret(program: Program, *arrays: Any, dtype: Any = None, guards: bool = False) -> tuple[np.ndarray, ...]:
    """The outputs of a program for inputs of shape (..., *port.shape).

    Whatever comes in is computed with: NaN, or a quaternion that is not of unit length. With `guards` the `StateError`
    of a compiled function is raised, for numbers that are not finite and for guards that do not hold.
    """
    flat, batch, kind = _flat_inputs(program, arrays, dtype)
    values = _run(program, flat, kind)
    if guards:
        _refuse(program, [np.asarray(array) for array in arrays], batch, values)
    results = []
    start = 0
    for port in program.outputs:
        result = np.empty((*batch, port.size), dtype=kind)
        for k in range(port.size):
            result[..., k] = values[program.results[start + k]]
        start += port.size
        results.append(result.reshape((*batch, *port.shape)))
    return tuple(results)


def _refuse(program: Program, arrays: list[np.ndarray], batch: tuple[int, ...], values: list[Any]) -> None:
    from floatbase.compiler.explanation import non_finite, refusal

    error = non_finite(program, arrays)
    if error is not None:
        raise error
    failed = {message: ~np.broadcast_to(values[value], batch) for value, message in program.guards}
    anywhere = np.any([*failed.values(), np.zeros(batch, dtype=bool)], axis=0)
    if anywhere.any():
        index = tuple(int(axis[0]) for axis in np.nonzero(anywhere)) if batch else ()
        raise refusal(program, arrays, [text for text, bad in failed.items() if bad[index]], batch, index)


def failed_guards(program: Program, *arrays: Any) -> dict[str, np.ndarray]:
    """For each guard's message, where in the batch it does not hold."""
    flat, batch, kind = _flat_inputs(program, arrays, None)
    values = _run(program, flat, kind)
    return {message: ~np.broadcast_to(values[value], batch) for value, message in program.guards}


def _flat_inputs(program: Program, arrays: tuple[Any, ...], dtype: Any) -> tuple[list[Any], tuple[int, ...], Any]:
    check_program("interpret", program)
    if len(arrays) != len(program.inputs):
        names = ", ".join(port.name for port in program.inputs)
        raise ArgumentError(f"{program.name}: takes {len(program.inputs)} inputs ({names}), got {len(arrays)}")
    parts = [np.asarray(array) for array in arrays]
    for port, part in zip(program.inputs, parts, strict=True):
        if part.dtype.kind not in "fciub":
            raise ArgumentError(f"{program.name}: {port.name} must be an array of numbers, got dtype {part.dtype}")
    kind = np.dtype(dtype) if dtype is not None else np.result_type(np.float32, *parts)
    flat: list[Any] = []
    batches = []
    for port, part in zip(program.inputs, parts, strict=True):
        lead = part.ndim - len(port.shape)
        if lead < 0 or part.shape[lead:] != port.shape:
            shape = ", ".join(map(str, ("...", *port.shape)))
            raise ShapeError(f"{program.name}: {port.name} must have shape ({shape}), got {part.shape}")
        batches.append(part.shape[:lead])
        rows = part.astype(kind, copy=False).reshape((*part.shape[:lead], port.size))
        flat.extend(rows[..., k] for k in range(port.size))
    try:
        return flat, np.broadcast_shapes(*batches), kind
    except ValueError:
        shapes = " and ".join(map(str, batches))
        raise ShapeError(f"{program.name}: the batch shapes {shapes} of the inputs do not fit together") from None


def _run(program: Program, inputs: list[Any], dtype: Any) -> list[Any]:
    constants = program.constants.astype(dtype)
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for op, a, b, c in program.code.tolist():
            found = _OPERATIONS.get(op)
            if found is not None:
                function, arity = found
                if arity == 2:
                    values.append(function(values[a], values[b]))
                elif arity == 1:
                    values.append(function(values[a]))
                else:
                    values.append(function(values[a], values[b], values[c]))
            elif op == Op.INPUT:
                values.append(inputs[a])
            elif op == Op.CONSTANT:
                values.append(constants[a])
            elif op == Op.PROJECT:
                values.append(values[a][b])
            else:
                block = program.blocks[a]
                values.append(_BLOCKS[block.kind](block, [values[k] for k in block.arguments], dtype))
    return values


def _call(program: Program, arguments: list[Any], dtype: Any) -> list[Any]:
    values = _run(program, arguments, dtype)
    return [values[k] for k in program.results]


def _block_call(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    return _call(block.programs[0], arguments, dtype)


def _block_scan(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    carried, shared, row = (block.setting(name) for name in ("carry", "shared", "row"))
    carry, fixed, rows = arguments[:carried], arguments[carried : carried + shared], arguments[carried + shared :]
    collected: list[Any] = []
    for step in range(block.setting("length")):
        index = np.asarray(step, dtype=dtype)
        result = _call(block.programs[0], [index, *carry, *fixed, *rows[step * row : (step + 1) * row]], dtype)
        carry = result[:carried]
        collected.extend(result[carried:])
    return [*carry, *collected]


def _block_while(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    carried = block.setting("carry")
    carry, fixed = arguments[:carried], arguments[carried:]
    condition, body = block.programs
    steps: Any = np.zeros((), dtype=dtype)
    for _ in range(block.setting("limit")):
        active = np.real(_call(condition, [*carry, *fixed], dtype)[0]) != 0
        if not np.any(active):
            break
        result = _call(body, [*carry, *fixed], dtype)
        carry = [np.where(active, new, old) for new, old in zip(result, carry, strict=True)]
        steps = steps + active
    return [*carry, steps]


def _block_gather(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    rows, columns = block.setting("rows"), block.setting("columns")
    index = np.real(arguments[-1])
    index = np.where(np.isnan(index), 0.0, np.clip(np.floor(index), 0, rows - 1)).astype(np.int64)
    table = np.broadcast_arrays(*arguments[:-1], index)[:-1] if columns else []
    result = []
    for column in range(columns):
        stack = np.stack(table[column::columns])
        chosen = np.broadcast_to(index, stack.shape[1:])
        result.append(np.take_along_axis(stack, chosen[None], axis=0)[0])
    return result


def _matrices(dtype: Any, arguments: list[Any], *shapes: tuple[int, int]) -> list[np.ndarray]:
    """Arguments as stacked matrices (..., n, m)."""
    batch = np.broadcast_shapes(*(np.shape(argument) for argument in arguments))
    result = []
    start = 0
    for n, m in shapes:
        matrix = np.empty((*batch, n * m), dtype=dtype)
        for k in range(n * m):
            matrix[..., k] = arguments[start + k]
        start += n * m
        result.append(matrix.reshape(*batch, n, m))
    return result


def _elements(matrix: np.ndarray) -> list[Any]:
    flat = matrix.reshape(*matrix.shape[:-2], matrix.shape[-2] * matrix.shape[-1])
    return [flat[..., k] for k in range(flat.shape[-1])]


def _block_matmul(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    n, k, m = (block.setting(name) for name in ("n", "k", "m"))
    A, B = _matrices(dtype, arguments, (n, k), (k, m))
    return _elements(A @ B)


def _cholesky(A: np.ndarray) -> np.ndarray:
    """Without conjugation, so that complex-step differentiation works; for any dtype."""
    n = A.shape[-1]
    L = np.zeros_like(A)
    for j in range(n):
        L[..., j, j] = np.sqrt(A[..., j, j] - np.sum(L[..., j, :j] ** 2, axis=-1))
        for i in range(j + 1, n):
            L[..., i, j] = (A[..., i, j] - np.sum(L[..., i, :j] * L[..., j, :j], axis=-1)) / L[..., j, j]
    return L


def _forward(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    X = np.zeros_like(B)
    for i in range(L.shape[-1]):
        X[..., i, :] = (B[..., i, :] - np.einsum("...k,...km->...m", L[..., i, :i], X[..., :i, :])) / L[..., i, i, None]
    return X


def _backward(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    X = np.zeros_like(B)
    for i in reversed(range(L.shape[-1])):
        known = np.einsum("...k,...km->...m", L[..., i + 1 :, i], X[..., i + 1 :, :])
        X[..., i, :] = (B[..., i, :] - known) / L[..., i, i, None]
    return X


def _block_cholesky(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    n = block.setting("n")
    (A,) = _matrices(dtype, arguments, (n, n))
    return _elements(_cholesky(A))


def _block_cholesky_solve(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    A, B = _matrices(dtype, arguments, (n, n), (n, m))
    L = _cholesky(A)
    return _elements(_backward(L, _forward(L, B)))


def _block_triangular_solve(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    L, B = _matrices(dtype, arguments, (n, n), (n, m))
    return _elements(_backward(L, B) if block.setting("transposed") else _forward(L, B))


def _block_lu_solve(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    A, B = _matrices(dtype, arguments, (n, n), (n, m))
    work = np.concatenate([A, B], axis=-1)
    for j in range(n):
        pivot = j + np.argmax(np.abs(work[..., j:, j].real), axis=-1)[..., None, None]
        chosen = np.take_along_axis(work, pivot, axis=-2)
        np.put_along_axis(work, pivot, work[..., j : j + 1, :].copy(), axis=-2)
        work[..., j : j + 1, :] = chosen
        for i in range(j + 1, n):
            factor = work[..., i, j] / work[..., j, j]
            work[..., i, :] -= factor[..., None] * work[..., j, :]
    X = np.zeros_like(B)
    for i in reversed(range(n)):
        known = np.einsum("...k,...km->...m", work[..., i, i + 1 : n], X[..., i + 1 :, :])
        X[..., i, :] = (work[..., i, n:] - known) / work[..., i, i, None]
    return _elements(X)


def _block_tree_solve(block: Block, arguments: list[Any], dtype: Any) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    ways = tree_rows(block)
    entries = iter(arguments[n:])
    rows = [[next(entries) for _ in way] for way in ways]
    (X,) = _matrices(dtype, list(entries), (n, m))
    batch = np.broadcast_shapes(X.shape[:-2], *(np.shape(argument) for argument in arguments[: len(arguments) - n * m]))
    return _elements(solve_tree(arguments, rows, ways, np.broadcast_to(X, (*batch, n, m)).astype(dtype)))


_BLOCKS = {
    "call": _block_call,
    "scan": _block_scan,
    "while": _block_while,
    "gather": _block_gather,
    "matmul": _block_matmul,
    "cholesky": _block_cholesky,
    "cholesky_solve": _block_cholesky_solve,
    "triangular_solve": _block_triangular_solve,
    "tree_solve": _block_tree_solve,
    "lu_solve": _block_lu_solve,
}
