"""Errors as one line, exit statuses, and what commands have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from floatbase.errors import ArgumentError, FloatbaseError

# exit status: what was computed does not hold; a wrong argument, file or defect; interrupted, as shells have it
DOES_NOT_HOLD, FAILED, INTERRUPTED = 1, 2, 130

Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]


def examples(*lines: str) -> str:
    """The text below the help of a command."""
    return "\n\n".join(["Examples:", *(f"$ {line}" for line in lines)])


@contextmanager
def reporting(context: typer.Context, debug: bool = False) -> Iterator[None]:
    """Errors as one line, unless where they come from is wanted."""
    try:
        yield
    except typer.Exit:
        raise
    except Exception as error:
        if debug or context.find_root().obj:
            raise
        expected = isinstance(error, (FloatbaseError, OSError))
        say(str(error) if expected else f"{type(error).__name__}: {error} (--debug shows where)")
        raise typer.Exit(FAILED) from None


def say(text: str) -> None:
    """A message on standard error."""
    Console(stderr=True, soft_wrap=True).print(Text("floatbase: ", style="bold red").append(text, style="default"))


def output() -> Console:
    """Standard output; wide enough for tables where it is a file or a pipe."""
    found = Console()
    return found if found.is_terminal else Console(width=140)


def require_new(path: Path, overwrite: bool) -> None:
    """Refuse to write over a file, unless that is wanted."""
    if path.exists() and not overwrite:
        raise ArgumentError(f"{path} exists already; choose another name, or say --overwrite")


def robot_names(incomplete: str) -> list[str]:
    """Names of robots, for the completion of shells."""
    from floatbase.model import robots

    return [name for name in robots() if name.startswith(incomplete)]


def experiment_names(incomplete: str) -> list[str]:
    """Names of experiments, for the completion of shells."""
    from floatbase.experiments import names

    return [name for name in names() if name.startswith(incomplete)]
