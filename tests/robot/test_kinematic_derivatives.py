"""Derivatives of frames and momenta as methods: named results, shapes, single states and batches."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase import results

FRAME = "LF_FOOT"


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


@pytest.fixture
def state(robot, rng):
    q, v = robot.random(rng, n=3)
    return q, v, rng.standard_normal(v.shape)


def test_named_results_of_batches_and_single_states(robot, state):
    q, v, a = state
    cases = [
        (robot.velocity_derivatives, (q, v), (FRAME,), results.VelocityDerivatives, 6),
        (robot.acceleration_derivatives, (q, v, a), (FRAME,), results.AccelerationDerivatives, 6),
        (robot.com_velocity_derivatives, (q, v), (), results.ComVelocityDerivatives, 3),
        (robot.centroidal_momentum_derivatives, (q, v), (), results.CentroidalMomentumDerivatives, 6),
        (robot.centroidal_momentum_rate_derivatives, (q, v, a), (), results.CentroidalMomentumRateDerivatives, 6),
    ]
    for method, arrays, frame, form, height in cases:
        many = method(*arrays, *frame)
        assert type(many) is form
        single = [method(*(array[k] for array in arrays), *frame) for k in range(3)]
        for field in form._fields:
            assert getattr(many, field).shape == (3, height, robot.nv)
            np.testing.assert_array_equal(getattr(many, field), np.stack([getattr(one, field) for one in single]))


def test_jacobians_are_among_them(robot, state):
    q, v, a = state
    J = robot.jacobian(q, FRAME)
    np.testing.assert_allclose(robot.velocity_derivatives(q, v, FRAME).dv, J, atol=1e-13)
    np.testing.assert_allclose(robot.acceleration_derivatives(q, v, a, FRAME).da, J, atol=1e-13)
    np.testing.assert_allclose(robot.com_velocity_derivatives(q, v).dv, robot.com_jacobian(q), atol=1e-13)


def test_a_wrench_makes_the_difference_to_inverse_dynamics(robot, state, rng):
    q, v, a = state
    wrench = rng.standard_normal((3, 6))
    change = robot.jacobian_transpose_derivative(q, wrench, FRAME)
    without = robot.inverse_dynamics_derivatives(q, v, a).dq
    with_wrench = robot.inverse_dynamics_derivatives(q, v, a, {FRAME: wrench}).dq
    np.testing.assert_allclose(without - with_wrench, change, atol=1e-11)


def test_several_forms_in_one_function(robot, state):
    q, v, _ = state
    together = robot.function([("velocity_derivatives", FRAME), "com", "com_velocity_derivatives"])
    first, second, third = together(q, v)
    assert (type(first), type(third)) == (results.VelocityDerivatives, results.ComVelocityDerivatives)
    np.testing.assert_allclose(second, robot.com(q), atol=1e-13)
