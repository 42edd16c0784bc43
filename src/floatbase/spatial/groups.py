r"""Lie groups as values: what it takes to move on them, to compare elements and to linearise a system.

With the left-trivialised velocity $\xi$, $\dot g = g\, \xi^\wedge$,

| group | multiplication | $\mathrm{Ad}_g$ | $\mathrm{ad}_x$ |
|---|---|---|---|
| rotations | $R_1 R_2$ | $R$ | $x^\wedge$ |
| poses | $H_1 H_2$ | ${}^aX_b$ | $x \times$ |
| vectors(n) | $v_1 + v_2$ | 1 | 0 |
| product(G, ...) | each by itself | blkdiag | blkdiag |
| tangent(G): (g, v) | $(g_1 g_2,\ \mathrm{Ad}_{g_2}^{-1} v_1 + v_2)$ | below | below |

$$ \mathrm{Ad}_{(g, v)} = \begin{bmatrix} \mathrm{Ad}_g & 0 \\ \mathrm{Ad}_g \mathrm{ad}_v & \mathrm{Ad}_g
   \end{bmatrix}, \qquad \mathrm{ad}_{(a, b)} = \begin{bmatrix} \mathrm{ad}_a & 0 \\ \mathrm{ad}_b & \mathrm{ad}_a
   \end{bmatrix} . $$

The coadjoint maps on momenta are transposes: $\mathrm{Ad}^*_g = \mathrm{Ad}_g^\top$, $\mathrm{ad}^*_x =
\mathrm{ad}_x^\top$, and $J_r(x) = \sum_k (-\mathrm{ad}_x)^k / (k + 1)!$ is the right Jacobian of the exponential. The
state of a robot on a moving base is the group `product(poses, vectors(n), vectors(6), vectors(n))` of
$(H, s, v, \dot s)$, or that of `tangent(poses)` beside the joints.

Traversaro 2017, appendix A.1-A.3; Bos 2019, section 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial.arrays import Array
from floatbase.spatial.checks import check_array, check_pose, check_rotation
from floatbase.spatial.poses import invert_pose, pose_exponential, pose_logarithm
from floatbase.spatial.rotations import rotation_exponential, rotation_logarithm
from floatbase.spatial.skew import hat
from floatbase.spatial.tangents import pose_right_jacobian, rotation_right_jacobian
from floatbase.spatial.twists import adjoint, twist_cross

Element = Any  # an array for the simple groups, a tuple of elements for the composed ones


@dataclass(frozen=True, eq=False)
class LieGroup:
    """A group of elements without batch axes, with vectors (n,) as its algebra.

    Its functions do not look at values, apart from `check`: steps and feedback laws check where they begin.
    """

    dimension: int
    identity: Element
    multiply: Callable[[Element, Element], Element]
    inverse: Callable[[Element], Element]
    exponential: Callable[[Array], Element]
    logarithm: Callable[[Element], Array]
    adjoint: Callable[[Element], Array]  # (n, n)
    bracket: Callable[[Array], Array]  # (n, n): ad_x
    right_jacobian: Callable[[Array], Array]  # (n, n)
    check: Callable[[str, Element], None] = lambda name, g: None  # raises unless the argument `name` is an element

    def plus(self, g: Element, x: Array) -> Element:
        """`g exp(x)`."""
        return self.multiply(g, self.exponential(x))

    def minus(self, g_end: Element, g: Element) -> Array:
        """`log(g^-1 g_end)`."""
        return self.logarithm(self.multiply(self.inverse(g), g_end))


rotations = LieGroup(
    3,
    np.eye(3),
    np.matmul,
    np.transpose,
    rotation_exponential,
    rotation_logarithm,
    np.asanyarray,
    hat,
    rotation_right_jacobian,
    check_rotation,
)
poses = LieGroup(
    6,
    np.eye(4),
    np.matmul,
    invert_pose,
    pose_exponential,
    pose_logarithm,
    adjoint,
    twist_cross,
    pose_right_jacobian,
    check_pose,
)


def vectors(n: int) -> LieGroup:
    """Vectors (n,) under addition."""
    return LieGroup(
        n,
        np.zeros(n),
        np.add,
        np.negative,
        np.asanyarray,
        np.asanyarray,
        lambda g: np.eye(n),
        lambda x: np.zeros((n, n)),
        lambda x: np.eye(n),
        lambda name, g: check_array(name, g, (n,)),
    )


def vector_matrix(v: Array) -> Array:
    """A vector (n,) as the matrix (n + 1, n + 1) whose products add vectors."""
    result = np.eye(len(v) + 1)
    result[:-1, -1] = v
    return result


def product(*groups: LieGroup) -> LieGroup:
    """Tuples of elements, each group by itself."""
    ends = np.cumsum([group.dimension for group in groups])[:-1]

    def parts(x: Array) -> list[Array]:
        if np.shape(x) != (sum(group.dimension for group in groups),):
            raise ShapeError(f"x has shape {np.shape(x)}; the group needs ({sum(g.dimension for g in groups)},)")
        return np.split(np.asanyarray(x), ends)

    def check(name: str, g: Element) -> None:
        if not isinstance(g, tuple) or len(g) != len(groups):
            found = f"a tuple of {len(g)}" if isinstance(g, tuple) else f"{type(g).__name__} {g!r}"
            raise ArgumentError(f"{name} must be a tuple of {len(groups)}, an element of each group; it is {found}")
        for k, (group, item) in enumerate(zip(groups, g, strict=True)):
            group.check(f"{name}[{k}]", item)

    def each(name: str, g: Element) -> tuple[Any, ...]:
        return tuple(getattr(group, name)(item) for group, item in zip(groups, g, strict=True))

    return LieGroup(
        sum(group.dimension for group in groups),
        tuple(group.identity for group in groups),
        lambda g, h: tuple(group.multiply(*items) for group, *items in zip(groups, g, h, strict=True)),
        lambda g: each("inverse", g),
        lambda x: each("exponential", parts(x)),
        lambda g: np.concatenate(each("logarithm", g)),
        lambda g: _diagonal(each("adjoint", g)),
        lambda x: _diagonal(each("bracket", parts(x))),
        lambda x: _diagonal(each("right_jacobian", parts(x))),
        check,
    )


def tangent(group: LieGroup) -> LieGroup:
    """Pairs (g, v) of an element and a left-trivialised velocity: the group's tangent group."""
    n = group.dimension

    def lower(diagonal: Array, corner: Array) -> Array:
        return np.block([[diagonal, np.zeros((n, n))], [corner, diagonal]])

    def bracket(x: Array) -> Array:
        return lower(group.bracket(x[:n]), group.bracket(x[n:]))

    def adjoint_of(g: Element) -> Array:
        Ad = group.adjoint(g[0])
        return lower(Ad, Ad @ group.bracket(g[1]))

    def logarithm(g: Element) -> Array:
        x = group.logarithm(g[0])
        return np.concatenate([x, np.linalg.solve(group.right_jacobian(x), g[1])])

    return LieGroup(
        2 * n,
        (group.identity, np.zeros(n)),
        lambda g, h: (group.multiply(g[0], h[0]), group.adjoint(group.inverse(h[0])) @ g[1] + h[1]),
        lambda g: (group.inverse(g[0]), -group.adjoint(g[0]) @ g[1]),
        lambda x: (group.exponential(x[:n]), group.right_jacobian(x[:n]) @ x[n:]),
        logarithm,
        adjoint_of,
        bracket,
        lambda x: _jacobian_series(bracket(x)),
        product(group, vectors(n)).check,
    )


