r"""A thin disc that rolls on the plane z = 0 without slipping: rows on its twist that no equation of poses gives.

With the disc's axis a in its own frame, $n = R^\top e_3$, $u = (n - (n \cdot a) a) / |n - (n \cdot a) a|$ and
$\rho = -r u$ from the centre to the lowest point, $R (v + \omega \times \rho) = 0$ along the axes of the world. The
third row is the rate of the height of the lowest point, $p_z - r\, |n - (n \cdot a) a|$; the other two have no
residual.
"""

from __future__ import annotations

import numpy as np

from floatbase.simulation.constraints.bodies.pfaffian import BodyConstraint
from floatbase.simulation.constraints.frames import unit_vector
from floatbase.simulation.laws import require_positive
from floatbase.spatial.arrays import Array
from floatbase.spatial.poses import rotation_of
from floatbase.spatial.skew import hat


def rolling_disc(
    body: int, radius: float, axis: tuple[float, float, float] = (0.0, 1.0, 0.0), name: str = "rolling"
) -> BodyConstraint:
    """A disc of a radius [m] about an axis of the body's frame, whose origin is the disc's centre."""
    require_positive(radius=radius)
    a = np.array(unit_vector("axis", axis))

    def arm(H: Array) -> tuple[Array, Array, Array]:
        """The unit vector u, the tilt n . a and |n - (n . a) a|."""
        n = rotation_of(H)[..., 2, :]
        tilt = np.sum(n * a, axis=-1)[..., None]
        size = np.sqrt(1.0 - tilt * tilt)
        return (n - tilt * a) / size, tilt, size

    def matrix(H: Array) -> Array:
        R = rotation_of(H[..., 0, :, :])
        u, _, _ = arm(H[..., 0, :, :])
        return np.concatenate([R, radius * (R @ hat(u))], axis=-1)

    def rate(H: Array, V: Array) -> Array:
        R = rotation_of(H[..., 0, :, :])
        u, tilt, size = arm(H[..., 0, :, :])
        omega = V[..., 3:6]
        n_rate = np.cross(R[..., 2, :], omega)
        tilt_rate = np.sum(n_rate * a, axis=-1)[..., None]
        u_rate = (n_rate - tilt_rate * a) / size + u * (tilt * tilt_rate / (size * size))
        R_rate = R @ hat(omega)
        return np.concatenate([R_rate, radius * (R_rate @ hat(u) + R @ hat(u_rate))], axis=-1)

    def residual(H: Array) -> Array:
        _, _, size = arm(H[..., 0, :, :])
        height = H[..., 0, 2, 3] - radius * size[..., 0]
        return np.stack([0.0 * height, 0.0 * height, height], axis=-1)

    return BodyConstraint(name, (body,), ("slip in x", "slip in y", "height"), matrix, rate, residual)
