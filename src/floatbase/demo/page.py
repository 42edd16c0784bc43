"""The page that the demo ends in: iCub to be turned and moved, what was verified, what calls cost."""

from __future__ import annotations

from pathlib import Path

import floatbase as fb
from floatbase.demo.machine import machine
from floatbase.demo.pictures import TIMINGS_SIZE, draw_timings, waving_motion
from floatbase.demo.timing import Timing
from floatbase.demo.verification import Check
from floatbase.report import Cell, Picture, Section, draw_png, number_text, page, picture, robot_view, table


def write_page(
    path: Path, robot: fb.Robot, checks: list[Check], timings: list[Timing], batch: int, peer: str | None
) -> None:
    """Write one file of HTML that needs nothing else."""
    held = sum(check.passed for check in checks)
    facts = {
        "robot": f"{robot.name}, {robot.mass:.3f} kg, {robot.n_bodies} bodies, {len(robot.joint_names)} joints",
        "verified": f"{held} of {len(checks)} identities hold",
        "machine": machine(),
    }
    light, dark = draw_png(lambda figure: draw_timings(figure, timings, batch, peer), TIMINGS_SIZE)
    caption = "Time per state, ours" + (f" and {peer}'s." if peer else ".")
    sections = [
        Section("The robot", [robot_view(robot, waving_motion(robot), "iCub waves. Drag it to turn it.")]),
        Section("What calls cost", [picture(Picture(caption, light, dark)), _timings(timings, batch, peer)]),
        Section("Identities", [_checks(checks)]),
    ]
    lead = "A robot from its URDF file, identities of its dynamics on random states, and what calls cost here."
    path.write_text(page("A first look at floatbase", lead, facts, sections), encoding="utf-8")


def _checks(checks: list[Check]) -> str:
    lines = [
        [
            Cell(check.name),
            Cell(number_text(check.residual, 2), kind="number"),
            Cell(number_text(check.tolerance, 1), kind="number"),
            Cell("holds" if check.passed else "fails", kind="good" if check.passed else "bad"),
        ]
        for check in checks
    ]
    return table(("identity", "largest relative residual", "tolerated", "verdict"), lines)


def _timings(timings: list[Timing], batch: int, peer: str | None) -> str:
    headers = ["function", "one state [µs]", f"one of {batch} states [µs]"]
    headers += [f"{peer}, one [µs]", f"{peer}, of {batch} [µs]", "largest difference", "verdict"] if peer else []
    lines = []
    for timing in timings:
        numbers = [timing.single, timing.batch]
        numbers += [timing.peer_single or 0.0, timing.peer_batch or 0.0] if peer else []
        line = [Cell(timing.function.name.replace("_", " "))]
        line += [Cell(f"{1e6 * seconds:.2f}", kind="number") for seconds in numbers]
        if peer:
            line.append(Cell(number_text(timing.difference, 2), kind="number"))
            line.append(Cell("agrees" if timing.agrees else "differs", kind="good" if timing.agrees else "bad"))
        lines.append(line)
    return table(headers, lines)
