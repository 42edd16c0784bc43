"""Compare floatbase with other libraries: `python -m benchmarks`, or `python -m benchmarks --quick --robots icub`.

Every library that is installed takes part, in this one process, on the same robots and states. Results agree with
Pinocchio before and after timing or are not counted. Tables go to the terminal; JSON, Markdown and plots to
`benchmarks/results/`, and with `--docs` the plots also to `docs/assets/`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import machine, plots, report, robots
from benchmarks.comparison import compare, scale
from benchmarks.contender import FUNCTIONS
from benchmarks.options import Options
from benchmarks.records import Record

HERE = Path(__file__).resolve().parent

PEERS = ("floatbase", "pinocchio", "mujoco", "idyntree", "casadi", "drake", "frax", "adam")


def main() -> None:
    """Measure, print, and write the results."""
    options = _arguments()
    console = Console(width=140)
    machine_description = machine.describe()
    console.rule("machine")
    for key, value in machine_description.items():
        console.print(f"{key}: {value}", highlight=False)
    adapters, missing = _adapters(options.peers)
    console.rule("peers")
    notes = {}
    for adapter in adapters:
        name = f"{adapter.NAME} {adapter.version()}"
        notes[name] = adapter.NOTES
        console.print(f"{name}: {'; '.join(adapter.NOTES)}", highlight=False)
    for name, reason in missing.items():
        console.print(f"{name}: not measured: {reason}", highlight=False)
    settings = Options(long_compilations=options.long)
    rounds, burst = (5, 0.002) if options.quick else (options.rounds, 0.005)
    records: list[Record] = []
    scaling: list[Record] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.robots:
            robot = robots.prepare(name, Path(folder))
            records += compare(robot, adapters, options.functions, options.batches, settings, rounds, burst, console)
        if not options.no_scaling:
            sizes = [1, 16, 256, 4096] if options.quick else [4**power for power in range(8)]
            robot = robots.prepare(options.scaling_robot, Path(folder))
            scaling = scale(robot, adapters, sizes, settings, rounds, burst, console)
    console.print(report.boundary(), highlight=False)
    report.print_tables(console, records)
    report.print_losses(console, [*records, *scaling])
    _write(options, machine_description, notes, missing, records, scaling)
    console.print(f"written to {options.results}/{options.name}.json, .md and plots")


def _write(
    options: argparse.Namespace,
    machine_description: dict[str, Any],
    notes: dict[str, tuple[str, ...]],
    missing: dict[str, str],
    records: list[Record],
    scaling: list[Record],
) -> None:
    folder: Path = options.results
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "machine": machine_description,
        "peers": {**{name: list(text) for name, text in notes.items()}, **missing},
        "records": [record.as_dictionary() for record in records],
        "batch sizes": [record.as_dictionary() for record in scaling],
    }
    (folder / f"{options.name}.json").write_text(json.dumps(content, indent=1) + "\n")
    (folder / f"{options.name}.md").write_text(report.markdown(machine_description, notes, missing, records, scaling))
    pictures = [folder / f"{options.name}-size"]
    plots.against_size(records, pictures[0])
    if scaling:
        pictures.append(folder / f"{options.name}-batch")
        plots.against_batch(scaling, pictures[1])
    if options.docs:
        for picture in pictures:
            place = HERE.parent / "docs" / "assets" / f"benchmark-{picture.name.removeprefix(options.name + '-')}.svg"
            shutil.copyfile(picture.with_suffix(".svg"), place)


def _adapters(names: list[str]) -> tuple[list[Any], dict[str, str]]:
    found, missing = [], {}
    for name in names:
        try:
            found.append(importlib.import_module(f"benchmarks.peers.{name}"))
        except ImportError as reason:
            missing[name] = f"not installed ({reason})"
    return found, missing


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=list(robots.NAMES), choices=robots.NAMES, metavar="ROBOT")
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=PEERS, metavar="PEER")
    parser.add_argument("--functions", nargs="+", default=list(FUNCTIONS), choices=FUNCTIONS, metavar="FUNCTION")
    parser.add_argument("--batches", nargs="*", type=int, default=[16, 4096], help="states in a batch (16 and 4096)")
    parser.add_argument("--rounds", type=int, default=25, help="rounds in which all entries take turns")
    parser.add_argument("--scaling-robot", default="icub", choices=robots.NAMES, help="for the plot over batch sizes")
    parser.add_argument("--no-scaling", action="store_true", help="leave out the plot over batch sizes")
    parser.add_argument("--long", action="store_true", help="with libraries that compile for minutes (adam)")
    parser.add_argument("--quick", action="store_true", help="few rounds, few sizes")
    parser.add_argument("--name", default="latest", help="name of the files written (default: latest)")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder to write to")
    parser.add_argument("--docs", action="store_true", help="copy the plots to docs/assets")
    return parser.parse_args()


if __name__ == "__main__":
    main()
