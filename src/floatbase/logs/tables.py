"""Tables of other programs: CSV files and Parquet files, with a map from their columns to signals; writing CSV.

A CSV file has one line per sample. Its delimiter is the one of comma, semicolon, tab and bar that its first line has
most of, else spaces; it has a header if a field of the first line is no number. Empty fields and `nan` are NaN. What
else is no number, and lines that are too short or too long, are errors that name the line.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from floatbase.errors import ArgumentError, LogError
from floatbase.logs.atomic import as_path, written
from floatbase.logs.columns import ColumnMap, TimeOrder, build, source_names
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.pages import blocks, require_pages
from floatbase.logs.parquet import arrow, damaged
from floatbase.logs.signals import Array, Signal

_DELIMITERS = (",", ";", "\t", "|")
_MISSING = ("", "nan", "na", "n/a", "null", "none")
_LINES = 8192


def read_csv(
    path: object,
    columns: ColumnMap | None = None,
    *,
    time: str | None = None,
    time_unit: str = "",
    rate: float | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    comment: str = "#",
    time_order: TimeOrder = "raise",
    limits: Limits = STANDARD,
) -> Log:
    """A log from a CSV file; for `columns`, `time`, `time_unit` and `rate` see `Columns` and the guide.

    delimiter, header: found if not given; without a header, columns are called 0, 1, ...
    comment: lines that begin with it are left out.
    """
    path = as_path(path)
    if decimal not in (".", ","):
        raise ArgumentError(f"decimal is {decimal!r}; it must be '.' or ','")
    with text_file(path) as file:
        lines = text_lines(path, file, limits, comment)
        number, first = next(lines, (0, ""))
        if not first:
            raise LogError(f"{path}: it has no lines with anything in them")
        if delimiter is None:
            choices = [mark for mark in _DELIMITERS if mark != decimal]
            delimiter = max(choices, key=first.count)
            delimiter = delimiter if delimiter in first else " "
        fields = _fields(first, delimiter)
        limits.require_columns(path, len(fields))
        if header is None:
            header = any(_number(field, decimal) is None for field in fields)
        names = [field.strip() for field in fields] if header else [str(k) for k in range(len(fields))]
        if len(set(names)) != len(names) or "" in names:
            raise LogError(f"{path}: the names of its columns are not all different, or one is empty: {names[:12]}")
        table = _numbers(path, lines, None if header else (number, first), len(names), delimiter, decimal, limits)
    places = {name: k for k, name in enumerate(names)}
    return build(
        path,
        names,
        lambda name: table[:, places[name]],
        columns,
        time=time,
        time_unit=time_unit,
        rate=rate,
        time_order=time_order,
    )


def read_table(
    path: object,
    columns: ColumnMap | None = None,
    *,
    time: str | None = None,
    time_unit: str = "",
    rate: float | None = None,
    time_order: TimeOrder = "raise",
    limits: Limits = STANDARD,
) -> Log:
    """A log from a Parquet file of another program, whose columns are numbers; see `read_csv`."""
    path = as_path(path)
    pa, parquet = arrow()
    with damaged(path), open(path, "rb") as stream, parquet.ParquetFile(path) as file:
        numbers = {
            field.name
            for field in file.schema_arrow
            if pa.types.is_integer(field.type) or pa.types.is_floating(field.type) or pa.types.is_boolean(field.type)
        }
        limits.require_columns(path, len(file.schema_arrow))
        known = [name for name in file.schema_arrow.names if name in numbers]
        if not known:
            raise LogError(f"{path}: none of its columns holds numbers")

        def get(name: str) -> Array:
            limits.require_memory(path, "its samples", 8 * file.metadata.num_rows * len(known))
            for block in blocks(path, stream):
                if len(block.columns) != len(file.schema_arrow):
                    raise LogError(f"{path}: it has columns in columns, which are not read")
                place = block.columns[file.schema_arrow.get_field_index(name)]
                require_pages(path, stream, place, 32 * block.rows + (1 << 20))
            column = file.read(columns=[name], use_threads=False).column(0)
            if column.null_count:
                column = column.cast(pa.float64())
            return np.asarray(column.to_numpy())

        wanted = [*(time or "",), *_wanted(columns)]
        for name in wanted:
            if name in file.schema_arrow.names and name not in numbers:
                raise LogError(f"{path}: column {name!r} holds {file.schema_arrow.field(name).type}, no numbers")
        return build(path, known, get, columns, time=time, time_unit=time_unit, rate=rate, time_order=time_order)


def write_csv(log: Log, path: object, *, group: str | None = None, overwrite: bool = False) -> None:
    """Write signals as a CSV file, with units in brackets behind the names of columns.

    group: the only one to write; may be left out if all have the same stamps, as `align` makes them.
    """
    if not log.groups:
        raise ArgumentError("a log without signals makes no table")
    first = next(iter(log.groups)) if group is None else group
    time = log.time(first)
    signals = log.signals if group is None else log.groups[first]
    for name in log.groups if group is None else ():
        if not np.array_equal(log.time(name), time):
            raise ArgumentError(
                f"a CSV file has one clock; groups {first!r} and {name!r} have other stamps: say which group to write, "
                "or align them"
            )
    names, columns = ["time [s]"], [time]
    for item in signals:
        names += csv_names(item)
        columns += [item.values] if item.values.ndim == 1 else [item.values[:, k] for k in range(len(item.columns))]
    with written(as_path(path), overwrite) as part, open(part, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for start in range(0, len(time), _LINES):
            rows = [column[start : start + _LINES].tolist() for column in columns]
            writer.writerows([[_text(value) for value in row] for row in zip(*rows, strict=True)])


def csv_names(item: Signal) -> list[str]:
    """What the columns of a signal are called in a table, units included."""
    short = item.name
    names = [f"{short}/{column}" for column in item.columns] or [short]
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, item.units, strict=True)]


def _text(value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(int(value))


def text_file(path: Path) -> IO[str]:
    """A text file that is read line by line; UTF-8, with or without a mark at its beginning."""
    try:
        if not path.is_file():
            raise LogError(f"{path}: there is no such file")
        return open(path, encoding="utf-8-sig", errors="replace", newline=None)
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None


def text_lines(path: Path, file: IO[str], limits: Limits, comment: str = "") -> Iterator[tuple[int, str]]:
    """Lines with their numbers, from 1; neither empty ones nor comments."""
    number = 0
    while line := file.readline(limits.text + 1):
        number += 1
        if len(line) > limits.text:
            raise LogError(f"{path}: line {number} has more than {limits.text} characters")
        line = line.rstrip("\r\n")
        if "\0" in line:
            raise LogError(f"{path}: line {number} contains a null character: it is no text")
        if line.strip() and not (comment and line.lstrip().startswith(comment)):
            yield number, line


def numbers_of(path: Path, lines: Sequence[tuple[int, str]], width: int, delimiter: str, decimal: str) -> Array:
    """The numbers (lines, width) of some lines."""
    text = "\n".join(line for _, line in lines)
    if '"' in text:
        for number, line in lines:
            if line.count('"') % 2:
                raise LogError(f"{path}: line {number} has a quotation mark without another")
    if decimal == ",":
        text = text.replace(",", ".")
    try:
        table = np.loadtxt(
            io.StringIO(text), delimiter=None if delimiter == " " else delimiter, ndmin=2, comments=None, quotechar='"'
        )
        if table.shape == (len(lines), width):
            return table
    except ValueError:
        pass
    rows = []  # slowly, for the sake of empty fields, or to find the line that is wrong
    for number, line in lines:
        fields = _fields(line, delimiter)
        if len(fields) != width:
            raise LogError(f"{path}: line {number} has {len(fields)} fields, but the first has {width}")
        row = [_number(text, decimal) for text in fields]
        if None in row:
            k = row.index(None)
            raise LogError(f"{path}: line {number}, field {k + 1}: {fields[k][:40]!r} is no number")
        rows.append(row)
    return np.array(rows, np.float64)


def _numbers(
    path: Path,
    lines: Iterator[tuple[int, str]],
    first: tuple[int, str] | None,
    width: int,
    delimiter: str,
    decimal: str,
    limits: Limits,
) -> Array:
    blocks, count, waiting = [], 0, [first] if first else []
    for line in lines:
        waiting.append(line)
        if len(waiting) == _LINES:
            blocks.append(numbers_of(path, waiting, width, delimiter, decimal))
            count, waiting = count + _LINES, []
            limits.require_memory(path, "its numbers", 16 * count * width)
    if waiting:
        blocks.append(numbers_of(path, waiting, width, delimiter, decimal))
    return np.concatenate(blocks) if blocks else np.empty((0, width))


def _fields(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error as error:
        raise LogError(f"a line of fields is malformed: {error}") from None


def _number(field: str, decimal: str) -> float | None:
    text = field.strip().lower()
    if decimal == ",":
        text = text.replace(",", ".")
    if text in _MISSING:
        return float("nan")
    if text.startswith(("0x", "0b")) or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _wanted(columns: ColumnMap | None) -> list[str]:
    return [] if columns is None else [name for item in columns.values() for name in source_names(item)]
