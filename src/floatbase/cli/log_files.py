"""`floatbase log`: what a recording holds, other formats, plots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from floatbase.cli.reporting import Debug, examples, output, reporting, require_new
from floatbase.errors import ArgumentError

app = typer.Typer(
    help="Recordings: our own, CSV, MATLAB, MCAP, bags of ROS, YARP's text.",
    epilog=examples("floatbase log info trial.parquet"),
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(help="The recording.", show_default=False)]
Names = Annotated[
    list[str] | None, typer.Option("--signal", "-s", metavar="NAME", help="A signal, or a pattern; may be repeated.")
]
Start = Annotated[float | None, typer.Option(help="Leave out what is before this time, s.")]
Stop = Annotated[float | None, typer.Option(help="Leave out what is after this time, s.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Write over a file that exists.")]


@app.command(epilog=examples("floatbase log info trial.parquet", "floatbase log info --no-check walk.mcap"))
def info(
    context: typer.Context,
    file: File,
    check: Annotated[bool, typer.Option(help="Look for gaps, jumps of the clock, NaN.")] = True,
    debug: Debug = False,
) -> None:
    """Tell what a recording holds: signals, units, clocks, metadata, and what is doubtful about it."""
    with reporting(context, debug):
        from floatbase import logs

        logs.info(output(), file, check=check)


@app.command(
    epilog=examples(
        "floatbase log convert walk.mcap walk.parquet",
        "floatbase log convert trial.parquet arm.csv -s 'joints/*' --rate 100 --start 2 --stop 5",
    )
)
def convert(
    context: typer.Context,
    source: File,
    target: Annotated[Path, typer.Argument(help="What is written, .parquet or .csv.", show_default=False)],
    signal: Names = None,
    start: Start = None,
    stop: Stop = None,
    rate: Annotated[float | None, typer.Option(help="Put all signals on one clock, Hz.")] = None,
    group: Annotated[str | None, typer.Option(help="The group of signals that a CSV file is made of.")] = None,
    overwrite: Overwrite = False,
    debug: Debug = False,
) -> None:
    """Write a recording in another format, all of it or a part."""
    with reporting(context, debug):
        from floatbase import logs

        log = logs.convert(
            source,
            target,
            names=signal or (),
            start=start,
            stop=stop,
            rate=rate,
            group=group,
            overwrite=overwrite,
        )
        print(f"{target}: {len(log)} signals")


@app.command(
    epilog=examples("floatbase log plot trial.parquet", "floatbase log plot trial.parquet -s 'imu/*' --out imu.html")
)
def plot(
    context: typer.Context,
    file: File,
    signal: Names = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .png, or an .html for light and dark screens.")
    ] = None,
    start: Start = None,
    stop: Stop = None,
    overwrite: Overwrite = False,
    debug: Debug = False,
) -> None:
    """Draw signals over time."""
    with reporting(context, debug):
        from floatbase import logs
        from floatbase.report import Picture, Section, draw_png, page, picture

        place = Path(f"{file.stem}.png") if out is None else out
        ending = place.suffix.lower()
        if ending not in (".png", ".html"):
            raise ArgumentError(f"{place}: plots are written as .png or .html")
        require_new(place, overwrite)
        drawing = logs.plot(file, names=signal or (), start=start, stop=stop)
        light, dark = draw_png(drawing.draw, drawing.size)
        if ending == ".png":
            place.write_bytes(light)
        else:
            shown = picture(Picture(f"Signals of {file.name}", light, dark))
            facts = {"file": str(file), "plots": str(len(drawing.panels))}
            place.write_text(page(file.name, "Signals over time.", facts, [Section("Signals", [shown])]), "utf-8")
        print(place)
