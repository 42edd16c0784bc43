"""The command `floatbase`: run experiments, list them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import floatbase
from floatbase.errors import ArgumentError, FloatbaseError

# exit status: what was computed does not hold; a wrong argument, file or defect; interrupted, as shells have it
DOES_NOT_HOLD, FAILED, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    help="Floating-base robots: experiments of the literature, each ending in our numbers beside the published ones.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Entry point of the command."""
    app()


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    context.obj = debug
    if version:
        print(f"floatbase {floatbase.__version__}")
        raise typer.Exit


@app.command("list")
def list_experiments(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Show the settings of this one.")] = None,
) -> None:
    """List the experiments, or the settings of one."""
    with _reporting(context.obj):
        from floatbase.experiments import experiment, terminal

        if name is None:
            terminal.print_names(terminal.console())
        else:
            terminal.print_experiment(terminal.console(), experiment(name))


@app.command()
def run(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="The experiment; see: floatbase list")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of everything random; 0 by default.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default runs/NAME-TIME.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Steps done at once, in worker processes.")] = 1,
    resume: Annotated[Path | None, typer.Option(help="Continue the run in this folder.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> None:
    """Run an experiment, or continue one that was interrupted. Exit status 1 if a number does not hold."""
    with _reporting(debug or bool(context.obj)):
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
        _say(f"interrupted; finished steps are kept, go on with: floatbase run --resume {folder}")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _reporting(debug: bool) -> Iterator[None]:
    """Errors as one line, unless where they come from is wanted."""
    try:
        yield
    except typer.Exit:
        raise
    except Exception as error:
        if debug:
            raise
        expected = isinstance(error, (FloatbaseError, OSError))
        _say(str(error) if expected else f"{type(error).__name__}: {error} (--debug shows where)")
        raise typer.Exit(FAILED) from None


def _say(text: str) -> None:
    Console(stderr=True, soft_wrap=True).print(Text("floatbase: ", style="bold red").append(text, style="default"))


if __name__ == "__main__":
    main()
