"""The closed loop on iCub at 1 kHz: `python -m benchmarks.loop`, on floatbase's plant and on MuJoCo's in turns.

What is timed is `run` as a user calls it, with a log on the disk and a state stored twice a second: six force/torque
sensors, the IMU of the root link and encoders with their errors, a controller of joints in Python (NumPy), and the
plant, all in each millisecond, on one thread. Both robots have soles of the same size, in MuJoCo boxes. After each run
the robot must still stand.

Then ten minutes are simulated, with the memory looked at every ten seconds: what Python allocates (tracemalloc, in a
run of its own that it slows down, of one minute) and what the process has. Last, runs in other processes are killed at
random times (SIGKILL), what is lost is compared with the times that the process told, and the bytes in the end with
those of a run that was not killed. Tables and JSON go to `benchmarks/results/`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

import floatbase as fb
from benchmarks import machine
from floatbase import logs
from floatbase.model import Geometry
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.loop import (
    JointControl,
    Loop,
    MujocoPlant,
    Plant,
    Sensing,
    SimulatedPlant,
    block,
    load_state,
    run,
)
from floatbase.simulation.sensors import sensors_of
from floatbase.simulation.simulator import Simulator

HERE = Path(__file__).resolve().parent
SOLES = ("l_sole", "r_sole")
LENGTH, WIDTH = 0.2, 0.1
KINDS = ("ours", "MuJoCo")
GOALS = {"ours": 5.0, "MuJoCo": 2.0}
SENSORS = ("joint_positions", "joint_velocities", "root_link_imu")


def main() -> None:
    """Measure, print, and write the results, or be a run that is killed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loop", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated in each round")
    parser.add_argument("--minutes", type=float, default=10.0, help="simulated while the memory is looked at")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--killed", nargs=3, metavar=("KIND", "FILE", "TOLD"), help="a run that is to be killed")
    options = parser.parse_args()
    if options.killed:
        killed(*options.killed)
        return
    with tempfile.TemporaryDirectory() as folder:
        content = {
            "machine": machine.describe(),
            "speed": speed(Path(folder), options.rounds, options.seconds),
            "memory": {kind: memory(kind, Path(folder), options.minutes) for kind in KINDS},
            "kills": {kind: kills(kind, Path(folder), options.kills // len(KINDS)) for kind in KINDS},
        }
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "loop.json").write_text(json.dumps(content, indent=1) + "\n")
    text = markdown(content)
    (options.results / "loop.md").write_text(text)
    print(text)


def plant(kind: str) -> Plant:
    """iCub on two soles."""
    robot = fb.load("icub")
    if kind == "ours":
        sole = SoleContact(LENGTH, WIDTH, stiffness=2e6, damping=1e4)
        return SimulatedPlant(Simulator(robot, dict.fromkeys(SOLES, sole), method="stiff"))
    below = np.eye(4)
    below[2, 3] = 0.005
    box = Geometry("box", (LENGTH, WIDTH, 0.01), below)
    return MujocoPlant(robot, dict.fromkeys(SOLES, (box,)))


def start(robot: fb.Robot) -> np.ndarray:
    """Knees a little bent, the centre of mass above the middle of the soles, on the ground."""
    q = robot.neutral()
    for side in ("l", "r"):
        for joint, angle in (("hip_pitch", 0.2), ("knee", -0.4), ("ankle_pitch", -0.2)):
            q[7 + robot.joint_names.index(f"{side}_{joint}")] = angle
    q[:2] -= robot.com(q)[:2] - np.mean([robot.pose(q, sole)[:2, 3] for sole in SOLES], axis=0)
    q[2] -= robot.pose(q, SOLES[0])[2, 3] + robot.mass * 9.81 / (2 * LENGTH * WIDTH * 2e6)
    return q


def gains(robot: fb.Robot) -> np.ndarray:
    """Of positions and velocities, for each joint."""
    strong = ("hip", "knee", "ankle", "torso")
    return np.array([(1000.0, 4.0) if any(s in n for s in strong) else (100.0, 1.0) for n in robot.joint_names]).T


def loop(kind: str) -> tuple[Loop, np.ndarray]:
    """The loop, and where it begins."""
    around = plant(kind)
    robot = around.robot
    q = start(robot)
    described = sensors_of(robot)
    chosen = [s for s in described if s.cuts or s.name.startswith(SENSORS)]
    blocks = {"sensors": Sensing(chosen), "controller": JointControl(q[7:].copy(), *gains(robot))}
    return Loop(around, blocks), q


def speed(folder: Path, rounds: int, seconds: float) -> dict[str, Any]:
    """Simulated over real time of each plant, round after round."""
    loops = {kind: loop(kind) for kind in KINDS}
    factors: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for kind, (item, q) in loops.items():
        run(item, q, duration=0.1, log=folder / f"warm-{kind}.parquet")
    for turn in range(rounds):
        for kind in KINDS if turn % 2 == 0 else KINDS[::-1]:
            item, q = loops[kind]
            begun = time.perf_counter()
            run(item, q, duration=seconds, seed=turn, log=folder / f"{kind}-{turn}.parquet")
            factors[kind].append(seconds / (time.perf_counter() - begun))
            check(item, folder / f"{kind}-{turn}.parquet")
    names = [sensor.name for sensor in loops["ours"][0].made["sensors"].suite.sensors]  # type: ignore[attr-defined]
    return {"seconds": seconds, "sensors": names, "factors": factors}


def check(item: Loop, path: Path) -> None:
    """Raise unless the robot stands."""
    with logs.open_log(path) as file:
        height = file.read("plant/q").values[-1, 2]
    if not height > 0.5:
        raise RuntimeError(f"the robot does not stand: its base is at {height:.3f} m")


def memory(kind: str, folder: Path, minutes: float) -> dict[str, Any]:
    """What the process has every ten simulated seconds, MB, and what Python allocates in the run of a minute."""
    item, q = loop(kind)
    looked: list[list[float]] = []

    def look(inputs: Any) -> np.ndarray:
        looked.append([inputs["time"], resident()])
        return np.zeros(1)

    blocks = {**item.blocks, "look": block(look, {"time": 1}, {"none": 1})}
    item = item.with_settings(blocks=blocks, rates={"look": 0.1})
    begun = time.perf_counter()
    run(item, q, duration=60.0 * minutes, log=folder / f"memory-{kind}.parquet", record=["plant.q", "sensors.*"])
    took = time.perf_counter() - begun
    (folder / f"memory-{kind}.parquet").unlink()
    allocated: list[float] = []
    traced = block(lambda x: np.full(1, _traced(allocated)), {"time": 1}, {"none": 1})
    item = item.with_settings(blocks={**item.blocks, "look": traced}, rates={"look": 0.2})
    tracemalloc.start()
    run(
        item,
        q,
        duration=min(60.0, 60.0 * minutes),
        log=folder / f"traced-{kind}.parquet",
        record=["plant.q", "sensors.*"],
    )
    tracemalloc.stop()
    return {"minutes": minutes, "seconds": took, "resident": looked, "allocated": allocated}


def resident() -> float:
    """What the process has of the memory, MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _traced(into: list[float]) -> float:
    into.append(tracemalloc.get_traced_memory()[0] / 1e6)
    return 0.0


def killed(kind: str, path: str, told: str) -> None:
    """A run of six seconds that tells the time on the wall at each tick, and takes it."""
    descriptor = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def tell(inputs: Any) -> np.ndarray:
        time.sleep(2e-4)
        tick = round(1000.0 * inputs["time"])
        os.pwrite(descriptor, struct.pack("<qd", tick, time.monotonic()), 16 * tick)
        return np.zeros(1)

    item, q = telling(kind, tell)
    run(item, q, duration=6.0, seed=1, log=path, resume=True)


def telling(kind: str, tell: Any) -> tuple[Loop, np.ndarray]:
    """The loop with a block that is called in each tick."""
    item, q = loop(kind)
    return item.with_settings(blocks={**item.blocks, "teller": block(tell, {"time": 1}, {"told": 1})}), q


def kills(kind: str, folder: Path, count: int) -> dict[str, Any]:
    """What is lost of runs that are killed at random times, and whether the bytes in the end are the same."""
    command = [sys.executable, "-m", "benchmarks.loop", "--killed", kind]
    whole, told = folder / f"whole-{kind}.parquet", folder / "told"
    subprocess.run([*command, str(whole), str(told)], check=True, cwd=HERE.parent)
    item, q = telling(kind, print)
    pattern = item.init(q, seed=1)
    lost: list[float] = []
    finished, same, number = 0, True, 0
    while len(lost) < count:
        path = folder / f"killed-{kind}-{number}.parquet"
        told.unlink(missing_ok=True)
        process = subprocess.Popen([*command, str(path), str(told)], cwd=HERE.parent)
        while process.poll() is None and not (told.exists() and told.stat().st_size):
            time.sleep(0.01)
        time.sleep(random.uniform(0.0, 1.5))
        process.send_signal(signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            walls = np.frombuffer(told.read_bytes()[: 16 * (told.stat().st_size // 16)], dtype="<i8, <f8")
            stored = path.with_name(path.name + ".state")
            kept = load_state(stored, pattern, {}).tick if stored.exists() else 0
            if len(logs.load(path)["plant/q"].values) < kept:
                raise RuntimeError("the log is behind the state")
            began = int(np.argmax(walls["f1"] > 0.0))  # ticks before were told by an earlier process
            lost.append(float(walls["f1"][-1] - walls["f1"][max(min(kept, len(walls) - 1), began)]))
        if path.exists() or len(lost) % 3 == 0:
            subprocess.run([*command, str(path), str(told)], check=True, cwd=HERE.parent)
            same = same and path.read_bytes() == whole.read_bytes()
            finished, number = finished + 1, number + 1
    return {"lost": lost, "finished": finished, "same bytes": same}


def markdown(content: dict[str, Any]) -> str:
    """The results as text."""
    measured, about = content["speed"], content["machine"]
    about_it = __doc__.partition("\n\n")[2].rpartition(" Tables and")[0]
    lines = ["# The loop on iCub at 1 kHz", "", about_it, ""]
    told = "; ".join(
        f"{name}: {value}" for name, value in about.items() if name not in ("packages", "instruction sets")
    )
    lines += [
        f"{told}. NumPy {about['packages']['numpy']}, MuJoCo {about['packages']['mujoco']}.",
        "",
        f"Sensors: {', '.join(measured['sensors'])}.",
        "",
    ]
    lines += ["| plant | times real time, median | slowest round | fastest round | goal |", "|---|---:|---:|---:|---:|"]
    for kind, factors in measured["factors"].items():
        middle, low, high = np.median(factors), min(factors), max(factors)
        lines.append(f"| {kind} | {middle:.1f} | {low:.1f} | {high:.1f} | {GOALS[kind]:g} |")
    lines += [
        "",
        "| plant | minutes | took, s | process after 20 s, MB | at its end | Python after 10 s, MB | after 60 s |",
    ]
    lines += ["|---|---:|---:|---:|---:|---:|---:|"]
    for kind, found in content["memory"].items():
        has = np.array(found["resident"])
        after = has[min(2, len(has) - 1), 1]
        allocated = found["allocated"]
        lines.append(
            f"| {kind} | {found['minutes']:g} | {found['seconds']:.0f} | {after:.0f} | {has[-1, 1]:.0f} | "
            f"{allocated[min(2, len(allocated) - 1)]:.2f} | {allocated[-1]:.2f} |"
        )
    lines += ["", "| plant | kills | lost at most, s | runs finished | same bytes |", "|---|---:|---:|---:|---|"]
    for kind, found in content["kills"].items():
        same = "yes" if found["same bytes"] else "no"
        lines.append(
            f"| {kind} | {len(found['lost'])} | {max(found['lost'], default=0.0):.2f} | {found['finished']} | {same} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
