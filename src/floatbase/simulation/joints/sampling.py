r"""What a digital controller sees and when: an encoder, and a period of several steps.

An encoder of resolution $\delta$ gives $\tilde q_k = \delta\, \mathrm{round}(q_k / \delta)$, some samples late, and the
velocity is its backward difference,

$$ \tilde{\dot q}_k = \frac{\tilde q_k - \tilde q_{k-1}}{dt} . $$

Q. Leboutet, PhD thesis, TU Munich, 2022, section on the simulator: velocities are differences of measured positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.joints.composite import WrappedLaw, split
from floatbase.simulation.joints.filters import quantized
from floatbase.simulation.laws import Numbers, join, require_not_negative
from floatbase.spatial.arrays import Array, vector, zeros


@dataclass(frozen=True, eq=False)
class DigitalLaw(WrappedLaw):
    """Base of laws around another that act at the beginning of steps alone: within a step their torque is held.

    The memory is (what they remember themselves, the memory of the law inside).
    """

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the law inside."""
        return self.law.rest(position, velocity)

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step the torque is held."""
        return zeros((position.shape[-1],), position, velocity)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step the torque is held."""
        return zeros((position.shape[-1],), position, velocity)


@dataclass(frozen=True, eq=False)
class Sampled(DigitalLaw):
    """A law that acts once in `period` steps, and whose torque is held in between.

    It remembers how many steps have gone by since, the torques, and what the law inside does.
    """

    period: int

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_whole("period", self.period, 1)

    def memory_size(self, joints: int) -> int:
        """The count, torques, and what the law inside remembers."""
        return 1 + joints + self.law.memory_size(joints)

    def begin(self, position: Array, velocity: Array) -> Array:
        """Ready to act."""
        own = zeros((1 + position.shape[-1],), position, velocity)
        return join([own, self.law.begin(position, velocity)])

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """Act, or count."""
        joints = position.shape[-1]
        count, held, inside = split(memory, [1, joints, self.law.memory_size(joints)])
        acts = count < 0.5
        after = self.law.sample(command, position, velocity, inside, dt * self.period)
        torque = self.law.torque(command, position, velocity, after)
        count = np.where(count + 1.0 > self.period - 0.5, 0.0, count + 1.0)
        return join([count, np.where(acts, torque, held), np.where(acts, after, inside)])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torque that is held."""
        return memory[..., 1 : 1 + position.shape[-1]] + 0.0 * velocity

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What the law inside remembers."""
        own, inside = memory[..., : 1 + position.shape[-1]], memory[..., 1 + position.shape[-1] :]
        return join([own, self.law.remember(command, position, velocity, inside, dt)])

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step the torque is held."""
        return 0.0 * command


@dataclass(frozen=True, eq=False)
class Encoder(DigitalLaw):
    """A law that sees what an encoder measures: positions in steps, and their differences as velocities.

    resolution: rad; 0 if positions are seen as they are. delay: whole samples. It remembers how many samples there
    were, and positions. Until it has two of them, velocities are those of the beginning.
    """

    resolution: Numbers = 0.0
    delay: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(resolution=self.resolution)
        _require_whole("delay", self.delay, 0)

    def memory_size(self, joints: int) -> int:
        """The count, velocities, `delay` + 2 positions of each joint, and what the law inside remembers."""
        return 1 + (self.delay + 3) * joints + self.law.memory_size(joints)

    def begin(self, position: Array, velocity: Array) -> Array:
        """A joint that was there, and so fast, for long."""
        none = zeros((1,), position, velocity)
        register = [quantized(position, self.resolution)] * (self.delay + 2)
        return join([none, velocity, *register, self.law.begin(position, velocity)])

    def _pieces(self, memory: Array, joints: int) -> list[Array]:
        return split(memory, [1, joints, (self.delay + 2) * joints, self.law.memory_size(joints)])

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """Measure, and let the law inside act on it."""
        joints = position.shape[-1]
        count, rate, register, inside = self._pieces(memory, joints)
        register = join([quantized(position, self.resolution), register[..., :-joints]])
        seen, before = register[..., -2 * joints : -joints], register[..., -joints:]
        rate = np.where(count > self.delay + 0.5, (seen - before) / vector([dt], position, velocity), rate)
        count = np.minimum(count + 1.0, self.delay + 1.0)
        return join([count, rate, register, self.law.sample(command, seen, rate, inside, dt)])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the law inside, from what was measured at the beginning of the step."""
        joints = position.shape[-1]
        _, rate, register, inside = self._pieces(memory, joints)
        return self.law.torque(command, register[..., -2 * joints : -joints], rate, inside)

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What the law inside remembers of what was measured."""
        joints = position.shape[-1]
        count, rate, register, inside = self._pieces(memory, joints)
        seen = register[..., -2 * joints : -joints]
        return join([count, rate, register, self.law.remember(command, seen, rate, inside, dt)])

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the law inside."""
        joints = position.shape[-1]
        _, rate, register, inside = self._pieces(memory, joints)
        return self.law.gain(command, register[..., -2 * joints : -joints], rate, inside)


def _require_whole(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ArgumentError(f"{name} is {value!r}; it must be a whole number of at least {least}")
