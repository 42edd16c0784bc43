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

There are more coordinates, *charts*, of a change of the base than those of the representation, and what is held fixed
when its pose alone changes is another thing in each (`floatbase.algorithms.derivatives.charts`). For a change $T z$ of
these coordinates $A$ becomes $(T A + \dot T)\, T^{-1}$ and $B$ becomes $T B$.

Bos 2019, (2.38), (3.20) and (3.42), with the errata: as printed, the derivative by the pose belongs to another chart
than the rest, and what comes out is no linearisation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.configuration import disturbance_rate
from floatbase.algorithms.derivatives.charts import Base, by_chart, chart_of
from floatbase.algorithms.derivatives.forward_dynamics import acceleration_and_derivatives
from floatbase.algorithms.wrenches import Wrenches
from floatbase.compiler.dense import dense_matmul
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import INPUTS, Linearization
from floatbase.spatial.arrays import Array, zeros


def linearize(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    chart: str | None = None,
    inputs: str = "joints",
    wrenches_fixed: str | None = None,
) -> Linearization:
    """`A` (..., 2 nv, 2 nv) and `B` (..., 2 nv, joint_nv) at a state; arguments as in `forward_dynamics`.

    chart: that of the tree's representation if None. inputs: "joints", or "all" generalised forces: B (..., 2 nv, nv).
    """
    chart, first = chart_of(tree, chart), first_input(tree, inputs)
    q, v = configuration(tree, q), rates(tree, "v", v)
    a, by = acceleration_and_derivatives(tree, q, v, tau, wrenches, parameters, wrenches_fixed)
    n = tree.nv
    A, B = zeros((2 * n, 2 * n), by.dq[..., 0]), zeros((2 * n, n - first), by.dq[..., 0])
    A[..., :n, :n], A[..., :n, n:] = disturbance_rate(tree, v), np.eye(n)
    A[..., n:, :n], A[..., n:, n:] = by.dq, by.dv
    B[..., n:, :] = by.dtau[..., first:]
    if chart != tree.representation:
        _change_chart(A, B, Base(tree, q, v), a, chart)
    return Linearization(A, B)


def first_input(tree: Tree, inputs: object) -> int:
    """The first generalised force that is an input."""
    if inputs not in INPUTS:
        raise ArgumentError(f"inputs is {inputs!r}; it must be one of {INPUTS}")
    return 0 if inputs == "all" else tree.nv - tree.joint_nv


def _change_chart(A: Array, B: Array, base: Base, a: Array, chart: str) -> None:
    """From the chart of the representation to another one, in place."""
    tree, n = base.tree, base.tree.nv
    pose, twist = slice(0, 6), slice(n, n + 6)
    own_rate = A[..., pose, pose]
    _, mixing, turning = base.change(tree.representation, chart)
    mixing_rate, turning_rate = base.change_rates(chart, a)
    A[..., twist, :] = dense_matmul(turning, A[..., twist, :])
    B[..., twist, :] = dense_matmul(turning, B[..., twist, :])
    A[..., twist, pose] += mixing @ own_rate + mixing_rate
    A[..., twist, twist] += mixing + turning_rate
    A[..., n:, :n], A[..., n:, n:] = by_chart(base, chart, A[..., n:, :n], A[..., n:, n:])
    A[..., pose, pose], A[..., pose, twist] = base.pose_rows(chart)
