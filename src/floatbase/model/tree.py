"""The tree that the algorithms walk: a `Model` seen from one base, fixed joints merged, every body numbered.

Body 0 is the base. Body `i > 0` moves relative to `parent < i` through one joint. The frame of a moving body
is chosen by us, not by the robot file: its origin is on the joint axis and its z axis is the joint axis, so that
`parent_H_body(s) = parent_H_joint @ Rz(s)` (or a translation along z). That makes motion subspaces constant unit
vectors and leaves many structural zeros. What the file calls a link is a *frame* here: `frames[name]` is the body it
is fixed to and its pose in that body. The base body's frame is the base link's frame.

The order of degrees of freedom follows the order of joints in the model, whatever the base.

Fixed joints that hold a force/torque sensor are merged like all others, since they do not move. On request the tree
also remembers them as *cuts*: removing the cut joints leaves the *submodels*, whose links and share of each body's
inertia are listed apart, as estimation and identification need the two sides of a sensor apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from floatbase.model.arrays import freeze
from floatbase.model.digest import content_digest

Array = npt.NDArray[np.float64]
Representation = Literal["mixed", "body", "inertial"]


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """How a body moves relative to its parent: about (revolute) or along (prismatic) its own z axis.

    The joint's coordinate is `s = ratio * q_joints[index] + offset`; `ratio` and `offset` differ from 1 and 0 only
    for a joint that mimics another. Several joints may share an `index` then.
    """

    name: str
    kind: Literal["revolute", "prismatic"]
    parent_H_joint: Array  # (4, 4), constant
    index: int  # which joint coordinate of the state, 0 .. n_joints - 1
    ratio: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        freeze(self, "parent_H_joint", (4, 4))


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: one or more links fixed to one another."""

    name: str  # of the link that the joint moves (for body 0: the base link)
    parent: int  # -1 for the base
    joint: TreeJoint | None  # None for the base
    parameters: Array  # (10,): m, m c (3), I_xx, I_xy, I_xz, I_yy, I_yz, I_zz about the body frame's origin

    def __post_init__(self) -> None:
        freeze(self, "parameters", (10,))


@dataclass(frozen=True)
class Cut:
    """A fixed joint with a force/torque sensor. Parent and child are as the description says, whatever the base."""

    joint: str
    body: int  # of which both sides are part
    parent_link: str
    child_link: str
    parent_submodel: int  # positions in `Tree.submodels`
    child_submodel: int


@dataclass(frozen=True, eq=False)
class Submodel:
    """Links connected to one another without crossing a cut. Submodel 0 contains the base link."""

    links: tuple[str, ...]
    parameters: dict[int, Array]  # body -> (10,), what these links contribute to `Body.parameters`


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies, frames and the settings under which the equations are written."""

    name: str
    bodies: tuple[Body, ...]
    frames: dict[str, tuple[int, Array]]  # name -> body, body_H_frame (4, 4)
    joint_names: tuple[str, ...]  # of the joint coordinates, in the order of the state
    floating: bool = True
    representation: Representation = "mixed"
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    cuts: tuple[Cut, ...] = ()
    submodels: tuple[Submodel, ...] = ()  # one more than cuts, if cuts were asked for

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return content_digest(self)

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(sum(body.parameters[0] for body in self.bodies))

    @property
    def n_joints(self) -> int:
        """Number of joint coordinates."""
        return len(self.joint_names)

    @property
    def nq(self) -> int:
        """Size of a configuration: position (3), quaternion w x y z (4), joints; or the joints alone."""
        return self.n_joints + 7 * self.floating

    @property
    def nv(self) -> int:
        """Size of a velocity: base twist (6), joint rates; or the joint rates alone."""
        return self.n_joints + 6 * self.floating
