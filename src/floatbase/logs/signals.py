"""A signal: samples of one quantity over time, with their units, frame and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, ShapeError, name_hint
from floatbase.logs.units import canonical, conversion, convert

Array = npt.NDArray[Any]

LONGEST_NAME = 200
MOST_COLUMNS = 10_000
_QUATERNION = ("w", "x", "y", "z")


@dataclass(frozen=True, eq=False)
class Signal:
    """Samples over time. Made by `signal`, which fills in what is left out.

    name: with the group before the last slash, `imu/acceleration`; signals of a group share their time stamps.
    time: (n,) float64, seconds.
    values: (n,) or (n, k) real numbers; not copied, and seen through a view that cannot be written to.
    columns: names of the k columns, empty for values (n,).
    units: one for each column, one for values (n,); empty where it is not known.
    frame: in which the values are expressed, or which they are of.
    orientation: the rows are unit quaternions w x y z, which are interpolated as rotations.
    """

    name: str
    time: Array
    values: Array
    columns: tuple[str, ...]
    units: tuple[str, ...]
    frame: str = ""
    orientation: bool = False

    def __post_init__(self) -> None:
        check_name("signal", self.name)
        for column in self.columns:
            check_name("column", column)
        time, values = as_time(self.name, self.time), _as_values(self.name, self.values)
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "units", tuple(canonical(name) for name in self.units))
        if len(values) != len(time):
            raise ShapeError(f"signal {self.name!r} has {len(values)} samples, but {len(time)} time stamps")
        width = values.shape[1] if values.ndim == 2 else 0
        if len(self.columns) != width:
            raise ShapeError(f"signal {self.name!r} has {width} columns, but {len(self.columns)} names for them")
        if len(set(self.columns)) != width:
            raise ArgumentError(f"signal {self.name!r} has columns of the same name: {', '.join(self.columns)}")
        if len(self.units) != max(width, 1):
            raise ShapeError(f"signal {self.name!r} has {max(width, 1)} columns, but {len(self.units)} units")
        if self.orientation and width != 4:
            raise ShapeError(f"signal {self.name!r} is an orientation, so it has 4 columns w x y z; got {width}")

    def __repr__(self) -> str:
        shape = f"{len(self.time)} x {len(self.columns)}" if self.columns else f"{len(self.time)}"
        units = ", ".join(dict.fromkeys(self.units))
        return f"<Signal {self.name}: {shape} {self.values.dtype}{f' [{units}]' if units else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by what it is made of, so that its samples cannot be written to afterwards either."""
        return Signal, (self.name, self.time, self.values, self.columns, self.units, self.frame, self.orientation)

    @property
    def group(self) -> str:
        """The part of the name before the last slash; empty if there is none."""
        return self.name.rpartition("/")[0]

    @property
    def unit(self) -> str:
        """The unit of all columns; an error if they differ."""
        if len(set(self.units)) > 1:
            raise ArgumentError(f"signal {self.name!r} has columns of several units: {', '.join(self.units)}")
        return self.units[0]

    def column(self, name: str) -> Array:
        """The samples (n,) of one column."""
        if name not in self.columns:
            raise ArgumentError(f"signal {self.name!r} has no column {name!r}; {name_hint(name, self.columns)}")
        return self.values[:, self.columns.index(name)]

    def in_unit(self, unit: str) -> Signal:
        """The same signal in another unit of the same quantity; whole numbers become float64."""
        if set(self.units) == {canonical(unit)}:
            return self
        for name in self.units:
            conversion(name, unit)
        if len(set(self.units)) == 1:
            values = convert(self.values, self.units[0], unit)
        else:
            columns = [convert(self.values[:, k], name, unit) for k, name in enumerate(self.units)]
            values = np.stack(columns, axis=1)
        if self.values.dtype.kind == "f":
            values = np.asarray(values, self.values.dtype)
        return replace(self, values=values, units=(unit,) * len(self.units))

    def rows(self, where: slice | Array) -> Signal:
        """The samples in a slice, or those of an array of numbers or truth values."""
        return replace(self, time=self.time[where], values=self.values[where])

    def with_values(self, values: Array, *, time: Array | None = None, units: Sequence[str] | None = None) -> Signal:
        """Other samples of the same columns, at the same times if no others are given."""
        return replace(
            self,
            time=self.time if time is None else time,
            values=values,
            units=self.units if units is None else tuple(units),
        )

    def renamed(self, name: str) -> Signal:
        """The same samples by another name."""
        return replace(self, name=name)


