"""Changes of base, compound frames and centroidal variables keep what is physical."""

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


@pytest.fixture(params=[None, EVERY_KIND], ids=["plain", "every kind"])
def tree(request):
    return random_tree(np.random.default_rng(4), 6, True, "mixed", kinds=request.param or ())


def all_changes(tree, q, v):
    yield changes.change_of_base(tree, q, v, "link5")
    yield changes.change_to_compound_frame(tree, q, v, "link5", "frame2")
    yield changes.change_to_center_of_mass(tree, q, v)
    yield changes.change_to_average_velocity(tree, q, v)


def test_derivative_of_the_inverse(tree, rng):
    q, v = random_state(rng, tree)
    for step in range(4):
        here = list(all_changes(tree, q, v))[step]
        sides = [list(all_changes(tree, moved(tree, q, v, h), v))[step].inverse for h in (1e-6, -1e-6)]
        assert_allclose(here.inverse_rate, (sides[0] - sides[1]) / 2e-6, atol=1e-6)
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


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_pure_joint_torques_do_not_change(tree, rng, representation):
    tree = replace(tree, representation=representation)
    q, v = random_state(rng, tree)
    tau = np.concatenate([np.zeros(6), rng.standard_normal(tree.nv - 6)])
    change = changes.change_of_base(tree, q, v, "link5")
    assert_allclose(change.force(tau), tau, atol=1e-12)
    assert_allclose(change.velocity(v)[:6], algorithms.velocity(tree, q, v, "link5"), atol=1e-12)


def test_centroidal_coordinates(tree, rng):
    q, v = random_state(rng, tree)
    change = changes.change_to_average_velocity(tree, q, v)
    M, C = algorithms.mass_matrix(tree, q), algorithms.coriolis_matrix(tree, q, v)
    mass, g = algorithms.total_mass(tree), np.array(tree.gravity)
    new = change.mass_matrix(M)
    assert_allclose(new[:6, :6], algorithms.locked_inertia(tree, q), atol=1e-10)
    assert_allclose(new[:6, 6:], 0.0, atol=1e-10)
    assert_allclose(
        change.force(algorithms.gravity(tree, q)),
        np.r_[-mass * g, np.zeros(3), change.force(algorithms.gravity(tree, q))[6:]],
        atol=1e-10,
    )
    assert_allclose((change.coriolis_matrix(M, C) @ change.velocity(v))[:3], 0.0, atol=1e-9)
    assert_allclose(change.velocity(v)[:6], algorithms.average_velocity(tree, q, v), atol=1e-10)
    link = changes.link_coriolis_matrix(tree, q, v)
    assert_allclose(link @ v, C @ v, atol=1e-10)
    rate = algorithms.mass_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    assert_allclose(link + link.T, rate, atol=1e-10)
    centroidal = change.coriolis_matrix(M, link)
    assert_allclose(centroidal[:3], 0.0, atol=1e-9)
    assert_allclose(centroidal[:, :3], 0.0, atol=1e-9)


def test_rate_of_the_centroidal_matrix(tree, rng):
    q, v = random_state(rng, tree)
    slope = algorithms.centroidal_momentum_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    assert_allclose(changes.centroidal_momentum_matrix_rate(tree, q, v), slope, atol=1e-10)


def test_what_is_refused(tree, rng):
    q, v = random_state(rng, tree)
    with pytest.raises(ArgumentError, match="mixed"):
        changes.change_to_average_velocity(replace(tree, representation="body"), q, v)
    with pytest.raises(ArgumentError, match="fixed base"):
        changes.change_of_base(replace(tree, floating=False), q[7:], v[6:], "link5")
