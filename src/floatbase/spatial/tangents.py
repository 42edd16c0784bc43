r"""Derivatives of exponentials and logarithms of rotations and poses.

For a rotation vector $w$ and a change $\delta$ of it

$$ \exp(w + \delta) \approx \exp(J_l(w)\, \delta) \exp(w) = \exp(w) \exp(J_r(w)\, \delta), \qquad
   J_l = 1 + \tfrac{1 - \cos\theta}{\theta^2} w^\wedge + \tfrac{\theta - \sin\theta}{\theta^3} (w^\wedge)^2, \quad
   J_r(w) = J_l(-w), $$

$$ J_l^{-1} = 1 - \tfrac12 w^\wedge + \tfrac{1}{\theta^2}
   \Bigl(1 - \tfrac{\theta}{2} \cot\tfrac{\theta}{2}\Bigr) (w^\wedge)^2 , $$

and for a twist $(v, w)$, linear part first,

$$ J_l = \begin{bmatrix} J_l(w) & Q \\ 0 & J_l(w) \end{bmatrix}, \qquad
   J_l^{-1} = \begin{bmatrix} J_l^{-1}(w) & -J_l^{-1} Q J_l^{-1} \\ 0 & J_l^{-1}(w) \end{bmatrix}. $$

The inverses are the derivatives of the logarithms. They exist for $\theta < 2\pi$; logarithms return $\theta \le \pi$,
and at $\theta = \pi$, where the logarithm jumps, the derivative is that of the branch which was returned. Coefficients
are series for small angles. T. Barfoot, "State estimation for robotics", 2017, section 7.1.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.spatial.arrays import Array, zeros
from floatbase.spatial.kinds import RegularTwist, RegularVector
from floatbase.spatial.rotations import real
from floatbase.spatial.skew import hat

_BERNOULLI = [  # |B_2k| / (2 k)!, k = 1, 2, ...
    1 / 12,
    1 / 720,
    1 / 30240,
    1 / 1209600,
    1 / 47900160,
    691 / 1307674368000,
    1 / 74724249600,
    3.3896802963225829e-13,
    8.5860620562778446e-15,
    2.1748686985580619e-16,
]
_SERIES_BELOW = 1.0  # angle below which the coefficients are series


def rotation_left_jacobian(w: Array) -> Array:
    r"""$J_l$ (..., 3, 3) of a rotation vector (..., 3)."""
    W = hat(w)
    B, C, _, _ = _coefficients(_square(w))
    return _identity(w) + B * W + C * (W @ W)


def rotation_right_jacobian(w: Array) -> Array:
    r"""$J_r$ (..., 3, 3) of a rotation vector (..., 3)."""
    return rotation_left_jacobian(-w)


def rotation_left_jacobian_inverse(w: RegularVector) -> Array:
    r"""$J_l^{-1}$ (..., 3, 3): the derivative of the logarithm for a change on the left."""
    W = hat(w)
    square = _square(w)
    small = real(square) < _SERIES_BELOW**2
    safe = np.where(small, 1.0, square)
    half = 0.5 * np.sqrt(safe)
    closed = (1.0 - half * np.cos(half) / np.sin(half)) / safe
    series = _horner(square, _BERNOULLI)
    return _identity(w) - 0.5 * W + np.where(small, series, closed) * (W @ W)


def rotation_right_jacobian_inverse(w: RegularVector) -> Array:
    r"""$J_r^{-1}$ (..., 3, 3): the derivative of the logarithm for a change on the right."""
    return rotation_left_jacobian_inverse(-w)


def pose_left_jacobian(twist: Array) -> Array:
    r"""$J_l$ (..., 6, 6) of a twist (..., 6)."""
    J = rotation_left_jacobian(twist[..., 3:])
    return _blocks(J, _coupling(twist))


def pose_right_jacobian(twist: Array) -> Array:
    r"""$J_r$ (..., 6, 6) of a twist (..., 6)."""
    return pose_left_jacobian(-twist)


def pose_left_jacobian_inverse(twist: RegularTwist) -> Array:
    r"""$J_l^{-1}$ (..., 6, 6): the derivative of the logarithm of a pose for a change on the left."""
    inverse = rotation_left_jacobian_inverse(twist[..., 3:])
    return _blocks(inverse, -(inverse @ _coupling(twist) @ inverse))


def pose_right_jacobian_inverse(twist: RegularTwist) -> Array:
    r"""$J_r^{-1}$ (..., 6, 6): the derivative of the logarithm of a pose for a change on the right."""
    return pose_left_jacobian_inverse(-twist)


def _coupling(twist: Array) -> Array:
    """Q."""
    V, W = hat(twist[..., :3]), hat(twist[..., 3:])
    _, C, E, F = _coefficients(_square(twist[..., 3:]))
    WV, VW = W @ V, V @ W
    WVW = WV @ W
    outer = W @ WV + VW @ W - 3.0 * WVW
    return 0.5 * V + C * (WV + VW + WVW) + E * outer + 0.5 * (E - 3.0 * F) * (WVW @ W + W @ WVW)


def _coefficients(square: Any) -> tuple[Any, Any, Any, Any]:
    r"""$\frac{1 - \cos\theta}{\theta^2}$, $\frac{\theta - \sin\theta}{\theta^3}$ and what comes after them in turn:
    $\frac{\theta^2 / 2 - 1 + \cos\theta}{\theta^4}$, $\frac{\theta^3 / 6 - \theta + \sin\theta}{\theta^5}$.
    """
    small = real(square) < _SERIES_BELOW**2
    safe = np.where(small, 1.0, square)
    angle = np.sqrt(safe)
    half = np.sin(0.5 * angle)
    B = 2.0 * half * half / safe
    C = (angle - np.sin(angle)) / (safe * angle)
    closed = (B, C, (0.5 - B) / safe, (1.0 / 6.0 - C) / safe)
    series = tuple(
        _horner(square, [(-1.0) ** k / _factorial(2 * k + first) for k in range(9)]) for first in range(2, 6)
    )
    return tuple(np.where(small, a, b) for a, b in zip(series, closed, strict=True))


def _factorial(n: int) -> float:
    return float(np.prod(np.arange(1.0, n + 1.0)))


def _horner(x: Any, terms: list[float]) -> Any:
    total: Any = 0.0
    for term in reversed(terms):
        total = term + x * total
    return total


def _square(w: Array) -> Array:
    """The squared angle, with axes that broadcast against matrices."""
    return np.sum(w * w, axis=-1)[..., None, None]


def _identity(w: Array) -> Array:
    return zeros((3, 3), w) + np.eye(3)


def _blocks(diagonal: Array, corner: Array) -> Array:
    result = zeros((6, 6), diagonal[..., 0])
    result[..., :3, :3] = diagonal
    result[..., 3:, 3:] = diagonal
    result[..., :3, 3:] = corner
    return result
