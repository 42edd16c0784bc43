r"""Regressors of the parts that force/torque sensors cut a robot into.

For a submodel of links $L$, without contacts, what its sensors measure is linear in its inertial parameters,

$$ Y_{sm}\, \psi = \sum_{L \in sm} {}_CX^L \phi_L(\alpha^g_L, \omega_L)
   = \sum_{sensors} {}_CX^D\, {}_Df, $$

and the torque of a joint follows from the links between it and the nearest sensor, and that sensor's wrench,

$$ \tau = Y_{\hat\tau}\, \psi + \langle {}^Gs, {}_Gf \rangle , $$

with ${}^Gs$ the twist at the sensor of a unit rate of the joint. A body on both sides of a cut has a share in each
submodel; $\psi$ lists the bodies of one submodel, `Tree.submodels[k].parameters`, in the order of `Tree.body_names`.
Submodels are numbered from the root of the description on, so neither they nor $\psi$ depend on the base.

Traversaro 2017, (7.2)-(7.5), theorem 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.algorithms.arguments import configuration, frame_of, rates
from floatbase.algorithms.inertias import body_frame
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.kinematics import Pose, all_poses, attached_pose, poses_along
from floatbase.algorithms.pose import pose
from floatbase.algorithms.regressor import body_accelerations, regressor, wrench_rows
from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.tree import Submodel, Tree
from floatbase.results import LocalTorqueRegressor
from floatbase.spatial.arrays import Array, Component, matrix, zeros
from floatbase.spatial.inertias import transform_parameters
from floatbase.spatial.poses import invert_pose
from floatbase.spatial.representations import change_wrench
from floatbase.spatial.vectors import multiply_transposed, subtract, transpose


def submodel_parameters(tree: Tree, submodel: int) -> npt.NDArray[np.float64]:
    r"""$\psi$ (10 k,) of the k bodies that a submodel has a share of, about the links they are named after."""
    shares = _submodel(tree, submodel).parameters
    bodies = _bodies(tree, submodel)
    parts = [transform_parameters(invert_pose(body_frame(tree, body)), shares[body]) for body in bodies]
    result: npt.NDArray[np.float64] = np.concatenate(parts)
    return result


def submodel_regressor(tree: Tree, q: Any, v: Any, a: Any, submodel: int, frame: str) -> Array:
    """`Y` (..., 6, 10 k): the net wrench on a submodel, without gravity, per unit of its inertial parameters.

    The wrench is at a frame and in the representation of the tree. q: (..., nq) configuration; v: (..., nv) velocity;
    a: (..., nv) derivative of `v`.
    """
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    bodies = _bodies(tree, submodel)
    m, fields = body_accelerations(tree, q, v, a)
    poses = all_poses(m, Pose(m.base.rotation, m.base.position))
    body, body_H_frame = frame_of(tree, frame)
    place = attached_pose(poses_along(m, m.path_to(m.carriers[body]))[-1], body_H_frame)
    rows: list[list[Component]] = [[] for _ in range(6)]
    for number in bodies:
        link = attached_pose(poses[m.carriers[number]], body_frame(tree, number))
        if tree.representation == "mixed":
            link = Pose(link.rotation, subtract(link.position, place.position))
        elif tree.representation == "body":
            columns = [multiply_transposed(place.rotation, column) for column in transpose(link.rotation)]
            position = multiply_transposed(place.rotation, subtract(link.position, place.position))
            link = Pose(transpose((columns[0], columns[1], columns[2])), position)
        for row, entries in zip(rows, wrench_rows(fields[number], link.rotation, link.position), strict=True):
            row.extend(entries)
    return matrix(rows, q, v, a)


def stacked_submodel_regressor(tree: Tree, q: Any, v: Any, a: Any, frames: Sequence[str]) -> Array:
    """The regressors of all submodels, one below the other (..., 6 (n + 1), 10 k): block diagonal.

    Submodel i is about `frames[i]`; the columns are those of `submodel_parameters` of 0, 1, ... in turn. Rows of a
    submodel that touches something are of no use for identification: leave them out.
    """
    if len(frames) != len(tree.submodels):
        raise ArgumentError(f"frames has {len(frames)} names; robot {tree.name!r} has {len(tree.submodels)} submodels")
    blocks = [submodel_regressor(tree, q, v, a, k, frame) for k, frame in enumerate(frames)]
    result = zeros((6 * len(blocks), sum(block.shape[-1] for block in blocks)), blocks[0][..., 0])
    column = 0
    for k, block in enumerate(blocks):
        result[..., 6 * k : 6 * k + 6, column : column + block.shape[-1]] = block
        column += block.shape[-1]
    return result


def submodel_wrench(tree: Tree, q: Any, submodel: int, frame: str, sensors: Mapping[str, Any]) -> Array:
    """What the force/torque sensors at its cuts apply on a submodel (..., 6), at a frame: the right-hand side.

    sensors: for the joint of each cut of the submodel the wrench (..., 6) of the parent's side on the child's, at the
    child link; all wrenches in the representation of the tree. Without contacts this equals
    `submodel_regressor(...) @ submodel_parameters(...)`.
    """
    _submodel(tree, submodel)
    q = configuration(tree, q)
    world_H_frame, total = pose(tree, q, frame), zeros((6,), q)
    for cut in tree.cuts:
        if submodel not in (cut.parent_submodel, cut.child_submodel):
            continue
        if cut.joint not in sensors:
            raise ArgumentError(f"the wrench of sensor joint {cut.joint!r} at submodel {submodel} is not given")
        sign = 1.0 if cut.child_submodel == submodel else -1.0
        there = change_wrench(sensors[cut.joint], tree.representation, "inertial", pose(tree, q, cut.child_link))
        total = total + sign * change_wrench(there, "inertial", tree.representation, world_H_frame)
    return total


def local_torque_regressor(tree: Tree, q: Any, v: Any, a: Any, joint: str, cut: str) -> LocalTorqueRegressor:
    r"""$Y_{\hat\tau}$ (..., 10 k) and the row (..., 6) that takes the wrench of a sensor to a joint's torque.

    The torque of `joint` is $Y_{\hat\tau} \psi$ plus that row times the wrench which the links before the
    force/torque sensor in joint `cut` apply on those beyond it, at that joint's child link and in the representation of
    the tree. $\psi$ is `submodel_parameters` of the submodel on the base's side of the sensor (`Cut.near_submodel`), in
    which the joint must be, without other sensors or branches between; links that are not between have zero columns.

    q: (..., nq) configuration; v: (..., nv) velocity; a: (..., nv) derivative of `v`.
    """
    index, start = _single_joint(tree, joint)
    sensor = next((item for item in tree.cuts if item.joint == cut), None)
    if sensor is None:
        raise unknown_name("force/torque sensor joint", cut, [item.joint for item in tree.cuts])
    between = _between(tree, start, sensor.body)
    if between is None or any(item.body in between for item in tree.cuts if item is not sensor):
        raise ArgumentError(
            f"the torque of joint {joint!r} is not determined by the sensor {cut!r} alone: the sensor is not beyond "
            "the joint as seen from the base, or other sensors or links that branch off are between them"
        )
    row = regressor(tree, q, v, a)[..., index, :]
    columns = []
    for body in _bodies(tree, sensor.near_submodel):
        place = tree.order.index(body)
        columns.append(row[..., 10 * place : 10 * place + 10] * (1.0 if body in between else 0.0))
    by_wrench = jacobian(tree, q, sensor.child_link)[..., :, index]
    return LocalTorqueRegressor(np.concatenate(columns, axis=-1), by_wrench)


def _submodel(tree: Tree, submodel: int) -> Submodel:
    if not tree.submodels:
        raise ArgumentError(f"robot {tree.name!r} has no submodels: build its tree with keep_force_sensors=True")
    if not 0 <= submodel < len(tree.submodels):
        raise ArgumentError(f"submodel {submodel} does not exist; there are 0 to {len(tree.submodels) - 1}")
    return tree.submodels[submodel]


def _bodies(tree: Tree, submodel: int) -> list[int]:
    """The bodies that a submodel has a share of, in the order of `Tree.body_names`."""
    shares = _submodel(tree, submodel).parameters
    return [body for body in tree.order if body in shares]


def _single_joint(tree: Tree, joint: str) -> tuple[int, int]:
    """The velocity of a joint that has one, and the body it moves."""
    for number, body in enumerate(tree.bodies):
        if body.joint is not None and body.joint.name == joint:
            if body.joint.nv != 1:
                raise ArgumentError(f"joint {joint!r} has {body.joint.nv} velocities; this needs a joint with one")
            return body.joint.index + 6 * tree.floating, number
    raise unknown_name("joint", joint, [body.joint.name for body in tree.bodies if body.joint is not None])


def _between(tree: Tree, start: int, end: int) -> set[int] | None:
    """The bodies of the way from one to another beyond it, if nothing else branches off before the end."""
    way, body = {end}, end
    while body != start:
        body = tree.bodies[body].parent
        if body <= 0:
            return None
        way.add(body)
    branching = [k for k, item in enumerate(tree.bodies) if item.parent in way - {end} and k not in way]
    return None if branching else way
