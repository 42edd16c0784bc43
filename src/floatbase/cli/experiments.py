"""`floatbase list` and `floatbase run`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from floatbase.cli.reporting import DOES_NOT_HOLD, INTERRUPTED, Debug, examples, experiment_names, reporting, say
from floatbase.errors import ArgumentError

EXAMPLES = {
    "list": examples("floatbase list", "floatbase list conservation"),
    "run": examples(
        "floatbase run conservation",
        "floatbase run geometric-linearization --set draws=10 --seed 3 --jobs 2 --out here",
        "floatbase run --resume here",
    ),
}


def list_experiments(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="Show the settings of this one.", autocompletion=experiment_names)
    ] = None,
    debug: Debug = False,
) -> None:
    """List the experiments, or the settings of one."""
    with reporting(context, debug):
        from floatbase.experiments import experiment, terminal

        if name is None:
            terminal.print_names(terminal.console())
        else:
            terminal.print_experiment(terminal.console(), experiment(name))


def run(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="The experiment; see: floatbase list", autocompletion=experiment_names)
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of everything random; 0 by default.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default runs/NAME-TIME.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Steps done at once, in worker processes.")] = 1,
    resume: Annotated[Path | None, typer.Option(help="Continue the run in this folder.")] = None,
    debug: Debug = False,
) -> None:
    """Run an experiment, or continue one that was interrupted. Exit status 1 if a number does not hold."""
    with reporting(context, debug):
        from floatbase import experiments
        from floatbase.experiments import terminal
        from floatbase.experiments.folder import new_folder, read_request
        from floatbase.experiments.settings import assignments, make

        if resume is not None:
            if settings or seed is not None or out is not None:
                raise ArgumentError(
                    "--resume goes on with the settings and the seed of the run: leave them and --out out"
                )
            begun = read_request(resume)["experiment"]
            if name not in (None, begun):
                raise ArgumentError(f"{resume} holds a run of {begun!r}, not of {name!r}")
            with _interruptible(resume):
                result = experiments.resume(resume, jobs=jobs, console=Console(stderr=True))
        else:
            if name is None:
                choices = ", ".join(experiments.names())
                raise ArgumentError(f"which experiment? The choices are: {choices}")
            chosen = experiments.experiment(name)
            values = vars(make(chosen.settings, assignments(settings or []), text=True))
            folder = new_folder(name) if out is None else out
            with _interruptible(folder):
                console = Console(stderr=True)
                result = experiments.run(chosen, seed=seed or 0, out=folder, jobs=jobs, console=console, **values)
        terminal.print_result(terminal.console(), result)
        print(f"report: {result.folder / 'report.html'}")
    if not result.holds:
        raise typer.Exit(DOES_NOT_HOLD)


@contextmanager
def _interruptible(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted; finished steps are kept, go on with: floatbase run --resume {folder}")
        raise typer.Exit(INTERRUPTED) from None
