"""Derivatives of inverse dynamics, by recursions and automatically: `python -m benchmarks.differentiation`.

All are derivatives by velocities and by positions along the tangent of the configuration, of the same robot; the
recursion gives the mass matrix as well. Automatic differentiation is CasADi's, of two programs: of floatbase's own
inverse dynamics, the best that it can be given, and of a textbook's with 6 by 6 matrices (`benchmarks.textbook`). Both
become machine code in two ways: as C that the system's compiler makes fast with `-O3 -march=native` and no regard to
time (minutes for the textbook's, with `--long` only), and by floatbase.

Instructions are counted in the machine code itself, of all functions alike, by `benchmarks.instructions`. The C code
calls the system's sine and cosine, whose instructions are not counted; floatbase's are among its own. Times are those
of one state in machine code, called from C or through `ctypes` alike. Results must agree before and after. Written to
`benchmarks/results/differentiation.json`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import casadi as cs
import numpy as np
from rich.console import Console
from rich.table import Table

import floatbase as fb
from benchmarks import instructions, machine, textbook
from floatbase.compiler import from_casadi
from floatbase.compiler.artifact import compile_artifact
from floatbase.compiler.function import host_target

RESULTS = Path(__file__).resolve().parent / "results"
ROUNDS = 30
Pointers = ctypes.c_void_p * 8
Program = tuple[str, cs.Function]


@dataclass(frozen=True)
class Way:
    """How the derivatives are made: machine code, and what it leaves behind."""

    name: str
    operations: int
    counts: instructions.Instructions | None
    compilation_s: float
    run: Callable[[], Any]
    read: Callable[[], np.ndarray]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differentiation")
    parser.add_argument("--robot", default="icub")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--long", action="store_true", help="the textbook's program by the C compiler, too: minutes")
    options = parser.parse_args()
    console = Console(width=150)
    robot = fb.load(options.robot, representation="body")
    q, v = robot.random(np.random.default_rng(3))
    state = q, v, np.random.default_rng(4).standard_normal(robot.nv)
    expected = robot.inverse_dynamics_derivatives(*state)
    own = (
        "automatic, of floatbase's program",
        _jacobian(robot, lambda *x: cs.densify(cs.SX(robot.inverse_dynamics(*x)))),
    )
    book = ("automatic, of a textbook's", _jacobian(robot, lambda *x: textbook.inverse_dynamics(robot, *x)))
    with tempfile.TemporaryDirectory() as folder:
        ways = [_recursion(robot, state)]
        for program, by_c in ((own, True), (book, options.long)):
            console.print(f"compiling what is {program[0]} ...")
            ways.append(_by_floatbase(program, robot, state))
            ways.extend(_by_c(program, robot, state, Path(folder)) if by_c else ())
        records = _measure(ways, np.stack([expected.dq, expected.dv]))
    table = Table("way", "operations", "instructions", "computing", "compiled in s", "us", "error",
                  title=f"{options.robot}: derivatives by q and v, times the recursion's")  # fmt: skip
    for record in records:
        table.add_row(
            record["way"],
            *(_beside(record[key], records[0][key], digits) for key, digits in
              (("operations", 0), ("instructions", 0), ("computing", 0))),
            f"{record['compilation_s']:.1f}", _beside(record["us"], records[0]["us"], 2), f"{record['error']:.0e}",
        )  # fmt: skip
    console.print(table)
    content = {"machine": machine.describe(), "robot": options.robot, "records": records}
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "differentiation.json").write_text(json.dumps(content, indent=1) + "\n")


def _beside(number: float | None, first: float | None, digits: int) -> str:
    return "-" if number is None or not first else f"{number:,.{digits}f} ({number / first:.1f}x)"


def _jacobian(robot: fb.Robot, inverse_dynamics: Callable[..., cs.SX]) -> cs.Function:
    """CasADi's own derivatives; those by q along the tangent."""
    sizes = (("q", robot.nq), ("v", robot.nv), ("a", robot.nv), ("d", robot.nv))
    q, v, a, step = (cs.SX.sym(name, size) for name, size in sizes)
    moved: Any = robot.integrate(q, step)
    force = inverse_dynamics(q, v, a)
    along = cs.substitute(cs.jacobian(moved, step), step, cs.SX.zeros(robot.nv))
    by_q = cs.jacobian(force, q) @ along
    return cs.Function("derivatives", [q, v, a], [cs.densify(by_q), cs.densify(cs.jacobian(force, v))], ["q", "v", "a"],
                       ["dq", "dv"])  # fmt: skip


