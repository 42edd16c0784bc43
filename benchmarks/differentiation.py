"""Derivatives of inverse dynamics, by recursions and automatically: `python -m benchmarks.differentiation`.

Both are derivatives by velocities and by positions along the tangent of the configuration, of the same robot. The other
way is CasADi's: its Jacobian of inverse dynamics, as C code that the system's compiler makes fast with `-O3
-march=native` and no regard to time, and the same expressions compiled by floatbase. Instructions are those that
compute (loads and stores left out), times those of one state in machine code, called from C or through `ctypes`
alike. Results must agree before and after. Written to `benchmarks/results/differentiation.json`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import casadi as cs
import numpy as np
from rich.console import Console
from rich.table import Table

import floatbase as fb
from benchmarks import machine
from floatbase.compiler import from_casadi

RESULTS = Path(__file__).resolve().parent / "results"
ROUNDS = 30
Pointers = ctypes.c_void_p * 8


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differentiation")
    parser.add_argument("--robot", default="icub")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    console = Console()
    robot = fb.load(options.robot, representation="body")
    q, v = robot.random(np.random.default_rng(3))
    a = np.random.default_rng(4).standard_normal(robot.nv)
    recursion = robot.program("inverse_dynamics_derivatives")
    expected = robot.inverse_dynamics_derivatives(q, v, a)
    expected = np.stack([expected.dq, expected.dv])
    jacobian = _jacobian(robot)
    ways: list[tuple[str, int, float, Callable[[], Any], Callable[[], Any]]] = []
    out = tuple(np.zeros((robot.nv, robot.nv)) for _ in range(3))
    ways.append(
        (
            "floatbase: analytic recursion (with the mass matrix)",
            recursion.operation_count,
            0.0,
            lambda: robot.inverse_dynamics_derivatives(q, v, a, out=out),
            lambda: np.stack(out[:2]),
        )
    )
    console.print("compiling CasADi's Jacobian ...")
    start = perf_counter()
    replayed = fb.compile_program(from_casadi(jacobian))
    pair = (np.zeros((robot.nv, robot.nv)), np.zeros((robot.nv, robot.nv)))
    replayed(q, v, a, out=pair)
    ways.append(
        (
            "CasADi's Jacobian, compiled by floatbase",
            replayed.program.operation_count,
            perf_counter() - start,
            lambda: replayed.fast(q, v, a, out=pair),
            lambda: np.stack(pair),
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        built = _compile_c(jacobian, Path(folder))
        if built is None:
            console.print("no C compiler: CasADi's C code is not measured")
        else:
            call, seconds = built
            columns = (np.zeros((robot.nv, robot.nv)), np.zeros((robot.nv, robot.nv)))
            run = _bound(call, jacobian, (q, v, a), columns)
            ways.append(
                (
                    "CasADi's Jacobian, C compiled with -O3 -march=native",
                    jacobian.n_instructions(),
                    seconds,
                    run,
                    lambda: np.stack([part.T for part in columns]),  # CasADi's columns
                )
            )
        records = _measure(ways, expected)
    table = Table("way", "operations", "compiled in s", "us", "error", title=f"{options.robot}: derivatives by q and v")
    for record in records:
        table.add_row(
            record["way"], str(record["operations"]), f"{record['compilation_s']:.1f}", f"{record['us']:.2f}",
            f"{record['error']:.0e}",
        )  # fmt: skip
    console.print(table)
    content = {"machine": machine.describe(), "robot": options.robot, "records": records}
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "differentiation.json").write_text(json.dumps(content, indent=1) + "\n")


def _jacobian(robot: fb.Robot) -> cs.Function:
    """CasADi's own derivatives of inverse dynamics; those by q along the tangent."""
    q, v, a, step = (
        cs.SX.sym(name, size) for name, size in (("q", robot.nq), ("v", robot.nv), ("a", robot.nv), ("d", robot.nv))
    )
    moved: Any = robot.integrate(q, step)
    force = cs.densify(cs.SX(robot.inverse_dynamics(q, v, a)))
    along = cs.substitute(cs.jacobian(moved, step), step, cs.SX.zeros(robot.nv))
    by_q = cs.jacobian(force, q) @ along
    return cs.Function("derivatives", [q, v, a], [cs.densify(by_q), cs.densify(cs.jacobian(force, v))], ["q", "v", "a"],
                       ["dq", "dv"])  # fmt: skip


def _compile_c(function: cs.Function, folder: Path) -> tuple[Any, float] | None:
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    generator = cs.CodeGenerator("derivatives.c")
    generator.add(function)
    generator.generate(f"{folder}/")
    start = perf_counter()
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "derivatives.c", "-o", "derivatives.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "derivatives.so")).derivatives, perf_counter() - start


def _bound(call: Any, function: cs.Function, inputs: Any, outputs: Any) -> Callable[[], Any]:
    arguments = Pointers(*(array.ctypes.data for array in inputs))
    results = Pointers(*(array.ctypes.data for array in outputs))
    integers = (ctypes.c_longlong * max(function.sz_iw(), 1))()
    work = (ctypes.c_double * max(function.sz_w(), 1))()
    kept = (inputs, outputs)  # alive as long as the addresses are used

    def run(call: Any = call, kept: Any = kept) -> Any:
        return call(arguments, results, integers, work, 0)

    return run


def _measure(ways: Any, expected: np.ndarray) -> list[dict[str, Any]]:
    def error(result: np.ndarray) -> float:
        return float(np.linalg.norm(result - expected) / np.linalg.norm(expected))

    shortest = [float("inf")] * len(ways)
    for _, _, _, run, _ in ways:
        run()
    before = [error(read()) for *_, read in ways]
    for _ in range(ROUNDS):
        for number, (_, _, _, run, _) in enumerate(ways):
            start = perf_counter()
            for _ in range(50):
                run()
            shortest[number] = min(shortest[number], (perf_counter() - start) / 50 * 1e6)
    records = []
    for (name, operations, compilation, _, read), first, time in zip(ways, before, shortest, strict=True):
        worst = max(first, error(read()))
        if worst > 1e-10:
            raise SystemExit(f"{name} disagrees by {worst:.1e}")
        records.append(
            {"way": name, "operations": operations, "compilation_s": compilation, "us": time, "error": worst}
        )
    return records


if __name__ == "__main__":
    main()
