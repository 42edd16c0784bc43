r"""What the velocities of a joint are to the rates of its elements.

The elements of a joint (see `floatbase.algorithms.elements`) are coordinates $x$ near the present configuration, so

$$ \dot x = B v, \qquad \ddot x = B \dot v + \dot B v, \qquad \tau_v = B^\top \tau_x . $$

With one coordinate $B$ is the joint's ratio (times the pitch, for the translation of a helical one). For the angular
velocity $\omega$ and the linear velocity of a spherical or floating joint in the axes of the moved side,

$$ \begin{bmatrix} \dot\alpha \\ \dot\beta \\ \dot\gamma \end{bmatrix} = E^{-1} \omega, \quad E = 1, \quad
   \dot E = \begin{bmatrix} 0 & \omega_z & 0 \\ -\omega_z & 0 & 0 \\ \omega_y & 0 & 0 \end{bmatrix}, \qquad
   \dot B = \begin{bmatrix} \omega^\wedge & 0 \\ 0 & -\dot E \end{bmatrix}. $$

A reversed joint moves the body by the inverse of its motion: the twist of the body in its own axes is $u = A v$ with

| | $A$ | $\dot A$ |
|---|---|---|
| spherical | $-R$ | $-R \omega^\wedge$ |
| floating | $-\mathrm{Ad}_H$ | $-\mathrm{Ad}_H (v \times)$ |
| planar | $-1$, and $(-y, x)$ in the column of $\dot\theta$ | $(-\dot y, \dot x)$ there |

and $B = A$, $\dot B = \dot A + \dot B_u A$ with $\dot B_u$ as above for the velocity $u$.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.model.tree import TreeJoint, position_index
from floatbase.spatial.arrays import Component
from floatbase.spatial.rotations import quaternion_rows
from floatbase.spatial.vectors import Matrix, Vector

Row = tuple[tuple[int, Component], ...]  # (velocity of joints, coefficient)
Dense = list[list[Component]]


def rate_rows(steps: Sequence[tuple[TreeJoint, int]], q_joints: Sequence[Component]) -> list[Row]:
    """A row of B for the base (empty) and for every step (joint, which of its axes)."""
    rows: list[Row] = [()]
    for joint, order in steps:
        if joint.nv == 1:
            screw = joint.kind == "helical" and order == 0
            rows.append(((joint.index, float(joint.ratio) * (float(joint.pitch) if screw else 1.0)),))
        elif not joint.reversed:
            rows.append(((joint.index + order, 1.0),))
        else:
            rows.append(_row(joint, _reversal(joint, q_joints)[order]))
    return rows


def rate_rates(
    steps: Sequence[tuple[TreeJoint, int]], q_joints: Sequence[Component], v_joints: Sequence[Component]
) -> list[Row]:
    """The derivatives of the rows of `rate_rows` along the motion."""
    rows: list[Row] = [()]
    for joint, order in steps:
        if joint.nv == 1 or (joint.kind == "planar" and not joint.reversed):
            rows.append(())
            continue
        v = list(v_joints[joint.index : joint.index + joint.nv])
        if not joint.reversed:
            rows.append(_row(joint, _chart_rate(joint.kind, v)[order]))
            continue
        A = _reversal(joint, q_joints)
        u = [_inner(row, v) for row in A]
        chart, own = _chart_rate(joint.kind, u), _reversal_rate(joint, A, v)[order]
        rows.append(_row(joint, [x + y for x, y in zip(own, _times(chart, A)[order], strict=True)]))
    return rows


def _row(joint: TreeJoint, entries: Sequence[Component]) -> Row:
    return tuple((joint.index + k, entry) for k, entry in enumerate(entries) if not _is_zero(entry))


def _chart_rate(kind: str, u: Sequence[Component]) -> Dense:
    r"""$\dot B$ for the twist u of the body in its own axes."""
    if kind == "planar":
        return [[0.0, -u[2], 0.0], [u[2], 0.0, 0.0], [0.0, 0.0, 0.0]]
    x, y, z = u[-3:]
    turning: Dense = [[0.0, -z, 0.0], [z, 0.0, 0.0], [-y, 0.0, 0.0]]
    if kind == "spherical":
        return turning
    return [[*row, 0.0, 0.0, 0.0] for row in _hat((x, y, z))] + [[0.0, 0.0, 0.0, *row] for row in turning]


def _reversal(joint: TreeJoint, q_joints: Sequence[Component]) -> Dense:
    """A: from the velocities of a reversed joint to the twist of the body in its own axes."""
    first = position_index(joint)
    if joint.kind == "planar":
        x, y = q_joints[first], q_joints[first + 1]
        return [[-1.0, 0.0, -y], [0.0, -1.0, x], [0.0, 0.0, -1.0]]
    w, x, y, z = q_joints[first + joint.nq - 4 : first + joint.nq]
    R = quaternion_rows(w, x, y, z)
    minus: Dense = [[-entry for entry in row] for row in R]
    if joint.kind == "spherical":
        return minus
    p: Vector = (q_joints[first], q_joints[first + 1], q_joints[first + 2])
    coupled = _times(_hat(p), minus)
    return [[*a, *b] for a, b in zip(minus, coupled, strict=True)] + [[0.0, 0.0, 0.0, *row] for row in minus]


def _reversal_rate(joint: TreeJoint, A: Dense, v: Sequence[Component]) -> Dense:
    """The derivative of A."""
    if joint.kind == "planar":
        return [[0.0, 0.0, -v[1]], [0.0, 0.0, v[0]], [0.0, 0.0, 0.0]]
    spin = _hat((v[-3], v[-2], v[-1]))
    if joint.kind == "spherical":
        return _times(A, spin)
    moved = _hat((v[0], v[1], v[2]))
    product: Dense = [[*a, *b] for a, b in zip(spin, moved, strict=True)] + [[0.0, 0.0, 0.0, *row] for row in spin]
    return _times(A, product)


def _hat(w: Vector) -> Matrix:
    x, y, z = w
    return ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))


def _times(A: Sequence[Sequence[Component]], B: Sequence[Sequence[Component]]) -> Dense:
    return [[_inner(row, column) for column in zip(*B, strict=True)] for row in A]


def _inner(a: Sequence[Component], b: Sequence[Component]) -> Component:
    total: Any = 0.0
    for x, y in zip(a, b, strict=True):
        if not (_is_zero(x) or _is_zero(y)):
            total = total + x * y
    return total


def scale(coefficient: Component, x: Component) -> Component:
    """The product, without an operation for a coefficient of one."""
    return x if type(coefficient) is float and coefficient == 1.0 else coefficient * x


def _is_zero(x: Component) -> bool:
    return type(x) is float and x == 0.0
