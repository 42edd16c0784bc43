"""The page of a finished run: what holds, every number beside the published one, the plots."""

from __future__ import annotations

from collections.abc import Sequence

from floatbase.experiments.plan import Experiment
from floatbase.experiments.results import Result, Row, Value
from floatbase.experiments.settings import options
from floatbase.report import Cell, Picture, Section, fold, number_text, page, paragraph, picture, table

_HEADERS = ("quantity", "ours", "published", "unit", "criterion", "holds", "source")
FEW = 4  # numbers that fit into a cell


def result_page(experiment: Experiment, result: Result, pictures: Sequence[Picture], robots: Sequence[str] = ()) -> str:
    """The page as HTML. robots: parts made by `floatbase.report.robot_view`."""
    judged = sum(row.holds is not None for row in result.rows)
    facts = {
        "experiment": result.experiment,
        "result": f"{judged - len(result.failures)} of {judged} rows with a criterion hold",
        "seed": str(result.seed),
        "time": f"{result.seconds:.1f} s in all steps",
        "machine": result.machine,
    }
    sections = [Section("Motion", list(robots))] if robots else []
    sections += [Section("Plots", [picture(item) for item in pictures])] if pictures else []
    sections += [Section(title, _parts(rows)) for title, rows in by_section(result.rows)]
    sections += [Section("Settings", [_settings(experiment, result)])] if result.settings else []
    return page(experiment.title, experiment.summary, facts, sections)


def _settings(experiment: Experiment, result: Result) -> str:
    """The settings of the run, with their defaults and meanings."""
    lines = [
        [Cell(item.name), Cell(str(result.settings[item.name])), Cell(str(item.default)), Cell(item.help)]
        for item in options(experiment.settings)
    ]
    return table(("setting", "value", "default", "meaning"), lines)


def by_section(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Rows under the titles of their sections, in the order in which these first appear."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.section or "Results", []).append(row)
    return list(found.items())


def holds_text(row: Row) -> str:
    """Yes, no, or nothing to be met."""
    return {True: "yes", False: "no", None: "-"}[row.holds]


def value_text(value: Value) -> str:
    """A number, a few numbers, or the shape of an array."""
    if not isinstance(value, tuple):
        return number_text(value)
    if any(isinstance(entry, tuple) for entry in value):
        return f"{len(value)} × {len(value[0])}"  # type: ignore[arg-type]
    entries = [entry for entry in value if not isinstance(entry, tuple)]
    return f"{len(value)} entries" if len(value) > FEW else ", ".join(number_text(entry, 3) for entry in entries)


def _in_table(row: Row) -> bool:
    """Whether a row is a line of a table: no matrix, nor a vector that is long or was published."""
    if not isinstance(row.ours, tuple):
        return True
    return row.published is None and len(row.ours) <= FEW and not isinstance(row.ours[0], tuple)


def _parts(rows: Sequence[Row]) -> list[str]:
    numbers = [_line(row) for row in rows if _in_table(row)]
    used = [k for k in range(len(_HEADERS)) if any(line[k].text for line in numbers)]
    headers, lines = [_HEADERS[k] for k in used], [[line[k] for k in used] for line in numbers]
    parts = [table(headers, lines)] if numbers else []
    return parts + [_matrix(row) for row in rows if not _in_table(row)]


def _line(row: Row) -> list[Cell]:
    return [
        Cell(row.quantity),
        Cell(value_text(row.ours), kind="number"),
        Cell("" if row.published is None else value_text(row.published), kind="number"),
        Cell(row.unit),
        Cell(row.criterion),
        Cell(holds_text(row), kind=_kind(row.holds)),
        Cell(row.source),
    ]


def _matrix(row: Row) -> str:
    """Entries, each above the published one."""
    ours, published = _grid(row.ours), None if row.published is None else _grid(row.published)
    digits = 6 if len(ours) == 1 else 4
    lines = []
    for i, numbers in enumerate(ours):
        below = [""] * len(numbers)
        if published:
            below = ["?" if x is None else number_text(x, digits) for x in published[i]]
        cells = [Cell(number_text(x, digits), text, "number") for x, text in zip(numbers, below, strict=True)]
        lines.append([Cell(str(i + 1)), *cells])
    shape = f"{len(ours)} × {len(ours[0])}" if len(ours) > 1 else f"{len(ours[0])} entries"
    layout = "ours above the published numbers" if published else ""
    about = ", ".join(text for text in (layout, row.source, row.unit, row.criterion) if text)
    headers = ["", *(str(j + 1) for j in range(len(ours[0])))]
    content = paragraph(about) + table(headers, lines, first_is_header=True)
    return fold(f"{row.quantity}, {shape}", content, _kind(row.holds), is_open=row.holds is False)


def _grid(value: Value) -> list[list[float | None]]:
    """A vector as one line, a matrix as its lines."""
    assert isinstance(value, tuple)
    lines = value if value and isinstance(value[0], tuple) else (value,)
    found = []
    for line in lines:
        assert isinstance(line, tuple)
        found.append([x for x in line if not isinstance(x, tuple)])
    return found


def _kind(holds: bool | None) -> str:
    return {True: "good", False: "bad", None: ""}[holds]
