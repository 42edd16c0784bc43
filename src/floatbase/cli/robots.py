"""`floatbase view`, `floatbase info` and `floatbase bench`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from floatbase.cli.reporting import FAILED, Debug, examples, output, reporting, require_new, robot_names
from floatbase.errors import ArgumentError

EXAMPLES = {
    "view": examples(
        "floatbase view icub",
        "floatbase view my_robot.urdf --out robot.png --size 800x600",
        "floatbase view trial.parquet --robot icub --signal 'joints/*'",
        "floatbase view trial.parquet --out trial.gif --start 2 --stop 5",
    ),
    "info": examples("floatbase info icub", "floatbase info my_robot.urdf"),
    "bench": examples("floatbase bench icub", "floatbase bench anymal_c --batch 1024 --seconds 0.2"),
}

RobotName = Annotated[
    str,
    typer.Argument(help="A robot's name, or its URDF or MJCF file.", autocompletion=robot_names, show_default=False),
]


def view(
    context: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            help="A robot's name, its URDF or MJCF file, or a log.", autocompletion=robot_names, show_default=False
        ),
    ],
    robot: Annotated[str | None, typer.Option(help="The robot that a log is of.", autocompletion=robot_names)] = None,
    signal: Annotated[
        list[str] | None, typer.Option("--signal", "-s", metavar="NAME", help="A signal to plot; may be repeated.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where the browser may be; by default on this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="If it is taken, the next one.")] = 8080,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Without a browser: write a .png, .gif, .mp4, or a page .html."),
    ] = None,
    size: Annotated[str, typer.Option(help="Width and height of a picture.")] = "640x480",
    rate: Annotated[float, typer.Option(help="Pictures a second of .gif and .mp4.")] = 20.0,
    speed: Annotated[float, typer.Option(help="How fast a motion is played there.")] = 1.0,
    start: Annotated[float | None, typer.Option(help="Leave out what is before this time of a log, s.")] = None,
    stop: Annotated[float | None, typer.Option(help="Leave out what is after this time of a log, s.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Write over a file that exists.")] = False,
    debug: Debug = False,
) -> None:
    """Show a robot, or the motion in a log, in a browser or in a file. Ctrl-C ends it."""
    with reporting(context, debug):
        from floatbase.viewer.viewing import resolved
        from floatbase.viewer.window import Window

        if out is not None:
            require_new(out, overwrite)
        chosen, motion = resolved(target, robot=robot, plots=signal or ())
        if motion is not None:
            motion = motion.between(start, stop)
        elif start is not None or stop is not None:
            raise ArgumentError("--start and --stop belong to a log; the target is a robot")
        if out is not None:
            _write(out, chosen, motion, _size(size), rate, speed)
            print(out)
            return
        window = Window(chosen, motion, host=host, port=port)
        for problem in window.problems:
            output().print(f"! {problem}", style="yellow", markup=False, highlight=False)
        print(f"{chosen.name} at {window.url} (Ctrl-C ends it)", flush=True)
        if browser:
            webbrowser.open(window.url)
        window.wait()


def info(context: typer.Context, robot: RobotName, debug: Debug = False) -> None:
    """Tell what a robot is: bodies, joints with their limits, masses, sensors, frames."""
    with reporting(context, debug):
        from floatbase.demo.tables import sensors_table, tree_table
        from floatbase.loading import load

        chosen, console = load(robot), output()
        console.print(tree_table(chosen))
        if chosen.model.sensors:
            console.print(sensors_table(chosen))
        links, base = len(chosen.model.links), "floating" if chosen.floating else "fixed"
        lines = [
            f"{chosen.mass:.3f} kg, {links} links in {chosen.n_bodies} bodies, {len(chosen.joint_names)} joints, "
            f"{base} base {chosen.base!r}: q has {chosen.nq} entries, v has {chosen.nv}",
            f"{len(chosen.frame_names)} frames, {len(chosen.model.skin)} patches of skin, "
            f"{len(chosen.model.constraints)} closed loops",
        ]
        named = [item.name for item in chosen.model.configurations]
        lines += [f"configurations: {', '.join(named)}"] if named else []
        lines += [f"file: {chosen.model.source}"] if chosen.model.source else []
        console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def bench(
    context: typer.Context,
    robot: Annotated[
        str, typer.Argument(help="A robot's name, or its URDF or MJCF file.", autocompletion=robot_names)
    ] = "icub",
    batch: Annotated[int, typer.Option(min=1, max=1_000_000, help="States in a batch.")] = 1024,
    seconds: Annotated[float, typer.Option(min=0.001, max=60.0, help="How long each function is timed.")] = 0.2,
    seed: Annotated[int, typer.Option(min=0, help="Of the random states.")] = 1,
    debug: Debug = False,
) -> None:
    """Time the dynamics of a robot on this machine; beside Pinocchio, if that is installed and has such a robot.

    Exit status 2 if the results differ. `make bench` in the source compares with more.
    """
    with reporting(context, debug):
        import numpy as np

        from floatbase.demo.machine import machine
        from floatbase.demo.pinocchio_peer import comparable, load_peer
        from floatbase.demo.tables import agreement_table, timings_table
        from floatbase.demo.timing import FUNCTIONS, measure
        from floatbase.loading import load
        from floatbase.progress import compile_with_progress

        chosen = load(robot, representation="body")
        console = output()
        compile_with_progress([chosen.function(item.name) for item in FUNCTIONS], console=console)
        peer = load_peer(chosen) if comparable(chosen) else None
        timings = measure(chosen, peer, np.random.default_rng(seed), batch, seconds)
        console.print(timings_table(timings, batch, peer))
        if peer is not None:
            console.print(agreement_table(timings, peer))
        console.print(machine(), highlight=False, soft_wrap=True)
        if not all(timing.agrees for timing in timings):
            raise typer.Exit(FAILED)


def _write(place: Path, robot: Any, motion: Any, size: tuple[int, int], rate: float, speed: float) -> None:
    """A picture, a moving one, or a page."""
    from floatbase.report import Section, page, robot_view
    from floatbase.viewer import Style, Trajectory, animate, look_at, render, robot_shapes, scene, write_png

    ending = place.suffix.lower()
    if ending not in (".png", ".gif", ".mp4", ".html"):
        raise ArgumentError(f"{place}: a robot is shown in .png, .gif, .mp4 or .html")
    q = robot.neutral() if motion is None else motion.q[0]
    shapes = robot_shapes(robot.model, robot.tree)
    if ending == ".png":
        picture = scene(shapes.placed(q))
        points = picture.corners.reshape(-1, 3)
        camera = look_at(points, 0.6, 0.2, aspect=size[0] / size[1])
        write_png(place, render(picture, camera, size, Style(ground=float(points[:, 2].min()))))
    elif ending == ".html":
        facts = {
            "robot": robot.name,
            "mass": f"{robot.mass:.3f} kg",
            "bodies and joints": f"{robot.n_bodies}, {len(robot.joint_names)}",
        }
        shown = robot_view(robot, q if motion is None else motion, shapes=shapes)
        text = page(robot.name, "Drag to turn the robot.", facts, [Section("Robot", [shown])])
        place.write_text(text, encoding="utf-8")
    else:
        if motion is None:
            raise ArgumentError(f"{place}: a robot alone does not move; give a log, or write a .png")
        assert isinstance(motion, Trajectory)
        animate(place, shapes, motion, rate=rate, size=size, speed=speed)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal() and 0 < int(width) <= 4096 and 0 < int(height) <= 4096):
        raise ArgumentError(f"--size is {text!r}; it must be like 640x480, at most 4096x4096")
    return int(width), int(height)
