"""Waiting times in fresh processes: `python -m benchmarks.cold [--robot icub]`.

Cold: an empty cache folder, so that the first call traces, compiles and runs. Warm: a second process that finds the
compiled function on disk. Each number is from a process of its own; the time of a whole process includes the start of
Python. The shortest and the median over repetitions are printed and written to `benchmarks/results/cold.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks import machine

HERE = Path(__file__).resolve().parent

_CALLS = {
    "inverse dynamics": "robot.inverse_dynamics(q, v, v)",
    "forward dynamics": "robot.forward_dynamics(q, v, v)",
    "mass matrix": "robot.mass_matrix(q)",
    "inverse mass matrix": "robot.inverse_mass_matrix(q)",
    "jacobian": "robot.jacobian(q, robot.body_names[-1])",
    "centroidal momentum matrix": "robot.centroidal_momentum_matrix(q)",
    "torque regressor": "robot.regressor(q, v, v)",
    "torque regressor, batch": "robot.regressor(np.tile(q, (64, 1)), np.tile(v, (64, 1)), np.tile(v, (64, 1)))",
    "inverse dynamics derivatives": "robot.inverse_dynamics_derivatives(q, v, v)",
    "forward dynamics derivatives": "robot.forward_dynamics_derivatives(q, v, v)",
    "linearisation": "robot.linearize(q, v, v)",
    "second derivatives, contracted": "robot.inverse_dynamics_hessian(q, v, v, v)",
    "second derivatives": "robot.inverse_dynamics_second_derivatives(q, v, v)",
    "control tick": (
        "robot.function(['mass_matrix', 'bias', *((name, frame) for name in ('jacobian', 'drift') "
        "for frame in robot.body_names[-1:-9:-6]), 'centroidal_momentum_matrix'])(q, v)"
    ),
}
_SCRIPT = """
import sys
from time import perf_counter
start = perf_counter()
import floatbase as fb
imported = perf_counter()
robot = fb.load({robot!r}, representation="body")
loaded = perf_counter()
import numpy as np
q, v = robot.neutral(), np.zeros(robot.nv)
ready = perf_counter()
{call}
called = perf_counter()
{call}
again = perf_counter()
print(imported - start, loaded - imported, called - ready, again - called)
"""
_STEPS = ("import floatbase", "load", "first call", "second call")

Times = dict[str, list[float]]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold", description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="icub")
    parser.add_argument("--cold", type=int, default=3, help="processes per function with an empty cache")
    parser.add_argument("--warm", type=int, default=7, help="processes per function with a filled cache")
    parser.add_argument("--functions", nargs="+", default=list(_CALLS), choices=_CALLS, metavar="FUNCTION")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    options = parser.parse_args()
    console = Console(width=120)
    description = machine.describe()
    table = Table(title=f"{options.robot}: seconds in fresh processes, shortest (median)", title_justify="left")
    for heading in ("function", "cache", *_STEPS, "whole process"):
        table.add_column(heading, justify="left" if heading in ("function", "cache") else "right")
    results: dict[str, dict[str, Times]] = {}
    for function in options.functions:
        script = _SCRIPT.format(robot=options.robot, call=_CALLS[function])
        with console.status(function):
            results[function] = _cold_and_warm(script, options.cold, options.warm)
        for cache, times in results[function].items():
            cells = [f"{min(series):.3f} ({statistics.median(series):.3f})" for series in times.values()]
            table.add_row(function, cache, *cells)
    bare = [_run("pass", os.environ.copy())[0] for _ in range(options.warm)]
    numpy = [_run("import numpy", os.environ.copy())[0] for _ in range(options.warm)]
    console.print(table)
    console.print(f"for comparison, a process that does nothing: {min(bare):.3f}, that imports NumPy: {min(numpy):.3f}")
    content = {"machine": description, "robot": options.robot, "functions": results, "bare": bare, "numpy": numpy}
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "cold.json").write_text(json.dumps(content, indent=1) + "\n")


def _cold_and_warm(script: str, cold: int, warm: int) -> dict[str, Times]:
    results: dict[str, Times] = {}
    for cache, repetitions in (("empty", cold), ("filled", warm)):
        series: Times = {step: [] for step in (*_STEPS, "whole process")}
        with tempfile.TemporaryDirectory() as shared:
            if cache == "filled":
                _run(script, {**os.environ, "FLOATBASE_CACHE": shared})
            for _ in range(repetitions):
                with tempfile.TemporaryDirectory() as fresh:
                    folder = shared if cache == "filled" else fresh
                    whole, printed = _run(script, {**os.environ, "FLOATBASE_CACHE": folder})
                for step, value in zip(_STEPS, printed.split(), strict=True):
                    series[step].append(float(value))
                series["whole process"].append(whole)
        results[cache] = series
    return results


def _run(script: str, environment: dict[str, str]) -> tuple[float, str]:
    """Wall time of a process and what it printed."""
    start = perf_counter()
    process = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    seconds = perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"the measured process failed:\n{process.stderr}")
    return seconds, process.stdout


if __name__ == "__main__":
    main()