def _recursion(robot: fb.Robot, state: Any) -> Way:
    start = perf_counter()
    program = robot.program("inverse_dynamics_derivatives")
    counts, _ = _machine_code(program)
    out = tuple(np.zeros((robot.nv, robot.nv)) for _ in range(3))
    return Way(
        "floatbase's recursion", program.operation_count, counts, perf_counter() - start,
        lambda: robot.inverse_dynamics_derivatives(*state, out=out), lambda: np.stack(out[:2]),
    )  # fmt: skip


def _by_floatbase(program: Program, robot: fb.Robot, state: Any) -> Way:
    name, jacobian = program
    replayed = from_casadi(jacobian)
    counts, seconds = _machine_code(replayed)
    compiled, pair = fb.compile_program(replayed), tuple(np.zeros((robot.nv, robot.nv)) for _ in range(2))
    return Way(
        f"{name}, by floatbase", replayed.operation_count, counts, seconds,
        lambda: compiled.fast(*state, out=pair), lambda: np.stack(pair),
    )  # fmt: skip


def _machine_code(program: Any) -> tuple[instructions.Instructions | None, float]:
    start = perf_counter()
    code = compile_artifact(program, "float64", 1, host_target()).code
    seconds = perf_counter() - start
    return (instructions.count_instructions(code) if instructions.available() else None), seconds


def _by_c(program: Program, robot: fb.Robot, state: Any, folder: Path) -> Iterator[Way]:
    name, jacobian = program
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return
    folder = folder / str(jacobian.n_instructions())
    folder.mkdir()
    generator = cs.CodeGenerator("derivatives.c")
    generator.add(jacobian)
    generator.generate(f"{folder}/")
    start = perf_counter()
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "derivatives.c", "-o", "derivatives.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    seconds, library = perf_counter() - start, folder / "derivatives.so"
    counts = instructions.count_instructions(library, "derivatives(_f0.*)?") if instructions.available() else None
    columns = tuple(np.zeros((robot.nv, robot.nv)) for _ in range(2))
    run = _bound(ctypes.CDLL(str(library)).derivatives, jacobian, state, columns)
    yield Way(
        f"{name}, by {Path(compiler).name} -O3 -march=native", jacobian.n_instructions(), counts, seconds,
        run, lambda: np.stack([part.T for part in columns]),  # CasADi's columns
    )  # fmt: skip


def _bound(call: Any, function: cs.Function, inputs: Any, outputs: Any) -> Callable[[], Any]:
    arguments = Pointers(*(array.ctypes.data for array in inputs))
    results = Pointers(*(array.ctypes.data for array in outputs))
    integers = (ctypes.c_longlong * max(function.sz_iw(), 1))()
    work = (ctypes.c_double * max(function.sz_w(), 1))()
    kept = (inputs, outputs)  # alive as long as the addresses are used

    def run(call: Any = call, kept: Any = kept) -> Any:
        return call(arguments, results, integers, work, 0)

    return run


def _measure(ways: list[Way], expected: np.ndarray) -> list[dict[str, Any]]:
    def error(result: np.ndarray) -> float:
        return float(np.linalg.norm(result - expected) / np.linalg.norm(expected))

    shortest = [float("inf")] * len(ways)
    for way in ways:
        way.run()
    before = [error(way.read()) for way in ways]
    for _ in range(ROUNDS):
        for number, way in enumerate(ways):
            start = perf_counter()
            for _ in range(50):
                way.run()
            shortest[number] = min(shortest[number], (perf_counter() - start) / 50 * 1e6)
    records = []
    for way, first, time in zip(ways, before, shortest, strict=True):
        worst = max(first, error(way.read()))
        if worst > 1e-10:
            raise SystemExit(f"{way.name} disagrees by {worst:.1e}")
        counts = way.counts
        records.append(
            {
                "way": way.name,
                "operations": way.operations,
                "instructions": counts and counts.total,
                "computing": counts and counts.computing,
                "computing_lanes": counts and counts.computing_lanes,
                "compilation_s": way.compilation_s,
                "us": time,
                "error": worst,
            }
        )
    return records


if __name__ == "__main__":
    main()
