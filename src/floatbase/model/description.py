"""What a robot is: links, joints, frames, sensors and skin, as a description says it.

A `Model` is an undirected tree (possibly of one link) of named links connected by named joints. It is
immutable; editing functions return a new one. It says nothing about which link is the base: that, the
merging of fixed joints, locking joints and the numbering used by the algorithms are the business of
`floatbase.model.tree.Tree`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from floatbase.errors import ModelError
from floatbase.model.arrays import freeze
from floatbase.model.digest import content_digest

Array = npt.NDArray[np.float64]
JointKind = Literal[
    "revolute", "continuous", "prismatic", "helical", "universal", "spherical", "planar", "floating", "fixed"
]
ConstraintKind = Literal["point", "weld", "revolute", "prismatic", "universal"]
_SIZES = {"box": 3, "cylinder": 2, "sphere": 1, "mesh": 3}


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass, centre of mass in the link frame, rotational inertia about the centre of mass in link axes."""

    mass: float
    center: Array  # (3,)
    tensor: Array  # (3, 3)

    def __post_init__(self) -> None:
        freeze(self, "center", (3,))
        freeze(self, "tensor", (3, 3))


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape fixed to a link: `kind` is "box" (size), "cylinder" (radius, length), "sphere" (radius) or "mesh"."""

    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size: tuple[float, ...]  # box: x, y, z; cylinder: radius, length; sphere: radius; mesh: scale x, y, z
    link_H_shape: Array  # (4, 4)
    file: str | None = None  # of a mesh, resolved where possible
    uri: str | None = None  # of a mesh, as the description writes it
    color: tuple[float, float, float, float] | None = None

    def __post_init__(self) -> None:
        _check_choice("shape", "", self.kind, tuple(_SIZES))
        if len(self.size) != _SIZES[self.kind] or not all(map(math.isfinite, self.size)):
            raise ModelError(f"the size of a {self.kind} is {self.size}; it needs {_SIZES[self.kind]} finite numbers")
        freeze(self, "link_H_shape", (4, 4))


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link. `inertia` is None for a massless frame."""

    name: str
    inertia: Inertia | None = None
    visuals: tuple[Geometry, ...] = ()
    collisions: tuple[Geometry, ...] = ()


