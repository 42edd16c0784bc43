"""Consistency of inertias, regressors of one body, the spinning wheel, and equations from Lagrangians."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_pose, random_state, random_tree

from floatbase import algorithms, spatial
from floatbase.errors import ArgumentError


def diagonal(*moments):
    return spatial.parameters_from_center(1.0, np.zeros(3), np.diag(moments))


class TestConsistency:
    def test_principal_axes(self, rng):
        for _ in range(20):
            phi = random_parameters(rng)
            found = spatial.principal_inertia(phi)
            assert np.linalg.det(found.axes) == pytest.approx(1.0)
            assert (found.second_moments >= 0.0).all()
            back = spatial.parameters_from_principal(found.mass, found.center, found.axes, found.second_moments)
            assert_allclose(back, phi, atol=1e-12)

    @pytest.mark.parametrize(("moments", "physical"), [((1, 1, 2.5), False), ((1, 1, 2), True), ((1, 1, 1.5), True)])
    @pytest.mark.filterwarnings("ignore::floatbase.spatial.InertiaWarning")
    def test_triangle_inequality(self, moments, physical):
        phi = diagonal(*map(float, moments))
        assert spatial.is_consistent(phi)
        assert spatial.is_physical(phi) == physical

    def test_predicates_agree_with_second_moments(self, rng):
        phis = np.array([random_parameters(rng) for _ in range(300)]) * rng.uniform(0.6, 1.4, (300, 10))
        found = spatial.principal_inertia(phis)
        clear = np.abs(found.second_moments).min(axis=-1) > 1e-6
        assert np.array_equal(spatial.is_physical(phis)[clear], (found.second_moments.min(axis=-1) > 0.0)[clear])
        assert not spatial.is_physical(phis).all() and spatial.is_physical(phis).any()

    def test_massless(self):
        assert spatial.is_consistent(np.zeros(10))
        assert not spatial.is_consistent(np.r_[0.0, 1.0, np.zeros(8)])
        assert not spatial.is_consistent(-diagonal(1.0, 1.0, 1.0))

    @pytest.mark.filterwarnings("ignore::floatbase.spatial.InertiaWarning")
    def test_log_cholesky(self, rng):
        phi = random_parameters(rng)
        theta = spatial.log_cholesky_of_parameters(phi)
        assert_allclose(spatial.parameters_from_log_cholesky(theta), phi, atol=1e-12)
        free = spatial.parameters_from_log_cholesky(rng.standard_normal((5, 10)))
        assert spatial.is_physical(free).all()
        with pytest.raises(ArgumentError, match="eigenvalue"):
            spatial.log_cholesky_of_parameters(diagonal(1.0, 1.0, 2.5))
        with pytest.raises(ArgumentError, match="mass"):
            spatial.principal_inertia(np.zeros(10))


def test_regressors_of_a_body(rng):
    for _ in range(100):
        phi, twist, alpha = random_parameters(rng), rng.standard_normal(6), rng.standard_normal(6)
        M, spin = spatial.inertia_matrix(phi), np.r_[np.zeros(3), twist[3:]]
        assert_allclose(spatial.momentum_of_parameters(twist) @ phi, M @ twist, rtol=0.0, atol=1e-13)
        wrench = M @ alpha + spatial.wrench_cross(spin) @ M @ spin
        assert_allclose(spatial.wrench_of_parameters(alpha, twist[3:]) @ phi, wrench, rtol=0.0, atol=1e-13)
        about = spatial.momentum_of_parameters(np.r_[np.zeros(3), twist[3:]])[3:, 4:] @ phi[4:]
        assert_allclose(about, spatial.tensor_of_vech(phi[4:]) @ twist[3:], rtol=0.0, atol=1e-13)


def test_spinning_wheel():
    wheel = spatial.SpinningWheel(0.4, 0.7, 1.3, -0.6, (0.2, -0.5, 0.1))
    H, twists, accelerations = wheel.pose, wheel.twists(), wheel.accelerations()
    for form in ("body", "inertial", "mixed"):
        assert_allclose(spatial.change_twist(twists["body"], "body", form, H), twists[form], atol=1e-12)
        for source in ("body", "inertial", "mixed", "sensor"):
            changed = spatial.change_acceleration(accelerations[source], source, form, H, twists["body"])
            assert_allclose(changed, accelerations[form], atol=1e-12)
    proper = spatial.proper_acceleration(accelerations["sensor"], "sensor", H, (0.0, -9.81, 0.0))
    assert_allclose(proper, accelerations["proper sensor"], atol=1e-12)


def test_composition_of_motions(rng):
    """Two poses that move along exponentials of quadratic twists."""
    a_H_b, b_H_d = random_pose(rng), random_pose(rng)
    (v, a), (w, b) = rng.standard_normal((2, 2, 6))
    step = 1e-4

    def pose(start, twist, rate, t):
        return start @ spatial.pose_exponential(t * twist + 0.5 * t * t * rate)

    def twist_of_product(t):
        h = 1e-5
        there = [pose(a_H_b, v, a, t + x) @ pose(b_H_d, w, b, t + x) for x in (-h, 0.0, h)]
        return spatial.twist_of_matrix(spatial.invert_pose(there[1]) @ (there[2] - there[0]) / (2 * h))

    twist = spatial.compose_twists(v, w, b_H_d)
    assert_allclose(twist, twist_of_product(0.0), atol=1e-8)
    rate = spatial.compose_accelerations(a, b, v, w, b_H_d)
    assert_allclose(rate, (twist_of_product(step) - twist_of_product(-step)) / (2 * step), atol=1e-5)
    inner = spatial.change_acceleration(b, "body", "sensor", b_H_d, w)
    outer = spatial.change_acceleration(a, "body", "sensor", a_H_b, v)
    sensor = spatial.compose_sensor_accelerations(outer, inner, v[3:], w, b_H_d)
    assert_allclose(sensor, spatial.change_acceleration(rate, "body", "sensor", a_H_b @ b_H_d, twist), atol=1e-12)


def test_euler_poincare(rng):
    phi, H, twist, rate = random_parameters(rng), random_pose(rng), rng.standard_normal(6), rng.standard_normal(6)
    M, g = spatial.inertia_matrix(phi), np.array([0.0, 0.0, -9.81])

    def lagrangian(pose, xi):
        return 0.5 * xi @ M @ xi + g @ (pose[:3, :3] @ phi[1:4] + phi[0] * pose[:3, 3])

    weight = M @ np.r_[H[:3, :3].T @ g, np.zeros(3)]
    expected = M @ rate + spatial.wrench_cross(twist) @ M @ twist - weight
    assert_allclose(spatial.euler_poincare_wrench(lagrangian, H, twist, rate), expected, atol=1e-5)


def test_hamel_equations_are_the_equations_of_motion(rng):
    tree = random_tree(rng, 5, True, "body")
    q, v = random_state(rng, tree)
    a = rng.standard_normal(tree.nv)

    def lagrangian(H, twist, s, s_dot):
        there = np.concatenate([H[:3, 3], spatial.quaternion_from_rotation(H[:3, :3]), s])
        kinetic = algorithms.kinetic_energy(tree, there, np.concatenate([twist, s_dot]))
        return float(kinetic - algorithms.potential_energy(tree, there))

    H = algorithms.pose(tree, q, "link0")
    forces = spatial.hamel_forces(lagrangian, H, v[:6], q[7:], v[6:], a[:6], a[6:])
    assert_allclose(np.concatenate(forces), algorithms.inverse_dynamics(tree, q, v, a), atol=1e-4)


def test_composition_in_fixed_and_mixed_axes(rng):
    """Against the composition of body twists, converted."""
    for _ in range(5):
        a_H_b, b_H_d = random_pose(rng), random_pose(rng)
        (v, a), (w, b) = rng.standard_normal((2, 2, 6))
        a_H_d = a_H_b @ b_H_d
        twist = spatial.compose_twists(v, w, b_H_d)
        rate = spatial.compose_accelerations(a, b, v, w, b_H_d)

        def written(form, H, body_twist, body_rate):
            there = spatial.change_twist(body_twist, "body", form, H)
            return there, spatial.change_acceleration(body_rate, "body", form, H, body_twist)

        (outer, outer_rate), (inner, inner_rate) = written("inertial", a_H_b, v, a), written("inertial", b_H_d, w, b)
        expected, expected_rate = written("inertial", a_H_d, twist, rate)
        assert_allclose(spatial.compose_inertial_twists(outer, inner, a_H_b), expected, atol=1e-13)
        found = spatial.compose_inertial_accelerations(outer_rate, inner_rate, outer, inner, a_H_b)
        assert_allclose(found, expected_rate, atol=1e-12)
        (outer, outer_rate), (inner, inner_rate) = written("mixed", a_H_b, v, a), written("mixed", b_H_d, w, b)
        expected, expected_rate = written("mixed", a_H_d, twist, rate)
        assert_allclose(spatial.compose_mixed_twists(outer, inner, a_H_b, b_H_d), expected, atol=1e-13)
        found = spatial.compose_mixed_accelerations(outer_rate, inner_rate, outer, inner, a_H_b, b_H_d)
        assert_allclose(found, expected_rate, atol=1e-12)


def test_proper_sensor_accelerations_compose_alike(rng):
    """Gravity is subtracted once: the relative acceleration stays as it is."""
    a_H_b, b_H_d = random_pose(rng), random_pose(rng)
    (v, a), (w, b) = rng.standard_normal((2, 2, 6))
    g = np.array([0.3, -0.2, -9.6])
    outer = spatial.change_acceleration(a, "body", "sensor", a_H_b, v)
    inner = spatial.change_acceleration(b, "body", "sensor", b_H_d, w)
    whole = spatial.compose_sensor_accelerations(outer, inner, v[3:], w, b_H_d)
    proper = spatial.proper_acceleration(outer, "sensor", a_H_b, g)
    found = spatial.compose_sensor_accelerations(proper, inner, v[3:], w, b_H_d)
    assert_allclose(found, spatial.proper_acceleration(whole, "sensor", a_H_b @ b_H_d, g), atol=1e-12)


def test_apparent_acceleration(rng):
    """The derivative of what a twist is in a frame that moves itself, by complex step."""
    step = 1e-20
    a_H_b, a_H_c = random_pose(rng), random_pose(rng)
    (v, a), (u, _) = rng.standard_normal((2, 2, 6))
    later_b = a_H_b + 1j * step * (a_H_b @ spatial.twist_matrix(v))
    later_c = a_H_c + 1j * step * (a_H_c @ spatial.twist_matrix(u))
    later = spatial.transform_twist(spatial.invert_pose(later_c) @ later_b, v + 1j * step * a)
    c_H_b = spatial.invert_pose(a_H_c) @ a_H_b
    assert_allclose(spatial.apparent_acceleration(a, v, c_H_b, u), later.imag / step, atol=1e-12)
    assert_allclose(spatial.apparent_acceleration(a, v, c_H_b, 0.0 * u)[3:], (c_H_b[:3, :3] @ a[3:]), atol=1e-12)
    own = spatial.apparent_acceleration(a, v, np.eye(4), v)
    assert_allclose(own, a, atol=1e-13)
