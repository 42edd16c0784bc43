"""Several bodies as one state, and the adaptive integrator that is a reference for them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_pose

from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError, SimulationError
from floatbase.spatial import groups

GRAVITY = np.array([0.3, -0.2, -9.6])
NOTHING = np.zeros(3)


def bodies(rng, n):
    """Parameters (n, 10), poses (n, 4, 4), twists (6 n,)."""
    parameters = np.array([random_parameters(rng) for _ in range(n)])
    return parameters, np.array([random_pose(rng) for _ in range(n)]), 0.7 * rng.standard_normal(6 * n)


def free(_time, world_H_bodies, twists):
    return 0.0 * twists


def momentum(parameters, g):
    """Of all bodies together, about the world's origin."""
    return sum(
        spatial.body_momentum(phi, twist, "inertial", H)
        for phi, H, twist in zip(parameters, g[:-1], g[-1].reshape(-1, 6), strict=True)
    )


def energy(parameters, g):
    return spatial.body_kinetic_energy(parameters, g[-1].reshape(-1, 6)).sum()


def springs(stiffness):
    """Wrenches of springs between the origins of consecutive bodies."""

    def wrenches(_time, world_H_bodies, _twists):
        forces = np.zeros((len(world_H_bodies), 3))
        pull = stiffness * np.diff(world_H_bodies[:, :3, 3], axis=0)
        forces[:-1] += pull
        forces[1:] -= pull
        in_body = (world_H_bodies[:, :3, :3].swapaxes(-1, -2) @ forces[..., None])[..., 0]
        return np.concatenate([in_body, 0.0 * in_body], axis=-1).ravel()

    return wrenches


def spinning_body(rate, tilt):
    """A symmetric body, its twist, and where it is at a time: it turns about h / J1 and about its own axis."""
    J1, J3 = 0.4, 0.25
    phi = spatial.parameters_from_center(1.5, np.zeros(3), np.diag([J1, J1, J3]))
    omega = rate * np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    h = np.array([J1, J1, J3]) * omega

    def rotation(time):
        own = np.array([0.0, 0.0, (J1 - J3) / J1 * omega[2]])
        return spatial.rotation_exponential(time * h / J1) @ spatial.rotation_exponential(time * own)

    return phi, omega, rotation


@pytest.mark.parametrize("n", [1, 3])
def test_stacked_equations(rng, n):
    parameters, H, V = bodies(rng, n)
    f = rng.standard_normal(6 * n)
    rate = spatial.stacked_acceleration(parameters, f, H, V, GRAVITY)
    each = [
        spatial.body_acceleration(*items, GRAVITY) for items in zip(parameters, f.reshape(-1, 6), H, V.reshape(-1, 6))
    ]
    assert_allclose(rate, np.concatenate(each), atol=1e-13)
    inertia = spatial.stacked_inertia(parameters)
    assert inertia.shape == (6 * n, 6 * n)
    turning = np.zeros((6 * n, 6 * n))
    for k in range(n):
        block = slice(6 * k, 6 * k + 6)
        assert_allclose(inertia[block, block], spatial.inertia_matrix(parameters[k]), atol=0.0)
        turning[block, block] = spatial.twist_cross(V[block])
    assert_allclose(spatial.stacked_bias(parameters, V), -turning.T @ inertia @ V, atol=1e-13)
    without_weight = spatial.stacked_acceleration(parameters, f, H, V, NOTHING)
    assert_allclose(inertia @ without_weight, turning.T @ inertia @ V + f, atol=1e-12)


def test_steps_of_every_kind_agree(rng):
    parameters, H, V = bodies(rng, 2)
    velocity, group = spatial.stacked_velocity(parameters, springs(3.0), GRAVITY), spatial.stacked_group(2)
    start = (*H, V)
    (_, reference) = spatial.adaptive_motion(group, velocity, np.array([0.0, 0.5]), start).elements

    def error(step, n, *group):
        g = start
        for k in range(n):
            g = step(*group, velocity, 0.5 * k / n, g, 0.5 / n)
        return np.abs(spatial.stacked_group(2).minus(g, reference)).max()

    for step, order, *arguments in (
        (spatial.runge_kutta_step, 4, group),
        (spatial.midpoint_step, 2, group),
        (spatial.projected_stacked_step, 4),
    ):
        coarse, fine = (error(step, n, *arguments) for n in (20, 40))
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.3)
        assert fine < 1e-3


def test_a_spinning_body_in_closed_form():
    phi, omega, rotation = spinning_body(6.0, 0.4)
    start = (np.eye(4), np.r_[NOTHING, omega])
    velocity = spatial.stacked_velocity(phi[None], free, NOTHING)
    times = np.linspace(0.0, 2.0, 5)
    motion = spatial.adaptive_motion(spatial.stacked_group(1), velocity, times, start)
    assert motion.times is not times and motion.times.tolist() == times.tolist()
    for time, (H, _) in zip(times, motion.elements, strict=True):
        assert_allclose(H[:3, :3], rotation(time), atol=2e-9)
        assert_allclose(H[:3, 3], 0.0, atol=1e-12)


