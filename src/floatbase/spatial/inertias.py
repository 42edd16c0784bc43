r"""Inertial parameters $(m, m c, I_{xx}, I_{xy}, I_{xz}, I_{yy}, I_{yz}, I_{zz})$ about a frame's origin, in its axes.

$$ \mathbb M = \begin{bmatrix} m 1 & -(m c)^\wedge \\ (m c)^\wedge & I \end{bmatrix}, \qquad
   I = I_C - m\, c^\wedge c^\wedge, \qquad {}_a\mathbb M = {}_aX^b\, {}_b\mathbb M\, {}^bX_a . $$

A body of non-negative density exists exactly if the pseudo-inertia
$\begin{bmatrix} \Sigma & m c \\ m c^\top & m \end{bmatrix}$, $\Sigma = \tfrac12 \mathrm{tr}(I) 1 - I$, is
positive semidefinite.

Traversaro 2017, (2.64)-(2.67), section 6.2; P. Wensing, S. Kim, J.-J. Slotine, "Linear matrix inequalities for
physically consistent inertial parameter identification", IEEE Robotics and Automation Letters 3(1), 2018.
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array, Component, components, matrix, require_shape, vector
from floatbase.spatial.kinds import CentralTensor, HeavyParameters, InertiaMatrix, NotNegative, Parameters, Pose
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.rigid_inertia import RigidInertia, inertia_rows, second_of, shift_inertia, tensor_of
from floatbase.spatial.vectors import Matrix, Vector, congruence, multiply


def parameters_from_center(mass: NotNegative, center: Array, central_tensor: CentralTensor) -> Array:
    """Ten parameters (..., 10) from mass (...), centre of mass (..., 3) and tensor about it (..., 3, 3)."""
    c = _triple(center)
    S = central_tensor
    entries = [S[..., i, j][()] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    central = RigidInertia(np.asanyarray(mass)[()], (0.0, 0.0, 0.0), second_of(tuple(entries)))
    return vector(_flat(shift_inertia(central, c)), center, S[..., 0])


def center_of_parameters(parameters: HeavyParameters) -> Array:
    """The centre of mass (..., 3)."""
    require_shape(parameters, 10)
    return parameters[..., 1:4] / parameters[..., :1]


def inertia_matrix(parameters: Parameters) -> Array:
    """The 6x6 inertia (..., 6, 6), linear first, of ten parameters (..., 10)."""
    m, x, y, z, *tensor = components(parameters, 10)
    return matrix(inertia_rows(m, (x, y, z), tuple(tensor)), parameters)


def parameters_of_inertia_matrix(M: InertiaMatrix) -> Array:
    """Ten parameters (..., 10) of a 6x6 inertia (..., 6, 6): the inverse of `inertia_matrix`."""
    require_shape(M, 6, 6)
    places = ((0, 0), (5, 1), (3, 2), (4, 0), (3, 3), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5))
    return vector([M[..., i, j][()] for i, j in places], M[..., 0])


def transform_parameters(a_H_b: Pose, parameters_b: Parameters) -> Array:
    """The parameters (..., 10) about a's origin in a's axes of a body given by those in b."""
    m, x, y, z, *tensor = components(parameters_b, 10)
    R = rotation_of(a_H_b)
    rows: Matrix = (_triple(R[..., 0, :]), _triple(R[..., 1, :]), _triple(R[..., 2, :]))
    turned = RigidInertia(m, multiply(rows, (x, y, z)), congruence(rows, second_of(tuple(tensor))))
    return vector(_flat(shift_inertia(turned, _triple(position_of(a_H_b)))), parameters_b, R[..., 0])


def pseudo_inertia(parameters: Array) -> Array:
    """The pseudo-inertia (..., 4, 4): second moments, first moments and mass of the density, of any ten numbers."""
    m, x, y, z, *tensor = components(parameters, 10)
    xx, xy, xz, yy, yz, zz = second_of(tuple(tensor))
    rows = [[xx, xy, xz, x], [xy, yy, yz, y], [xz, yz, zz, z], [x, y, z, m]]
    return matrix(rows, parameters)


def is_physical(parameters: Array, tolerance: float = 1e-9) -> Array:
    """Whether a body of non-negative density has the parameters; numbers only, one truth value for each body.

    tolerance: how far below zero an eigenvalue of the pseudo-inertia may be, relative to the largest.
    """
    values = np.linalg.eigvalsh(pseudo_inertia(np.asarray(parameters)))
    return values[..., 0] >= -tolerance * np.abs(values).max(axis=-1)


def _triple(x: Array) -> Vector:
    a, b, c = components(x, 3)
    return (a, b, c)


def _flat(inertia: RigidInertia) -> list[Component]:
    return [inertia.mass, *inertia.moment, *tensor_of(inertia.second)]
