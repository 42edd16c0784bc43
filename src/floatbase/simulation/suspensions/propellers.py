r"""Propellers fixed to a body: the wrench of their thrusts, and thrusts for a wrench, within limits.

With the pose ${}^BH_k$ of propeller k in the body, z the direction of thrust, and the torque $c_k$ about z that comes
with a thrust of 1 N, the wrench on the body is $W t$ with columns $(z_k,\ p_k \times z_k + c_k z_k)$. The thrusts of
least norm for a wrench f are $W^+ f$. Where they are beyond the limits $\pm t_{max}$, all are scaled down alike, so
that the wrench keeps its direction: no other part of it is ever given than was asked for. Thrusts follow commands by a
lag of first order, $\dot t = (t_{cmd} - t) / T$.

Rothammer 2021 has eight propellers that give any wrench, within bounds and not at once; where they are, their bounds
and their bandwidth were not published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model import Model
from floatbase.simulation.laws import Law, Number, require_finite, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, apply_matrix
from floatbase.spatial.poses import invert_pose, position_of, rotation_of
from floatbase.spatial.pseudoinverses import right_inverse

PREFIX = "propeller_"
DRAG = 0.02  # m


class Allocation(NamedTuple):
    """Thrusts (..., n), the wrench (..., 6) that they give, and which part (...) of the wanted one that is, 0 to 1."""

    thrusts: Array
    wrench: Array
    part: Any


@dataclass(frozen=True)
class Propellers(Law):
    """Propellers whose poses `body_H_propellers` (n, 4, 4) in a body are known.

    limit [N]: of each thrust, in both directions. drag [m]: torque per thrust, whose sign is that of `spins`, one for
    each propeller. lag [s]: the time constant with which thrusts follow commands.
    """

    body_H_propellers: tuple[tuple[tuple[float, ...], ...], ...]
    spins: tuple[float, ...]
    limit: Number = 50.0
    drag: Number = DRAG
    lag: Number = 0.05

    def __post_init__(self) -> None:
        require_positive(limit=self.limit, lag=self.lag)
        require_not_negative(drag=self.drag)
        if len(self.spins) != len(self.body_H_propellers):
            raise ArgumentError(
                f"there are {len(self.body_H_propellers)} propellers and {len(self.spins)} spins; each has one"
            )

    @classmethod
    def of_model(cls, model: Model, about: str = "center", **parameters: Any) -> Propellers:
        """Those of a model's frames "propeller_..." that are on the link of the frame `about`, spinning in turns."""
        frames = {frame.name: frame for frame in model.frames}
        if about not in frames:
            raise unknown_name("frame", about, frames)
        about_H_link = invert_pose(frames[about].link_H_frame)
        found = [
            about_H_link @ frame.link_H_frame
            for frame in model.frames
            if frame.name.startswith(PREFIX) and frame.link == frames[about].link
        ]
        if not found:
            raise ArgumentError(
                f"{model.name} has no propellers: no frame on {frames[about].link!r} is called {PREFIX!r} and a number"
            )
        spins = tuple(-1.0 if k % 2 == 0 else 1.0 for k in range(len(found)))
        poses = tuple(tuple(tuple(float(x) for x in row) for row in pose) for pose in found)
        return cls(poses, spins, **parameters)

    @property
    def wrench_matrix(self) -> Array:
        """`W` (..., 6, n): wrenches on the body in its frame, linear first, per thrust."""
        poses = np.array(self.body_H_propellers)
        z, p = rotation_of(poses)[..., 2], position_of(poses)
        turning = np.asanyarray(self.drag)[..., None, None] * (np.array(self.spins)[:, None] * z)
        moment = np.cross(p, z) + turning
        return np.swapaxes(np.concatenate([z + 0.0 * moment, moment], axis=-1), -1, -2)

    def wrench(self, thrusts: Array) -> Array:
        """The wrench (..., 6) on the body, in its frame, of thrusts (..., n)."""
        return apply_matrix(self.wrench_matrix, thrusts)

    def allocate(self, wrench: Array) -> Allocation:
        """Thrusts for a wrench (..., 6) on the body, in its frame, or for the largest part of it within the limits.

        The drag is a plain number here.
        """
        require_finite(wrench=wrench)
        thrusts = apply_matrix(right_inverse(self.wrench_matrix), wrench)
        largest = np.max(np.abs(thrusts), axis=-1)
        excessive = largest > self.limit
        part = np.where(excessive, self.limit / np.where(excessive, largest, 1.0), 1.0)
        return Allocation(part[..., None] * thrusts, part[..., None] * wrench, part)

    def thrust_rate(self, thrusts: Array, commands: Array) -> Array:
        """Derivative (..., n) of thrusts that follow commands, each within the limits."""
        limit = np.asanyarray(self.limit)[..., None]
        return (np.clip(commands, -limit, limit) - thrusts) / np.asanyarray(self.lag)[..., None]