@dataclass(frozen=True)
class Limits:
    """Bounds of a joint; infinite where the description gives none."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


@dataclass(frozen=True)
class Mimic:
    """A joint so marked is at `multiplier * (position of joint) + offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint whose pose is `parent_H_child(q) = parent_H_joint @ motion(q)`, with `axis` (unit) in the joint frame.

    | kind                 | motion                                              | coordinates                      |
    |----------------------|-----------------------------------------------------|----------------------------------|
    | revolute, continuous | a turn about the axis                               | angle                            |
    | prismatic            | a translation along the axis                        | distance                         |
    | helical              | a turn by s with a translation by `pitch` * s       | angle; pitch in metres per radian|
    | universal            | a turn about the axis, then one about `second_axis` | two angles                       |
    | spherical            | any turn                                            | unit quaternion w x y z          |
    | planar               | a translation in the plane normal to the axis, then | x, y, theta                      |
    |                      | a turn about the axis                               |                                  |
    | floating             | any motion                                          | position, unit quaternion w x y z|

    The axes x and y of a planar joint are the first two columns of `floatbase.model.poses.rotation_to_axis(axis)`:
    those of the joint frame if the axis is z. A universal joint becomes two revolute ones in the tree, named like the
    joint with "_1" and "_2"; its limits, damping, friction and rotor are those of each of the two.

    `rotor_inertia` (kg m^2) is that of the motor about its own axis, which turns `gear_ratio` times as fast as the
    joint (radians per metre where the joint slides); the joint sees `rotor_inertia * gear_ratio**2`.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    parent_H_joint: Array  # (4, 4)
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    pitch: float = 0.0
    second_axis: Array | None = None  # (3,), of a universal joint
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0

    def __post_init__(self) -> None:
        _check_choice("joint", self.name, self.kind, get_args(JointKind))
        freeze(self, "parent_H_joint", (4, 4))
        freeze(self, "axis", (3,))
        if self.second_axis is not None:
            freeze(self, "second_axis", (3,))


@dataclass(frozen=True, eq=False)
class Frame:
    """An additional named frame fixed to a link (every link is a frame of its own name as well)."""

    name: str
    link: str
    link_H_frame: Array  # (4, 4)

    def __post_init__(self) -> None:
        freeze(self, "link_H_frame", (4, 4))


@dataclass(frozen=True, eq=False)
class Sensor:
    """A sensor of the description.

    `kind` is for instance "force_torque", "accelerometer", "gyroscope", "imu", "magnetometer", "camera", "contact".
    A force/torque sensor sits in a `joint`, and `link` is that joint's child. `frame` is how the description says in
    which frame it measures ("child", "parent" or "sensor"); `link_H_sensor` is that frame, whichever it is. `direction`
    says which wrench it reports ("child_to_parent" or "parent_to_child").
    """

    name: str
    kind: str
    link: str | None = None
    joint: str | None = None
    link_H_sensor: Array = field(default_factory=lambda: np.eye(4))
    frame: str | None = None
    direction: str | None = None
    rate: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self, "link_H_sensor", (4, 4))


@dataclass(frozen=True, eq=False)
class SkinPatch:
    """Tactile cells on a link: where they are and the outward normals (unit), in the frame of the link."""

    name: str
    link: str
    positions: Array  # (n, 3)
    normals: Array  # (n, 3)

    def __post_init__(self) -> None:
        freeze(self, "positions", (-1, 3))
        freeze(self, "normals", (len(self.positions), 3))


@dataclass(frozen=True, eq=False)
class Constraint:
    """What closes a kinematic loop: a joint beyond those of the tree, between a frame on one link and one on another.

    | kind      | what holds                                                                            | equations |
    |-----------|---------------------------------------------------------------------------------------|-----------|
    | point     | the origins coincide, as in a spherical joint                                         | 3         |
    | weld      | the poses coincide                                                                    | 6         |
    | revolute  | the origins coincide, and so do the directions of `axis` in both frames               | 5         |
    | prismatic | the attitudes coincide, and the origins differ along `axis` alone                     | 5         |
    | universal | the origins coincide; `axis` in the first frame is normal to `second_axis` in the     | 4         |
    |           | second                                                                                |           |

    The axes are unit vectors. A `Joint` that would close a loop becomes the constraint of its kind with `first` its
    parent, `first_H_frame` its `parent_H_joint`, `second` its child, and the identity as `second_H_frame`.

    The tree leaves constraints out: its dynamics are those of the open chains.
    """

    name: str
    kind: ConstraintKind
    first: str  # link
    second: str  # link
    first_H_frame: Array  # (4, 4)
    second_H_frame: Array  # (4, 4)
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    second_axis: Array | None = None  # (3,), of a universal joint

    def __post_init__(self) -> None:
        _check_choice("constraint", self.name, self.kind, get_args(ConstraintKind))
        freeze(self, "first_H_frame", (4, 4))
        freeze(self, "second_H_frame", (4, 4))
        freeze(self, "axis", (3,))
        if self.second_axis is not None:
            freeze(self, "second_axis", (3,))


@dataclass(frozen=True)
class Configuration:
    """A named configuration: coordinates of joints by name, and the pose of the root link in the world."""

    name: str
    joints: Mapping[str, tuple[float, ...]]
    root: tuple[float, ...] | None = None  # position, quaternion w x y z


@dataclass(frozen=True, eq=False)
class Model:
    """An immutable robot description."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    skin: tuple[SkinPatch, ...] = ()
    constraints: tuple[Constraint, ...] = ()  # closed loops, which the tree leaves out
    configurations: tuple[Configuration, ...] = ()
    root: str | None = None  # the link at the root of the file, the default base
    source: str | None = None  # path of the file it was read from

    @property
    def mass(self) -> float:
        """Total mass of the links, kg."""
        return float(sum(link.inertia.mass for link in self.links if link.inertia is not None))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content. It does not depend on where the file, or the meshes it names, are stored."""
        return content_digest(self, skip=frozenset({"source", "file"}))


def _check_choice(what: str, name: str, kind: object, valid: Sequence[str]) -> None:
    if kind not in valid:
        part = f"{what} {name!r}" if name else what
        raise ModelError(f"{part}: kind is {kind!r}; the valid choices are {', '.join(valid)}")
