"""One rigid body: every form of the Newton-Euler equations, momentum, energies, free motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_pose

from floatbase import spatial
from floatbase.errors import ArgumentError
from floatbase.spatial import groups

FORMS = ("mixed", "body", "inertial")
GRAVITY = np.array([0.3, -0.2, -9.6])
STEP = 1e-20


@pytest.fixture
def motion(rng):
    """Parameters, pose, body twist and its derivative."""
    return random_parameters(rng), random_pose(rng), rng.standard_normal(6), rng.standard_normal(6)


def forms_of(acceleration, H, twist):
    """The acceleration in every form, from the derivative of the body twist."""
    found = {form: spatial.change_acceleration(acceleration, "body", form, H, twist) for form in (*FORMS, "sensor")}
    found["proper sensor"] = spatial.proper_acceleration(found["sensor"], "sensor", H, GRAVITY)
    return found


def test_all_forms_of_newton_and_euler_give_one_wrench(rng):
    for _ in range(20):
        phi, H, twist, rate = random_parameters(rng), random_pose(rng), rng.standard_normal(6), rng.standard_normal(6)
        forms = forms_of(rate, H, twist)
        body = spatial.external_wrench(phi, forms["body"], "body", H, twist, GRAVITY)
        for form, acceleration in forms.items():
            wrench = spatial.external_wrench(phi, acceleration, form, H, twist, GRAVITY)
            frame = form if form in FORMS else "body"
            assert_allclose(wrench, spatial.change_wrench(body, "body", frame, H), atol=1e-10)


def test_proper_accelerations_change_form_like_others(motion):
    _, H, twist, rate = motion
    proper = {
        form: spatial.proper_acceleration(value, form, H, GRAVITY)
        for form, value in forms_of(rate, H, twist).items()
        if form != "proper sensor"
    }
    for source, value in proper.items():
        for target, expected in proper.items():
            assert_allclose(spatial.change_acceleration(value, source, target, H, twist), expected, atol=1e-12)


def test_the_proper_sensor_form_needs_neither_attitude_nor_velocity(motion, rng):
    phi, H, twist, alpha = motion
    other_twist = np.r_[rng.standard_normal(3), twist[3:]]
    one = spatial.external_wrench(phi, alpha, "proper sensor", H, twist, GRAVITY)
    other = spatial.external_wrench(phi, alpha, "proper sensor", random_pose(rng), other_twist, np.zeros(3))
    assert_allclose(one, other, atol=1e-13)
    assert_allclose(one, spatial.wrench_of_parameters(alpha, twist[3:]) @ phi, atol=1e-12)


def test_acceleration_inverts_the_equations(motion):
    phi, H, twist, rate = motion
    wrench = spatial.external_wrench(phi, rate, "body", H, twist, GRAVITY)
    assert_allclose(spatial.body_acceleration(phi, wrench, H, twist, GRAVITY), rate, atol=1e-11)


def test_bodies_without_inertia_are_refused():
    with pytest.raises(
        ArgumentError, match=r"moment of inertia 0 kg m\^2 about its centre of mass; all three must be positive"
    ):
        spatial.body_acceleration(np.r_[2.0, np.zeros(9)], np.ones(6), np.eye(4), np.zeros(6))


def test_newton_and_euler_about_the_center_of_mass(rng):
    mass, moments, H = 2.0, np.array([0.3, 0.5, 0.6]), random_pose(rng)
    phi = spatial.parameters_from_center(mass, np.zeros(3), np.diag(moments))
    twist, wrench = rng.standard_normal((2, 6))
    v, w = twist[:3], twist[3:]
    expected = np.r_[wrench[:3] / mass - np.cross(w, v), (wrench[3:] - np.cross(w, moments * w)) / moments]
    assert_allclose(spatial.body_acceleration(phi, wrench, H, twist, np.zeros(3)), expected, atol=1e-14)


def test_momentum_and_its_rate(motion):
    phi, H, twist, rate = motion
    wrench = spatial.external_wrench(phi, rate, "body", H, twist, GRAVITY)
    later_H, later_twist = H + 1j * STEP * (H @ spatial.twist_matrix(twist)), twist + 1j * STEP * rate
    momentum = spatial.body_momentum(phi, later_twist, "inertial", later_H)
    assert_allclose(spatial.body_momentum_rate(phi, wrench, H, GRAVITY), momentum.imag / STEP, rtol=1e-12, atol=1e-12)
    center = spatial.apply_pose(later_H, phi[1:4] / phi[0])
    about_center = np.r_[momentum[:3], momentum[3:] - np.cross(center, momentum[:3])]
    rate = spatial.central_momentum_rate(phi, wrench, H, GRAVITY)
    assert_allclose(rate, about_center.imag / STEP, rtol=1e-12, atol=1e-12)
    weightless = spatial.change_wrench(wrench, "body", "inertial", H)
    about = weightless[3:] - np.cross(center.real, weightless[:3])
    assert_allclose(rate, np.r_[phi[0] * GRAVITY + weightless[:3], about], atol=1e-11)


def test_momentum_of_points(rng):
    masses, points = rng.uniform(0.1, 1.0, 7), rng.uniform(-0.3, 0.3, (7, 3))
    phi, H, twist = spatial.parameters_of_points(masses, points), random_pose(rng), rng.standard_normal(6)
    places = spatial.apply_pose(H, points)
    speeds = (twist[:3] + np.cross(twist[3:], points)) @ H[:3, :3].T
    linear = masses @ speeds
    angular = masses @ np.cross(places, speeds)
    assert_allclose(spatial.body_momentum(phi, twist, "inertial", H), np.r_[linear, angular], atol=1e-12)
    assert_allclose(spatial.body_kinetic_energy(phi, twist), 0.5 * masses @ (speeds**2).sum(axis=1), atol=1e-12)
    assert_allclose(spatial.body_potential_energy(phi, H, GRAVITY), -masses @ places @ GRAVITY, atol=1e-12)


def test_the_gradient_of_the_potential_is_the_weight(motion):
    phi, H, _, _ = motion
    slopes = [
        spatial.body_potential_energy(phi, H @ spatial.pose_exponential(1j * STEP * unit), GRAVITY).imag / STEP
        for unit in np.eye(6)
    ]
    weight = spatial.inertia_matrix(phi) @ np.r_[H[:3, :3].T @ GRAVITY, np.zeros(3)]
    assert_allclose(-np.array(slopes), weight, atol=1e-12)


def test_a_point_mass_falls():
    point = np.r_[2.0, np.zeros(9)]
    wrench = spatial.external_wrench(point, np.r_[GRAVITY, np.zeros(3)], "mixed", np.eye(4), np.ones(6), GRAVITY)
    assert_allclose(wrench[:3], 0.0, atol=1e-14)
    fall = np.r_[1.0, 2.0, 3.0, np.zeros(3)]
    energy = spatial.body_lagrangian(point, np.eye(4), fall, GRAVITY)
    assert energy == pytest.approx(14.0)


def test_newton_and_euler_are_the_equations_about_the_center_of_mass(rng):
    for _ in range(100):
        mass, J, H = rng.uniform(0.5, 3.0), random_parameters(rng)[4:], random_pose(rng)
        tensor = spatial.tensor_of_vech(J)
        phi = spatial.parameters_from_center(mass, np.zeros(3), tensor)
        twist, wrench = rng.standard_normal((2, 6))
        v, w = twist[:3], twist[3:]
        turning = np.linalg.solve(tensor, wrench[3:] - np.cross(w, tensor @ w))
        expected = np.r_[wrench[:3] / mass - np.cross(w, v) + H[:3, :3].T @ GRAVITY, turning]
        assert_allclose(spatial.body_acceleration(phi, wrench, H, twist, GRAVITY), expected, rtol=1e-12, atol=1e-12)


def test_a_falling_body(rng):
    """A second under gravity in steps of a thousandth: energy, the momentum about its centre of mass, and m g t."""
    phi = random_parameters(rng)
    group, dt = groups.product(groups.poses, groups.vectors(6)), 0.001
    H, twist = random_pose(rng), rng.standard_normal(6)

    def velocity(_time, g):
        return np.r_[g[1], spatial.body_acceleration(phi, np.zeros(6), *g, GRAVITY)]

    def about_center(g):
        momentum = spatial.body_momentum(phi, g[1], "inertial", g[0])
        center = spatial.apply_pose(g[0], phi[1:4] / phi[0])
        return momentum[:3], momentum[3:] - np.cross(center, momentum[:3])

    def energy(g):
        return spatial.body_kinetic_energy(phi, g[1]) + spatial.body_potential_energy(phi, g[0], GRAVITY)

    g = (H, twist)
    for k in range(1000):
        g = spatial.runge_kutta_step(group, velocity, dt * k, g, dt)
    (linear, angular), (linear_before, angular_before) = about_center(g), about_center((H, twist))
    assert abs(energy(g) - energy((H, twist))) < 1e-4
    assert_allclose(angular, angular_before, rtol=0.0, atol=1e-6)
    assert_allclose(linear - linear_before, phi[0] * GRAVITY, rtol=0.0, atol=1e-5)


def test_a_free_body_keeps_its_momentum_and_energy(rng):
    """Ten seconds of steps of a hundredth of a second on the group of poses and velocities."""
    phi = random_parameters(rng)
    state_group = groups.product(groups.poses, groups.vectors(6))
    nothing = np.zeros(6)
    M = spatial.inertia_matrix(phi)
    inverse = np.linalg.inv(M)

    def velocity(_time, g):
        return np.r_[g[1], -inverse @ (spatial.wrench_cross(g[1]) @ (M @ g[1]))]

    g = (random_pose(rng), 0.5 * rng.standard_normal(6))
    assert_allclose(velocity(0.0, g)[6:], spatial.body_acceleration(phi, nothing, *g, np.zeros(3)), atol=1e-12)
    momentum, energy = spatial.body_momentum(phi, g[1], "inertial", g[0]), spatial.body_kinetic_energy(phi, g[1])
    for k in range(1000):
        g = spatial.runge_kutta_step(state_group, velocity, 0.01 * k, g, 0.01)
    after = spatial.body_momentum(phi, g[1], "inertial", g[0])
    assert np.linalg.norm(after - momentum) < 1e-9 * np.linalg.norm(momentum)
    assert abs(spatial.body_kinetic_energy(phi, g[1]) - energy) < 1e-9 * energy
