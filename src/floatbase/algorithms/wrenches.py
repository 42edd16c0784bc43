r"""External wrenches, brought from the representation they are given in to the bodies they act on.

A wrench `(force, moment)` is applied by the environment on the robot at a frame F fixed to body B: in "mixed"
representation about F's origin in world axes, in "body" about F's origin in F's axes, in "inertial" about the world's
origin in world axes. About the origin of B and in its axes it is
${}_B f = {}_B X^F {}_F f = ({}^BR_F f,\ {}^BR_F n + {}^Bo_F \times {}^BR_F f)$ (Traversaro 2017, section 2.7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from floatbase.algorithms.arguments import as_array, frame_of
from floatbase.algorithms.base import BasePose
from floatbase.algorithms.joints import JointPose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, components
from floatbase.spatial.turns import turn_back
from floatbase.spatial.vectors import Matrix, Vector, add, cross, multiply, multiply_transposed, subtract

Wrenches = Mapping[str, Any]  # frame -> (..., 6)


def wrench_arrays(tree: Tree, wrenches: Wrenches | None) -> dict[str, Array]:
    """The wrenches as arrays of six components, after checking frames and shapes."""
    result = {}
    for frame, wrench in (wrenches or {}).items():
        frame_of(tree, frame)
        result[frame] = as_array(f"the wrench at {frame!r}", wrench, 6, tree)
    return result


def external_wrenches(
    tree: Tree, base: BasePose, joints: Sequence[JointPose], wrenches: Mapping[str, Array]
) -> dict[int, tuple[Vector, Vector]]:
    """Force and moment about the body's origin in body axes, summed for each body that has any."""
    result: dict[int, tuple[Vector, Vector]] = {}
    for frame, wrench in wrenches.items():
        body, body_H_frame = frame_of(tree, frame)
        rows = [[float(entry) for entry in row] for row in body_H_frame[:3]]
        rotation: Matrix = tuple(tuple(row[:3]) for row in rows)  # type: ignore[assignment]
        position: Vector = (rows[0][3], rows[1][3], rows[2][3])
        fx, fy, fz, nx, ny, nz = components(wrench)
        force, moment = (fx, fy, fz), (nx, ny, nz)
        if tree.representation == "body":
            force, moment = multiply(rotation, force), multiply(rotation, moment)
        else:
            about_origin = tree.representation == "inertial"
            force, moment = _into_body(tree, base, joints, body, force, moment, about_origin)
        if tree.representation != "inertial":
            moment = add(moment, cross(position, force))
        if body in result:
            force, moment = add(result[body][0], force), add(result[body][1], moment)
        result[body] = (force, moment)
    return result


def _into_body(
    tree: Tree,
    base: BasePose,
    joints: Sequence[JointPose],
    body: int,
    force: Vector,
    moment: Vector,
    about_origin: bool,
) -> tuple[Vector, Vector]:
    """From world axes to body axes; `about_origin`: the moment is moved from the world's origin to the body's, too."""
    path = []
    while body > 0:
        path.append(joints[body])
        body = tree.bodies[body].parent
    if about_origin:
        moment = subtract(moment, cross(base.position, force))
    force, moment = multiply_transposed(base.rotation, force), multiply_transposed(base.rotation, moment)
    for joint in reversed(path):
        if about_origin:
            moment = subtract(moment, cross(joint.position, force))
        force, moment = turn_back(joint.rotation, force), turn_back(joint.rotation, moment)
    return force, moment
