"""Changes of base, compound frames and centroidal variables keep what is physical: twenty trees, every joint."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import REPRESENTATIONS
from tests.algorithms.test_identities import EVERY_KIND, STEP, moved
from tests.random_trees import random_state, random_tree

from floatbase import algorithms
from floatbase.algorithms import changes
from floatbase.errors import ArgumentError


@pytest.fixture(params=range(20))
def tree(request):
    """Four to twelve bodies; every other tree has joints of every kind, stored from either side, the rest mimics."""
    rng, odd = np.random.default_rng(request.param), request.param % 2 == 1
    kinds = {"kinds": tuple(rng.permutation(EVERY_KIND)), "backwards": 0.5} if odd else {"mimic": True}
    return random_tree(rng, int(rng.integers(7 if odd else 4, 13)), True, "mixed", **kinds)


def last(tree):
    return tree.bodies[-1].name


def all_changes(tree, q, v):
    yield changes.change_of_base(tree, q, v, last(tree))
    yield changes.change_of_representation(tree, q, v, "body")
    yield changes.change_of_representation(tree, q, v, "inertial")
    yield changes.change_to_compound_frame(tree, q, v, last(tree), "frame2")
    yield changes.change_to_center_of_mass(tree, q, v)
    yield changes.change_to_average_velocity(tree, q, v)


def test_derivative_of_the_inverse(tree, rng):
    q, v = random_state(rng, tree)
    ahead = all_changes(tree, moved(tree, q, v, 1j * STEP), v)
    for here, there in zip(all_changes(tree, q, v), ahead, strict=True):
        size = np.linalg.norm(here.inverse_rate)
        assert np.linalg.norm(here.inverse_rate - there.inverse.imag / STEP) < 1e-11 * size
        assert_allclose(here.matrix @ here.inverse, np.eye(tree.nv), atol=1e-11)


def test_equations_of_motion_keep_their_form(tree, rng):
    q, v = random_state(rng, tree)
    a = rng.standard_normal(tree.nv)
    M, C, G = algorithms.mass_matrix(tree, q), algorithms.coriolis_matrix(tree, q, v), algorithms.gravity(tree, q)
    tau = algorithms.inverse_dynamics(tree, q, v, a)
    for change in all_changes(tree, q, v):
        new_v, new_a = change.velocity(v), change.acceleration(v, a)
        left = change.mass_matrix(M) @ new_a + change.coriolis_matrix(M, C) @ new_v + change.force(G)
        assert_allclose(left, change.force(tau), atol=1e-9)
        assert new_v @ change.force(tau) == pytest.approx(v @ tau, rel=1e-10)
        assert_allclose(change.velocity_back(new_v), v, atol=1e-11)


def test_admissible_coriolis_matrices_stay_admissible(tree, rng):
    """The rate of the new mass matrix is the sum of the new Coriolis matrix and its transpose (differences)."""
    q, v = random_state(rng, tree)
    M, C = algorithms.mass_matrix(tree, q), algorithms.coriolis_matrix(tree, q, v)
    matrices = []
    for h in (1e-6, -1e-6):
        there = moved(tree, q, v, h)
        M_there = algorithms.mass_matrix(tree, there)
        matrices.append([change.mass_matrix(M_there) for change in all_changes(tree, there, v)])
    for change, ahead, behind in zip(all_changes(tree, q, v), *matrices, strict=True):
        new, rate = change.coriolis_matrix(M, C), (ahead - behind) / 2e-6
        assert np.linalg.norm(new + new.T - rate) < 1e-6 * np.linalg.norm(rate)


@pytest.mark.parametrize("target", REPRESENTATIONS)
@pytest.mark.parametrize("source", REPRESENTATIONS)
def test_changes_of_representation(tree, rng, source, target):
    """They give the equations of the robot in the other representation, Coriolis matrix included."""
    old, new = replace(tree, representation=source), replace(tree, representation=target)
    q, v = random_state(rng, old)
    a = rng.standard_normal(old.nv)
    change = changes.change_of_representation(old, q, v, target)
    v_new, a_new = change.velocity(v), change.acceleration(v, a)
    tau = algorithms.inverse_dynamics(new, q, v_new, a_new)
    assert_allclose(change.force(algorithms.inverse_dynamics(old, q, v, a)), tau, atol=1e-10)
    M, C = algorithms.mass_matrix(old, q), algorithms.coriolis_matrix(old, q, v)
    assert_allclose(change.mass_matrix(M), algorithms.mass_matrix(new, q), atol=1e-11)
    assert_allclose(change.coriolis_matrix(M, C) @ v_new, algorithms.coriolis_matrix(new, q, v_new) @ v_new, atol=1e-10)
    J = algorithms.jacobian(old, q, last(tree))
    assert_allclose(change.jacobian(J) @ v_new, algorithms.velocity(old, q, v, last(tree)), atol=1e-11)


def test_compound_frames_have_the_velocities_of_their_parts(tree, rng):
    q, v = random_state(rng, tree)
    new = changes.change_to_compound_frame(tree, q, v, last(tree), "frame2").velocity(v)
    assert_allclose(new[:3], algorithms.velocity(tree, q, v, last(tree))[:3], atol=1e-12)
    assert_allclose(new[3:6], algorithms.velocity(tree, q, v, "frame2")[3:], atol=1e-12)
    about_center = changes.change_to_center_of_mass(tree, q, v).velocity(v)
    assert_allclose(about_center, np.r_[algorithms.com_velocity(tree, q, v), v[3:]], atol=1e-12)


def test_a_robot_whose_joints_freeze_moves_at_its_average_velocity(tree, rng):
    """Internal impulses stop the joints; the momentum stays."""
    q, v = random_state(rng, tree)
    average = algorithms.average_velocity(tree, q, v)
    arm = algorithms.com(tree, q) - q[:3]
    frozen = np.r_[average[:3] - np.cross(average[3:], arm), average[3:], np.zeros(tree.nv - 6)]
    momentum = algorithms.centroidal_momentum(tree, q, v)
    assert_allclose(algorithms.centroidal_momentum(tree, q, frozen), momentum, atol=1e-11)
    impulse = algorithms.mass_matrix(tree, q) @ (frozen - v)
    assert_allclose(impulse[:6], 0.0, atol=1e-11)


def test_centroidal_coordinates(tree, rng):
    q, v = random_state(rng, tree)
    change = changes.change_to_average_velocity(tree, q, v)
    M, C = algorithms.mass_matrix(tree, q), algorithms.coriolis_matrix(tree, q, v)
    mass, g = algorithms.total_mass(tree), np.array(tree.gravity)
    new = change.mass_matrix(M)
    assert_allclose(new[:6, :6], algorithms.locked_inertia(tree, q), atol=1e-10)
    assert_allclose(new[:6, 6:], 0.0, atol=1e-10)
    assert_allclose(change.force(algorithms.gravity(tree, q)), np.r_[-mass * g, np.zeros(tree.nv - 3)], atol=1e-11)
    assert_allclose((change.coriolis_matrix(M, C) @ change.velocity(v))[:3], 0.0, atol=1e-9)
    assert_allclose(change.velocity(v)[:6], algorithms.average_velocity(tree, q, v), atol=1e-10)
    link = changes.link_coriolis_matrix(tree, q, v)
    assert_allclose(link @ v, C @ v, atol=1e-10)
    rate = algorithms.mass_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    assert_allclose(link + link.T, rate, atol=1e-10)
    centroidal = change.coriolis_matrix(M, link)
    assert_allclose(centroidal[:3], 0.0, atol=1e-9)
    assert_allclose(centroidal[:, :3], 0.0, atol=1e-9)


def test_what_is_refused(tree, rng):
    q, v = random_state(rng, tree)
    with pytest.raises(ArgumentError, match="mixed"):
        changes.change_to_average_velocity(replace(tree, representation="body"), q, v)
    with pytest.raises(ArgumentError, match="fixed base"):
        changes.change_of_base(replace(tree, floating=False), q[7:], v[6:], last(tree))