def signal(
    name: str,
    time: npt.ArrayLike,
    values: npt.ArrayLike,
    unit: str | Sequence[str] = "",
    *,
    columns: Sequence[str] = (),
    frame: str = "",
    orientation: bool = False,
) -> Signal:
    """A signal. Columns without names are called 0, 1, ...; those of an orientation w, x, y, z.

    unit: one for all columns, or one for each.
    """
    check_name("signal", name)
    stamps, samples = as_time(name, time), _as_values(name, values)
    width = samples.shape[1] if samples.ndim == 2 else 0
    if not columns and width:
        columns = _QUATERNION if orientation and width == 4 else tuple(str(k) for k in range(width))
    units = (unit,) * max(width, 1) if isinstance(unit, str) else tuple(unit)
    return Signal(name, stamps, samples, tuple(columns), units, frame, orientation)


def check_name(kind: str, name: object) -> None:
    """Raise unless this is a name: text that can be printed, without stars and brackets, not too long."""
    if not isinstance(name, str):
        raise ArgumentError(f"the name of a {kind} is text, got {name!r}")
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or set(name) & set("*?[]") or name != name.strip():
        raise ArgumentError(
            f"{name[:60]!r} cannot be the name of a {kind}: it needs 1 to {LONGEST_NAME} characters that can be "
            "printed, none of * ? [ ], and no spaces around it"
        )


def as_time(name: str, time: npt.ArrayLike) -> Array:
    """Time stamps as finite float64 (n,) that cannot be written to."""
    array = np.asarray(time)
    if array.dtype.kind not in "fiu" or array.ndim != 1:
        raise ShapeError(f"time of {name!r} is {array.dtype} of shape {array.shape}; it must be numbers (n,), seconds")
    array = array.astype(np.float64, copy=False)
    if not np.isfinite(array).all():
        place = int(np.argmin(np.isfinite(array)))
        raise ArgumentError(f"time of {name!r} contains NaN or infinity: stamp {place} is {array[place]}")
    return _sealed(array)


def _as_values(name: str, values: npt.ArrayLike) -> Array:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise ArgumentError(f"values of {name!r} are {array.dtype}; they must be real numbers of at most 64 bits")
    if array.ndim not in (1, 2):
        raise ShapeError(f"values of {name!r} have shape {array.shape}; they must be (n,) or (n, k)")
    if array.ndim == 2 and not 0 < array.shape[1] <= MOST_COLUMNS:
        raise ShapeError(f"values of {name!r} have {array.shape[1]} columns; they must have 1 to {MOST_COLUMNS}")
    native = np.dtype(np.float32) if array.dtype == np.float16 else array.dtype.newbyteorder("=")
    return _sealed(array.astype(native, copy=False))


def _sealed(array: Array) -> Array:
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def require_increasing(name: str, time: Array, *, purpose: str) -> None:
    """Raise unless every stamp is later than the one before."""
    late = np.flatnonzero(np.diff(time) <= 0.0)
    if late.size:
        k = int(late[0])
        raise ArgumentError(
            f"{purpose} needs time stamps that increase; {late.size} of {name!r} do not: stamp {k + 1} is "
            f"{time[k + 1]!r} s after {time[k]!r} s. Look at log.check(); log.in_order() leaves such samples out"
        )


def metadata_copy(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of metadata, which holds what JSON can hold."""
    return {_key(key): _plain(value, 0) for key, value in metadata.items()}


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ArgumentError(f"metadata are found by names, got {key!r}")
    return key


def _plain(value: Any, depth: int) -> Any:
    if depth > 16:
        raise ArgumentError("metadata are nested in more than 16 levels")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    raise ArgumentError(f"metadata hold text, numbers, lists and mappings, got {value!r}")
