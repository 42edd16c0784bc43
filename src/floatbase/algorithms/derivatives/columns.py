r"""What a velocity of the robot moves, and how that changes: the columns of derivatives.

Velocity $j$ moves all bodies beyond its joint by the twist $S_j$. Moving the configuration along it (by the step
$\delta$ of `integrate`) turns the twists $S_k$ that it *carries*, $\delta S_k = S_j \times S_k$: those of the joints
beyond, and of the same joint as the table says. With the motion $(v, a)$ of what it does not carry ("before") and the
velocity $v^+$ of what carries it,

$$ \dot\Psi_j = v \times S_j, \qquad \ddot\Psi_j = a \times S_j + v \times \dot\Psi_j, \qquad
   \dot S_j = v^+ \times S_j $$

are the derivatives of bodies' velocities and accelerations: $\delta v_L = S_j \times v_L + \dot\Psi_j$ and likewise
$\ddot\Psi_j$ for accelerations, in the direction of the configuration; $S_j$ and
$\dot\Psi_j + \dot S_j + S_j \times v_L$ in that of the velocity.

| | carries, within the joint | before | $v^+$ |
|---|---|---|---|
| one velocity, or "planar" one by one | | the parent | the same |
| spherical, floating; base "body" | all of them | the parent (the world) | the body |
| the same, reversed; base "inertial" | none | the body | the parent (the world) |
| base "mixed", translations | the turns | the world | the world |
| base "mixed", turns | none | the base | a frame that moves with its origin |

With the classical acceleration $a^c = a + \omega \times v$ and
$\Omega = \dot\omega^\wedge + \omega^\wedge\omega^\wedge$,
$\ddot\Psi = (\Omega s + a^c \times z + 2 v \times (\omega \times z),\ \Omega z)$ for $S = (s, z)$.

Bos 2019, tables 4.2-4.5 with errata; S. Singh, R. Russell, P. Wensing, "Efficient analytical derivatives of rigid-body
dynamics using spatial vector algebra", IEEE Robotics and Automation Letters 7(2), 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from typing import Self

from floatbase.algorithms.base import BasePose
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose, next_motion
from floatbase.model.tree import Tree, TreeJoint, position_index
from floatbase.spatial.arrays import Component
from floatbase.spatial.rigid_inertia import angular_matrix
from floatbase.spatial.rotations import quaternion_rows
from floatbase.spatial.screws import Screw, sum_screws, twist_product
from floatbase.spatial.vectors import (
    ZERO,
    Vector,
    add,
    cross,
    multiply,
    multiply_transposed,
    scale,
    subtract,
)

AXES: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
STILL = Motion(ZERO, ZERO, ZERO, ZERO)


@dataclass(frozen=True, eq=False)
class Column:
    r"""One velocity: its twist $S$, and $\dot\Psi$, $\ddot\Psi$, $\dot\Psi + \dot S$, in the frame of the carrier."""

    velocity: int  # of the robot; several columns may be of the same, if joints follow others
    carrier: int  # the first element that it moves, with all beyond
    number: int  # within its joint
    unit: Screw
    rate: Screw
    second: Screw
    double: Screw
    carries: frozenset[int] = frozenset()  # which columns of its own joint (and carrier) it turns
    twice: bool = False  # whether the last of the twists is twice the rate

    def mapped(self, change: Callable[[Screw], Screw]) -> Self:
        """The same with its twists seen from another frame."""
        unit, rate, second = (change(twist) for twist in (self.unit, self.rate, self.second))
        double = sum_screws(rate, rate) if self.twice else change(self.double)
        return replace(self, unit=unit, rate=rate, second=second, double=double)


def twist_from(pose: Pose, twist: Screw) -> Screw:
    """A twist in the frame in which its own has a pose."""
    angular = multiply(pose.rotation, twist[1])
    return add(multiply(pose.rotation, twist[0]), cross(pose.position, angular)), angular


def wrench_from(pose: Pose, wrench: Screw) -> Screw:
    """A wrench or momentum in the frame in which its own has a pose."""
    force = multiply(pose.rotation, wrench[0])
    return force, add(multiply(pose.rotation, wrench[1]), cross(pose.position, force))


def column(
    velocity: int,
    carrier: int,
    number: int,
    unit: Screw,
    before: Motion,
    after: Motion | None = None,
    carries: Sequence[int] = (),
) -> Column:
    """The column of a twist; `after`: the motion whose velocity carries it, if not that before."""
    (s, z), rate = unit, _velocity_product(before, unit)
    spin = angular_matrix(before.omega, before.omega_dot)
    linear = add(multiply(spin, s), add(cross(before.acceleration, z), scale(2.0, cross(before.velocity, rate[1]))))
    carried = rate if after is None else _velocity_product(after, unit)
    return Column(
        velocity,
        carrier,
        number,
        unit,
        rate,
        (linear, multiply(spin, z)),
        sum_screws(rate, carried),
        frozenset(carries),
        after is None,
    )


def base_motion(tree: Tree, pose: BasePose, v_base: Sequence[Component], a_base: Sequence[Component]) -> Motion:
    """The motion of the base in the frame of its twist, relative to free fall (see `representation_pose`)."""
    if not tree.floating:
        return Motion(ZERO, ZERO, free_fall(tree, pose).acceleration, ZERO)
    v, omega = (v_base[0], v_base[1], v_base[2]), (v_base[3], v_base[4], v_base[5])
    linear, angular = (a_base[0], a_base[1], a_base[2]), (a_base[3], a_base[4], a_base[5])
    if tree.representation != "mixed":
        linear = add(linear, cross(omega, v))
    return Motion(v, omega, add(linear, free_fall(tree, pose).acceleration), angular)


def free_fall(tree: Tree, pose: BasePose) -> Motion:
    """The motion of the world relative to free fall, in the frame of the base's twist."""
    up: Vector = tuple(-float(entry) for entry in tree.gravity)  # type: ignore[assignment]
    if tree.floating and tree.representation == "body":
        up = multiply_transposed(pose.rotation, up)
    return Motion(ZERO, ZERO, up, ZERO)


