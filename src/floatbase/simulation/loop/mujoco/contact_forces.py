"""Contacts in MuJoCo: their surface, and the wrench on each body that touches the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.loop.mujoco.parts import Part, Parts
from floatbase.simulation.loop.mujoco.shapes import numbers
from floatbase.spatial.arrays import Array


@dataclass(frozen=True)
class Surface:
    """How contacts give way, in MuJoCo's terms.

    friction: coefficient of sliding. time_constant [s], damping_ratio: of the way in which a penetration recedes
    (`solref`). impedance: of the constraint, at no depth and at `width` [m] (`solimp`).
    """

    friction: float = 0.8
    time_constant: float = 0.02
    damping_ratio: float = 1.0
    impedance: tuple[float, float] = (0.9, 0.95)
    width: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("friction", "time_constant", "damping_ratio", "width"):
            value = getattr(self, name)
            if not (isinstance(value, float | int) and 0.0 < value < np.inf):
                raise ArgumentError(f"{name} of a surface is {value!r}; it must be a positive, finite number")
        if not (len(self.impedance) == 2 and all(0.0 < d < 1.0 for d in self.impedance)):
            raise ArgumentError(f"impedance of a surface is {self.impedance!r}; it must be two numbers between 0 and 1")

    def attributes(self) -> str:
        """The attributes of shapes."""
        return (
            f'condim="3" friction="{self.friction!r} 0.005 0.0001" '
            f'solref="{numbers((self.time_constant, self.damping_ratio))}" '
            f'solimp="{numbers((*self.impedance, self.width))} 0.5 2"'
        )


@dataclass(frozen=True, eq=False)
class ContactForces:
    """Which frames wrenches are taken at, and given at: the body of each in MuJoCo, and the frame's origin there."""

    place_of_body: Array  # (bodies,) among the frames in contact, -1 for others
    contact_bodies: Array
    contact_points: Array  # (n, 3)
    pushed_bodies: tuple[int, ...]
    pushed_points: Array

    @classmethod
    def of(cls, model: Any, parts: Parts, touching: Mapping[str, Part], pushes: Sequence[str]) -> Self:
        """For a model of MuJoCo's."""
        bodies = np.array([model.body(part.name).id for part in touching.values()], dtype=int)
        place_of_body = np.full(model.nbody, -1)
        place_of_body[bodies] = np.arange(len(bodies))
        frames = parts.tree.frames
        points = np.array([frames[frame][1][:3, 3] for frame in touching]).reshape(-1, 3)
        pushed = tuple(int(model.body(parts.of_frame(frame).name).id) for frame in pushes)
        return cls(
            place_of_body, bodies, points, pushed, np.array([frames[f][1][:3, 3] for f in pushes]).reshape(-1, 3)
        )

    def wrenches(self, mujoco: Any, model: Any, data: Any) -> Array:
        """The wrench (6 n,) of all contacts on each body, at its frame's origin in the world's axes."""
        result = np.zeros((len(self.contact_bodies), 6))
        if data.ncon == 0:
            return result.ravel()
        contacts, forces = data.contact, np.zeros((data.ncon, 6))
        for k in range(data.ncon):
            mujoco.mj_contactForce(model, data, k, forces[k])
        places = self.place_of_body[model.geom_bodyid[contacts.geom]]  # one of the two is the ground's: -1
        place = places.max(axis=1)
        bodies = self.contact_bodies[place]
        sign = np.where(places[:, 1] >= 0, 1.0, -1.0)[:, None]  # the force is that of the first shape on the second
        turn = contacts.frame.reshape(-1, 3, 3)  # rows are axes of the contact; without moments, as `condim` is 3
        linear = ((sign * forces[:, :3])[:, None] @ turn)[:, 0]
        world_R_body = data.xmat[bodies].reshape(-1, 3, 3)
        origins = data.xpos[bodies] + (world_R_body @ self.contact_points[place][..., None])[..., 0]
        arms = contacts.pos - origins
        moments = arms[:, _NEXT] * linear[:, _LAST] - arms[:, _LAST] * linear[:, _NEXT]
        chosen = (np.arange(len(result))[:, None] == place).astype(float)
        return np.asarray(chosen @ np.concatenate([linear, moments], axis=1)).ravel()

    def push(self, data: Any, wrenches: Array) -> None:
        """Give wrenches (6 n,) at frames: MuJoCo takes them at centres of mass, in the world's axes."""
        for k, body in enumerate(self.pushed_bodies):
            wrench = wrenches[6 * k : 6 * k + 6]
            point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ self.pushed_points[k]
            applied = data.xfrc_applied[body]
            if body not in self.pushed_bodies[:k]:
                applied[:] = 0.0
            applied[:3] += wrench[:3]
            applied[3:] += wrench[3:] + _cross(point - data.xipos[body], wrench[:3])


_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def _cross(a: Array, b: Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
