"""Quantities of a robot as sums over its links, and other ways to the same equations; every kind of joint."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import error
from tests.algorithms.test_identities import STEP, case, moved  # noqa: F401
from tests.random_trees import random_quaternion

from floatbase import algorithms, spatial


def rotors(tree, a):
    """What rotors add to generalised forces."""
    first, result = tree.nv - tree.joint_nv, np.zeros(tree.nv)
    for body in tree.bodies:
        if body.joint is not None and body.joint.nv == 1:
            place = first + body.joint.index
            result[place] += body.joint.armature * body.joint.ratio**2 * a[place]
        elif body.joint is not None:
            place = slice(first + body.joint.index, first + body.joint.index + body.joint.nv)
            result[place] += body.joint.armature * a[place]
    return result


def body_quantities(tree, q, v, a):
    """For every body its parameters, Jacobian, twist and proper sensor acceleration in body form, at its link."""
    g = np.array(tree.gravity)
    for body in tree.bodies:
        H = algorithms.pose(tree, q, body.name)
        back = np.linalg.inv(spatial.representation_matrix(tree.representation, H))
        J = back @ algorithms.jacobian(tree, q, body.name)
        rate = algorithms.acceleration(tree, q, v, a, body.name)
        sensor = spatial.change_acceleration(rate, tree.representation, "sensor", H, J @ v)
        link_H_body = spatial.invert_pose(tree.frames[body.name][1])
        phi = spatial.transform_parameters(link_H_body, body.parameters)
        yield phi, J, J @ v, spatial.proper_acceleration(sensor, "sensor", H, g)


def test_forces_are_those_of_the_links(case):  # noqa: F811
    """Net wrenches from what sensors on the links would measure, through the links' Jacobians."""
    tree, q, v, rng = case
    a = rng.standard_normal(tree.nv)
    total = rotors(tree, a)
    for phi, J, twist, proper in body_quantities(tree, q, v, a):
        total = total + J.T @ (spatial.wrench_of_parameters(proper, twist[3:]) @ phi)
    assert error(total, algorithms.inverse_dynamics(tree, q, v, a)) < 1e-9


def test_energy_and_mass_matrix_are_those_of_the_links(case):  # noqa: F811
    tree, q, v, _ = case
    energy, M = 0.5 * v @ rotors(tree, v), np.diag(rotors(tree, np.ones(tree.nv)))
    for phi, J, twist, _ in body_quantities(tree, q, v, 0.0 * v):
        energy = energy + spatial.body_kinetic_energy(phi, twist)
        M = M + J.T @ spatial.inertia_matrix(phi) @ J
    assert energy == pytest.approx(algorithms.kinetic_energy(tree, q, v), rel=1e-11)
    assert error(M, algorithms.mass_matrix(tree, q)) < 1e-11


def test_columns_of_the_mass_matrix_are_forces_of_unit_accelerations(case):  # noqa: F811
    tree, q, v, _ = case
    units, G = np.eye(tree.nv), algorithms.gravity(tree, q)
    columns = [algorithms.inverse_dynamics(tree, q, 0.0 * v, unit) - G for unit in units]
    assert error(np.array(columns).T, algorithms.mass_matrix(tree, q)) < 1e-11
    fall = algorithms.forward_dynamics(tree, q, 0.0 * v, 0.0 * v)
    columns = [algorithms.forward_dynamics(tree, q, 0.0 * v, unit) - fall for unit in units]
    assert error(np.array(columns).T, algorithms.inverse_mass_matrix(tree, q)) < 1e-9


def test_in_body_axes_the_mass_matrix_does_not_depend_on_the_base(case):  # noqa: F811
    tree, q, _, rng = case
    if not tree.floating or tree.representation != "body":
        return
    elsewhere = q.copy()
    elsewhere[:3], elsewhere[3:7] = rng.uniform(-2.0, 2.0, 3), random_quaternion(rng)
    M = algorithms.mass_matrix(tree, q)
    assert np.array_equal(algorithms.mass_matrix(tree, elsewhere), M)


def test_velocity_terms_from_momentum_and_energy(case):  # noqa: F811
    """C v = dM/dt v + (v x* h, -dk/ds) in body representation."""
    tree, q, v, _ = case
    if not tree.floating or tree.representation != "body":
        return
    several = any(body.joint and body.joint.nv > 1 for body in tree.bodies)
    if several:  # velocities of spherical and floating joints are no derivatives of coordinates
        return
    M = algorithms.mass_matrix(tree, q)
    M_rate = algorithms.mass_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    slopes = np.zeros(tree.nv)
    for k in range(6, tree.nv):
        there = algorithms.mass_matrix(tree, moved(tree, q, np.eye(tree.nv)[k], 1j * STEP))
        slopes[k] = 0.5 * (v @ there @ v).imag / STEP
    expected = M_rate @ v - slopes
    expected[:6] += spatial.wrench_cross(v[:6]) @ (M @ v)[:6]
    terms = algorithms.bias(tree, q, v) - algorithms.gravity(tree, q)
    assert_allclose(terms, expected, atol=1e-10 * np.linalg.norm(terms) + 1e-11)


def test_the_base_rows_are_the_momentum_of_the_whole(case):  # noqa: F811
    """In mixed representation the force on the base is mass times acceleration of the centre of mass less gravity."""
    tree, q, v, rng = case
    if not tree.floating or tree.representation != "mixed":
        return
    a, mass, g = rng.standard_normal(tree.nv), algorithms.total_mass(tree), np.array(tree.gravity)
    force = algorithms.inverse_dynamics(tree, q, v, a)[:6]
    rate = algorithms.centroidal_momentum_rate(tree, q, v, a)
    assert_allclose(force[:3], rate[:3] - mass * g, atol=1e-9)
    arm = algorithms.com(tree, q) - q[:3]
    assert_allclose(force[3:], rate[3:] + np.cross(arm, rate[:3] - mass * g), atol=1e-9)
    assert_allclose(algorithms.gravity(tree, q)[:3], -mass * g, atol=1e-10)
    block = algorithms.mass_matrix(tree, q)[:3, 3:6]
    assert_allclose(block, -mass * spatial.hat(arm), atol=1e-11)


def test_the_regressor_times_parameters_is_what_an_inertial_unit_gives(case):  # noqa: F811
    tree, q, v, rng = case
    if not tree.floating or tree.representation != "body":
        return
    a, total = rng.standard_normal(tree.nv), 0.0
    Y = algorithms.regressor(tree, q, v, a)
    for k, (phi, *_) in enumerate(body_quantities(tree, q, v, a)):
        total = total + Y[:, 10 * k : 10 * k + 10] @ phi
    R = spatial.rotation_from_quaternion(q[3:7])
    alpha = a[:6].copy()
    alpha[:3] += np.cross(v[3:6], v[:3]) - R.T @ np.array(tree.gravity)
    found = algorithms.sensor_inverse_dynamics(tree, q[7:], v[6:], a[6:], alpha, v[3:6])
    assert error(total + rotors(tree, a), found) < 1e-10
