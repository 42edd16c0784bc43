"""The tree that the algorithms walk: a `Model` seen from one base, fixed joints merged, every body numbered.

Body 0 is the base. Body `i > 0` moves relative to `parent < i` through one joint. The frame of a body that turns
about, slides along or screws along an axis is chosen by us, not by the robot file: its origin is on the joint axis and
its z axis is the joint axis, so that `parent_H_body(s) = parent_H_joint @ Rz(s)` (or a translation along z). That makes
motion subspaces constant unit vectors and leaves many structural zeros. The coordinates of the other joints are about
given axes, so there the body's frame is the joint frame. What the file calls a link is a *frame* here: `frames[name]`
is the body it is fixed to and its pose in that body. The base body's frame is the base link's frame.

What a user sees does not depend on the base. Degrees of freedom follow the order of joints in the model. Bodies are
*named*, and ordered in inertial parameters and regressors, as the walk from the model's root finds them: `order` lists
the numbers that they have here in that order. A body's parameters are given about the link it is named after. Only
the numbers of bodies, and what is parent and child, are those of the walk from the base.

Fixed joints that hold a force/torque sensor are merged like all others, since they do not move. On request the tree
also remembers them as *cuts*: removing the cut joints leaves the *submodels*, whose links and share of each body's
inertia are listed apart, as estimation and identification need the two sides of a sensor apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from floatbase.model.arrays import freeze
from floatbase.model.digest import content_digest

Array = npt.NDArray[np.float64]
Representation = Literal["mixed", "body", "inertial"]


JointMotion = Literal["revolute", "prismatic", "helical", "spherical", "planar", "floating"]

POSITION_SIZES: dict[JointMotion, int] = {
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "spherical": 4,
    "planar": 3,
    "floating": 7,
}
VELOCITY_SIZES: dict[JointMotion, int] = {**POSITION_SIZES, "spherical": 3, "floating": 6}

_POSITION_NAMES: dict[JointMotion, tuple[str, ...]] = {
    "spherical": ("qw", "qx", "qy", "qz"),
    "planar": ("x", "y", "theta"),
    "floating": ("x", "y", "z", "qw", "qx", "qy", "qz"),
}
_VELOCITY_NAMES: dict[JointMotion, tuple[str, ...]] = {
    "spherical": ("wx", "wy", "wz"),
    "planar": ("x", "y", "theta"),
    "floating": ("vx", "vy", "vz", "wx", "wy", "wz"),
}


@dataclass(frozen=True, eq=False)
class TreeJoint:
    r"""How a body moves relative to its parent: `parent_H_body(q) = parent_H_joint @ motion(q)`.

    | kind      | coordinates q             | motion(q)                    | velocities                                |
    |-----------|---------------------------|------------------------------|-------------------------------------------|
    | revolute  | s                         | turn by s about z            | rate of s                                 |
    | prismatic | s                         | move by s along z            | rate of s                                 |
    | helical   | s                         | turn by s, move by pitch * s | rate of s                                 |
    | planar    | x, y, theta               | move by (x, y, 0), then turn | their rates                               |
    |           |                           | by theta about z             |                                           |
    | spherical | unit quaternion w x y z   | turn                         | angular velocity in axes of the moved side|
    | floating  | position, unit quaternion | move, then turn              | twist in axes of the moved side           |

    Joints with one coordinate have `s = ratio * q_joints[q_index] + offset`; `ratio` and `offset` differ from 1 and 0
    only for a joint that mimics another, or where the choice of body frames needs an offset. Several joints may share
    an `index` then. The pitch is in metres per radian. `armature` is the inertia of the rotor seen at the joint
    (kg m^2, or kg where the joint slides), for the rate of s: it is added to the mass matrix, times `ratio`^2.

    A joint of three or six velocities that the tree crosses from its child to its parent is `reversed`: then
    `parent_H_body(q) = parent_H_joint @ inverse(motion(q))`, with the same coordinates and velocities as the other
    way round. If S(q) is the motion subspace of the joint that is not reversed, in the frame of its moved side, the
    twist of the body relative to its parent in the body's frame is $-\mathrm{Ad}_{motion(q)} S(q)$ times the
    velocities: for a spherical joint, minus the rotation matrix. Joints of one coordinate need no such mark: their z
    axis is turned round.
    """

    name: str
    kind: JointMotion
    parent_H_joint: Array  # (4, 4), constant
    index: int  # of its first velocity among the velocities of joints, 0 .. Tree.joint_nv - 1
    ratio: float = 1.0
    offset: float = 0.0
    pitch: float = 0.0
    q_index: int | None = None  # of its first coordinate among those of joints; by default `index`
    armature: float = 0.0
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze(self, "parent_H_joint", (4, 4))
        if self.q_index is None:
            object.__setattr__(self, "q_index", self.index)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return POSITION_SIZES[self.kind]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return VELOCITY_SIZES[self.kind]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: one or more links fixed to one another."""

    name: str  # of the model's root link, or of the link that a joint moves as seen from there
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
    near_submodel: int  # the one of these on the side of the base