def linearize(
    group: LieGroup,
    field: Callable[[Element, Array], Array],
    g: Element,
    u: Array,
    step: float = 1e-6,
) -> tuple[Array, Array]:
    r"""`A` (n, n) and `B` (n, m) of $\dot z = A z + B w$ for changes $g \exp(z)$ and $u + w$ of a motion.

    The system is $\dot g = g\, \lambda(g, u)^\wedge$ with `field` $\lambda$; $A = D_1\lambda - \mathrm{ad}_\lambda$. By
    central differences, for groups of any kind: for robots there are derivatives in closed form. Bos 2019, (2.38).
    """
    u = np.asarray(u, dtype=np.float64)
    here = field(g, u)
    if np.shape(here) != (group.dimension,):
        raise ShapeError(f"the field has shape {np.shape(here)}; the group needs ({group.dimension},)")
    moves, inputs = step * np.eye(group.dimension), step * np.eye(len(u))
    A = [(field(group.plus(g, d), u) - field(group.plus(g, -d), u)) / (2.0 * step) for d in moves]
    B = [(field(g, u + d) - field(g, u - d)) / (2.0 * step) for d in inputs]
    by_input = np.stack(B, axis=-1) if B else np.zeros((group.dimension, 0))
    return np.stack(A, axis=-1) - group.bracket(here), by_input


def _diagonal(blocks: tuple[Array, ...]) -> Array:
    size = sum(len(block) for block in blocks)
    result, start = np.zeros((size, size)), 0
    for block in blocks:
        result[start : start + len(block), start : start + len(block)] = block
        start += len(block)
    return result


def _jacobian_series(ad: Array, terms: int = 60) -> Array:
    result, power = np.zeros_like(ad), np.eye(len(ad))
    for k in range(terms):
        result = result + power / math.factorial(k + 1)
        power = -power @ ad
    return result
