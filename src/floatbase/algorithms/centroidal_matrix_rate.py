r"""The rate of the centroidal momentum matrix.

A unit of velocity $j$ gives what it moves the momentum $p_j = \mathbb M^c s_j$ about a point that does not move, here
where the base's origin is at the instant. Inertias of bodies that move with $v = (v^l, \omega)$ have constant mass, and

$$ \dot h = m v^l + \omega \times h, \qquad
   \dot\Sigma = v^l h^\top + h v^{l\top} + \omega^\wedge \Sigma - \Sigma\, \omega^\wedge , $$

so that their sums $\dot{\mathbb M}^c$ are made of first and second moments too, and
$\dot p_j = \dot{\mathbb M}^c s_j + \mathbb M^c \dot s_j$. About the centre of mass, $c$ from that point, with the
force part $p^l$,

$$ A_{G,j} = \begin{bmatrix} p^l_j \\ p^a_j - c \times p^l_j \end{bmatrix}, \qquad
   \dot A_{G,j} =
   \begin{bmatrix} \dot p^l_j \\ \dot p^a_j - c \times \dot p^l_j - \dot c \times p^l_j \end{bmatrix} . $$

Traversaro 2017, (3.84)-(3.92).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.coriolis import velocity_columns
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.kinematics import Pose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.rigid_inertia import RigidInertia, shift_inertia, sum_inertia
from floatbase.spatial.screws import Screw, momentum_of, sum_screws
from floatbase.spatial.vectors import Vector, add, congruence, cross, multiply, scale, subtract


def centroidal_momentum_matrix_rate(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    r"""$\dot A_G$ (..., 6, nv), of the matrix of `centroidal_momentum_matrix`, in world axes.

    q: (..., nq) configuration; v: (..., nv) velocity; parameters: (..., 10 n_bodies) inertial parameters instead of the
    tree's.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    m, poses, twists, columns = velocity_columns(tree, q, v)
    composites, composite_rates = _composites(m, poses, twists, parameters)
    inverse = 1.0 / composites[0].mass
    center, center_rate = scale(inverse, composites[0].moment), scale(inverse, composite_rates[0].moment)
    rows: list[list[Component]] = [[0.0] * tree.nv for _ in range(6)]
    for column, i, unit, unit_rate in columns:
        linear = momentum_of(composites[i], unit)[0]
        force, moment = sum_screws(momentum_of(composite_rates[i], unit), momentum_of(composites[i], unit_rate))
        about = subtract(subtract(moment, cross(center, force)), cross(center_rate, linear))
        entries = [*multiply(m.base.rotation, force), *multiply(m.base.rotation, about)]
        for row, entry in zip(rows, entries, strict=True):
            row[column] = row[column] + entry
    return matrix(rows, *(x for x in (q, v, parameters) if x is not None))


def _composites(
    m: Mechanism, poses: Sequence[Pose], twists: Sequence[Screw], parameters: Any
) -> tuple[list[RigidInertia], list[RigidInertia]]:
    """Inertias of all that an element carries, and their rates, at the base's origin in base axes."""
    bodies = [element.body for element in m.moving]
    together = [i for i, body in enumerate(bodies, 1) if bodies.count(body) > 1]  # columns are of the last one
    inertias, changes = [], []
    for inertia, pose, (v, omega) in zip(grouped_inertias(m, parameters, together), poses, twists, strict=True):
        moment, second = multiply(pose.rotation, inertia.moment), congruence(pose.rotation, inertia.second)
        inertias.append(shift_inertia(RigidInertia(inertia.mass, moment, second), pose.position))
        changes.append(_rate_of(inertias[-1], v, omega))
    for i in range(m.count - 1, 0, -1):
        parent = m.parent(i)
        inertias[parent] = sum_inertia(inertias[parent], inertias[i])
        changes[parent] = sum_inertia(changes[parent], changes[i])
    return inertias, changes


def _rate_of(inertia: RigidInertia, v: Vector, omega: Vector) -> RigidInertia:
    mass, h, (xx, xy, xz, yy, yz, zz) = inertia
    columns = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    x, y, z = (add(scale(h[k], v), cross(omega, column)) for k, column in enumerate(columns))
    second = (x[0] + x[0], x[1] + y[0], x[2] + z[0], y[1] + y[1], y[2] + z[1], z[2] + z[2])
    return RigidInertia(0.0, add(scale(mass, v), cross(omega, h)), second)
