r"""Changes of the variables in which the motion of a floating robot is written.

With new velocities $\tilde\nu = T(q)\, \nu$, where the joints' stay as they are,

$$ T = \begin{bmatrix} T_b \\ 0 \;\; 1 \end{bmatrix}, \quad
   \tilde M = T^{-\top} M T^{-1}, \quad
   \tilde C = T^{-\top} (M \tfrac{d}{dt} T^{-1} + C T^{-1}), \quad
   \tilde G = T^{-\top} G, \quad \tilde\Gamma = T^{-\top} \Gamma, $$

and energies, and the skewness of $\dot M - 2C$, are kept. The first six rows $T_b$ are

| new base velocity | rows |
|---|---|
| twist in another representation | $T_{new} T_{old}^{-1}$, of twists (`spatial.representation_matrix`) |
| twist of another link | its Jacobian |
| compound frame E[F] ("mixed") | linear rows of E's Jacobian, angular rows of F's |
| G[B] ("mixed"): velocity of the centre of mass, angular velocity of the base | $J_{com}$, and the base's own |
| G ("mixed"): average velocity $v_G$ | $J_G = I_G^{-1} A_G$ |

In the last the equations of motion are block diagonal: $\tilde M = \mathrm{blkdiag}(m 1, L, H_G)$ and
$\tilde G = (-m g, 0, 0)$. The first three rows of $\tilde C \tilde\nu$ vanish for any $C$, those of the matrix with the
factorisation of `link_coriolis_matrix` (the erratum to lemma 3.11).

Traversaro 2017, theorem 3.3, sections 3.6-3.8, with errata.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.center_of_mass import com_jacobian, total_mass
from floatbase.algorithms.centroidal import centroidal_momentum_matrix, locked_inertia
from floatbase.algorithms.centroidal_matrix_rate import centroidal_momentum_matrix_rate
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.jacobian_rate import jacobian_rate
from floatbase.algorithms.pose import pose
from floatbase.compiler.dense import cholesky_solve
from floatbase.errors import ArgumentError
from floatbase.model.tree import Representation, Tree
from floatbase.results import Change
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.poses import pose_from, rotation_of
from floatbase.spatial.representations import representation_matrix, spin_of_form
from floatbase.spatial.rotations import rotation_from_quaternion
from floatbase.spatial.skew import hat
from floatbase.spatial.twists import twist_cross


def change_of_base(tree: Tree, q: Any, v: Any, link: str) -> Change:
    """To the twist of another link, in the representation of the tree. q: (..., nq); v: (..., nv)."""
    _require_floating(tree)
    return _change(tree, jacobian(tree, q, link), jacobian_rate(tree, q, v, link))


def change_of_representation(tree: Tree, q: Any, v: Any, representation: Representation) -> Change:
    """To the twist of the same base in another representation. q: (..., nq); v: (..., nv)."""
    _require_floating(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    H = pose_from(rotation_from_quaternion(q[..., 3:7]), q[..., :3])
    old = representation_matrix(tree.representation, H)
    back = np.linalg.inv(old)
    twist = apply_matrix(back, v[..., :6])
    new = representation_matrix(representation, H)
    rows, row_rates = zeros((6, tree.nv), q, v), zeros((6, tree.nv), q, v)
    rows[..., :6] = new @ back
    spins = [twist_cross(spin_of_form(form, twist)) for form in (representation, tree.representation)]
    row_rates[..., :6] = new @ (spins[0] - spins[1]) @ back
    return _change(tree, rows, row_rates)


def change_to_compound_frame(tree: Tree, q: Any, v: Any, origin: str, axes: str) -> Change:
    """To the velocity of the origin of one frame and the angular velocity of another, in world axes."""
    _require_mixed(tree)
    rows = [jacobian(tree, q, origin)[..., :3, :], jacobian(tree, q, axes)[..., 3:, :]]
    row_rates = [jacobian_rate(tree, q, v, origin)[..., :3, :], jacobian_rate(tree, q, v, axes)[..., 3:, :]]
    return _change(tree, np.concatenate(rows, axis=-2), np.concatenate(row_rates, axis=-2))


def change_to_center_of_mass(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Change:
    """To the velocity of the centre of mass and the angular velocity of the base, in world axes.

    q: (..., nq); v: (..., nv); parameters: (..., 10 n_bodies) inertial parameters instead of the tree's.
    """
    _require_mixed(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    J_com, J_com_rate = com_jacobian(tree, q, parameters), _com_jacobian_rate(tree, q, v, parameters)
    rows, row_rates = zeros((6, tree.nv), q, v, J_com[..., 0]), zeros((6, tree.nv), q, v, J_com[..., 0])
    rows[..., :3, :] = J_com
    rows[..., 3:, 3:6] = np.eye(3)
    row_rates[..., :3, :] = J_com_rate
    return _change(tree, rows, row_rates)


def change_to_average_velocity(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Change:
    """To the average velocity: velocity of the centre of mass and average angular velocity, in world axes.

    Arguments as in `change_to_center_of_mass`.
    """
    _require_mixed(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    A = centroidal_momentum_matrix(tree, q, parameters)
    A_rate = centroidal_momentum_matrix_rate(tree, q, v, parameters)
    inertia = locked_inertia(tree, q, parameters)[..., 3:, 3:]
    turning = A_rate[..., 3:, 3:6]  # of a turn of the base, that column of A_G is the locked inertia
    angular = cholesky_solve(inertia, A[..., 3:, :])
    angular_rate = cholesky_solve(inertia, A_rate[..., 3:, :] - turning @ angular)
    inverse_mass = _over(1.0, total_mass(tree, parameters))
    rows = np.concatenate([inverse_mass * A[..., :3, :], angular], axis=-2)
    return _change(tree, rows, np.concatenate([inverse_mass * A_rate[..., :3, :], angular_rate], axis=-2))


def link_coriolis_matrix(tree: Tree, q: Any, v: Any) -> Array:
    r"""An admissible Coriolis matrix (..., nv, nv) from the velocities of the links' centres of mass.

    With $\mathcal I_L$ the inertia about the centre of mass of a link in world axes, and mixed Jacobians there,
    $C = \sum_L J_L^\top (C_L J_L + \mathrm{blkdiag}(m 1, \mathcal I_L) \dot J_L)$,
    $C_L = \mathrm{blkdiag}(0, \tfrac12 (\omega^\wedge \mathcal I - \mathcal I \omega^\wedge
    - (\mathcal I \omega)^\wedge))$. In centroidal coordinates its first three rows and columns vanish.
    """
    _require_mixed(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    result = zeros((tree.nv, tree.nv), q, v)
    for number, body in enumerate(tree.bodies):
        mass = float(body.parameters[0])
        if mass == 0.0:
            continue
        body_H_center = np.eye(4)
        body_H_center[:3, 3] = body.parameters[1:4] / mass
        centered = replace(tree, frames={"center": (number, body_H_center)})
        J, J_rate = jacobian(centered, q, "center"), jacobian_rate(centered, q, v, "center")
        R = rotation_of(pose(centered, q, "center"))
        inertia = R @ _central_tensor(body.parameters) @ transpose(R)
        omega = apply_matrix(J[..., 3:, :], v)
        W = hat(omega)
        gyration = 0.5 * (W @ inertia - inertia @ W - hat(apply_matrix(inertia, omega)))
        angular = gyration @ J[..., 3:, :] + inertia @ J_rate[..., 3:, :]
        result = result + mass * (transpose(J[..., :3, :]) @ J_rate[..., :3, :]) + transpose(J[..., 3:, :]) @ angular
    return result


def _com_jacobian_rate(tree: Tree, q: Array, v: Array, parameters: Any) -> Array:
    linear = centroidal_momentum_matrix_rate(tree, q, v, parameters)[..., :3, :]
    return _over(linear, total_mass(tree, parameters))


def _over(matrix: Any, mass: Any) -> Any:
    """A matrix (..., k, n), or one number, over a mass (...)."""
    return matrix / np.asanyarray(mass)[..., None, None]


def _change(tree: Tree, rows: Array, row_rates: Array) -> Change:
    r"""From the first six rows $(T_1, T_2)$ of $T$ and their rates; the others are the identity's."""
    T, inverse, inverse_rate = (zeros((tree.nv, tree.nv), rows[..., 0], row_rates[..., 0]) for _ in range(3))
    back = np.linalg.inv(rows[..., :6])
    turned = back @ row_rates
    T[..., :6, :] = rows
    inverse[..., :6, :6], inverse[..., :6, 6:] = back, -(back @ rows[..., 6:])
    for k in range(6, tree.nv):
        T[..., k, k] = inverse[..., k, k] = 1.0
    inverse_rate[..., :6, :] = -(turned[..., :6] @ inverse[..., :6, :])
    inverse_rate[..., :6, 6:] = inverse_rate[..., :6, 6:] - turned[..., 6:]
    return Change(T, inverse, inverse_rate)


def _central_tensor(parameters: Any) -> Array:
    mass, h = float(parameters[0]), parameters[1:4]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return tensor + hat(h) @ hat(h) / mass


def _require_floating(tree: Tree) -> None:
    if not tree.floating:
        raise ArgumentError(f"robot {tree.name!r} has a fixed base; only floating bases can be changed")


def _require_mixed(tree: Tree) -> None:
    _require_floating(tree)
    if tree.representation != "mixed":
        raise ArgumentError(f"this change of variables needs the mixed representation, not {tree.representation!r}")
