r"""Regressors with what drives add to each joint: rotor inertia, viscous and Coulomb friction.

With the thirteen parameters $(XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M, I_a, F_v, F_c)$ of joint j and the body it moves,

$$ \tau = Y \chi, \qquad Y_j = [\,Y_{j1}\ \ Y_{j2}\ \ Y_{j3}\ \ e_j\, (\ddot q_j,\ \dot q_j,\
   \mathrm{sign}\, \dot q_j)\,] . $$

A pair of joints (j, k) whose motors turn both, as those of a wrist may, has in addition $F_{vm}$ and $F_{cm}$ with
$(\dot q_k, \mathrm{sign}\, \dot q_k)$ in row j and $(\dot q_j, \mathrm{sign}\, \dot q_j)$ in row k, and the column of
$I_{a,k}$ has $\ddot q_k$ in row j and $\ddot q_j$ in row k as well.

Q. Leboutet, PhD thesis, TU Munich, 2022, (223) with errata, appendix A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import rates
from floatbase.algorithms.regressor import regressor
from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, zeros
from floatbase.spatial.inertias import transform_parameters
from floatbase.spatial.poses import invert_pose

TEN_OF_THIRTEEN = (9, 6, 7, 8, 0, 1, 2, 3, 4, 5)  # parameters 0 .. 9 of (m, m c, I) among the thirteen
THIRTEEN_OF_TEN = (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)  # the first ten of the thirteen among (m, m c, I)


def drive_regressor(tree: Tree, v: Any, a: Any) -> Array:
    """Columns (..., nv, 3 joint_nv): rotor inertia, viscous and Coulomb friction of each velocity of the joints."""
    v, a = rates(tree, "v", v), rates(tree, "a", a)
    head = tree.nv - tree.joint_nv
    result = zeros((tree.nv, 3 * tree.joint_nv), v, a)
    for k in range(tree.joint_nv):
        row = head + k
        result[..., row, 3 * k] = a[..., row]
        result[..., row, 3 * k + 1] = v[..., row]
        result[..., row, 3 * k + 2] = np.sign(v[..., row])
    return result


def arm_regressor(tree: Tree, q: Any, v: Any, a: Any, couplings: Sequence[tuple[str, str]] = ()) -> Array:
    """`Y` (..., n, 13 n + 2 k) of a fixed-base robot with n joints, and the k `couplings` of pairs named.

    The columns of joint j begin at 13 j; those of coupling i, $F_{vm}$ and $F_{cm}$, at 13 n + 2 i. q, v, a: (..., n).
    """
    places = _places(tree)
    v, a = rates(tree, "v", v), rates(tree, "a", a)
    Y, drives, n = regressor(tree, q, v, a), drive_regressor(tree, v, a), tree.nv
    result = zeros((n, 13 * n + 2 * len(couplings)), v, a)
    for joint, place in enumerate(places):
        result[..., 13 * joint : 13 * joint + 10] = Y[..., [10 * place + k for k in THIRTEEN_OF_TEN]]
        result[..., 13 * joint + 10 : 13 * joint + 13] = drives[..., 3 * joint : 3 * joint + 3]
    for number, pair in enumerate(couplings):
        one, other = (_joint(tree, name) for name in pair)
        at = 13 * n + 2 * number
        for row, source in ((one, other), (other, one)):
            result[..., row, at] = v[..., source]
            result[..., row, at + 1] = np.sign(v[..., source])
        result[..., one, 13 * other + 10] = a[..., other]
        result[..., other, 13 * other + 10] = a[..., other] + a[..., one]
    return result


def arm_parameters(tree: Tree, viscous: Any = 0.0, coulomb: Any = 0.0) -> Array:
    """`chi` (13 n,) of a fixed-base robot: about its links' frames, with its rotors; friction: numbers or (n,)."""
    result = np.zeros((tree.nv, 13))
    for joint, place in enumerate(_places(tree)):
        item = tree.bodies[tree.order[place]]
        link_H_body = invert_pose(tree.frames[item.name][1])
        result[joint, :10] = transform_parameters(link_H_body, item.parameters)[list(THIRTEEN_OF_TEN)]
        result[joint, 10] = item.joint.armature if item.joint is not None else 0.0
    result[:, 11], result[:, 12] = viscous, coulomb
    return result.ravel()


def _places(tree: Tree) -> list[int]:
    """Where the body that each joint moves stands among the inertial parameters."""
    bodies = [tree.bodies[number] for number in tree.order]
    joints = {body.joint.index: k for k, body in enumerate(bodies) if body.joint is not None and body.joint.nv == 1}
    if tree.floating or len(joints) != tree.nv or len(tree.bodies) != tree.nv + 1:
        raise ArgumentError(
            f"robot {tree.name!r} needs a fixed base and joints of one coordinate each, none of which follows another"
        )
    return [joints[k] for k in range(tree.nv)]


def _joint(tree: Tree, name: str) -> int:
    if name not in tree.joint_names:
        raise unknown_name("joint", name, tree.joint_names)
    return tree.joint_names.index(name)
