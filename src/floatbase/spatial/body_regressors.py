r"""What a rigid body's momentum and wrench are as products with its ten inertial parameters.

$$ \mathbb M v = D(v)\, \pi, \quad
   D = \begin{bmatrix} v & \omega^\wedge & 0 \\ 0 & -v^\wedge & \omega\bullet \end{bmatrix}, \qquad
   \phi = Y(\alpha^g, \omega)\, \pi, \quad
   Y = D(\alpha^g) + \begin{bmatrix} 0 \\ \omega \end{bmatrix} \bar\times^*
       D\!\begin{bmatrix} 0 \\ \omega \end{bmatrix} $$

with $\omega\bullet\, \mathrm{vech}\, I = I \omega$. Traversaro 2017, (6.4)-(6.7).
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array, components, matrix
from floatbase.spatial.twists import wrench_cross


def momentum_of_parameters(twist: Array) -> Array:
    """`D` (..., 6, 10): momentum about the origin of the frame per unit of each parameter."""
    a, b, c, x, y, z = components(twist, 6)
    rows = [
        [a, 0.0, -z, y, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [b, z, 0.0, -x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [c, -y, x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, c, -b, x, y, z, 0.0, 0.0, 0.0],
        [0.0, -c, 0.0, a, 0.0, x, 0.0, y, z, 0.0],
        [0.0, b, -a, 0.0, 0.0, 0.0, x, 0.0, y, z],
    ]
    return matrix(rows, twist)


def wrench_of_parameters(proper_acceleration: Array, omega: Array) -> Array:
    """`Y` (..., 6, 10): the net wrench on a body per unit of each parameter.

    proper_acceleration: (..., 6), "sensor" form relative to free fall; omega: (..., 3); both in the body's axes.
    """
    spin = np.concatenate([0.0 * omega, omega], axis=-1)
    return momentum_of_parameters(proper_acceleration) + wrench_cross(spin) @ momentum_of_parameters(spin)
