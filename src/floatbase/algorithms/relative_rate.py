r"""The derivative of a relative Jacobian along the motion.

Written in the element M at which the ways from the base part, a column $c_k$ is fixed in its own element, and the frame
C in which the twist is asked for moves with ${}^Mv_{M,C}$, so

$$ \frac{d}{dt} ({}^CX_M\, c_k) = {}^CX_M\, ({}^Mv_{M,k} \times c_k - {}^Mv_{M,C} \times c_k), $$

with C the frame itself ("body"), the reference ("inertial"), or the frame's origin with the reference's axes ("mixed").
With ${}^Dv_{F,D} = {}^Dv_{L,D} - {}^DX_F\, {}^Fv_{L,F}$ this is $-({}^Dv_{F,D} \times)\, ({}^DS_{L,D})_k$ for body
twists. Traversaro 2017, (3.36)-(3.41), completed.
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, rates, split
from floatbase.algorithms.jacobian import add_column
from floatbase.algorithms.kinematics import Pose
from floatbase.algorithms.relative import ways_between, written
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.screws import NOTHING, Screw, scale_screw, sum_screws, twist_product
from floatbase.spatial.vectors import add, cross, subtract


def relative_jacobian_rate(tree: Tree, q: Any, v: Any, reference: str, frame: str) -> Array:
    """The derivative (..., 6, nv) of `relative_jacobian`, component by component; the base's columns are zero.

    q: (..., nq) configuration; v: (..., nv) velocity.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    m, here, there, sides = ways_between(tree, q, reference, frame)
    v_joints = split(tree, v, 6)[1]
    rate, row_rates = m.rates(v_joints), m.row_rates(v_joints)
    ends: list[Screw] = []
    moving: list[list[Screw]] = []  # the twists of the elements relative to M
    for columns, sign in zip(sides, (1.0, -1.0), strict=True):
        twist, along = NOTHING, []
        for i, column in columns:
            twist = sum_screws(twist, scale_screw(rate[i] if sign > 0.0 else -rate[i], column))
            along.append(twist)
        ends.append(twist)
        moving.append(along)
    frame_twist = _twist_of_form(tree, here, *ends)
    first = 6 if tree.floating else 0
    result: list[list[Component]] = [[0.0] * 6 for _ in range(tree.nv)]
    for columns, along in zip(sides, moving, strict=True):
        for (i, column), twist in zip(columns, along, strict=True):
            relative = sum_screws(twist, scale_screw(-1.0, frame_twist))
            add_column(result, first, m.rows[i], written(tree, here, there, twist_product(relative, column)))
            add_column(result, first, row_rates[i], written(tree, here, there, column))
    return matrix([[column[k] for column in result] for k in range(6)], q, v)


def _twist_of_form(tree: Tree, here: Pose, frame: Screw, reference: Screw) -> Screw:
    """The twist relative to M of the frame in which the result is written."""
    if tree.representation == "body":
        return frame
    if tree.representation == "inertial":
        return reference
    velocity = add(frame[0], cross(frame[1], here.position))  # of the frame's origin
    return subtract(velocity, cross(reference[1], here.position)), reference[1]
