"""Twenty robots, with joints of every kind, seen from two bases: changes of base, and what no base changes."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.agreement.random_models import random_model
from tests.algorithms.cases import REPRESENTATIONS
from tests.random_trees import random_state

from floatbase import algorithms, spatial
from floatbase.algorithms import change_of_base
from floatbase.model import build_tree
from floatbase.model.graph import velocities_between
from floatbase.model.tree import Tree

GRAVITY = (0.3, -0.2, -9.6)
FIRST, SECOND = "link0", "link5"


@dataclass(frozen=True, eq=False)
class View:
    """A robot from one base, in one representation, at a state."""

    base: str
    tree: Tree
    q: np.ndarray
    v: np.ndarray


def view(model, base, representation, first=None):
    """At the state of the robot seen from the first base, or at a random one."""
    tree = build_tree(model, base, True, representation=representation, gravity=GRAVITY)
    if first is None:
        return View(base, tree, *random_state(np.random.default_rng(7), tree))
    H = algorithms.pose(first.tree, first.q, base)
    q = np.concatenate([H[:3, 3], spatial.quaternion_from_rotation(H[:3, :3]), first.q[7:]])
    twist = algorithms.velocity(first.tree, first.q, first.v, base)
    twist = spatial.change_twist(twist, first.tree.representation, representation, H)
    return View(base, tree, q, np.concatenate([twist, first.v[6:]]))


@pytest.fixture(params=range(20), scope="module")
def model(request):
    return random_model(request.param)


@pytest.fixture(params=REPRESENTATIONS)
def pair(request, model):
    here = view(model, FIRST, request.param)
    return here, view(model, SECOND, request.param, here)


def relative(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def test_there_and_back(pair):
    """The change from a base to another, and the one that the robot built from there has back to the first."""
    here, there = pair
    forth, back = change_of_base(here.tree, here.q, here.v, SECOND), change_of_base(there.tree, there.q, there.v, FIRST)
    assert_allclose(back.matrix @ forth.matrix, np.eye(here.tree.nv), atol=1e-11)
    assert_allclose(forth.inverse, back.matrix, atol=1e-11)
    assert_allclose(forth.velocity(here.v), there.v, atol=1e-11)
    assert_allclose(change_of_base(here.tree, here.q, here.v, FIRST).matrix, np.eye(here.tree.nv), atol=1e-11)


def test_the_robot_built_from_there_has_the_changed_equations(pair):
    here, there = pair
    change = change_of_base(here.tree, here.q, here.v, SECOND)
    M, C = algorithms.mass_matrix(here.tree, here.q), algorithms.coriolis_matrix(here.tree, here.q, here.v)
    assert relative(change.mass_matrix(M), algorithms.mass_matrix(there.tree, there.q)) < 1e-11
    G = algorithms.gravity(here.tree, here.q)
    assert relative(change.force(G), algorithms.gravity(there.tree, there.q)) < 1e-11
    C_there = algorithms.coriolis_matrix(there.tree, there.q, there.v)
    assert relative(change.coriolis_matrix(M, C) @ there.v, C_there @ there.v) < 1e-11


def test_pure_joint_torques_do_not_change(pair, rng):
    here, _ = pair
    tau = np.concatenate([np.zeros(6), rng.standard_normal(here.tree.nv - 6)])
    assert_allclose(change_of_base(here.tree, here.q, here.v, SECOND).force(tau), tau, atol=1e-12)


def test_wrenches_on_the_base_load_the_joints_between_the_bases_only(pair, rng):
    """Seen from another link, a wrench on the old base is one there and torques on the way."""
    here, _ = pair
    tree, representation = here.tree, here.tree.representation
    wrench = rng.standard_normal(6)
    change = change_of_base(tree, here.q, here.v, SECOND)
    force = change.force(np.r_[wrench, np.zeros(tree.nv - 6)])
    on_the_way = set(velocities_between(tree, FIRST, SECOND))
    for k in range(6, tree.nv):
        assert k in on_the_way or abs(force[k]) < 1e-12
    assert np.abs(force[sorted(on_the_way)]).max() > 1e-6
    H, G = algorithms.pose(tree, here.q, FIRST), algorithms.pose(tree, here.q, SECOND)
    about_world = spatial.change_wrench(wrench, representation, "inertial", H)
    assert_allclose(force[:6], spatial.change_wrench(about_world, "inertial", representation, G), atol=1e-11)
    if representation == "body":
        S = algorithms.relative_jacobian(tree, here.q, FIRST, SECOND)[:, 6:]
        assert_allclose(force[6:], -S.T @ force[:6], atol=1e-11)


def invariants(it):
    """Energies, momentum about the world's origin, and about the centre of mass."""
    tree, q, v = it.tree, it.q, it.v
    H = algorithms.pose(tree, q, it.base)
    of_base = (algorithms.mass_matrix(tree, q) @ v)[:6]
    energies = [algorithms.kinetic_energy(tree, q, v), algorithms.potential_energy(tree, q)]
    in_world = spatial.change_wrench(of_base, tree.representation, "inertial", H)
    return np.concatenate([energies, in_world, algorithms.centroidal_momentum(tree, q, v)])


def test_energies_and_momenta_are_the_same_from_every_base_in_every_representation(model):
    first = view(model, FIRST, "body")
    expected = invariants(first)
    for base in (FIRST, SECOND, model.links[-1].name):
        for representation in REPRESENTATIONS:
            found = invariants(view(model, base, representation, first))
            assert_allclose(found, expected, rtol=1e-10, atol=1e-10, err_msg=f"{base}, {representation}")
