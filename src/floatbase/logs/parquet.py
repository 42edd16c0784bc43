"""Logs as Parquet files: one column for each column of a signal and each clock, for any reader of Parquet.

Groups begin at the first row; those with fewer samples than the longest end in nulls. The layout (units, frames, rates,
metadata, the number of samples of each group, the format's version) is JSON text in the file's metadata. When a log is
opened, the columns have to be those of the layout; before samples are unpacked, the sizes that pages tell have to fit
their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np

from floatbase.errors import ArgumentError, LogError, missing_dependency
from floatbase.logs.atomic import as_path, written
from floatbase.logs.layout import from_text, layout_of, row_bytes, to_text
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.pages import blocks, require_pages
from floatbase.logs.signals import Array, Signal
from floatbase.logs.source import LogFile, empty_values

FORMAT_VERSION = 1
MAGIC = b"PAR1"
Compression = Literal["lz4", "zstd", "none"]
_KEY = b"floatbase.log"
_ROWS, _BLOCK_BYTES = 1 << 17, 1 << 26  # of a block ("row group"): at most so many rows, about so many bytes
_Read = Callable[[str, int, int], tuple[Array, list[Array]]]  # stamps and values of a group from row to row


def save(log: Log, path: object, *, compression: Compression = "lz4", overwrite: bool = False) -> None:
    """Write a log as a Parquet file, as a whole or not at all.

    compression: "lz4" (fast), "zstd" (smaller) or "none".
    """
    groups = log.groups

    def read(group: str, start: int, stop: int) -> tuple[Array, list[Array]]:
        signals = groups[group]
        return signals[0].time[start:stop], [item.values[start:stop] for item in signals]

    counts = {name: len(signals[0].time) for name, signals in groups.items()}
    with written(as_path(path), overwrite) as part:
        write_blocks(part, log, counts, read, compression)


def write_blocks(path: Path, log: Log, counts: Mapping[str, int], read: _Read, compression: Compression) -> None:
    """Write a Parquet file from samples that are read block by block."""
    pa, parquet = arrow()
    if compression not in ("lz4", "zstd", "none"):
        raise ArgumentError(f"compression is {compression!r}; it must be 'lz4', 'zstd' or 'none'")
    groups = log.groups
    longest = max(counts.values(), default=0)
    fields, split = [], []
    for name, signals in groups.items():
        nullable = counts[name] < longest
        for column, dtype in _columns(name, signals):
            fields.append(pa.field(column, pa.from_numpy_dtype(dtype), nullable=nullable))
            if dtype.kind == "f" and compression != "none":
                split.append(column)
    names = [field.name for field in fields]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"two columns of the file would be called {twice!r}; rename the signal")
    text = to_text(layout_of(log), version=FORMAT_VERSION, samples=dict(counts))
    schema = pa.schema(fields, metadata={_KEY: text.encode()})
    rows = max(1024, min(_ROWS, _BLOCK_BYTES // max(1, sum(row_bytes(signals) for signals in groups.values()))))
    options: dict[str, Any] = {"compression": compression, "use_dictionary": False, "write_statistics": False}
    if compression == "zstd":
        options["compression_level"] = 1
    if split:
        options["use_byte_stream_split"] = split
    with parquet.ParquetWriter(path, schema, **options) as writer:
        for start in range(0, longest, rows):
            height = min(rows, longest - start)
            arrays = []
            for name, signals in groups.items():
                time, values = read(name, min(start, counts[name]), min(start + height, counts[name]))
                flat = [time]
                for block in values:
                    flat += [block] if block.ndim == 1 else [block[:, k] for k in range(block.shape[1])]
                for part, (_, dtype) in zip(flat, _columns(name, signals), strict=True):
                    arrays.append(_padded(pa, np.ascontiguousarray(part, dtype), height))
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema), row_group_size=height)


def _padded(pa: Any, column: Array, height: int) -> Any:
    if len(column) == height:
        return pa.array(column)
    missing = np.arange(height) >= len(column)
    return pa.array(np.concatenate([column, np.zeros(height - len(column), column.dtype)]), mask=missing)


def _columns(group: str, signals: tuple[Signal, ...]) -> list[tuple[str, Any]]:
    """Names and types of a group's columns in a file, its clock first."""
    found: list[tuple[str, Any]] = [(f"{group}/time" if group else "time", np.dtype(np.float64))]
    for item in signals:
        names = [f"{item.name}/{column}" for column in item.columns] or [item.name]
        found += [(name, item.values.dtype) for name in names]
    return found


