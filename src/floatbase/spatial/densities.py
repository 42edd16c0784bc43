r"""Inertial parameters from how mass is distributed.

$m = \int \rho$, $m c = \int \rho\, r$, $I = -\int \rho\, (r^\wedge)^2$. Of uniform density, with moments about the
centre: box of sides a, b, c $\tfrac{m}{12} (b^2 + c^2, \ldots)$, ellipsoid of half axes a, b, c
$\tfrac{m}{5} (b^2 + c^2, \ldots)$, cylinder along z $m (\tfrac{3 r^2 + h^2}{12}, \tfrac{3 r^2 + h^2}{12},
\tfrac{r^2}{2})$. Traversaro 2017, section 6.2.
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array
from floatbase.spatial.kinds import NotNegative


def parameters_of_points(masses: NotNegative, positions: Array) -> Array:
    """Ten parameters (..., 10) of points of mass (..., n) at positions (..., n, 3)."""
    m, r = np.asanyarray(masses), np.asanyarray(positions)
    x, y, z = r[..., 0], r[..., 1], r[..., 2]
    densities = (1.0 + 0.0 * x, x, y, z, y * y + z * z, -x * y, -x * z, z * z + x * x, -y * z, x * x + y * y)
    return np.stack([np.sum(m * density, axis=-1) for density in densities], axis=-1)


def box_moments(mass: NotNegative, sides: NotNegative) -> Array:
    """Principal moments of inertia (3,) of a box about its centre, axes along its sides (3,)."""
    a, b, c = np.asanyarray(sides)
    return np.array([b * b + c * c, a * a + c * c, a * a + b * b]) * (mass / 12.0)


def ellipsoid_moments(mass: NotNegative, half_axes: NotNegative) -> Array:
    """Principal moments of inertia (3,) of an ellipsoid about its centre; a sphere has three equal half axes."""
    a, b, c = np.asanyarray(half_axes)
    return np.array([b * b + c * c, a * a + c * c, a * a + b * b]) * (mass / 5.0)


def cylinder_moments(mass: NotNegative, radius: NotNegative, height: NotNegative) -> Array:
    """Principal moments of inertia (3,) of a cylinder along z about its centre."""
    across = mass * (3.0 * radius**2 + height**2) / 12.0
    return np.array([across, across, mass * radius**2 / 2.0])
