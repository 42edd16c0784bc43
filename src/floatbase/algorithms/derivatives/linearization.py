r"""The linearised motion of a robot: how a small change of its state grows.

A state $(q, \nu)$ is changed to $(q \oplus \delta, \nu + \epsilon)$, with $\oplus$ as `integrate` moves configurations.
To first order the change $z = (\delta, \epsilon)$ and a change $w$ of the joint forces obey

$$ \dot z = A z + B w, \qquad
   A = \begin{bmatrix} K & 1 \\ \partial\dot\nu/\partial q & \partial\dot\nu/\partial\nu \end{bmatrix}, \qquad
   B = \begin{bmatrix} 0 \\ M^{-1} S \end{bmatrix}, $$

where $S$ leaves the columns of the joints, and $K$ is how the tangent space itself turns on the way: on the diagonal it
has $-v\times$ for the base in "body" and $v\times$ in "inertial" representation, $\omega^\wedge$ for its turns in
"mixed", $-\omega^\wedge$ for spherical and $-v\times$ for floating joints, and zeros elsewhere. The derivatives of the
acceleration hold the components of velocity, forces and external wrenches fixed.

On the base's pose and body twist there are two more *charts*. They hold fixed what the column says when the base moves:

| chart | change of the twist | held fixed |
|---|---|---|
| "body" | $\epsilon$ | the twist in the base |
| "tangent" | $b = \epsilon - v \times \delta$ | the twist in the world |
| "world" | $d\,{}^Av = {}^AX_0\, b$ | the twist in the world, and written there |

For a change $T z$ of these coordinates $A$ becomes $(T A + \dot T)\, T^{-1}$ and $B$ becomes $T B$.

Bos 2019, (2.38), (3.20) and (3.42), with the errata: as printed, the derivative by the pose belongs to another chart
than the rest, and what comes out is no linearisation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.configuration import disturbance_rate
from floatbase.algorithms.derivatives.forward_dynamics import acceleration_and_derivatives
from floatbase.algorithms.wrenches import Wrenches
from floatbase.compiler.dense import dense_matmul
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import Linearization, charts
from floatbase.spatial.arrays import Array, zeros
from floatbase.spatial.poses import invert_pose, pose_from
from floatbase.spatial.rotations import rotation_from_quaternion
from floatbase.spatial.twists import adjoint, twist_cross


def linearize(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    chart: str | None = None,
) -> Linearization:
    """`A` (..., 2 nv, 2 nv) and `B` (..., 2 nv, joint_nv) at a state; arguments as in `forward_dynamics`.

    chart: that of the tree's representation if None; in "body" representation also "tangent" or "world".
    """
    if chart is not None and chart not in charts(tree.floating, tree.representation):
        raise ArgumentError(
            f"chart is {chart!r}; for robot {tree.name!r} it must be one of "
            f"{charts(tree.floating, tree.representation)}"
        )
    q, v = configuration(tree, q), rates(tree, "v", v)
    a, by = acceleration_and_derivatives(tree, q, v, tau, wrenches, parameters)
    n = tree.nv
    A, B = zeros((2 * n, 2 * n), by.dq[..., 0]), zeros((2 * n, tree.joint_nv), by.dq[..., 0])
    A[..., :n, :n], A[..., :n, n:] = disturbance_rate(tree, v), np.eye(n)
    A[..., n:, :n], A[..., n:, n:] = by.dq, by.dv
    B[..., n:, :] = by.dtau[..., n - tree.joint_nv :]
    if chart in ("tangent", "world"):
        _hold_world_twist(A, v, a)
        if chart == "tangent":
            A[..., n : n + 6, n : n + 6] -= twist_cross(v[..., :6])
        else:
            _write_in_world(A, B, q)
    return Linearization(A, B)


def _hold_world_twist(A: Array, v: Array, a: Array) -> None:
    """From the change of the base's twist in the base to that with the twist in the world held, on the right side."""
    n = A.shape[-1] // 2
    cross = twist_cross(v[..., :6])
    A[..., n:, :6] += A[..., n:, n : n + 6] @ cross
    A[..., n : n + 6, :6] -= twist_cross(a[..., :6])
    A[..., :6, :6] = 0.0


def _write_in_world(A: Array, B: Array, q: Array) -> None:
    """From changes of the twist written in the base to those written in the world; its rate of turn cancels."""
    n = A.shape[-1] // 2
    world_H_base = pose_from(rotation_from_quaternion(q[..., 3:7]), q[..., :3])
    X = adjoint(world_H_base)
    base = slice(n, n + 6)
    A[..., :, base] = A[..., :, base] @ adjoint(invert_pose(world_H_base))
    A[..., base, :] = dense_matmul(X, A[..., base, :])
    B[..., base, :] = dense_matmul(X, B[..., base, :])
