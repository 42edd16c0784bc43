r"""Inertial parameters that bodies can have: principal axes, central second moments, log-Cholesky parameters.

About the centre of mass $I_C = Q\, \mathrm{diag}(J)\, Q^\top$ and $J = P L$, with $P$ zero on its diagonal and one
elsewhere: $L_i$ is the second moment of the density along principal axis $i$. Parameters are *consistent* if
$m \ge 0$ and $I_C \succeq 0$, and *fully* so, which means that a density that is nowhere negative has them, if
$L \ge 0$ as well: the triangle inequalities of $J$. Fully consistent with positive mass are exactly those of

$$ \begin{bmatrix} \Sigma & m c \\ m c^\top & m \end{bmatrix} = e^{2\alpha} U U^\top, \qquad
   U = \begin{bmatrix} e^{d_1} & s_{12} & s_{13} & t_1 \\ & e^{d_2} & s_{23} & t_2 \\ & & e^{d_3} & t_3 \\ & & & 1
   \end{bmatrix} $$

for ten free numbers $(\alpha, d_1, d_2, d_3, s_{12}, s_{23}, s_{13}, t_1, t_2, t_3)$, short of bodies without volume.

Traversaro 2017, section 6.2; C. Rucker, P. Wensing, "Smooth parameterization of rigid-body inertia", IEEE Robotics and
Automation Letters 7(2), 2022.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.spatial.arrays import Array, components, matrix, require_shape, transpose, vector, zeros
from floatbase.spatial.inertias import center_of_parameters, parameters_from_center, pseudo_inertia
from floatbase.spatial.kinds import HeavyParameters, NotNegative, RotationMatrix
from floatbase.spatial.skew import hat

TOLERANCE = 1e-9


class PrincipalInertia(NamedTuple):
    """Mass, centre of mass (..., 3), rotation to the principal axes (..., 3, 3), principal moments (..., 3)."""

    mass: Array
    center: Array
    axes: Array
    moments: Array

    @property
    def second_moments(self) -> Array:
        """L (..., 3): second moments of the density along the principal axes."""
        return 0.5 * np.sum(self.moments, axis=-1)[..., None] - self.moments


def central_tensor(parameters: HeavyParameters) -> Array:
    """The rotational inertia (..., 3, 3) about the centre of mass of ten parameters (..., 10) of positive mass."""
    m, _, _, _, xx, xy, xz, yy, yz, zz = components(parameters, 10)
    tensor = matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], parameters)
    skew = hat(parameters[..., 1:4])
    return tensor + (skew @ skew) / np.asanyarray(m)[..., None, None]


def principal_inertia(parameters: HeavyParameters) -> PrincipalInertia:
    """Principal axes, right-handed, and moments, ascending, of numbers (..., 10) of positive mass.

    Where moments are equal the axes are not unique; any is returned.
    """
    phi = _numbers(parameters)
    moments, axes = np.linalg.eigh(central_tensor(phi))
    axes = axes * np.where(np.linalg.det(axes) < 0.0, -1.0, 1.0)[..., None, None]
    return PrincipalInertia(phi[..., 0], center_of_parameters(phi), axes, moments)


def is_consistent(parameters: Array, tolerance: float = TOLERANCE) -> Array:
    """Whether mass and central moments (..., 10) are not negative; tolerance relative to the largest moment."""
    phi = np.asarray(parameters, dtype=np.float64)
    require_shape(phi, 10)
    massless = phi[..., 0] == 0.0
    safe = np.where(massless[..., None], np.eye(1, 10)[0], phi)
    moments = np.linalg.eigvalsh(central_tensor(safe))
    positive = (phi[..., 0] > 0.0) & (moments[..., 0] >= -tolerance * np.abs(moments).max(axis=-1))
    return positive | (massless & (phi == 0.0).all(axis=-1))


def parameters_from_log_cholesky(theta: Array) -> Array:
    """Ten parameters (..., 10) of a body of positive mass and volume, from ten free numbers (..., 10)."""
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = components(theta, 10)
    e1, e2, e3, scale = np.exp(d1), np.exp(d2), np.exp(d3), np.exp(2.0 * alpha)
    xx = e1 * e1 + s12 * s12 + s13 * s13 + t1 * t1
    yy = e2 * e2 + s23 * s23 + t2 * t2
    zz = e3 * e3 + t3 * t3
    xy, xz, yz = s12 * e2 + s13 * s23 + t1 * t2, s13 * e3 + t1 * t3, s23 * e3 + t2 * t3
    entries = [1.0, t1, t2, t3, yy + zz, -xy, -xz, zz + xx, -yz, xx + yy]
    return vector([scale * entry for entry in entries], theta)


def log_cholesky_of_parameters(parameters: HeavyParameters) -> Array:
    """The inverse of `parameters_from_log_cholesky`, for numbers (..., 10)."""
    phi = _numbers(parameters)
    pseudo = pseudo_inertia(phi)
    flipped = pseudo[..., ::-1, ::-1]
    try:
        upper = np.linalg.cholesky(flipped)[..., ::-1, ::-1]
    except np.linalg.LinAlgError:
        smallest = np.linalg.eigvalsh(pseudo)[..., 0].min()
        raise ArgumentError(
            "no body with a volume has these inertial parameters: "
            f"the pseudo-inertia has the eigenvalue {smallest:.3g}, all must be positive"
        ) from None
    U = upper / upper[..., 3:, 3:]
    result = zeros((10,), phi)
    result[..., 0] = np.log(upper[..., 3, 3])
    for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2)), start=1):
        result[..., k] = np.log(U[..., i, j])
    for k, (i, j) in enumerate(((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)), start=4):
        result[..., k] = U[..., i, j]
    return result


def parameters_from_principal(mass: NotNegative, center: Array, axes: RotationMatrix, second_moments: Array) -> Array:
    """Ten parameters (..., 10) from mass, centre, axes and the second moments L along them.

    Of any L: where one is negative, the parameters are those of no body.
    """
    L = np.asanyarray(second_moments)
    moments = np.sum(L, axis=-1)[..., None] - L
    tensor = (axes * moments[..., None, :]) @ transpose(axes)
    return parameters_from_center(mass, center, tensor)


def _numbers(parameters: Array) -> Array:
    phi = np.asarray(parameters, dtype=np.float64)
    require_shape(phi, 10)
    return phi
