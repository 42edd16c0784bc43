r"""The centre of mass, its velocity and its Jacobian, in world axes.

The first moment of what a body carries, and its rate relative to the body, are summed from the leaves:

$$ h_\lambda \mathrel{+}= R h + m p, \qquad
   \dot h_\lambda \mathrel{+}= R(\dot h + \dot s\, z \times h|_{revolute} + \dot s\, m z|_{prismatic}), $$

so that ${}^Ac = o_B + {}^AR_B h_0 / m$ and $\dot c = \dot o_B + {}^AR_B(\omega \times h_0 + \dot h_0) / m$. Column $j$
of the Jacobian is ${}^AR_j (z \times h_j) / m$, or ${}^AR_j z\, m_j / m$ for a prismatic joint.

Traversaro 2017, (3.53).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import BasePose, base_twist
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import body_inertias, grouped_inertias
from floatbase.algorithms.jacobian import add_column
from floatbase.algorithms.kinematics import Pose, all_poses
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix, vector
from floatbase.spatial.turns import turn
from floatbase.spatial.vectors import ZERO, Vector, add, cross, multiply, scale


def com(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """The centre of mass (..., 3) in the world [m].

    q: (..., nq) configuration; parameters: (..., 10 n_bodies) inertial parameters instead of the tree's.
    """
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    _, moments, _ = _subtrees(m, parameters, None)
    place = add(m.base.position, multiply(m.base.rotation, moments[0]))
    return vector(place, *(x for x in (q, parameters) if x is not None))


def com_velocity(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    """The velocity of the centre of mass (..., 3) in world axes [m/s]; arguments as in `com`, v: (..., nv)."""
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    linear, omega = base_twist(tree, m.base, v_base)
    _, moments, moment_rates = _subtrees(m, parameters, m.rates(v_joints))
    velocity = add(add(linear, moment_rates[0]), cross(omega, moments[0]))
    return vector(multiply(m.base.rotation, velocity), *(x for x in (q, v, parameters) if x is not None))


def com_jacobian(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """`J` (..., 3, nv) with `com_velocity(tree, q, v) = J v`; arguments as in `com`."""
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    fractions, moments, _ = _subtrees(m, parameters, None)
    columns: list[list[Component]] = [[*ZERO] for _ in range(tree.nv)]
    first = 6 if tree.floating else 0
    columns[:first] = _base_columns(tree, m.base, moments[0]) if tree.floating else []
    poses = all_poses(m, Pose(m.base.rotation, m.base.position))
    for i in range(1, m.count):
        along: Vector = (0.0, 0.0, fractions[i])
        column = multiply(poses[i].rotation, cross((0.0, 0.0, 1.0), moments[i]) if m.revolute(i) else along)
        add_column(columns, first, m.rows[i], column)
    rows = [[column[k] for column in columns] for k in range(3)]
    return matrix(rows, *(x for x in (q, parameters) if x is not None))


def total_mass(tree: Tree, parameters: Any = None) -> Any:
    """The mass of the robot [kg]: a number, or (...) for `parameters: (..., 10 n_bodies)`."""
    return sum(inertia.mass for inertia in body_inertias(tree, optional_parameters(tree, parameters)))


def _subtrees(
    m: Mechanism, parameters: Any, rate: Sequence[Component] | None
) -> tuple[list[Component], list[Vector], list[Vector]]:
    """Masses, first moments and their rates of what the bodies carry, in body axes, over the mass of the robot.

    Inertias grouped with the parents give the same sums; masses matter for prismatic joints alone.
    """
    inertias = grouped_inertias(m, parameters)
    inverse = 1.0 / total_mass(m.tree, parameters)
    fractions = [inverse * inertia.mass for inertia in inertias]
    moments = [scale(inverse, inertia.moment) for inertia in inertias]
    moment_rates: list[Vector] = [ZERO] * len(inertias)
    for i in range(len(inertias) - 1, 0, -1):
        joint, parent = m.joints[i], m.parent(i)
        if rate is not None:
            hx, hy, _ = moments[i]
            x, y, z = moment_rates[i]
            if m.revolute(i):
                change: Vector = (x - rate[i] * hy, y + rate[i] * hx, z)
            else:
                change = (x, y, z + rate[i] * fractions[i])
            moment_rates[parent] = add(moment_rates[parent], turn(joint.rotation, change))
        carried = add(turn(joint.rotation, moments[i]), scale(fractions[i], joint.position))
        moments[parent] = add(moments[parent], carried)
        fractions[parent] = fractions[parent] + fractions[i]
    return fractions, moments, moment_rates


def _base_columns(tree: Tree, base: BasePose, base_c: Vector) -> list[list[Component]]:
    """Columns of the base twist; `base_c` is the centre of mass in the base's frame."""
    if tree.representation == "body":
        turning = [cross((float(k == 0), float(k == 1), float(k == 2)), base_c) for k in range(3)]
        x, y, z = zip(*base.rotation, strict=True)
        return [list(x), list(y), list(z), *([*multiply(base.rotation, column)] for column in turning)]
    arm = multiply(base.rotation, base_c)
    if tree.representation == "inertial":
        arm = add(base.position, arm)
    units: list[Vector] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    return [[*unit] for unit in units] + [[*cross(unit, arm)] for unit in units]
