r"""The inertia that a body shows when the joints beyond it are free, for the articulated body algorithm.

It is a symmetric map from the acceleration of a body-fixed frame to the wrench at its origin,

$$ \begin{bmatrix} f \\ n \end{bmatrix}
   = \begin{bmatrix} M & H \\ H^\top & I \end{bmatrix} \begin{bmatrix} a \\ \dot\omega \end{bmatrix}, $$

kept as $M$ and $I$ (symmetric) and $H$ (general). About an origin from which the old one is at $p$,

$$ H' = H - M p^\wedge, \qquad I' = I + (p^\wedge H)^\top + p^\wedge H', $$

and letting go a joint along the direction $S$ takes away $U U^\top / D$, $U = (\ldots) S$, $D = S^\top U$, which
leaves zeros in the row and column of $S$. R. Featherstone, "Rigid body dynamics algorithms", 2008, chapter 7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from floatbase.spatial.arrays import is_nothing
from floatbase.spatial.rigid_inertia import RigidInertia, tensor_of
from floatbase.spatial.turns import Rotation, turn_matrix, turn_symmetric
from floatbase.spatial.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    cross,
    full,
    multiply,
    multiply_symmetric,
    multiply_transposed,
    sum_matrix,
    sum_symmetric,
)


class ArticulatedInertia(NamedTuple):
    """The blocks M, H and I."""

    linear: Symmetric
    coupling: Matrix
    angular: Symmetric


class ReleasedJoint(NamedTuple):
    """A joint let go: $U / D$ as force and moment, and $1 / D$."""

    force: Vector
    moment: Vector
    inverse: Any


def from_rigid(inertia: RigidInertia) -> ArticulatedInertia:
    """A rigid body: M = m 1, H = -h^."""
    m, (x, y, z), second = inertia
    return ArticulatedInertia((m, 0.0, 0.0, m, 0.0, m), ((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)), tensor_of(second))


def wrench_of(inertia: ArticulatedInertia, a: Vector, omega_dot: Vector) -> tuple[Vector, Vector]:
    """Force and moment for an acceleration."""
    force = add(multiply_symmetric(inertia.linear, a), multiply(inertia.coupling, omega_dot))
    moment = add(multiply_transposed(inertia.coupling, a), multiply_symmetric(inertia.angular, omega_dot))
    return force, moment


def release_joint(
    inertia: ArticulatedInertia, revolute: bool, armature: Any = 0.0
) -> tuple[ArticulatedInertia, ReleasedJoint]:
    """What is left when the joint about (or along) z moves freely, but for the inertia `armature` of its rotor.

    Without a rotor its row and column become zeros, and the entry of U / D along the joint is 1.
    """
    M, H, I = inertia  # noqa: E741
    none = is_nothing(armature)
    if revolute:
        force: Vector = (H[0][2], H[1][2], H[2][2])
        moment: Vector = (I[2], I[4], I[5])
        inverse = 1.0 / (moment[2] if none else moment[2] + armature)
    else:
        force, moment = (M[2], M[4], M[5]), H[2]
        inverse = 1.0 / (force[2] if none else force[2] + armature)
    u_f: Vector = tuple(inverse * entry for entry in force)
    u_n: Vector = tuple(inverse * entry for entry in moment)
    linear = _minus_outer(M, force, u_f)
    angular = _minus_outer(I, moment, u_n)
    rows = [[H[i][j] - force[i] * u_n[j] for j in range(3)] for i in range(3)]
    if none and revolute:
        for row in rows:
            row[2] = 0.0
        angular = (angular[0], angular[1], 0.0, angular[3], 0.0, 0.0)
        u_n = (u_n[0], u_n[1], 1.0)
    elif none:
        rows[2] = [0.0, 0.0, 0.0]
        linear = (linear[0], linear[1], 0.0, linear[3], 0.0, 0.0)
        u_f = (u_f[0], u_f[1], 1.0)
    coupling: Matrix = tuple(tuple(row) for row in rows)  # type: ignore[assignment]
    return ArticulatedInertia(linear, coupling, angular), ReleasedJoint(u_f, u_n, inverse)


def turn_articulated(rotation: Rotation, inertia: ArticulatedInertia) -> ArticulatedInertia:
    """The same inertia in the axes of the outer frame."""
    M, H, I = inertia  # noqa: E741
    return ArticulatedInertia(turn_symmetric(rotation, M), turn_matrix(rotation, H), turn_symmetric(rotation, I))


def shift_articulated(inertia: ArticulatedInertia, p: Vector) -> ArticulatedInertia:
    """The inertia about a new origin from which the old one is at `p`."""
    M, H, (xx, xy, xz, yy, yz, zz) = inertia
    new: Matrix = tuple(add(row, cross(p, m)) for row, m in zip(H, full(M), strict=True))  # type: ignore[assignment]
    old = _cross_rows(p, H)
    out = _cross_rows(p, new)
    angular = (
        xx + (old[0][0] + out[0][0]),
        xy + (old[1][0] + out[0][1]),
        xz + (old[2][0] + out[0][2]),
        yy + (old[1][1] + out[1][1]),
        yz + (old[2][1] + out[1][2]),
        zz + (old[2][2] + out[2][2]),
    )
    return ArticulatedInertia(M, new, angular)


def sum_articulated(a: ArticulatedInertia, b: ArticulatedInertia) -> ArticulatedInertia:
    """The sum of two inertias at one origin in the same axes."""
    return ArticulatedInertia(
        sum_symmetric(a.linear, b.linear), sum_matrix(a.coupling, b.coupling), sum_symmetric(a.angular, b.angular)
    )


def _minus_outer(S: Symmetric, a: Vector, b: Vector) -> Symmetric:
    """S - a b^T for parallel vectors a and b."""
    return (
        S[0] - a[0] * b[0],
        S[1] - a[0] * b[1],
        S[2] - a[0] * b[2],
        S[3] - a[1] * b[1],
        S[4] - a[1] * b[2],
        S[5] - a[2] * b[2],
    )


def _cross_rows(p: Vector, H: Matrix) -> list[list[Any]]:
    """p^ H."""
    return [
        [p[1] * H[2][j] - p[2] * H[1][j] for j in range(3)],
        [p[2] * H[0][j] - p[0] * H[2][j] for j in range(3)],
        [p[0] * H[1][j] - p[1] * H[0][j] for j in range(3)],
    ]