def test_coupled_bodies_keep_momentum_and_energy(rng):
    parameters, H, V = bodies(rng, 3)
    stiffness = 4.0
    velocity = spatial.stacked_velocity(parameters, springs(stiffness), NOTHING)
    start = (*H, V)

    def total(g):
        stretch = np.diff(np.array(g[:-1])[:, :3, 3], axis=0)
        return energy(parameters, g) + 0.5 * stiffness * np.sum(stretch**2)

    motion = spatial.adaptive_motion(spatial.stacked_group(3), velocity, np.linspace(0.0, 1.0, 3), start)
    for g in motion.elements[1:]:
        assert_allclose(momentum(parameters, g), momentum(parameters, start), atol=1e-9)
        assert total(g) == pytest.approx(total(start), rel=1e-9)
    assert np.abs(motion.elements[-1][0] - H[0]).max() > 0.1


def test_free_bodies_keep_momentum_and_energy_each(rng):
    """Twenty of them over ten seconds, each in its own way."""
    n, dt = 20, 0.005
    parameters, H, V = bodies(rng, n)
    velocity, start = spatial.stacked_velocity(parameters, free, NOTHING), (*H, 0.6 * V)

    def kept(g):
        poses, twists = np.array(g[:-1]), g[-1].reshape(n, 6)
        momenta = spatial.body_momentum(parameters, twists, "inertial", poses)
        return momenta, spatial.body_kinetic_energy(parameters, twists)

    g = start
    for k in range(2000):
        g = spatial.projected_stacked_step(velocity, dt * k, g, dt)
    (momenta, energies), (momenta_before, energies_before) = kept(g), kept(start)
    change = np.linalg.norm(momenta - momenta_before, axis=-1) / np.linalg.norm(momenta_before, axis=-1)
    assert change.max() < 1e-9
    assert_allclose(energies, energies_before, rtol=1e-9)


def test_weight_adds_momentum(rng):
    parameters, H, V = bodies(rng, 2)
    velocity = spatial.stacked_velocity(parameters, free, GRAVITY)
    start, end = spatial.adaptive_motion(spatial.stacked_group(2), velocity, np.array([0.0, 1.0]), (*H, V)).elements
    change = momentum(parameters, end)[:3] - momentum(parameters, start)[:3]
    assert_allclose(change, parameters[:, 0].sum() * GRAVITY, atol=1e-9)


def test_the_tolerance_is_what_it_costs(rng):
    phi, omega, rotation = spinning_body(5.0, 0.5)
    velocity, group = spatial.stacked_velocity(phi[None], free, NOTHING), spatial.stacked_group(1)
    found = []
    for tolerance in (1e-5, 1e-8, 1e-11):
        start = (np.eye(4), np.r_[NOTHING, omega])
        motion = spatial.adaptive_motion(group, velocity, np.array([0.0, 1.0]), start, tolerance)
        found.append((np.abs(motion.elements[-1][0][:3, :3] - rotation(1.0)).max(), motion.steps))
    errors, steps = zip(*found, strict=True)
    assert errors[0] < 1e-3 and errors[1] < 1e-6 and errors[2] < 1e-9
    assert steps[0] < steps[1] < steps[2] < 2000


def test_a_constant_velocity_is_followed_exactly(rng):
    """Steps stay short of a whole turn, where the exponential is not invertible."""
    xi = np.array([0.3, -0.2, 0.1, 2.0, -4.0, 5.0])
    motion = spatial.adaptive_motion(groups.poses, lambda time, g: xi, np.array([0.0, 3.0]), np.eye(4), 1e-6)
    assert_allclose(motion.elements[-1], spatial.pose_exponential(3.0 * xi), atol=1e-12)
    assert motion.refused == 0


def test_motions_that_cannot_be_followed():
    group = groups.vectors(1)
    with pytest.raises(SimulationError, match="cannot be followed beyond the time 1: steps of"):
        spatial.adaptive_motion(group, lambda time, x: x * x, np.array([0.0, 2.0]), np.ones(1))
    with pytest.raises(SimulationError, match="cannot begin: the velocity at the time 0 contains NaN"):
        spatial.adaptive_motion(group, lambda time, x: x * np.nan, np.array([0.0, 2.0]), np.ones(1))
    with pytest.raises(SimulationError, match=r"beyond the time 0\.(3|29).*must be finite and smooth"):
        spatial.adaptive_motion(group, lambda t, x: x if t < 0.3 else x * np.nan, np.array([0.0, 2.0]), np.ones(1))


def test_bad_input(rng):
    parameters, H, V = bodies(rng, 2)
    velocity = spatial.stacked_velocity(parameters, free)
    for call, message in (
        (lambda: spatial.stacked_acceleration(parameters, V, H[:1], V), r"there are 2 bodies: it must be \(2, 4, 4\)"),
        (lambda: spatial.stacked_acceleration(parameters, V[:6], H, V), r"wrenches has shape \(6,\); there are 2"),
        (lambda: spatial.stacked_bias(parameters, V[:7]), r"twists has shape \(7,\); there are 2 bodies"),
        (lambda: spatial.stacked_inertia(parameters[0]), r"must be \(n, 10\)"),
        (lambda: spatial.adaptive_motion(groups.poses, velocity, np.zeros((0,)), H[0]), "n at least 1"),
    ):
        with pytest.raises(ShapeError, match=message):
            call()
    times = np.array([0.0, 0.2, 0.1])
    with pytest.raises(ArgumentError, match=r"times\[2\] is -0\.1 s ahead of the one before it; times must increase"):
        spatial.adaptive_motion(groups.poses, velocity, times, H[0])
    with pytest.raises(ArgumentError, match=r"g\[0\] has a rotation that is not orthonormal"):
        spatial.projected_stacked_step(velocity, 0.0, (2.0 * H[0], H[1], V), 0.1)
