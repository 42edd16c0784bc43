"""Programs of a suite of sensors: a tick, and what perfect sensors read.

| vector | entries |
|---|---|
| memory | whether there were ticks before, one count per clock, then of each sensor its errors' and its sampling's |
| random | of each sensor standard normal numbers, then uniform ones, of its errors and then of its sampling |
| values | the channels of each sensor |

Inputs without entries are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.compiler.cache import cache_key
from floatbase.compiler.function import Function
from floatbase.compiler.program import Port, Program
from floatbase.compiler.tracing import trace
from floatbase.fingerprint import fingerprint
from floatbase.robot.states import check_configuration
from floatbase.simulation.laws import Ground, join
from floatbase.simulation.sensors.sampling import start, tick
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.sides import Sides
from floatbase.simulation.sensors.situation import situation
from floatbase.spatial.arrays import Array, vector, zeros


@dataclass(frozen=True, eq=False)
class Layout:
    """Sensors of a tree, and where their numbers stand. `torques`: those of joints are given, not accelerations."""

    sides: Sides
    sensors: tuple[Sensor, ...]
    frames: tuple[str, ...]
    pushes: tuple[str, ...]
    ground: Ground
    dt: float
    torques: bool
    inertial: bool

    @cached_property
    def clocks(self) -> tuple[tuple[float, float], ...]:
        """Period and phase [ticks] of every clock."""
        found = dict.fromkeys(
            sensor.sampling.clock(self.dt) for sensor in self.sensors if sensor.sampling.rate is not None
        )
        return tuple(found)

    @cached_property
    def memory_sizes(self) -> list[int]:
        """Of each sensor."""
        return [
            sensor.errors.memory_size(sensor.size) + sensor.sampling.memory_size(sensor.size, self.dt)
            for sensor in self.sensors
        ]

    @property
    def memory_size(self) -> int:
        """Of all, with the clocks."""
        return 1 + len(self.clocks) + sum(self.memory_sizes)

    @cached_property
    def per_tick(self) -> list[tuple[int, int]]:
        """Standard normal and uniform numbers that each sensor needs at a tick."""
        found = []
        for sensor in self.sensors:
            errors, sampling = sensor.errors.per_sample(sensor.size), sensor.sampling.per_sample()
            found.append((errors.normals + sampling.normals, errors.uniforms + sampling.uniforms))
        return found

    @cached_property
    def at_start(self) -> list[tuple[int, int]]:
        """Standard normal and uniform numbers that each sensor needs before the first tick."""
        return [tuple(sensor.errors.at_start(sensor.size)) for sensor in self.sensors]  # type: ignore[misc]

    @cached_property
    def ports(self) -> list[Port]:
        """Inputs of a motion."""
        tree = self.sides.tree
        sizes = {
            "q": tree.nq,
            "v": tree.nv,
            "torques" if self.torques else "a": tree.joint_nv if self.torques else tree.nv,
            "wrenches": 6 * len(self.frames),
            "pushes": 6 * len(self.pushes),
            "inertial": 10 * len(tree.bodies) * self.inertial,
        }
        return [Port(name, (size,)) for name, size in sizes.items() if size]

    def begin(self, draws: Array) -> Array:
        """The memory (..., memory_size) before the first tick, from random numbers (..., n)."""
        batch = draws.shape[:-1]
        parts = [start(self.clocks, batch)]
        for sensor, (normals, uniforms) in zip(self.sensors, _split_draws(draws, self.at_start), strict=True):
            parts.append(sensor.errors.begin(sensor.size, normals, uniforms))
            parts.append(np.zeros((*batch, sensor.sampling.memory_size(sensor.size, self.dt))))
        return join(parts)

    def ideal(self, motion: Sequence[Array]) -> list[Array]:
        """What each sensor would read if it were perfect; motion: the arrays of `ports`."""
        given = dict(zip((port.name for port in self.ports), motion, strict=True))
        tree = self.sides.tree
        q, v, inertial = given["q"], given["v"], given.get("inertial")
        check_configuration(tree, q)
        wrenches: dict[str, Array] = {}
        for name, frames in (("wrenches", self.frames), ("pushes", self.pushes)):
            for k, frame in enumerate(frames):
                wrench = given[name][..., 6 * k : 6 * k + 6]
                wrenches[frame] = wrenches[frame] + wrench if frame in wrenches else wrench
        if self.torques:
            tau = zeros((tree.nv,), *given.values())
            if tree.joint_nv:
                tau[..., tree.nv - tree.joint_nv :] = given["torques"]
            a = forward_dynamics(tree, q, v, tau, wrenches, inertial)
        else:
            a = given["a"]
        now = situation(self.sides, q, v, a, wrenches, inertial)
        return [vector(sensor.ideal(now, self.ground), *now.like) for sensor in self.sensors]

    def tick(self, motion: Sequence[Array], memory: Array, random: Array) -> tuple[Array, Array, Array]:
        """Values (..., size), whether they are fresh (..., sensors), and the memory after a tick."""
        ends = np.cumsum([1 + len(self.clocks), *self.memory_sizes])
        due, first, after = tick(self.clocks, memory[..., : ends[0]])
        values, fresh, memories = [], [], [after]
        draws = _split_draws(random, self.per_tick)
        for k, (sensor, ideal, drawn) in enumerate(zip(self.sensors, self.ideal(motion), draws, strict=True)):
            sampling = sensor.sampling
            acts = None if sampling.rate is None else due[self.clocks.index(sampling.clock(self.dt))]
            own = memory[..., ends[k] : ends[k + 1]]
            value, flag, own = sampling.take(sensor.errors, ideal, own, drawn, (acts, first), self.dt)
            values.append(value)
            fresh.append(flag)
            memories.append(own)
        return join(values), join(fresh), join(memories)


def tick_function(layout: Layout) -> Function:
    """The compiled function of a tick."""
    size = sum(sum(counts) for counts in layout.per_tick)
    ports = [*layout.ports, Port("memory", (layout.memory_size,))]
    ports += [Port("random", (size,))] if size else []

    def sense(*arrays: Any) -> dict[str, Any]:
        count = len(layout.ports)
        random = arrays[count + 1] if size else zeros((0,), arrays[0])
        values, fresh, memory = layout.tick(arrays[:count], arrays[count], random)
        return {"values": values, "fresh": fresh, "memory_end": memory}

    return _function("sense", layout, ports, sense)


def ideal_function(layout: Layout) -> Function:
    """The compiled function of what perfect sensors read."""
    return _function("ideal", layout, layout.ports, lambda *motion: join(layout.ideal(motion)))


def _split_draws(draws: Array, counts: Sequence[tuple[int, int]]) -> Iterator[tuple[Array, Array]]:
    place = 0
    for normals, uniforms in counts:
        middle, end = place + normals, place + normals + uniforms
        yield draws[..., place:middle], draws[..., middle:end]
        place = end


def _function(name: str, layout: Layout, ports: Sequence[Port], algorithm: Callable[..., Any]) -> Function:
    def program() -> Program:
        return trace(algorithm, ports, f"{name}_{layout.sides.tree.name}")

    links = layout.sides.links
    settings = {
        "sensors": layout.sensors,
        "ground": layout.ground,
        "frames": (layout.frames, layout.pushes),
        "links": links,
    }
    code = fingerprint(_function, settings)
    given = (name, layout.dt, layout.torques, layout.inertial)
    key = None if code is None else cache_key("sensors", code, layout.sides.tree.digest, given, tuple(ports))
    return Function(None, program, key=key)
