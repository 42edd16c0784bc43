"""A plant, and blocks around it, on one clock.

    loop = Loop(plant, {"sensors": Sensing(sensors_of(robot)), "controller": JointControl(posture, 1000.0, 4.0)})
    found = run(loop, q, duration=1.0)

Time is counted in periods of the plant. In each tick the plant is measured, the blocks whose turn it is are stepped in
their order, and then the plant moves under the newest command. What a block gave is held until it is stepped again.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, unknown_name
from floatbase.simulation.loop.blocks import Block, Sensing
from floatbase.simulation.loop.plant import Plant
from floatbase.simulation.loop.signals import check_name
from floatbase.simulation.loop.wiring import COMMAND, PLANT, PUSHES, Source, Wiring

_SLACK = 1e-9  # of rates, relative


class LoopState(NamedTuple):
    """The number of the next tick, the state of the plant and of each block, and what blocks gave last."""

    tick: int
    plant: Any
    blocks: dict[str, Any]
    signals: dict[str, dict[str, Any]]


class Turn(NamedTuple):
    """A block, every how many ticks it is stepped, where its inputs come from, and the sizes of its outputs."""

    name: str
    block: Block
    period: int
    sources: dict[str, Source]
    sizes: dict[str, int]


@dataclass(frozen=True, eq=False)
class Loop:
    """Settings of a loop.

    blocks: by name, in the order of a tick. rates: Hz, of blocks that are slower than the plant; they must divide its
    rate. wiring: what feeds an input, `{"controller.velocity": "estimator.velocity"}`, where it is not the signal of
    the same name of the nearest block before. (The plant comes first.) Signals of a later block are those of the tick
    before, zero in the first tick. The plant takes `command`, and `pushes` if it has any, from the last block that
    gives them; without one they are zero.
    """

    plant: Plant
    blocks: Mapping[str, Block | Sensing] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    wiring: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.plant, Plant):
            raise ArgumentError(f"a loop is around a plant, such as SimulatedPlant(simulator); got {self.plant!r}")
        for name in self.rates:
            if name not in self.blocks:
                raise unknown_name("block in rates", name, self.blocks)
        for name, item in self.blocks.items():
            check_name("block", name)
            if "." in name or name == PLANT:
                raise ArgumentError(f"a block cannot be called {name!r}; use a name without dots other than {PLANT!r}")
            if not isinstance(item, Block | Sensing):
                raise ArgumentError(f"block {name!r} is {item!r}; it must have inputs, outputs, parts, init and step")
        _ = self.turns, self.plant_sources  # what is wired wrongly is an error here

    def period(self, name: str) -> int:
        """Every how many ticks a block is stepped; 1 for the plant."""
        rate = self.rates.get(name)
        if rate is None:
            return 1
        own = 1.0 / self.plant.dt
        if not (isinstance(rate, float | int) and 0.0 < rate < np.inf):
            raise ArgumentError(f"the rate of {name!r} is {rate!r}; it must be a positive, finite number of Hz")
        ticks = own / rate
        if round(ticks) < 1 or abs(ticks - round(ticks)) > _SLACK * ticks:
            near = sorted({own / max(1, int(ticks)), own / (int(ticks) + 1)}, reverse=True)
            choices = " or ".join(f"{choice:.6g}" for choice in near)
            raise ArgumentError(
                f"the rate of {name!r}, {rate:g} Hz, does not divide that of the plant, {own:g} Hz; near it are "
                f"{choices} Hz"
            )
        return round(ticks)

    @cached_property
    def wires(self) -> Wiring:
        """All signals."""
        return Wiring({PLANT: self.plant, **self.made}, self.wiring)

    @cached_property
    def made(self) -> dict[str, Block]:
        """The blocks, those of sensors made for the plant."""
        dt = self.plant.dt
        return {
            name: item.of(self.plant, self.period(name) * dt) if isinstance(item, Sensing) else item
            for name, item in self.blocks.items()
        }

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The blocks in the order of a tick."""
        found = []
        for name, item in self.made.items():
            sources = {local: source for local, source in self.wires.sources(name).items() if source is not None}
            sizes = {channel.name: channel.size for channel in item.outputs}
            found.append(Turn(name, item, self.period(name), sources, sizes))
        return tuple(found)

    @cached_property
    def plant_sources(self) -> dict[str, Source | None]:
        """What feeds the plant."""
        return self.wires.sources(PLANT)

    def with_settings(self, **changes: Any) -> Self:
        """The same with other settings, such as another plant."""
        return replace(self, **changes)

    def init(self, q: Any = None, v: Any = None, *, seed: int = 0) -> LoopState:
        """The state before the first tick; what is random in blocks depends on the seed and their names."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ArgumentError(f"seed is {seed!r}; it must be a whole number, at least 0")
        plant = self.plant.init(q, v)
        batch = self.plant.measure(plant)["q"].shape[:-1]
        blocks = {turn.name: turn.block.init(batch, _seed_of(turn.name, seed)) for turn in self.turns}
        signals = {
            turn.name: {name: np.zeros((*batch, size)) for name, size in turn.sizes.items()} for turn in self.turns
        }
        return LoopState(0, plant, blocks, signals)

    def sense(self, state: LoopState) -> tuple[LoopState, dict[tuple[str, str], Any]]:
        """The first half of a tick: the plant is measured, and blocks are stepped. All signals are given, too."""
        signals: dict[tuple[str, str], Any] = {
            (PLANT, name): value for name, value in self.plant.measure(state.plant).items()
        }
        for owner, held in state.signals.items():
            for name, value in held.items():
                signals[owner, name] = value
        blocks, given = dict(state.blocks), dict(state.signals)
        time = state.tick * self.plant.dt
        for turn in self.turns:
            if state.tick % turn.period:
                continue
            inputs = {name: source.of(signals, time) for name, source in turn.sources.items()}
            blocks[turn.name], outputs = turn.block.step(state.blocks[turn.name], inputs)
            given[turn.name] = self._checked(turn, outputs, state.signals[turn.name])
            for name, value in given[turn.name].items():
                signals[turn.name, name] = value
        return LoopState(state.tick, state.plant, blocks, given), signals

    def move(self, state: LoopState, signals: Mapping[tuple[str, str], Any]) -> LoopState:
        """The second half: the plant moves for a period."""
        time = state.tick * self.plant.dt
        command, pushes = (self.plant_sources.get(name) for name in (COMMAND, PUSHES))
        plant = self.plant.step(
            state.plant,
            None if command is None else command.of(signals, time),
            None if pushes is None else pushes.of(signals, time),
        )
        return LoopState(state.tick + 1, plant, state.blocks, state.signals)

    def step(self, state: LoopState) -> LoopState:
        """The state a period later."""
        return self.move(*self.sense(state))

    def _checked(self, turn: Turn, outputs: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
        if outputs.keys() != turn.sizes.keys():
            raise ArgumentError(
                f"block {turn.name!r} gave {', '.join(outputs) or 'nothing'}; it must give {', '.join(turn.sizes)}"
            )
        found = {}
        for name, value in outputs.items():
            array = np.asarray(value)
            if array.shape != before[name].shape:
                try:
                    array = np.broadcast_to(array, before[name].shape)
                except ValueError:
                    raise ShapeError(
                        f"block {turn.name!r} gave {name!r} of shape {array.shape}; it must be {before[name].shape}"
                    ) from None
            found[name] = array
        return found


def _seed_of(name: str, seed: int) -> int:
    """Another seed for each name."""
    return int(
        np.random.SeedSequence([seed, zlib.crc32(name.encode())]).generate_state(1, np.uint64)[0] >> np.uint64(1)
    )
