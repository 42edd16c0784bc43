"""Experiments and their results as tables in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from floatbase.experiments.catalog import experiment, names
from floatbase.experiments.pages import by_section, holds_text, value_text
from floatbase.experiments.plan import Experiment
from floatbase.experiments.results import Result, Row
from floatbase.experiments.settings import options

_STYLES = {True: "green", False: "bold red", None: "dim"}


def console() -> Console:
    """Standard output; wide enough for tables where it is a file or a pipe."""
    found = Console()
    return found if found.is_terminal else Console(width=140)


def print_names(console: Console) -> None:
    """All experiments."""
    table = Table(box=None, header_style="dim")
    table.add_column("experiment", no_wrap=True)
    table.add_column("what it is")
    for name in names():
        table.add_row(Text(name), Text(experiment(name).title))
    console.print(table)
    console.print("[dim]floatbase list NAME shows the settings of one, floatbase run NAME runs it[/]")


def print_experiment(console: Console, shown: Experiment) -> None:
    """One experiment and its settings."""
    console.print(f"[bold]{shown.title}[/]")
    console.print(Text(shown.summary))
    table = Table(box=None, header_style="dim")
    for header in ("setting", "kind", "default", "meaning"):
        table.add_column(header)
    for item in options(shown.settings):
        table.add_row(Text(item.name), Text(item.kind), Text(str(item.default)), Text(item.help))
    console.print(table if table.row_count else "[dim]it has no settings[/]")


def print_result(console: Console, result: Result) -> None:
    """Ours beside the published numbers, section by section, and what holds."""
    for title, rows in by_section(result.rows):
        table = Table(title=Text(title), title_justify="left", title_style="bold", box=None, header_style="dim")
        table.add_column("quantity")
        for header in ("ours", "published"):
            table.add_column(header, justify="right", no_wrap=True)
        for header in ("unit", "criterion", "holds"):
            table.add_column(header)
        for row in rows:
            table.add_row(*_cells(row))
        console.print(table)
        console.print()
    judged = sum(row.holds is not None for row in result.rows)
    style = _STYLES[result.holds]
    console.print(f"[{style}]{judged - len(result.failures)} of {judged} rows with a criterion hold[/]")
    for row in result.failures:
        console.print(Text(f"does not hold: {row.quantity} ({row.criterion})", style=_STYLES[False]))


def _cells(row: Row) -> tuple[Text, ...]:
    texts = (
        row.quantity,
        value_text(row.ours),
        "" if row.published is None else value_text(row.published),
        row.unit,
        row.criterion,
    )
    return (*map(Text, texts), Text(holds_text(row), style=_STYLES[row.holds]))
