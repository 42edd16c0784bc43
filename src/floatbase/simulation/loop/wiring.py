"""Which signal feeds which input of which block, found and checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from floatbase.errors import ArgumentError, ShapeError, unknown_name
from floatbase.simulation.loop.blocks import TIME, Block
from floatbase.simulation.loop.plant import Plant
from floatbase.simulation.loop.signals import Channel

PLANT = "plant"
COMMAND, PUSHES = "command", "pushes"


class Source(NamedTuple):
    """An output, and the part of it that is meant; the time if the output is None."""

    output: tuple[str, str] | None
    where: slice | None
    channel: Channel

    def of(self, signals: Mapping[tuple[str, str], Any], time: float) -> Any:
        """The value."""
        if self.output is None:
            return time
        value = signals[self.output]
        return value if self.where is None else value[..., self.where]


@dataclass(frozen=True, eq=False)
class Wiring:
    """All signals of a loop, and those that feed each block and the plant. `owners` are in the order of a tick."""

    owners: Mapping[str, Plant | Block]
    given: Mapping[str, str]

    def __post_init__(self) -> None:
        for name in self.given:
            owner, _, local = name.partition(".")
            if owner not in self.owners or local not in self.inputs_of(owner):
                known = [f"{owner}.{local}" for owner in self.owners for local in self.inputs_of(owner)]
                raise unknown_name("input in wiring", name, known)

    def inputs_of(self, owner: str) -> Mapping[str, int]:
        """The inputs of a block, or of the plant."""
        item = self.owners[owner]
        if isinstance(item, Plant):
            sizes = {COMMAND: item.command_size}
            return {**sizes, PUSHES: 6 * len(item.pushes)} if item.pushes else sizes
        return item.inputs

    def signals_of(self, owner: str) -> dict[str, Source]:
        """The outputs of a block or of the plant, and their parts."""
        item = self.owners[owner]
        found = {channel.name: Source((owner, channel.name), None, channel) for channel in item.outputs}
        for name, part in item.parts.items():
            found.setdefault(name, Source((owner, part.output), part.where, part.channel))
        return found

    def sources(self, owner: str) -> dict[str, Source | None]:
        """What feeds each input; None for inputs of the plant that nothing feeds."""
        return {name: self._source(owner, name, size) for name, size in self.inputs_of(owner).items()}

    def named(self, name: str) -> Source:
        """The signal of a name such as "plant.q" or "sensors.l_leg_ft"."""
        owner, _, local = name.partition(".")
        known = {f"{o}.{n}": source for o in self.owners for n, source in self.signals_of(o).items()}
        if owner not in self.owners or f"{owner}.{local}" not in known:
            raise unknown_name("signal", name, known)
        return known[name]

    def _source(self, owner: str, name: str, size: int) -> Source | None:
        given = self.given.get(f"{owner}.{name}")
        if given is not None:
            found = self._given(owner, name, given)
        elif name == TIME:
            return Source(None, None, Channel(TIME, 1, "s"))
        else:
            nearest = self._nearest(owner, name)
            if nearest is None:
                return None
            found = nearest
        if found.channel.size != size:
            source = f"{found.output[0]}.{found.channel.name}" if found.output else TIME
            raise ShapeError(
                f"{owner}.{name} takes {size} numbers, but {source} has {found.channel.size}; name another signal in "
                f"wiring={{'{owner}.{name}': ...}}"
            )
        return found

    def _given(self, owner: str, name: str, given: str) -> Source:
        """Signals of later blocks, and of the block itself, are those of the tick before."""
        if given == TIME:
            return Source(None, None, Channel(TIME, 1, "s"))
        return self.named(given)

    def _nearest(self, owner: str, name: str) -> Source | None:
        """The signal of that name of the last block before, the plant being the first of all."""
        order = list(self.owners)
        before: Sequence[str] = order[1:] if owner == PLANT else order[: order.index(owner)]
        for other in reversed(before):
            found = self.signals_of(other).get(name)
            if found is not None:
                return found
        if owner == PLANT:
            return None
        later = [other for other in order[order.index(owner) :] if name in self.signals_of(other)]
        if later:
            raise ArgumentError(
                f"{owner}.{name} is given by {later[0]!r}, which comes later in a tick: put that block before "
                f"{owner!r}, or take its value of the tick before by wiring={{'{owner}.{name}': '{later[0]}.{name}'}}"
            )
        known = [local for other in before for local in self.signals_of(other)]
        error = unknown_name(f"input of {owner!r}", name, known)
        raise ArgumentError(f"nothing before {owner!r} gives {name!r}: {error}")
