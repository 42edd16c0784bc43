r"""What sensors sense: the motion of every body relative to free fall, poses, and wrenches through fixed joints.

With the classical acceleration of the origin of body $i$ relative to free fall $a_i = {}^iR_A(\ddot o_i - g)$, and
$\Omega_i = \dot\omega_i^\wedge + \omega_i^\wedge \omega_i^\wedge$, a point $r$ of the body has the proper acceleration
$a_i + \Omega_i r$. The net wrench on a share of a body is that of Newton and Euler's equations,

$$ \phi = \begin{bmatrix} m a + \Omega m c \\ m c \times a + I\dot\omega + \omega \times I\omega \end{bmatrix} , $$

and the wrench that the links before a fixed joint exert on those beyond it is $\sum_{beyond} (\phi - f^x)$, all about
one point.

Traversaro 2017, (4.11)-(4.17), theorem 4.1 and section 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, optional_parameters, rates, split
from floatbase.algorithms.base import base_acceleration, base_twist
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import body_inertias
from floatbase.algorithms.kinematics import Motion, Pose, all_motions, all_poses, attached_pose, motion_of_point
from floatbase.algorithms.wrenches import Wrenches, external_wrenches, wrench_arrays
from floatbase.model.tree import Cut
from floatbase.simulation.sensors.sides import Sides
from floatbase.spatial.arrays import Array, Component
from floatbase.spatial.rigid_inertia import RigidInertia, angular_matrix, newton_euler, second_of, sum_inertia
from floatbase.spatial.turns import turn
from floatbase.spatial.vectors import (
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    multiply_transposed,
    scale,
    subtract,
)

Wrench = tuple[Vector, Vector]  # force and moment


@dataclass(frozen=True, eq=False)
class Situation:
    """A robot's state, acceleration and the wrenches on it: numbers with batch axes, or symbols. See `situation`."""

    sides: Sides
    m: Mechanism
    motions: list[Motion]  # of the elements; accelerations are relative to free fall
    positions: list[Component]  # of joints
    velocities: list[Component]
    external: list[tuple[str, dict[int, Wrench]]]  # by frame: the wrench about the origin of its body, in its axes
    parameters: Array | None
    like: list[Array]

    def body_of(self, link: str, link_H_sensor: Array) -> tuple[int, Any]:
        """The element a sensor is fixed to, and its pose (4, 4) there."""
        body, body_H_link = frame_of(self.m.tree, link)
        return self.m.carriers[body], body_H_link @ link_H_sensor

    @cached_property
    def poses(self) -> list[Pose]:
        """The pose of every element in the world."""
        return all_poses(self.m, Pose(self.m.base.rotation, self.m.base.position))

    def proper_acceleration(self, link: str, link_H_sensor: Array) -> Vector:
        r"""${}^SR_A(\ddot o_S - g)$ of a frame's origin, in its axes."""
        element, pose = self.body_of(link, link_H_sensor)
        return _turned_back(pose, motion_of_point(self.motions[element], _position(pose))[1])

    def angular_velocity(self, link: str, link_H_sensor: Array) -> Vector:
        r"""${}^S\omega_{A,S}$ of a frame, in its axes."""
        element, pose = self.body_of(link, link_H_sensor)
        return _turned_back(pose, self.motions[element].omega)

    def world_pose(self, link: str, link_H_sensor: Array) -> Pose:
        """The pose of a frame in the world."""
        element, pose = self.body_of(link, link_H_sensor)
        return attached_pose(self.poses[element], pose)

    def parent_on_child(self, joint: str, link_H_sensor: Array) -> Wrench:
        """The wrench that the parent of a fixed joint exerts on the child, at a frame fixed to the child."""
        cut = self.sides.cut(joint)
        force, moment = self._through(cut)
        if self.sides.far(cut) == cut.parent_submodel:
            force, moment = scale(-1.0, force), scale(-1.0, moment)
        _, pose = self.body_of(cut.child_link, link_H_sensor)
        moment = subtract(moment, cross(_position(pose), force))
        return _turned_back(pose, force), _turned_back(pose, moment)

    def external_on(self, link: str, link_H_frame: Array) -> Wrench:
        """What the environment exerts on a link together, at a frame fixed to it: wrenches given at frames of it."""
        force, moment = ZERO, ZERO
        for frame, wrenches in self.external:
            if self.sides.links.get(frame, frame) == link:
                for part in wrenches.values():
                    force, moment = add(force, part[0]), add(moment, part[1])
        _, pose = self.body_of(link, link_H_frame)
        moment = subtract(moment, cross(_position(pose), force))
        return _turned_back(pose, force), _turned_back(pose, moment)

    def _through(self, cut: Cut) -> Wrench:
        """The wrench on what is beyond a cut, about the origin of the cut's body in its axes."""
        parts = self._parts[self.m.carriers[cut.body]]
        beyond = self.sides.beyond(cut)
        force, moment = ZERO, ZERO
        for submodel, part in parts.items():
            if submodel in beyond:
                force, moment = add(force, part[0]), add(moment, part[1])
        return force, moment

    @cached_property
    def _parts(self) -> list[dict[int, Wrench]]:
        """For each element what moves its share of each submodel, with all that hangs on that share."""
        m = self.m
        parts: list[dict[int, Wrench]] = [{} for _ in range(m.count)]
        for body, shares in enumerate(self._shares()):
            element = m.carriers[body]
            motion = self.motions[element]
            spin = angular_matrix(motion.omega, motion.omega_dot)
            for submodel, inertia in shares.items():
                parts[element][submodel] = newton_euler(inertia, motion.acceleration, spin)
        for frame, wrenches in self.external:
            submodel = self.sides.submodel_of_frame(frame)
            for element, (force, moment) in wrenches.items():
                own = parts[element].get(submodel, (ZERO, ZERO))
                parts[element][submodel] = (subtract(own[0], force), subtract(own[1], moment))
        for i in range(m.count - 1, 0, -1):
            force, moment = ZERO, ZERO
            for part in parts[i].values():
                force, moment = add(force, part[0]), add(moment, part[1])
            joint, parent, entry = m.joints[i], m.parent(i), self.sides.entries[m.moving[i - 1].body]
            force, moment = turn(joint.rotation, force), turn(joint.rotation, moment)
            moment = add(moment, cross(joint.position, force))
            own = parts[parent].get(entry, (ZERO, ZERO))
            parts[parent][entry] = (add(own[0], force), add(own[1], moment))
        return parts

    def _shares(self) -> list[dict[int, RigidInertia]]:
        """The share of each submodel in each body; what parameters add to a body is the share of its own link."""
        tree = self.m.tree
        result: list[dict[int, RigidInertia]] = [{} for _ in tree.bodies]
        for number, submodel in enumerate(tree.submodels):
            for body, ten in submodel.parameters.items():
                result[body][number] = _inertia([float(entry) for entry in ten])
        if self.parameters is not None:
            totals = body_inertias(tree, self.parameters)
            for body, shares in enumerate(result):
                own = self.sides.submodel_of_link[tree.bodies[body].name]
                shares[own] = totals[body]
                for number, share in shares.items():
                    if number != own:
                        shares[own] = sum_inertia(shares[own], _negative(share))
        return result


