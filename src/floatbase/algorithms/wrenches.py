r"""External wrenches, brought from the representation they are given in to the bodies they act on.

A wrench `(force, moment)` is applied by the environment on the robot at a frame F fixed to body B: in "mixed"
representation about F's origin in world axes, in "body" about F's origin in F's axes, in "inertial" about the world's
origin in world axes. About the origin of B and in its axes it is
${}_B f = {}_B X^F {}_F f = ({}^BR_F f,\ {}^BR_F n + {}^Bo_F \times {}^BR_F f)$ (Traversaro 2017, section 2.7).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from floatbase.algorithms.arguments import as_array, frame_of
from floatbase.algorithms.elements import Mechanism
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


def external_wrenches(m: Mechanism, wrenches: Mapping[str, Array]) -> dict[int, tuple[Vector, Vector]]:
    """Force and moment about the body's origin in body axes, summed for each element that has any."""
    result: dict[int, tuple[Vector, Vector]] = {}
    for frame, wrench in wrenches.items():
        body, body_H_frame = frame_of(m.tree, frame)
        element = m.carriers[body]
        rows = [[float(entry) for entry in row] for row in body_H_frame[:3]]
        rotation: Matrix = tuple(tuple(row[:3]) for row in rows)  # type: ignore[assignment]
        position: Vector = (rows[0][3], rows[1][3], rows[2][3])
        fx, fy, fz, nx, ny, nz = components(wrench)
        force, moment = (fx, fy, fz), (nx, ny, nz)
        if m.tree.representation == "body":
            force, moment = multiply(rotation, force), multiply(rotation, moment)
        else:
            about_origin = m.tree.representation == "inertial"
            force, moment = _into_body(m, element, force, moment, about_origin)
        if m.tree.representation != "inertial":
            moment = add(moment, cross(position, force))
        if element in result:
            force, moment = add(result[element][0], force), add(result[element][1], moment)
        result[element] = (force, moment)
    return result


def _into_body(
    m: Mechanism,
    element: int,
    force: Vector,
    moment: Vector,
    about_origin: bool,
) -> tuple[Vector, Vector]:
    """From world axes to body axes; `about_origin`: the moment is moved from the world's origin to the body's, too."""
    if about_origin:
        moment = subtract(moment, cross(m.base.position, force))
    force, moment = multiply_transposed(m.base.rotation, force), multiply_transposed(m.base.rotation, moment)
    for i in m.path_to(element):
        joint = m.joints[i]
        if about_origin:
            moment = subtract(moment, cross(joint.position, force))
        force, moment = turn_back(joint.rotation, force), turn_back(joint.rotation, moment)
    return force, moment
