"""Laws for some of a robot's joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.joints.composite import WrappedLaw
from floatbase.spatial.arrays import Array, zeros


@dataclass(frozen=True, eq=False)
class Selected(WrappedLaw):
    """A law for the joints of some numbers; the others have no torque from it.

    Its command is that of all joints, of which the law inside gets its part.
    """

    joints: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = tuple(self.joints)
        whole = all(isinstance(joint, int | np.integer) and not isinstance(joint, bool) for joint in numbers)
        if not numbers or not whole or min(numbers) < 0 or len(set(numbers)) != len(numbers):
            raise ArgumentError(f"joints is {self.joints!r}; it must be different whole numbers from 0, one at least")

    def check_joints(self, joints: int) -> None:
        """Raise unless there are so many joints, and the law inside fits those chosen."""
        if max(self.joints) >= joints:
            raise ArgumentError(f"joints is {self.joints!r}, but there are joints 0 .. {joints - 1}")
        self.law.check_joints(len(self.joints))

    def _part(self, x: Array, joints: int) -> Array:
        return x[..., [start + joint for start in range(0, x.shape[-1], joints) for joint in self.joints]]

    def _whole(self, x: Array, joints: int) -> Array:
        size, count = x.shape[-1], len(self.joints)
        result = zeros((size // count * joints,), x)
        result[..., [start + joint for start in range(0, result.shape[-1], joints) for joint in self.joints]] = x
        return result

    def _inside(self, command: Array, position: Array, velocity: Array) -> tuple[Array, Array, Array]:
        joints = position.shape[-1]
        return self._part(command, joints), self._part(position, joints), self._part(velocity, joints)

    def memory_size(self, joints: int) -> int:
        """That of the law inside."""
        return self.law.memory_size(len(self.joints))

    def begin(self, position: Array, velocity: Array) -> Array:
        """That of the law inside."""
        joints = position.shape[-1]
        return self.law.begin(self._part(position, joints), self._part(velocity, joints))

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the law inside, and zeros for other joints."""
        joints = position.shape[-1]
        return self._whole(self.law.rest(self._part(position, joints), self._part(velocity, joints)), joints)

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What the law inside does."""
        return self.law.sample(*self._inside(command, position, velocity), memory, dt)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Those of the joints."""
        return self._whole(self.law.torque(*self._inside(command, position, velocity), memory), position.shape[-1])

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What the law inside remembers."""
        return self.law.remember(*self._inside(command, position, velocity), memory, dt)

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Those of the joints."""
        return self._whole(self.law.damping(*self._inside(command, position, velocity), memory), position.shape[-1])

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Those of the joints."""
        return self._whole(self.law.stiffness(*self._inside(command, position, velocity), memory), position.shape[-1])

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Those of the joints."""
        return self._whole(self.law.gain(*self._inside(command, position, velocity), memory), position.shape[-1])
