r"""Joints coupled by gears or belts: $\sum_k c_k s_k = d$ for the positions $s_k$ of joints of one coordinate.

The row is the vector of the $c_k$; its multiplier times $c_k$ is the torque of the coupling on joint k. A gear with
$s_2 = r s_1$ is `Coupling(("first", "second"), (-r, 1.0))`. With one joint it holds that joint where it is told, and
moves it as d does: the multiplier is what a motor must exert.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.tree import Tree, TreeJoint, position_index
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, driven_rows, tree_of
from floatbase.simulation.laws import Number
from floatbase.spatial.arrays import Array, zeros


@dataclass(frozen=True)
class Coupling(Constraint):
    """Joints by their names, their factors, and what the weighted sum of their positions is.

    offset_rate, offset_acceleration: its derivatives, where a drive changes it.
    """

    joints: tuple[str, ...]
    factors: tuple[float, ...]
    offset: Number = 0.0
    offset_rate: Number = 0.0
    offset_acceleration: Number = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        object.__setattr__(self, "factors", tuple(map(float, self.factors)))
        if isinstance(self.joints, str) or len(self.joints) != len(self.factors) or not self.joints:
            raise ArgumentError(f"a coupling needs a factor for each joint; got {self.joints!r} and {self.factors!r}")
        if not (np.isfinite(self.factors).all() and any(self.factors)):
            raise ArgumentError(f"factors is {self.factors!r}; they must be finite and not all zero")

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"the coupling of the joints {', '.join(self.joints)}"

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        return ("weighted sum",)

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., 1, nv)."""
        tree = tree_of(robot)
        result = zeros((1, tree.nv), configuration(tree, q))
        for joint, factor in self._terms(tree):
            result[..., 0, (6 if tree.floating else 0) + joint.index] += factor * joint.ratio
        return result

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu = 0$ (..., 1)."""
        tree = tree_of(robot)
        return zeros((1,), configuration(tree, q), rates(tree, "v", v))

    def residual(self, robot: Robot | Tree, q: Any) -> Array:
        """By how much the weighted sum is too large (..., 1)."""
        tree = tree_of(robot)
        q = configuration(tree, q)
        total = zeros((1,), q) - np.asanyarray(self.offset)[..., None]
        for joint, factor in self._terms(tree):
            place = (7 if tree.floating else 0) + position_index(joint)
            total = total + factor * (joint.ratio * q[..., place : place + 1] + joint.offset)
        return total

    def drive(self, robot: Robot | Tree, q: Any) -> tuple[Array, Array]:
        """How fast the weighted sum changes, and how that changes (..., 1)."""
        return driven_rows(q, self.offset_rate, self.offset_acceleration)

    def _terms(self, tree: Tree) -> list[tuple[TreeJoint, float]]:
        known = {body.joint.name: body.joint for body in tree.bodies if body.joint is not None}
        result = []
        for name, factor in zip(self.joints, self.factors, strict=True):
            if name not in known:
                raise unknown_name("joint", name, known)
            if known[name].nv != 1:
                raise ArgumentError(f"joint {name!r} is {known[name].kind}; only joints of one coordinate are coupled")
            result.append((known[name], factor))
        return result
