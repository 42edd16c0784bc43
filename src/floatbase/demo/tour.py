"""The parts of the demo, one after another."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from rich.console import Console

import floatbase as fb
from floatbase.demo.machine import machine
from floatbase.demo.page import write_page
from floatbase.demo.pictures import draw_icub, plot_timings
from floatbase.demo.pinocchio_peer import Peer, load_peer
from floatbase.demo.tables import agreement_table, checks_table, sensors_table, timings_table, tree_table
from floatbase.demo.timing import FUNCTIONS, Timing, measure
from floatbase.demo.verification import FRAME, QUANTITIES, verify
from floatbase.progress import compile_with_progress

SEED = 1


def tour(console: Console, folder: Path, quick: bool) -> bool:
    """Load, print, compile, verify, time and draw iCub; whether everything that was checked is right."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    robot = _load(console)
    body = robot.with_representation("body")
    _compile(console, robot, body)

    checks = verify(robot, *robot.random(rng, n=8 if quick else 100), rng)
    console.print(checks_table(checks, 8 if quick else 100))

    peer = load_peer(robot)
    batch = 64 if quick else 4096
    timings = measure(body, peer, rng, batch, seconds=0.02 if quick else 0.5)
    _report(console, timings, peer, batch)

    picture, plot = folder / "icub.png", folder / "timing.png"
    with console.status("drawing"):
        draw_icub(robot, picture, (320, 240) if quick else (1200, 900))
        plot_timings(timings, plot, batch, None if peer is None else peer.name)
        page = folder / "report.html"
        write_page(page, robot, checks, timings, batch, None if peer is None else peer.name)
    console.print(f"pictures: [bold]{picture}[/] (iCub, drawn without a graphics card), [bold]{plot}[/]")
    console.print(f"page: [bold]{page}[/] (iCub waves in it, and its joints can be moved)")
    passed = all(check.passed for check in checks) and all(timing.agrees for timing in timings)
    console.print("[green]everything agrees[/]" if passed else "[bold red]something is wrong, see above[/]")
    return passed


def _load(console: Console) -> fb.Robot:
    start = time.perf_counter()
    robot = fb.load("icub")
    console.print(f"loaded [bold]{robot.name}[/] in {time.perf_counter() - start:.2f} s", highlight=False)
    console.print(tree_table(robot))
    console.print(sensors_table(robot))
    links, bodies = len(robot.model.links), robot.n_bodies
    console.print(
        f"{robot.mass:.3f} kg, {links} links in {bodies} bodies, {len(robot.joint_names)} joints: "
        f"q has {robot.nq} entries, v has {robot.nv}\n"
    )
    return robot


def _compile(console: Console, robot: fb.Robot, body: fb.Robot) -> None:
    """The default representation is verified; Pinocchio's, with velocities in body axes, is timed."""
    start = time.perf_counter()
    functions = [robot.function(quantity) for quantity in QUANTITIES]
    functions.append(robot.function("inverse_dynamics", wrenches=(FRAME,)))
    functions += [body.function(function.name) for function in FUNCTIONS]
    compile_with_progress(functions, console=console)
    seconds = time.perf_counter() - start
    console.print(
        f"{len(functions)} functions ready in {seconds:.1f} s, each for one state and for batches; the machine code "
        "is kept on disk for the next run\n"
    )


def _report(console: Console, timings: list[Timing], peer: Peer | None, batch: int) -> None:
    console.print(timings_table(timings, batch, peer))
    console.print(machine(), highlight=False)
    if peer is None:
        console.print(
            "Pinocchio is not installed here, so there is nothing to compare with; "
            "after `pip install pin` the demo times both\n",
            highlight=False,
        )
    else:
        console.print(agreement_table(timings, peer))
