r"""Forces against accelerations: what implicit steps of time make of springs and dampers.

A wrench that is affine in the motion at the end of a step is one at its beginning less a matrix times the acceleration
of its frame, and so is the force of a joint's spring and damper:

$$ f_F = f_F^0 - W_F\, a_F, \qquad \tau = \tau^0 - w \circ \ddot s, $$

with $a_F$ the classical acceleration $(\ddot o, \dot\omega)$ of the frame in the axes of the world and $W_F$ symmetric.
The body to which the frame is fixed then has the inertia $W_F$ besides its own, and the joint one like that of a rotor:
the articulated body algorithm solves for the acceleration in as many steps as without them. In the axes of the body,
about its origin and with $p$ the position of the frame there,

$$ X^\top \bar W_F X, \qquad \bar W_F = \mathrm{diag}(R, R)^\top W_F\, \mathrm{diag}(R, R), $$

with X that of `floatbase.spatial.articulated_inertia`; the acceleration relative to free fall lacks
$R^\top g + \omega \times (\omega \times p)$ of the frame's, which gives a wrench of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floatbase.algorithms.acceleration import drift
from floatbase.algorithms.arguments import as_array, frame_of
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.kinematics import Motion, motion_along, poses_along
from floatbase.errors import ArgumentError, ShapeError
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, apply_matrix, transpose, zeros
from floatbase.spatial.articulated_inertia import (
    ArticulatedInertia,
    shift_articulated,
    sum_articulated,
    wrench_of,
)
from floatbase.spatial.turns import turn_matrix, turn_symmetric
from floatbase.spatial.vectors import ZERO, Matrix, Vector, add, cross, multiply_transposed, subtract
from floatbase.spatial.vectors import transpose as transposed


@dataclass(frozen=True)
class AddedInertia:
    """Symmetric matrices W_F (..., 6, 6) at frames, in the axes of the world, and w (..., number of joint rates)."""

    frames: Mapping[str, Array]
    joints: Array | None = None


def added_arrays(tree: Tree, added: AddedInertia) -> AddedInertia:
    """The same, after checking frames and shapes."""
    for frame, matrix in added.frames.items():
        frame_of(tree, frame)
        if matrix.shape[-2:] != (6, 6):
            raise ShapeError(f"the added inertia at {frame!r} has shape {matrix.shape}; it must be (..., 6, 6)")
    if added.joints is not None:
        as_array("the added inertia of joints", added.joints, tree.joint_nv, tree)
    return added


def added_to_elements(
    m: Mechanism, omega_base: Vector, rate: list[Component], frames: Mapping[str, Array]
) -> tuple[dict[int, ArticulatedInertia], dict[int, tuple[Vector, Vector]]]:
    """What is added to the inertias of elements, and wrenches on them at zero acceleration relative to free fall."""
    inertias: dict[int, ArticulatedInertia] = {}
    wrenches: dict[int, tuple[Vector, Vector]] = {}
    for frame, W in frames.items():
        body, body_H_frame = frame_of(m.tree, frame)
        element = m.carriers[body]
        path = m.path_to(element)
        rotation = poses_along(m, path)[-1].rotation
        omega = motion_along(m, path, Motion(ZERO, omega_base, ZERO, ZERO), rate, [0.0] * m.count).omega
        inertia, (force, moment) = _at_element(m, W, rotation, omega, body_H_frame[:3, 3].tolist())
        if element in inertias:
            inertia = sum_articulated(inertias[element], inertia)
            force, moment = add(wrenches[element][0], force), add(wrenches[element][1], moment)
        inertias[element], wrenches[element] = inertia, (force, moment)
    return inertias, wrenches


def added_matrix(tree: Tree, q: Array, v: Array, added: AddedInertia) -> tuple[Array, Array]:
    r"""What is added to the mass matrix (..., nv, nv), $J^\top W J$, and the bias (..., nv), $J^\top W \dot J \nu$."""
    if added.frames and tree.representation != "mixed":
        raise ArgumentError(
            f"added inertias of robot {tree.name!r}, whose joints share coordinates, need the mixed representation, "
            f"not {tree.representation!r}"
        )
    like = [q, v, *(W[..., 0] for W in added.frames.values()), *([] if added.joints is None else [added.joints])]
    matrix, pull = zeros((tree.nv, tree.nv), *like), zeros((tree.nv,), *like)
    for frame, W in added.frames.items():
        J = jacobian(tree, q, frame)
        half = transpose(J) @ W
        matrix, pull = matrix + half @ J, pull + apply_matrix(half, drift(tree, q, v, frame))
    if added.joints is not None:
        first = tree.nv - tree.joint_nv
        for k in range(tree.joint_nv):
            place = (..., first + k, first + k)
            matrix[place] = matrix[place] + added.joints[..., k]
    return matrix, pull


def _at_element(
    m: Mechanism, W: Array, rotation: Matrix, omega: Vector, p: Any
) -> tuple[ArticulatedInertia, tuple[Vector, Vector]]:
    """One of them about the origin of an element with the attitude `rotation`; p: the frame's place there."""
    back = (transposed(rotation),)
    entries = [[W[..., i, j][()] for j in range(6)] for i in range(6)]
    linear = tuple(entries[i][j] for i, j in _UPPER)
    angular = tuple(entries[3 + i][3 + j] for i, j in _UPPER)
    coupling: Matrix = tuple(tuple(entries[i][3:]) for i in range(3))  # type: ignore[assignment]
    at_frame = ArticulatedInertia(
        turn_symmetric(back, linear),
        turn_matrix(back, coupling),
        turn_symmetric(back, angular),
    )
    place: Vector = (p[0], p[1], p[2])
    g: Vector = tuple(float(entry) for entry in m.tree.gravity)  # type: ignore[assignment]
    lacking = add(multiply_transposed(rotation, g), cross(omega, cross(omega, place)))
    force, moment = wrench_of(at_frame, lacking, ZERO)
    force = subtract(ZERO, force)
    moment = add(subtract(ZERO, moment), cross(place, force))
    return shift_articulated(at_frame, place), (force, moment)


_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