def base_columns(tree: Tree, pose: BasePose, motion: Motion) -> list[Column]:
    """The columns of the base twist in its own frame, where they are unit twists."""
    if not tree.floating:
        return []
    world = free_fall(tree, pose)
    twists: list[Screw] = [(axis, ZERO) for axis in AXES] + [(ZERO, axis) for axis in AXES]
    if tree.representation == "body":
        return [column(k, 0, k, unit, world, motion, range(6)) for k, unit in enumerate(twists)]
    if tree.representation == "inertial":
        return [column(k, 0, k, unit, motion, STILL) for k, unit in enumerate(twists)]
    origin = Motion(motion.velocity, ZERO, ZERO, ZERO)
    moves = [column(k, 0, k, unit, world, STILL, (3, 4, 5)) for k, unit in enumerate(twists[:3])]
    return moves + [column(k, 0, k, unit, motion, origin) for k, unit in enumerate(twists[3:], start=3)]


def joined_elements(m: Mechanism) -> set[int]:
    """The elements of joints whose columns all stand at the last of them."""
    return {i for i, element in enumerate(m.moving, start=1) if not _one_by_one(element.joint)}


def joint_columns(m: Mechanism, motions: Sequence[Motion], path: Container[int] | None = None) -> list[Column]:
    """The columns of all joints, or of those whose carriers are on a path, each in the frame of its carrier."""
    first = 6 if m.tree.floating else 0
    found: list[Column] = []
    for body, carrier in enumerate(m.carriers):
        joint = m.tree.bodies[body].joint
        if joint is None or (path is not None and carrier not in path):
            continue
        steps = [i for i in range(1, m.count) if m.moving[i - 1].body == body]
        index = first + joint.index
        if _one_by_one(joint) and joint.nv > 1:
            found += [_single(m, motions, [i], index + k, (ZERO, AXES[2])) for k, i in enumerate(steps)]
        elif joint.nv == 1:
            ratio, pitch = float(joint.ratio), float(joint.pitch)
            along: Vector = (0.0, 0.0, ratio * pitch)
            found.append(_single(m, motions, steps, index, (along, (0.0, 0.0, ratio))))
        else:
            found += _several(m, motions, joint, steps, carrier, index)
    return found


def _one_by_one(joint: TreeJoint) -> bool:
    """Whether every element of a joint has a velocity of its own, in turn."""
    return joint.kind in ("revolute", "prismatic") or (joint.kind == "planar" and not joint.reversed)


def _single(m: Mechanism, motions: Sequence[Motion], steps: Sequence[int], velocity: int, unit: Screw) -> Column:
    """The column of a joint with one velocity; `unit` is written for a turn."""
    if not m.revolute(steps[-1]):
        unit = (unit[1], ZERO)
    return column(velocity, steps[-1], 0, unit, _parent_motion(m, motions, steps))


def _several(
    m: Mechanism, motions: Sequence[Motion], joint: TreeJoint, steps: Sequence[int], carrier: int, index: int
) -> list[Column]:
    """The columns of a joint whose velocities are components of one twist, or a planar one that is reversed."""
    parent, body = _parent_motion(m, motions, steps), motions[carrier]
    moves: list[Screw] = [(axis, ZERO) for axis in AXES] if joint.kind == "floating" else []
    units = moves + [(ZERO, axis) for axis in AXES]
    if not joint.reversed:
        everything = range(len(units))
        return [column(index + k, carrier, k, unit, parent, body, everything) for k, unit in enumerate(units)]
    q = m.q_joints[position_index(joint) : position_index(joint) + joint.nq]
    if joint.kind == "planar":
        turn: Screw = ((-q[1], q[0], 0.0), (0.0, 0.0, -1.0))
        sides = [column(index + k, carrier, k, (subtract(ZERO, AXES[k]), ZERO), body) for k in range(2)]
        return [*sides, column(index + 2, carrier, 2, turn, parent, carries=(0, 1))]
    R = quaternion_rows(*q[-4:])
    p: Vector = (q[0], q[1], q[2]) if joint.kind == "floating" else ZERO
    seen = []  # the parent side's axes, negative, at its origin
    for linear, angular in units:
        axis = multiply(R, linear)
        turned = multiply(R, angular)
        seen.append((subtract(ZERO, add(axis, cross(p, turned))), subtract(ZERO, turned)))
    return [column(index + k, carrier, k, unit, body, parent) for k, unit in enumerate(seen)]


def _parent_motion(m: Mechanism, motions: Sequence[Motion], steps: Sequence[int]) -> Motion:
    """The motion of a joint's parent, taken along to the frame of the joint's last element."""
    motion = motions[m.parent(steps[0])]
    for i in steps:
        motion = next_motion(motion, m.joints[i], m.revolute(i), 0.0, 0.0)
    return motion


def _velocity_product(motion: Motion, unit: Screw) -> Screw:
    return twist_product((motion.velocity, motion.omega), unit)
