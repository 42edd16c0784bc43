"""Results as tables: in the terminal, and as a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.records import Record, losses

_HEADINGS = ("peer", "mode", "result", "threads", "shortest", "median", "speed", "first call", "error")


def boundary() -> str:
    """What the columns mean, in words."""
    return (
        "Times are microseconds per state: the shortest and the median over rounds in which all entries take turns. "
        "What is timed is the public call in Python, with the library's own checks, in a loop over different states "
        "(one state) or on all states at once (batch). 'fresh' means a newly allocated result, 'reused' one in memory "
        "that is used again. 'speed' is relative to one call of Pinocchio per state (1 is Pinocchio), by the shortest "
        "times. 'first call' includes compilation unless it was found in a cache. 'error' is the largest norm-wise "
        "difference from Pinocchio relative to it, over all states, before and after timing."
    )


def print_tables(console: Console, records: Sequence[Record]) -> None:
    """One table per robot and function."""
    for (robot, nv, function), group in _groups(records).items():
        table = Table(title=f"{robot} ({nv} velocities): {function}", title_justify="left")
        for heading in _HEADINGS:
            table.add_column(heading, justify="left" if heading in ("peer", "mode", "result") else "right")
        for record in group:
            table.add_row(*_cells(record), style="bold" if record.peer == "floatbase" else "")
        console.print(table)


def print_losses(console: Console, records: Sequence[Record]) -> None:
    """Where floatbase is slower than a peer."""
    sentences = losses(records)
    console.rule("where floatbase is slower")
    for sentence in sentences or ["In none of the cells measured here."]:
        console.print(sentence, highlight=False)


def markdown(
    machine: dict[str, Any],
    notes: dict[str, tuple[str, ...]],
    missing: dict[str, str],
    records: Sequence[Record],
    scaling: Sequence[Record],
) -> str:
    """The page: machine, what is timed, remarks on the peers, losses, tables."""
    lines = ["# Results", "", boundary(), "", "## Machine", ""]
    lines += [f"* {key}: {_words(value)}" for key, value in machine.items()]
    lines += ["", "## Peers", ""]
    lines += [f"* **{name}**: {'; '.join(remarks)}." for name, remarks in notes.items()]
    lines += [f"* **{name}**: not measured: {reason}." for name, reason in missing.items()]
    lines += ["", "## Where floatbase is slower", ""]
    lines += [f"* {sentence}" for sentence in losses([*records, *scaling])] or ["In none of the cells measured here."]
    for (robot, nv, function), group in _groups(records).items():
        lines += ["", f"## {robot} ({nv} velocities): {function}", ""]
        lines += ["| " + " | ".join(_HEADINGS) + " |", "|---|---|---|" + "---:|" * (len(_HEADINGS) - 3)]
        lines += ["| " + " | ".join(_cells(record)) + " |" for record in group]
    statements = dict.fromkeys((record.label, record.function, record.mode, record.statement) for record in records)
    lines += ["", "## Statements timed", "", "| peer | function | mode | statement |", "|---|---|---|---|"]
    for label, function, mode, statement in statements:
        lines.append(f"| {label} | {function} | {mode} | `{' '.join(statement.split())}` |")
    return "\n".join(lines) + "\n"


def _groups(records: Sequence[Record]) -> dict[tuple[str, int, str], list[Record]]:
    groups: dict[tuple[str, int, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record.robot, record.nv, record.function), []).append(record)
    for group in groups.values():
        group.sort(key=lambda r: (r.mode != "one state", r.states, r.threads, not r.ok, r.shortest))
    return groups


def _cells(record: Record) -> list[str]:
    mode = record.mode if record.mode == "one state" else f"batch of {record.states}"
    if not record.ok:
        return [record.label, mode, record.output, str(record.threads), record.status, "", "", "", ""]
    return [
        record.label,
        mode,
        record.output,
        str(record.threads),
        f"{record.shortest:.2f}",
        f"{record.median:.2f}",
        f"{record.relative_speed:.2f}" if record.relative_speed == record.relative_speed else "",
        f"{record.first_call:.1f} s" if record.first_call > 0.1 else "",
        f"{record.error:.0e}",
    ]


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)