def situation(
    sides: Sides, q: Any, v: Any, a: Any, wrenches: Wrenches | None = None, parameters: Any = None
) -> Situation:
    """What sensors sense in a state.

    q: (..., nq) configuration; v: (..., nv) velocity; a: (..., nv) its derivative; wrenches: frame -> (..., 6) of the
    environment on the robot, all in the robot's representation; parameters: (..., 10 n_bodies) inertial parameters
    instead of the robot's.
    """
    tree = sides.tree
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    parameters = optional_parameters(tree, parameters)
    given: Mapping[str, Array] = wrench_arrays(tree, wrenches)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    a_base, a_joints = split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    start = Motion(*base_twist(tree, m.base, v_base), *base_acceleration(tree, m.base, v_base, a_base))
    motions = all_motions(m, start, m.rates(v_joints), m.accelerations(v_joints, a_joints))
    external = [(frame, external_wrenches(m, {frame: wrench})) for frame, wrench in given.items()]
    like = [x for x in (q, v, a, parameters, *given.values()) if x is not None]
    return Situation(sides, m, motions, q_joints, v_joints, external, parameters, like)


def _inertia(ten: list[float]) -> RigidInertia:
    tensor = (ten[4], ten[5], ten[6], ten[7], ten[8], ten[9])
    return RigidInertia(ten[0], (ten[1], ten[2], ten[3]), second_of(tensor))


def _negative(inertia: RigidInertia) -> RigidInertia:
    second: Any = tuple(-entry for entry in inertia.second)
    return RigidInertia(-inertia.mass, scale(-1.0, inertia.moment), second)


def _rotation(pose: Any) -> Matrix:
    rows = [[float(entry) for entry in row] for row in pose[:3]]
    return ((*rows[0][:3],), (*rows[1][:3],), (*rows[2][:3],))  # type: ignore[return-value]


def _position(pose: Any) -> Vector:
    return float(pose[0, 3]), float(pose[1, 3]), float(pose[2, 3])


def _turned_back(pose: Any, a: Vector) -> Vector:
    return multiply_transposed(_rotation(pose), a)
