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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.center_of_mass import com, com_jacobian, com_velocity, total_mass
from floatbase.algorithms.centroidal import centroidal_momentum_matrix, locked_inertia
from floatbase.algorithms.coriolis import coriolis_matrix
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.jacobian_rate import jacobian_rate
from floatbase.algorithms.mass_matrix import mass_matrix
from floatbase.algorithms.pose import pose
from floatbase.errors import ArgumentError
from floatbase.model.tree import Representation, Tree
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.poses import pose_from, rotation_of
from floatbase.spatial.representations import representation_matrix, spin_of_form
from floatbase.spatial.rotations import rotation_from_quaternion
from floatbase.spatial.skew import hat
from floatbase.spatial.twists import twist_cross


@dataclass(frozen=True, eq=False)
class Change:
    """`T`, its inverse, and the derivative of the inverse along the motion, all (..., nv, nv)."""

    matrix: Array
    inverse: Array
    inverse_rate: Array

    def velocity(self, v: Array) -> Array:
        """New velocities (..., nv)."""
        return apply_matrix(self.matrix, v)

    def velocity_back(self, v: Array) -> Array:
        """The old velocities (..., nv) of new ones."""
        return apply_matrix(self.inverse, v)

    def acceleration(self, v: Array, a: Array) -> Array:
        """The derivative (..., nv) of the new velocities, from old velocities and their derivative."""
        return apply_matrix(self.matrix, a - apply_matrix(self.inverse_rate, self.velocity(v)))

    def force(self, tau: Array) -> Array:
        """Generalised forces (..., nv) for the new velocities; gravity forces likewise."""
        return apply_matrix(transpose(self.inverse), tau)

    def mass_matrix(self, M: Array) -> Array:
        """The mass matrix (..., nv, nv) for the new velocities."""
        return transpose(self.inverse) @ M @ self.inverse

    def coriolis_matrix(self, M: Array, C: Array) -> Array:
        """A Coriolis matrix (..., nv, nv) for the new velocities, admissible if `C` is."""
        return transpose(self.inverse) @ (M @ self.inverse_rate + C @ self.inverse)

    def jacobian(self, J: Array) -> Array:
        """The Jacobian (..., k, nv) for the new velocities of something with Jacobian `J`."""
        return J @ self.inverse


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


def change_to_center_of_mass(tree: Tree, q: Any, v: Any) -> Change:
    """To the velocity of the centre of mass and the angular velocity of the base, in world axes."""
    _require_mixed(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    rows, row_rates = zeros((6, tree.nv), q, v), zeros((6, tree.nv), q, v)
    rows[..., :3, :] = com_jacobian(tree, q)
    rows[..., 3:, 3:6] = np.eye(3)
    row_rates[..., :3, :] = centroidal_momentum_matrix_rate(tree, q, v)[..., :3, :] / total_mass(tree)
    return _change(tree, rows, row_rates)


def change_to_average_velocity(tree: Tree, q: Any, v: Any) -> Change:
    """To the average velocity: velocity of the centre of mass and average angular velocity, in world axes."""
    _require_mixed(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    A, A_rate = centroidal_momentum_matrix(tree, q), centroidal_momentum_matrix_rate(tree, q, v)
    inertia = locked_inertia(tree, q)[..., 3:, 3:]
    J_com = com_jacobian(tree, q)
    turning = A_rate[..., 3:, 3:6]  # of a turn of the base, that column of A_G is the locked inertia
    angular = np.linalg.solve(inertia, A[..., 3:, :])
    angular_rate = np.linalg.solve(inertia, A_rate[..., 3:, :] - turning @ angular)
    linear_rate = A_rate[..., :3, :] / total_mass(tree)
    rows = np.concatenate([J_com, angular], axis=-2)
    return _change(tree, rows, np.concatenate([linear_rate, angular_rate], axis=-2))


def centroidal_momentum_matrix_rate(tree: Tree, q: Any, v: Any) -> Array:
    r"""$\dot A_G$ (..., 6, nv), from $\dot M = C + C^\top$, in "mixed" representation.

    $A_G = {}_GX^B M_b$ with the rows $M_b$ of the base, and ${}_GX^B$ depends on $\ell = c - o_B$ alone.
    """
    _require_mixed(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    M, C = mass_matrix(tree, q)[..., :6, :], coriolis_matrix(tree, q, v)
    M_rate = (C + transpose(C))[..., :6, :]
    arm, arm_rate = com(tree, q) - q[..., :3], com_velocity(tree, q, v) - v[..., :3]
    moment = M_rate[..., 3:, :] - hat(arm) @ M_rate[..., :3, :] - hat(arm_rate) @ M[..., :3, :]
    return np.concatenate([M_rate[..., :3, :], moment], axis=-2)


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


def _change(tree: Tree, rows: Array, row_rates: Array) -> Change:
    T, T_rate = zeros((tree.nv, tree.nv), rows[..., 0]), zeros((tree.nv, tree.nv), row_rates[..., 0])
    inverse = zeros((tree.nv, tree.nv), rows[..., 0])
    T[..., :6, :], T_rate[..., :6, :] = rows, row_rates
    head = np.linalg.inv(rows[..., :6])
    inverse[..., :6, :6], inverse[..., :6, 6:] = head, -head @ rows[..., 6:]
    for k in range(6, tree.nv):
        T[..., k, k] = inverse[..., k, k] = 1.0
    return Change(T, inverse, -inverse @ T_rate @ inverse)


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
