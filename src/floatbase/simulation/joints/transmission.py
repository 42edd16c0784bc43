r"""What is between drives and joints: gears, and motors or friction that several joints share.

With the positions of what is driven $w = C q$, a constant matrix $C$, the torques $\tau_w$ there are

$$ \tau = C^\top \tau_w(C q,\ C \dot q), \qquad D_j = \textstyle\sum_m C_{mj}^2\, D_m , $$

so that power is neither gained nor lost. A gear of ratio $r$ is $C = r$. What rotors weigh is part of the mass matrix:
a joint of the model has a `rotor_inertia` and a `gear_ratio`, and sees $I_m r^2$.

Friction between a pair of joints (j, k), such as those of a wrist whose second motor turns with the first, may also be
said as

$$ \zeta_j = F_{vm}\, \dot q_k + F_{cm}\, \mathrm{sgn}\,\dot q_k, \qquad
   \zeta_k = F_{vm}\, \dot q_j + F_{cm}\, \mathrm{sgn}\,\dot q_j , $$

which dissipates together with friction of each of the two joints where $F_{vm}^2 \le F_{v,j} F_{v,k}$ and
$F_{cm} \le F_{c,j}, F_{c,k}$.

Q. Leboutet, PhD thesis, TU Munich, 2022, section on the identification of a robot with a coupled wrist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.joints.composite import WrappedLaw
from floatbase.simulation.joints.friction import FrictionLaw, direction
from floatbase.simulation.laws import Numbers, join, require_not_negative
from floatbase.spatial.arrays import Array, apply_matrix, zeros


@dataclass(frozen=True, eq=False)
class Geared(WrappedLaw):
    """A law on the side of the motor of a gear, which turns `ratio` times as fast as the joint.

    Commands are those of the motor.
    """

    ratio: Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        ratio = np.asarray(self.ratio)
        if ratio.dtype != object and not np.all(ratio != 0.0):
            raise ArgumentError(f"ratio is {self.ratio!r}; that of a gear is not 0")

    def memory_size(self, joints: int) -> int:
        """That of the law inside."""
        return self.law.memory_size(joints)

    def begin(self, position: Array, velocity: Array) -> Array:
        """That of the motor."""
        return self.law.begin(self.ratio * position, self.ratio * velocity)

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the motor."""
        return self.law.rest(self.ratio * position, self.ratio * velocity)

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What happens at the motor."""
        return self.law.sample(command, self.ratio * position, self.ratio * velocity, memory, dt)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The motor's torque, `ratio` times."""
        return self.ratio * self.law.torque(command, self.ratio * position, self.ratio * velocity, memory)

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What happens at the motor."""
        return self.law.remember(command, self.ratio * position, self.ratio * velocity, memory, dt)

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The motor's, `ratio` squared times."""
        return self.ratio**2 * self.law.damping(command, self.ratio * position, self.ratio * velocity, memory)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The motor's, `ratio` squared times."""
        return self.ratio**2 * self.law.stiffness(command, self.ratio * position, self.ratio * velocity, memory)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The motor's, `ratio` times."""
        gain = self.law.gain(command, self.ratio * position, self.ratio * velocity, memory)
        joints = position.shape[-1]
        ratio = self.ratio + zeros((joints,), position, velocity)
        return join([ratio] * (gain.shape[-1] // joints)) * gain if gain.shape[-1] else gain


@dataclass(frozen=True, eq=False)
class Coupled(WrappedLaw):
    """A law at coordinates that are linear in those of the joints: `matrix` (coordinates, joints) is C.

    Commands, if the law obeys any, are those of the coordinates, of which there must be as many as joints then.
    """

    matrix: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        matrix = np.array(self.matrix, dtype=float)
        if matrix.ndim != 2 or not np.isfinite(matrix).all():
            raise ArgumentError(f"matrix is {self.matrix!r}; it must be (coordinates, joints) and finite")
        if self.law.command_size(1) and matrix.shape[0] != matrix.shape[1]:
            raise ArgumentError(
                f"matrix has shape {matrix.shape}; with a law that obeys commands it must be square, as many "
                "coordinates as joints"
            )
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    def check_joints(self, joints: int) -> None:
        """Raise unless the matrix has so many columns, and the law inside fits the coordinates."""
        if self.matrix.shape[1] != joints:
            raise ShapeError(f"matrix has shape {self.matrix.shape}; it must have {joints} columns, one for each joint")
        self.law.check_joints(len(self.matrix))

    def _there(self, position: Array, velocity: Array) -> tuple[Array, Array]:
        return apply_matrix(self.matrix, position), apply_matrix(self.matrix, velocity)

    def memory_size(self, joints: int) -> int:
        """That of the law inside."""
        return self.law.memory_size(len(self.matrix))

    def begin(self, position: Array, velocity: Array) -> Array:
        """That of the coordinates."""
        return self.law.begin(*self._there(position, velocity))

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the coordinates."""
        return self.law.rest(*self._there(position, velocity))

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What happens at the coordinates."""
        return self.law.sample(command, *self._there(position, velocity), memory, dt)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """What the torques of the coordinates are at the joints."""
        return apply_matrix(self.matrix.T, self.law.torque(command, *self._there(position, velocity), memory))

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What happens at the coordinates."""
        return self.law.remember(command, *self._there(position, velocity), memory, dt)

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of each joint in its own velocity."""
        return apply_matrix(self.matrix.T**2, self.law.damping(command, *self._there(position, velocity), memory))

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of each joint in its own position."""
        return apply_matrix(self.matrix.T**2, self.law.stiffness(command, *self._there(position, velocity), memory))

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of each joint in the commands of its own number."""
        gain = self.law.gain(command, *self._there(position, velocity), memory)
        joints = position.shape[-1]
        return np.tile(np.diagonal(self.matrix), gain.shape[-1] // joints) * gain if gain.shape[-1] else gain


@dataclass(frozen=True, eq=False)
class CrossFriction(FrictionLaw):
    r"""Friction that the motion of one joint causes at another and the other way round, for pairs of joints.

    pairs: numbers of joints. viscous, coulomb: $F_{vm}$, N m s/rad, and $F_{cm}$, N m, of each pair. width: of the
    smoothed sign, rad/s; 0 is the sign itself.
    """

    pairs: tuple[tuple[int, int], ...]
    viscous: Numbers
    coulomb: Numbers
    width: Numbers = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(viscous=self.viscous, coulomb=self.coulomb, width=self.width)
        for pair in self.pairs:
            if len(pair) != 2 or pair[0] == pair[1] or min(pair) < 0:
                raise ArgumentError(f"a pair is {pair!r}; it must be two different numbers of joints, from 0")

    def check_joints(self, joints: int) -> None:
        """Raise unless there are such joints, and as many parameters as pairs."""
        for pair in self.pairs:
            if max(pair) >= joints:
                raise ArgumentError(f"a pair is {pair!r}, but there are joints 0 .. {joints - 1}")
        super().check_joints(len(self.pairs))

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Minus the friction."""
        result = zeros((position.shape[-1],), position, velocity)
        first, second = ([pair[side] for pair in self.pairs] for side in (0, 1))
        for rows, columns in ((first, second), (second, first)):
            other = velocity[..., columns]
            friction = self.viscous * other + self.coulomb * direction(other, self.width)
            for number, row in enumerate(rows):
                result[..., row] = result[..., row] - friction[..., number]
        return result

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: the friction of each joint depends on the velocity of the other."""
        return zeros((position.shape[-1],), position, velocity)
