"""Methods for contacts, hybrid dynamics and relative rates: the robot gives what the algorithms give."""

import numpy as np
import pytest

from floatbase import algorithms
from floatbase.errors import StateError


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


def test_methods_equal_the_algorithms(robot, rng):
    q, v = robot.random(rng)
    a, tau = rng.standard_normal((2, robot.nv))
    feet = ["LF_FOOT", "RH_FOOT"]
    motion = robot.contact_dynamics(q, v, tau, feet)
    expected = algorithms.contact_dynamics(robot.tree, q, v, tau, feet)
    assert np.array_equal(motion.acceleration, expected.acceleration)
    A = robot.centroidal_wrench_matrix(q, feet)
    assert np.array_equal(A, algorithms.centroidal_wrench_matrix(robot.tree, q, feet))
    forces = robot.generalized_forces(q, motion.wrenches)
    assert robot.base_balance(q, v, motion.acceleration, motion.wrenches).residual.shape == (6,)
    found = robot.inverse_dynamics(q, v, motion.acceleration)
    assert np.allclose(found - forces, tau, atol=1e-6 * np.linalg.norm(forces))
    change = robot.change_of_representation(q, v, "body")
    assert np.allclose(change.velocity(v)[6:], v[6:])
    for name, state in (("contact_dynamics", (q, v, tau, feet)), ("base_balance", (q, v, a))):
        with pytest.raises(StateError, match="finite"):
            getattr(robot, name)(np.nan * q, *state[1:])


def test_compiled_methods(robot, rng):
    q, v = robot.random(rng, n=3)
    s_ddot = rng.standard_normal((3, robot.nv - 6))
    found = robot.hybrid_dynamics(q, v, s_ddot, {"LF_FOOT": np.ones((3, 6))})
    expected = algorithms.hybrid_dynamics(robot.tree, q, v, s_ddot, {"LF_FOOT": np.ones((3, 6))})
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)
    rate = robot.relative_jacobian_rate(q, v, "LF_FOOT", "RH_FOOT")
    expected = algorithms.relative_jacobian_rate(robot.tree, q, v, "LF_FOOT", "RH_FOOT")
    assert np.allclose(rate, expected, atol=1e-11)
