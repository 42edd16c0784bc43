"""Rigid suspensions: published numbers, rows and their rates, energy, periods, and states that are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from tests.simulation.suspensions.hanging import (
    HOOK,
    LENGTH,
    MASS,
    PLATFORM,
    allowed,
    derivative,
    energy,
    hung,
    motion,
    pose,
)

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.simulation.suspensions import (
    RigidDoublePendulum,
    RigidPendulum,
    equations,
    suspended_acceleration,
    suspended_velocity,
)

TENSOR = np.array([[43.95, -4.08, -6.47], [-4.08, 33.02, 1.93], [-6.47, 1.93, 29.08]])


def test_the_worked_example_of_a_pendulum():
    """Angles 0.3, -0.4, 0.5 about x, y, z in turn, a moment and a force beside the weight."""
    body = spatial.parameters_from_center(np.array(35.75), np.zeros(3), TENSOR)
    R = Rotation.from_euler("XYZ", [0.3, -0.4, 0.5]).as_matrix()
    H = spatial.pose_from(R, R @ [0, 0, -3.0])[None]
    V = np.array([0.5282228664, 0.3411565785, 0, 0.1137188595, -0.1760742888, 0.6221163315])
    pendulum = RigidPendulum(3.0)
    pendulum.check(H, V)
    found = suspended_acceleration(pendulum, body[None], H, V, np.array([5.0, -3, 2, 1, -2, 0.5]))
    expected = [-0.3398183769, 1.2756327274, -0.1334593728, -3.8268981821, -1.0194551307, 0]
    assert_allclose(spatial.angular_first(found.acceleration), expected, atol=2e-9)
    assert_allclose(found.multipliers, [14.7891432071, 6.7044907177, 311.3075932372], rtol=1e-9)


def test_rows_are_those_of_the_thesis_with_halves_exchanged(rng):
    H, V = hung([2.0, 1.5], rng.standard_normal((2, 3))), rng.standard_normal(12)
    double = RigidDoublePendulum(2.0, 1.5)
    swap = np.kron(np.eye(2), np.kron(np.array([[0, 1], [1, 0]]), np.eye(3)))
    A = equations.double_pendulum_rows(H[0, :3, :3], H[1, :3, :3], 2.0, 1.5)
    assert_allclose(double.constraint(H), A @ swap, atol=1e-13)
    r_H, r_P = np.array([0, 0, -2.0]), np.array([0, 0, -1.5])
    omega_H, omega_P, v_H = V[3:6], V[9:], np.cross(V[3:6], r_H)
    v_P = H[1, :3, :3].T @ H[0, :3, :3] @ v_H + np.cross(omega_P, r_P)
    assert_allclose(A @ np.r_[omega_H, v_H, omega_P, v_P], 0.0, atol=1e-14)
    assert_allclose(RigidPendulum(2.0).constraint(H[:1]), A[:3, :6] @ swap[:6, :6], atol=1e-13)
    assert np.linalg.matrix_rank(A) == 6
    assert_allclose(equations.linear_first(equations.linear_first(V)), V)


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_rows_and_of_deviations(seed):
    rng = np.random.default_rng(seed)
    suspension = RigidDoublePendulum(2.0, 1.5, point=(0.1, -0.3, 4.0))
    H = hung([2.0, 1.5], rng.standard_normal((2, 3)), suspension.point)
    V = rng.standard_normal(12)
    assert_allclose(
        suspension.constraint_rate(H, V),
        derivative(suspension, H, V, lambda H, V: suspension.constraint(H)),
        atol=1e-12,
    )
    moved = derivative(suspension, H, V, lambda H, V: suspension.deviation(H))
    assert_allclose(moved, suspension.constraint(H) @ V, atol=1e-12)
    assert_allclose(suspension.deviation(H), 0.0, atol=1e-14)


@pytest.mark.parametrize("bodies", [1, 2])
def test_energy_and_constraints_are_kept(bodies, rng):
    suspension = RigidPendulum(LENGTH) if bodies == 1 else RigidDoublePendulum(2.0, 1.5)
    bodies_ = np.array([HOOK, PLATFORM])[-bodies:]
    H = hung([LENGTH] if bodies == 1 else [2.0, 1.5], 0.6 * rng.standard_normal((bodies, 3)))
    V = allowed(suspension, bodies_, H, rng.standard_normal(6 * bodies))
    suspension.check(H, V)
    poses, twists = motion(suspension, bodies_, H, V, np.linspace(0, 2.0, 41))
    found = np.array([energy(suspension, bodies_, h, v) for h, v in zip(poses, twists, strict=True)])
    assert np.ptp(found[:, 1]) < 1e-8 * found[:, 0].max()
    suspension.check(poses, twists, tolerance=1e-7)


def test_the_period_of_small_swings():
    pendulum, times = RigidPendulum(LENGTH), np.linspace(0.0, 2 * 3.76345, 601)
    poses, _ = motion(pendulum, PLATFORM[None], hung([LENGTH], [[0.01, 0, 0]]), np.zeros(6), times)
    y = poses[:, 0, 1, 3]
    rising = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossings = times[rising] - y[rising] * np.diff(times)[0] / (y[rising + 1] - y[rising])
    period = 2 * np.pi * np.sqrt((10 + MASS * LENGTH**2) / (MASS * 9.81 * LENGTH))
    assert period == pytest.approx(3.76345, abs=1e-5)
    assert np.diff(crossings)[0] == pytest.approx(period, rel=1e-4)


def test_steps_on_the_group_follow_the_same_motion(rng):
    suspension, bodies = RigidDoublePendulum(2.0, 1.5), np.array([HOOK, PLATFORM])
    H = hung([2.0, 1.5], 0.5 * rng.standard_normal((2, 3)))
    V = allowed(suspension, bodies, H, rng.standard_normal(12))
    push = 20.0 * rng.standard_normal(12)
    velocity = suspended_velocity(suspension, bodies, lambda time, H, V: push)
    times = np.array([0.0, 0.3])
    end = spatial.adaptive_motion(spatial.stacked_group(2), velocity, times, (*H, V), 1e-10).elements[-1]
    poses, twists = motion(suspension, bodies, H, V, times, wrenches=push)
    assert_allclose(np.array(end[:2]), poses[-1], atol=1e-8)
    assert_allclose(end[2], twists[-1], atol=1e-8)


def test_drift_is_pulled_back(rng):
    pendulum = RigidPendulum(LENGTH)
    H, V = hung([LENGTH + 0.01], [[0.3, 0.2, 0.1]]), 0.1 * rng.standard_normal(6)
    for _ in range(2000):  # of Euler's steps
        found = suspended_acceleration(pendulum, PLATFORM[None], H, V, stabilization=10.0)
        V = V + 1e-3 * found.acceleration
        H = np.array([H[0] @ spatial.pose_exponential(1e-3 * V)])
    pendulum.check(H, V, tolerance=2e-3)


def test_rods_carry_what_hangs_from_them():
    H = hung([2.0, 1.5], np.zeros((2, 3)))
    found = suspended_acceleration(RigidDoublePendulum(2.0, 1.5), np.array([HOOK, PLATFORM]), H, np.zeros(12))
    assert_allclose(found.multipliers, [0, 0, (HOOK[0] + MASS) * 9.81, 0, 0, MASS * 9.81], rtol=1e-9, atol=1e-9)
    assert_allclose(found.acceleration, 0.0, atol=1e-9)


def test_batches_and_symbols_agree(rng):
    suspension, bodies = RigidDoublePendulum(2.0, 1.5), np.array([HOOK, PLATFORM])
    H = np.array([hung([2.0, 1.5], rng.standard_normal((2, 3))) for _ in range(4)])
    V = rng.standard_normal((4, 12))
    lengths = rng.uniform(1, 2, (4, 2))
    together = suspended_acceleration(suspension.with_parameters(lengths), bodies, H, V).acceleration

    def one(lengths, H, V):
        return suspended_acceleration(suspension.with_parameters(lengths), bodies, H, V).acceleration

    program = fb.trace(one, {"lengths": (2,), "H": (2, 4, 4), "V": (12,)}, "double")
    assert_allclose(fb.interpret(program, lengths, H, V)[0], together, rtol=1e-12, atol=1e-12)
    assert_allclose(together[2], one(lengths[2], H[2], V[2]), rtol=1e-12)


def test_states_off_the_constraint_are_refused_with_the_residual():
    """A published initial velocity (E-50): it fits an arm that points the other way."""
    matrix = np.array([[0.621, 0, -0.784], [0.754, 0.274, 0.598], [0.214, -0.962, 0.170]])
    R = spatial.nearest_rotation(matrix)
    omega, H = np.array([-0.127, -0.096, 0.9195]), spatial.pose_from(R, R @ [0, 0, -3.0])[None]
    pendulum = RigidPendulum(3.0)
    with pytest.raises(StateError, match=r"A V = 0: the residual is \(-0\.576\d*, 0\.763\d*, 0\) m/s"):
        pendulum.check(H, np.r_[-0.2883, 0.3821, 0, omega])
    pendulum.check(H, np.r_[np.cross(omega, [0, 0, -3.0]), omega])
    H[0, :3, 3] *= 1.01
    with pytest.raises(StateError, match=r"poses are off the constraint in state 1: .*0\.03\) m; it must be below"):
        pendulum.check(np.array([hung([3.0], [[0, 0, 0]]), H]), np.zeros((2, 6)))
    with pytest.raises(ShapeError, match=r"\(\.\.\., 1, 4, 4\)"):
        pendulum.check(H[0], np.zeros(6))
    with pytest.raises(ShapeError, match=r"twists has shape \(12,\)"):
        pendulum.check(H, np.zeros(12))
    with pytest.raises(StateError, match="A V = 0"):
        pendulum.check(hung([3.0], [[0, 0, 0]]), np.full(6, np.nan))


@pytest.mark.parametrize("length", [0.0, -1.0, float("nan")])
def test_lengths_must_be_positive(length):
    with pytest.raises(ArgumentError, match="length is"):
        RigidPendulum(length)
    with pytest.raises(ArgumentError, match="platform_length is"):
        RigidDoublePendulum(1.0, length)


def test_a_pose_of_a_pendulum_far_away_is_reported():
    with pytest.raises(StateError, match="poses are off"):
        RigidPendulum(1.0, point=(0, 0, 2.0)).check(pose([0, 0, 0], [0, 0, 0])[None], np.zeros(6))


def test_bodies_and_states_that_cannot_be_are_refused():
    H = hung([LENGTH], np.zeros((1, 3)))
    for parameters in (-PLATFORM, 0.0 * PLATFORM, np.nan * PLATFORM):
        with pytest.raises(ArgumentError, match="parameters"):
            suspended_acceleration(RigidPendulum(LENGTH), parameters[None], H, np.zeros(6))
    with pytest.raises(StateError, match="finite"):
        suspended_acceleration(RigidPendulum(LENGTH), PLATFORM[None], H, np.full(6, np.nan))
