"""What blocks exchange: vectors with names, sizes and units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from floatbase.errors import ArgumentError


@dataclass(frozen=True)
class Channel:
    """A signal: `size` numbers along the last axis, with the unit of all or of each, and names of the entries."""

    name: str
    size: int
    units: tuple[str, ...] | str = ""
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name("signal", self.name)
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 0:
            raise ArgumentError(f"signal {self.name!r} has size {self.size!r}; it must be a whole number, at least 0")
        if not isinstance(self.units, str) and len(self.units) != self.size:
            raise ArgumentError(f"signal {self.name!r} has {self.size} entries, but {len(self.units)} units")
        if self.columns and len(self.columns) != self.size:
            raise ArgumentError(f"signal {self.name!r} has {self.size} entries, but {len(self.columns)} names for them")


class Slice(NamedTuple):
    """A part of an output that has a name of its own."""

    output: str
    where: slice
    channel: Channel


def check_name(what: str, name: Any) -> None:
    """Raise if a name could not be part of `block.signal`."""
    if not isinstance(name, str) or not name or "/" in name or name != name.strip():
        raise ArgumentError(f"the name of a {what} is {name!r}; it must be text without slashes and outer spaces")


def channels_of(sizes: Mapping[str, int | Channel]) -> tuple[Channel, ...]:
    """Channels from their sizes by name, or as they are given."""
    found = []
    for name, item in sizes.items():
        if isinstance(item, Channel) and item.name != name:
            raise ArgumentError(f"the signal {name!r} is given as a channel named {item.name!r}; names must agree")
        found.append(item if isinstance(item, Channel) else Channel(name, item))
    return tuple(found)