@dataclass(frozen=True, eq=False)
class Submodel:
    """Links connected to one another without crossing a cut. Submodel 0 contains the model's root."""

    links: tuple[str, ...]
    parameters: dict[int, Array]  # body -> (10,), what these links contribute to `Body.parameters`


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies, frames and the settings under which the equations are written."""

    name: str
    bodies: tuple[Body, ...]
    frames: dict[str, tuple[int, Array]]  # name -> body, body_H_frame (4, 4)
    joint_names: tuple[str, ...]  # of the joints that move on their own, in the order of the state
    floating: bool = True
    representation: Representation = "mixed"
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    cuts: tuple[Cut, ...] = ()
    submodels: tuple[Submodel, ...] = ()  # one more than cuts, if cuts were asked for
    base: str = ""  # the link whose frame is that of body 0; by default the one that body is named after
    order: tuple[int, ...] = ()  # numbers of the bodies in the order of the model; by default 0, 1, ...

    def __post_init__(self) -> None:
        if not self.base:
            object.__setattr__(self, "base", self.bodies[0].name)
        if not self.order:
            object.__setattr__(self, "order", tuple(range(len(self.bodies))))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return content_digest(self)

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(sum(body.parameters[0] for body in self.bodies))

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of inertial parameters, which does not depend on the base."""
        return tuple(self.bodies[number].name for number in self.order)

    @property
    def n_joints(self) -> int:
        """Number of joints that move on their own; each may have several coordinates."""
        return len(self.joint_names)

    @cached_property
    def joint_nq(self) -> int:
        """Number of coordinates of the joints."""
        return max((position_index(joint) + joint.nq for joint in self._joints), default=0)

    @cached_property
    def joint_nv(self) -> int:
        """Number of velocities of the joints."""
        return max((joint.index + joint.nv for joint in self._joints), default=0)

    @property
    def nq(self) -> int:
        """Size of a configuration: position (3), quaternion w x y z (4), joints; or the joints alone."""
        return self.joint_nq + 7 * self.floating

    @property
    def nv(self) -> int:
        """Size of a velocity: base twist (6), joint rates; or the joint rates alone."""
        return self.joint_nv + 6 * self.floating

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each entry of a configuration: of the joint, with a suffix if the joint has several."""
        return self._names(_POSITION_NAMES)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each entry of a velocity."""
        return self._names(_VELOCITY_NAMES)

    def _names(self, parts: Mapping[JointMotion, tuple[str, ...]]) -> tuple[str, ...]:
        kinds = {joint.index: joint.kind for joint in self._joints}
        owners: list[tuple[str, JointMotion]] = [("base", "floating")] if self.floating else []
        owners += list(zip(self.joint_names, (kinds[index] for index in sorted(kinds)), strict=True))
        return tuple(f"{name}.{part}" if part else name for name, kind in owners for part in parts.get(kind, ("",)))

    @property
    def _joints(self) -> list[TreeJoint]:
        return [body.joint for body in self.bodies if body.joint is not None]


def position_index(joint: TreeJoint) -> int:
    """Where a joint's coordinates begin among those of all joints."""
    return joint.index if joint.q_index is None else joint.q_index
