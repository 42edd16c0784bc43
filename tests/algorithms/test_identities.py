"""Identities of the equations of motion, for floating and fixed bases in all representations."""

from dataclasses import replace

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, ROUNDING, error, trees
from tests.random_trees import random_state

from floatbase import algorithms, spatial

STEP = 1e-20


EVERY_KIND = ("spherical", "revolute", "planar", "helical", "floating", "prismatic")
KINDS = {
    "plain": {},
    "mimic": {"mimic": True},
    "every kind": {"kinds": EVERY_KIND},
    "screws": {"kinds": ("helical", "revolute")},
    "backwards": {"kinds": EVERY_KIND, "backwards": 1.0},
    "rotors": {"kinds": ("revolute", "spherical", "prismatic", "floating", "planar"), "armature": True},
}


@pytest.fixture(params=[(r, k, s) for r in REPRESENTATIONS for k in range(3) for s in KINDS], scope="module", ids=str)
def case(request):
    representation, number, settings = request.param
    tree = list(trees(3, seed=31, representation=representation, **KINDS[settings]))[number]
    rng = np.random.default_rng(number)
    return tree, *random_state(rng, tree), rng


def moved(tree, q, v, step):
    """The configuration after a (complex) time `step` at velocity `v`."""
    return algorithms.integrate(tree, q, step * v)


def test_forward_dynamics_inverts_inverse_dynamics(case):
    tree, q, v, rng = case
    a, parameters = rng.standard_normal(tree.nv), np.concatenate([body.parameters for body in tree.bodies])
    tau, M = algorithms.inverse_dynamics(tree, q, v, a), algorithms.mass_matrix(tree, q)
    most = max(1e-11, ROUNDING * np.linalg.cond(M))
    for given in (None, parameters):
        found = algorithms.forward_dynamics(tree, q, v, tau, parameters=given)
        assert error(found, a) < most
        forces = algorithms.inverse_dynamics(tree, q, v, found)
        assert np.linalg.norm(forces - tau) < 1e-11 * np.linalg.norm(M, 2) * np.linalg.norm(found)


def test_forces_of_unit_accelerations_are_columns_of_the_mass_matrix(case):
    """At rest, without gravity."""
    tree, q, _, _ = case
    tree = replace(tree, gravity=(0.0, 0.0, 0.0))
    units, still = np.eye(tree.nv), np.zeros((tree.nv, tree.nv))
    columns = algorithms.inverse_dynamics(tree, np.tile(q, (tree.nv, 1)), still, units).T
    M = algorithms.mass_matrix(tree, q)
    assert error(columns, M) < 1e-12
    assert error(M.T, M) < 1e-12
    assert np.linalg.eigvalsh(M).min() > 0.0
    if tree.floating:
        np.testing.assert_allclose(M[:3, :3], algorithms.total_mass(tree) * np.eye(3), atol=1e-12)


def test_mass_matrix_and_bias_make_inverse_dynamics(case):
    tree, q, v, rng = case
    a = rng.standard_normal(tree.nv)
    M = algorithms.mass_matrix(tree, q)
    assert error(M @ a + algorithms.bias(tree, q, v), algorithms.inverse_dynamics(tree, q, v, a)) < 1e-11


def test_power_balance(case):
    """The rate of the energy is the power of the forces (complex step along the motion)."""
    tree, q, v, rng = case
    a = rng.standard_normal(tree.nv)
    tau = algorithms.inverse_dynamics(tree, q, v, a)
    after_q, after_v = moved(tree, q, v, 1j * STEP), v + 1j * STEP * a
    energy = algorithms.kinetic_energy(tree, after_q, after_v) + algorithms.potential_energy(tree, after_q)
    assert energy.imag / STEP == pytest.approx(v @ tau, rel=1e-10, abs=1e-10)


def test_gravity_is_the_gradient_of_the_potential(case):
    tree, q, _, _ = case
    units = np.eye(tree.nv)
    slopes = [algorithms.potential_energy(tree, moved(tree, q, unit, 1j * STEP)).imag / STEP for unit in units]
    assert error(algorithms.gravity(tree, q), np.array(slopes)) < 1e-11


def test_kinetic_energy_is_half_the_mass_matrix(case):
    tree, q, v, _ = case
    expected = 0.5 * v @ algorithms.mass_matrix(tree, q) @ v
    assert algorithms.kinetic_energy(tree, q, v) == pytest.approx(expected, rel=1e-12)


def test_velocities_are_derivatives_of_poses(case):
    tree, q, v, _ = case
    for name in list(tree.frames)[-2:]:
        H = algorithms.pose(tree, moved(tree, q, v, 1j * STEP), name)
        twist = spatial.twist_of_matrix(spatial.invert_pose(H.real) @ (H.imag / STEP))
        expected = spatial.change_twist(twist, "body", tree.representation, H.real)
        np.testing.assert_allclose(algorithms.velocity(tree, q, v, name), expected, atol=1e-12)
        np.testing.assert_allclose(algorithms.jacobian(tree, q, name) @ v, expected, atol=1e-12)


def test_accelerations_are_derivatives_of_velocities(case):
    tree, q, v, rng = case
    a = rng.standard_normal(tree.nv)
    for name in list(tree.frames)[-2:]:
        after = algorithms.velocity(tree, moved(tree, q, v, 1j * STEP), v + 1j * STEP * a, name)
        np.testing.assert_allclose(algorithms.acceleration(tree, q, v, a, name), after.imag / STEP, atol=1e-11)


def test_center_of_mass_moves_at_its_velocity(case):
    tree, q, v, _ = case
    rate = algorithms.com(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    np.testing.assert_allclose(algorithms.com_velocity(tree, q, v), rate, atol=1e-12)
    np.testing.assert_allclose(algorithms.com_jacobian(tree, q) @ v, rate, atol=1e-12)


def test_free_fall_needs_no_force(case):
    """Every body falling alike, at rest otherwise."""
    tree, q, v, _ = case
    if tree.floating:
        fall = np.zeros(tree.nv)
        rotation = spatial.rotation_from_quaternion(q[3:7])
        g = np.array(tree.gravity)
        fall[:3] = rotation.T @ g if tree.representation == "body" else g
        force = algorithms.inverse_dynamics(tree, q, 0.0 * v, fall)
        np.testing.assert_allclose(force, 0.0, atol=1e-11)


def test_parameters_as_an_argument(case):
    tree, q, v, rng = case
    parameters = np.concatenate([body.parameters for body in tree.bodies])
    a = rng.standard_normal(tree.nv)
    given = algorithms.inverse_dynamics(tree, q, v, a, parameters=parameters)
    assert error(given, algorithms.inverse_dynamics(tree, q, v, a)) < 1e-12
    rotors = algorithms.inverse_dynamics(tree, q, v, a, parameters=0.0 * parameters)
    twice = algorithms.inverse_dynamics(tree, q, v, a, parameters=2.0 * parameters)
    assert error(twice - rotors, 2.0 * (given - rotors)) < 1e-12
    assert error(algorithms.com(tree, q, 3.0 * parameters), algorithms.com(tree, q)) < 1e-12
