"""What an experiment ends in: rows of numbers of ours beside published ones, and the file that holds them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError
from floatbase.experiments.criteria import Criterion

Value: TypeAlias = "float | tuple[Value, ...] | None"  # None: not a finite number, or not readable in print


@dataclass(frozen=True)
class Row:
    """A quantity, a number or nested tuples of numbers: ours, the published one and where it stands.

    `holds` says whether the `criterion` is met; None where there is nothing to be met.
    """

    quantity: str
    unit: str
    ours: Value
    published: Value = None
    source: str = ""
    holds: bool | None = None
    criterion: str = ""
    section: str = ""


@dataclass(frozen=True)
class Result:
    """A finished run. `seconds` is the time of all its steps, whichever process and session did them."""

    experiment: str
    settings: Mapping[str, Any]
    seed: int
    seconds: float
    rows: tuple[Row, ...]
    version: str
    machine: str
    folder: Path

    @property
    def holds(self) -> bool:
        """Whether every row with a criterion meets it."""
        return not self.failures

    @property
    def failures(self) -> tuple[Row, ...]:
        """The rows that do not meet their criterion."""
        return tuple(row for row in self.rows if row.holds is False)


def compare(
    quantity: str,
    ours: npt.ArrayLike,
    criterion: Criterion | None = None,
    published: npt.ArrayLike | None = None,
    *,
    unit: str = "",
    source: str = "",
    section: str = "",
) -> Row:
    """The row of a quantity; entries of `published` that are NaN were not readable and are not compared."""
    actual = np.asarray(ours, dtype=np.float64)
    expected = None if published is None else np.asarray(published, dtype=np.float64)
    holds = None
    if criterion is not None:
        holds = bool(np.isfinite(actual).all()) and criterion.holds(actual, expected)
    text = "" if criterion is None else criterion.text
    shown = None if expected is None else _value(expected)
    return Row(quantity, unit, _value(actual), shown, source, holds, text, section)


def to_json(result: Result) -> str:
    """The content of `result.json`: everything but the folder."""
    names = [field.name for field in fields(result) if field.name not in ("folder", "rows")]
    content = {name: getattr(result, name) for name in names}
    head = json.dumps({**content, "settings": dict(result.settings)}, indent=1, allow_nan=False)
    rows = ",\n  ".join(json.dumps(asdict(row), allow_nan=False) for row in result.rows)
    return f'{head[:-2]},\n "rows": [\n  {rows}\n ]\n}}\n'  # a row on a line


def read_result(path: Path) -> Result:
    """A result from its file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            {**row, "ours": _tuples(row["ours"]), "published": _tuples(row["published"])} for row in content["rows"]
        ]
        return Result(**{**content, "rows": tuple(Row(**row) for row in rows), "folder": path.parent})
    except (ValueError, TypeError, KeyError) as error:
        raise ArgumentError(f"{path} is not the result of an experiment: {error}") from None


def _value(array: npt.NDArray[np.float64]) -> Value:
    if array.ndim == 0:
        number = float(array)
        return number if math.isfinite(number) else None
    return tuple(_value(part) for part in array)


def _tuples(value: Any) -> Value:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_tuples(part) for part in value)
    return None if value is None else float(value)
