"""The derivative of Jacobians against complex steps along the motion."""

import numpy as np
from numpy.testing import assert_allclose
from tests.algorithms.test_identities import STEP, case, moved  # noqa: F401

from floatbase import algorithms


def test_jacobian_rate_is_the_derivative_of_the_jacobian(case):  # noqa: F811
    tree, q, v, _ = case
    for name in list(tree.frames)[-2:]:
        slope = algorithms.jacobian(tree, moved(tree, q, v, 1j * STEP), name).imag / STEP
        rate = algorithms.jacobian_rate(tree, q, v, name)
        assert_allclose(rate, slope, atol=1e-11)
        drift = algorithms.acceleration(tree, q, v, np.zeros(tree.nv), name)
        assert_allclose(rate @ v, drift, atol=1e-11)
        assert_allclose(algorithms.drift(tree, q, v, name), drift, atol=1e-12)
