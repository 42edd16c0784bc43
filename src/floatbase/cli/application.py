"""The commands by their names."""

from __future__ import annotations

from typing import Annotated

import typer

import floatbase
from floatbase.cli import experiments, log_files, robots
from floatbase.cli.reporting import Debug, examples

app = typer.Typer(
    help="Floating-base robots: experiments of the literature, robots to look at, recordings.",
    epilog=examples(
        "floatbase list", "floatbase run conservation", "floatbase view icub", "floatbase log info trial.parquet"
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command, name in ((experiments.list_experiments, "list"), (experiments.run, "run")):
    app.command(name, epilog=experiments.EXAMPLES[name])(command)
for show, name in ((robots.view, "view"), (robots.info, "info"), (robots.bench, "bench")):
    app.command(name, epilog=robots.EXAMPLES[name])(show)
app.add_typer(log_files.app, name="log")


def main() -> None:
    """Entry point of the command."""
    app()


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
    debug: Debug = False,
) -> None:
    context.obj = debug
    if version:
        print(f"floatbase {floatbase.__version__}")
        raise typer.Exit
