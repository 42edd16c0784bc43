"""Steps of a humanoid that stands on two soles: `python -m benchmarks.simulation`, beside MuJoCo's `mj_step`.

What is timed, all on one thread and in turns, round after round:

* one robot under a policy in plain Python (NumPy), a call of `Simulator.step` or of `mujoco.mj_step` for each
  millisecond, everything that Python does in between included; the real-time factor is a millisecond over that time;
* the same inside `simulate`, with q, v and the wrenches recorded;
* batches: the public call `Simulator.step(state, command, out=...)`, per state, against `mujoco.mj_step(model, data,
  100)` over its steps: MuJoCo steps one state at a time, and runs a hundred of them without Python in between.

Before and after, each stands for two seconds, and the normal forces on its soles must carry the weight to 1 %.
With `--gpu` the throughput on an NVIDIA GPU is measured instead, with arrays of CuPy. Tables, JSON and plots go to
`benchmarks/results/`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import machine, standing

HERE = Path(__file__).resolve().parent
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384)
STEPS = 100
SETTLING = 2000
METHODS = {"stiff": 1, "semi-implicit": 10}  # steps in a millisecond that soles of this stiffness allow


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulation", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--gpu", action="store_true", help="throughput on a GPU")
    parser.add_argument("--program", type=Path, help="with --gpu: a file written by --export, instead of the robot")
    parser.add_argument("--export", type=Path, help="write the step's program and a state for a GPU elsewhere, and end")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    options = parser.parse_args()
    if options.gpu or options.export:
        from benchmarks import simulation_gpu

        if options.export:
            simulation_gpu.export(options.export)
        else:
            simulation_gpu.main(options.program, options.results)
        return
    about = machine.describe()
    records = measure(options.rounds)
    options.results.mkdir(parents=True, exist_ok=True)
    content = {"machine": about, "records": records}
    (options.results / "simulation.json").write_text(json.dumps(content, indent=1) + "\n")
    text = markdown(about, records)
    (options.results / "simulation.md").write_text(text)
    plot(records, options.results / "simulation")
    print(text)


def measure(rounds: int) -> list[dict[str, Any]]:
    """Times of everything, shortest and median over the rounds [s per step of a state]."""
    robot = standing.humanoid()
    q = standing.start(robot)
    entries, checks = _entries(robot, q)
    errors = [check() for check in checks]
    times: dict[int, list[float]] = {k: [] for k in range(len(entries))}
    for turn in range(rounds):
        for k in [(turn + i) % len(entries) for i in range(len(entries))]:
            times[k].append(entries[k][1]())
    errors += [check() for check in checks]
    if max(errors) > 0.01:
        raise RuntimeError(f"the soles do not carry the weight: errors {errors}")
    return [
        {**about, "shortest": min(times[k]), "median": float(np.median(times[k])), "weight error": max(errors)}
        for k, (about, _) in enumerate(entries)
    ]


def _entries(robot: Any, q: np.ndarray) -> tuple[list[tuple[dict[str, Any], Callable[[], float]]], list[Any]]:
    """What is timed: what it is, and a function that gives seconds per step of a state."""
    import mujoco

    from floatbase.simulation.running import simulate

    entries: list[tuple[dict[str, Any], Callable[[], float]]] = []
    checks: list[Callable[[], float]] = []
    held_at, weight = q[7:].copy(), robot.mass * 9.81
    proportional, derivative = standing.gains(robot)

    def policy(time: float, state: Any) -> np.ndarray:
        return proportional * (held_at - state.q[7:]) - derivative * state.v[6:]

    for method, substeps in METHODS.items():
        single = standing.simulator(robot, held=False, method=method, substeps=substeps)
        label = f"floatbase, {method}" + (f", {substeps} steps" if substeps > 1 else "")

        def loop(single: Any = single) -> float:
            state = single.init(q)
            began = perf_counter()
            for _ in range(STEPS):
                state = single.step(state, policy(state.time, state))
            return (perf_counter() - began) / STEPS

        def recorded(single: Any = single) -> float:
            state = single.init(q)
            began = perf_counter()
            simulate(single, policy, state, STEPS * standing.DT, record=["q", "v", "wrenches"])
            return (perf_counter() - began) / STEPS

        def stands(single: Any = single) -> float:
            found = simulate(single, policy, q, SETTLING * standing.DT, record=["wrenches"])
            return float(abs(found["wrenches"][-1, [2, 8]].sum() / weight - 1.0))

        entries.append(({"peer": "floatbase", "what": "policy", "label": label, "batch": 1}, loop))
        entries.append(({"peer": "floatbase", "what": "policy, recorded", "label": label, "batch": 1}, recorded))
        checks.append(stands)
        together = standing.simulator(robot, held=True, method=method, substeps=substeps)
        command = together.rest(together.init(q))
        for size in SIZES:
            state = together.init(np.tile(q, (size, 1)))
            state, spare = together.step(state, command), together.step(state, command)

            work = partial(together.step, state, command, out=spare)
            entries.append(({"peer": "floatbase", "what": "batch", "label": label, "batch": size}, _timed(work, size)))

    model, data = standing.in_mujoco(robot, q)
    free, bare = standing.in_mujoco(robot, q)
    free.jnt_stiffness[1:], free.dof_damping[6:] = 0.0, 0.0
    rest, springs, dampers = bare.qpos[7:].copy(), model.jnt_stiffness[1:].copy(), model.dof_damping[6:].copy()
    qpos, qvel, force = bare.qpos, bare.qvel, bare.qfrc_applied

    def mujoco_loop() -> float:
        began = perf_counter()
        for _ in range(STEPS):
            force[6:] = springs * (rest - qpos[7:]) - dampers * qvel[6:]
            mujoco.mj_step(free, bare)
        return (perf_counter() - began) / STEPS

    def mujoco_many() -> float:
        began = perf_counter()
        mujoco.mj_step(model, data, STEPS)
        return (perf_counter() - began) / STEPS

    def mujoco_stands() -> float:
        mujoco.mj_step(model, data, SETTLING)
        return float(abs(standing.weight_in_mujoco(model, data) / weight - 1.0))

    entries.append(({"peer": "MuJoCo", "what": "policy", "label": "MuJoCo", "batch": 1}, mujoco_loop))
    entries.append(({"peer": "MuJoCo", "what": "batch", "label": "MuJoCo", "batch": 1}, mujoco_many))
    checks.append(mujoco_stands)
    return entries, checks


def _timed(work: Callable[[], Any], size: int) -> Callable[[], float]:
    """Seconds per state of work on a batch."""

    def run() -> float:
        repeat = max(1, 400 // size)
        began = perf_counter()
        for _ in range(repeat):
            work()
        return (perf_counter() - began) / (repeat * size)

    return run


def markdown(about: dict[str, Any], records: list[dict[str, Any]]) -> str:
    """The tables."""
    lines = ["# Steps of a standing humanoid", "", __doc__.split("\n\n", 1)[1].strip(), ""]
    lines += [f"* {key}: {value}" for key, value in about.items()]
    lines += ["", "## One robot, a policy in Python, a period of 1 ms", ""]
    lines += ["| | shortest us | median us | times real time |", "|---|---:|---:|---:|"]
    for record in records:
        if record["what"].startswith("policy"):
            name = record["label"] + record["what"].removeprefix("policy")
            shortest, median = 1e6 * record["shortest"], 1e6 * record["median"]
            lines.append(f"| {name} | {shortest:.2f} | {median:.2f} | {1e3 / shortest:.0f} |")
    theirs = next(r for r in records if r["peer"] == "MuJoCo" and r["what"] == "batch")["shortest"]
    lines += ["", "## Batches, one thread, per state and millisecond", ""]
    lines += ["| | batch | shortest us | median us | `mj_step` takes |", "|---|---:|---:|---:|---:|"]
    for record in records:
        if record["what"] == "batch":
            shortest, median = 1e6 * record["shortest"], 1e6 * record["median"]
            ratio = theirs / record["shortest"]
            row = f"| {record['label']} | {record['batch']} | {shortest:.3f} | {median:.3f} | {ratio:.1f} times |"
            lines.append(row)
    return "\n".join([*lines, ""])


def plot(records: list[dict[str, Any]], path: Path) -> None:
    """Cost per state against the size of the batch."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 4.5))
    batches = [record for record in records if record["what"] == "batch"]
    labels = dict.fromkeys(record["label"] for record in batches)
    for label, color in zip(labels, ("#c8401e", "#8e6c8a", "#5b8c5a"), strict=False):
        rows = [record for record in batches if record["label"] == label]
        sizes = [record["batch"] for record in rows] if len(rows) > 1 else [SIZES[0], SIZES[-1]]
        values = [1e6 * record["shortest"] for record in rows] * (1 if len(rows) > 1 else 2)
        axis.plot(sizes, values, "o-" if len(rows) > 1 else "--", label=label, color=color, markersize=4)
    axis.set(xscale="log", yscale="log", xlabel="states in the batch", ylabel="microseconds per state and millisecond")
    axis.set_title("iCub on two soles, one thread")
    axis.grid(alpha=0.3, which="both")
    axis.legend(frameon=False)
    figure.set_layout_engine("constrained")
    for suffix in (".svg", ".png"):
        figure.savefig(path.with_suffix(suffix), dpi=130, metadata={"Date": None} if suffix == ".svg" else None)
    plt.close(figure)


if __name__ == "__main__":
    main()