class ParquetLog(LogFile):
    """An open Parquet file of a log."""

    def __init__(self, path: Path, limits: Limits = STANDARD) -> None:
        _, parquet = arrow()
        with damaged(path):
            self._file = parquet.ParquetFile(path, thrift_string_size_limit=4 * limits.text)
            self._stream = open(path, "rb")  # noqa: SIM115
        self._honest: set[tuple[int, int]] = set()
        try:
            layout, counts = self._check(path, limits)
        except BaseException:
            self.close()
            raise
        super().__init__(path, layout, counts, limits)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()
        self._stream.close()

    def _check(self, path: Path, limits: Limits) -> tuple[Log, dict[str, int]]:
        with damaged(path):
            about, schema = self._file.metadata, self._file.schema_arrow
            text = (about.metadata or {}).get(_KEY)
        if text is None:
            raise LogError(
                f"{path}: it is a Parquet file, but not a log of floatbase: say which of its columns hold what with "
                "logs.read_table"
            )
        layout, content = from_text(text, path)
        if content.get("version") != FORMAT_VERSION:
            raise LogError(f"{path}: its format has version {content.get('version')!r}; this is read: {FORMAT_VERSION}")
        counts: dict[str, int] = content["samples"] if isinstance(content.get("samples"), dict) else {}
        whole = all(type(count) is int and count >= 0 for count in counts.values())
        if not whole or set(counts) != set(layout.groups) or max(counts.values(), default=0) != about.num_rows:
            raise LogError(f"{path}: the numbers of samples it tells are not those it has")
        expected = [item for name, signals in layout.groups.items() for item in _columns(name, signals)]
        limits.require_columns(path, len(expected))
        if [field.name for field in schema] != [name for name, _ in expected]:
            raise LogError(f"{path}: its columns are not those that its description tells")
        pa, _ = arrow()
        for field, (name, dtype) in zip(schema, expected, strict=True):
            if not field.type.equals(pa.from_numpy_dtype(dtype)):
                raise LogError(f"{path}: column {name!r} holds {str(field.type)[:60]}, not {dtype}")
        self._starts = [0]
        self._blocks = blocks(path, self._stream)
        for block in self._blocks:
            self._starts.append(self._starts[-1] + block.rows)
            limits.require_memory(path, "a column of a block", 8 * block.rows)
            if len(block.columns) != len(expected):
                raise LogError(f"{path}: a block has {len(block.columns)} columns, not {len(expected)}")
        if self._starts[-1] != about.num_rows:
            raise LogError(f"{path}: the sizes of its blocks do not add up to {about.num_rows} rows")
        self._places = {name: (j, dtype.itemsize) for j, (name, dtype) in enumerate(expected)}
        return layout, counts

    def _read_time(self, group: str) -> Array:
        time = np.empty(self.counts[group])
        self._fill(f"{group}/time" if group else "time", slice(0, len(time)), time)
        if not np.isfinite(time).all():
            raise LogError(f"{self.path}: the time stamps of {group!r} contain NaN or infinity")
        return time

    def _read_values(self, item: Signal, rows: slice) -> Array:
        values = empty_values(item, rows.stop - rows.start)
        if not item.columns:
            self._fill(item.name, rows, values)
        for k, column in enumerate(item.columns):
            self._fill(f"{item.name}/{column}", rows, values[:, k])
        return values

    def _fill(self, name: str, rows: slice, out: Array) -> None:
        starts = self._starts
        for k in range(len(starts) - 1):
            first, last = max(rows.start, starts[k]), min(rows.stop, starts[k + 1])
            if first >= last:
                continue
            j, size = self._places[name]
            with damaged(self.path):
                if (k, j) not in self._honest:
                    block = self._blocks[k]
                    require_pages(self.path, self._stream, block.columns[j], 2 * block.rows * size + (1 << 16))
                    self._honest.add((k, j))
                column = self._file.read_row_group(k, columns=[name], use_threads=False).column(0)
                part = column.slice(first - starts[k], last - first)
                if part.null_count or len(part) != last - first:
                    raise LogError(f"{self.path}: samples of {name!r} are missing")
                place = first - rows.start
                for chunk in part.chunks:
                    out[place : place + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
                    place += len(chunk)


@contextmanager
def damaged(path: object) -> Iterator[None]:
    """What Arrow says of a file that cannot be read, as an error of floatbase."""
    pa, _ = arrow()
    try:
        yield
    except FileNotFoundError:
        raise LogError(f"{path}: there is no such file") from None
    except (OSError, pa.ArrowException, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, LogError):
            raise
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LogError(f"{path}: cannot be read as Parquet: {text[:300]}") from None
    except MemoryError:
        raise LogError(f"{path}: reading it takes more memory than there is") from None


def arrow() -> tuple[Any, Any]:
    """Arrow and its module for Parquet."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_dependency("pyarrow", "logs", "reading and writing Parquet files") from None
    return pyarrow, parquet
