"""Frames that are held fast, and what contact wrenches do to the momentum, on a humanoid."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import REPRESENTATIONS

from floatbase import algorithms, spatial
from floatbase.errors import ArgumentError
from floatbase.model import build_tree, library

FEET = ("l_sole", "r_sole")


@pytest.fixture(params=REPRESENTATIONS)
def standing(request):
    model = library.parametric_humanoid()
    tree = build_tree(model, representation=request.param)
    names = [name for name in FEET if name in tree.frames] or [name for name in tree.frames if "sole" in name][:2]
    q = np.zeros(tree.nq)
    q[:7] = [0.1, -0.2, 0.9, 1.0, 0.0, 0.0, 0.0]
    return tree, q, names


def static_torques(tree, q, feet):
    """Torques of a robot that stands on two feet, half of its weight on each."""
    c, weight = algorithms.com(tree, q), 9.81 * tree.mass
    wrenches = {}
    for name in feet:
        H = algorithms.pose(tree, q, name)
        force = np.array([0.0, 0.0, weight / len(feet)])
        mixed = np.r_[force, np.cross(c - H[:3, 3], force)]
        wrenches[name] = spatial.change_wrench(mixed, "mixed", tree.representation, H)
    tau = algorithms.inverse_dynamics(tree, q, np.zeros(tree.nv), np.zeros(tree.nv), wrenches)
    assert_allclose(tau[:6], 0.0, atol=1e-9 * weight)
    return tau


def test_two_feet_at_rest_carry_the_weight(standing):
    tree, q, feet = standing
    tau, still = static_torques(tree, q, feet), np.zeros(tree.nv)
    motion = algorithms.contact_dynamics(tree, q, still, tau, feet)
    for name in feet:
        assert_allclose(algorithms.acceleration(tree, q, still, motion.acceleration, name), 0.0, atol=1e-8)
    assert_allclose(motion.acceleration, 0.0, atol=1e-8)
    forces = [
        spatial.change_wrench(f, tree.representation, "mixed", algorithms.pose(tree, q, name))
        for name, f in motion.wrenches.items()
    ]
    assert sum(f[2] for f in forces) == pytest.approx(9.81 * tree.mass, rel=1e-9)
    balance = algorithms.base_balance(tree, q, still, motion.acceleration, motion.wrenches)
    assert np.linalg.norm(balance.residual) < 1e-6


def test_held_frames_do_not_accelerate(standing, rng):
    tree, q, feet = standing
    q = algorithms.integrate(tree, q, 0.3 * rng.standard_normal(tree.nv))
    v, tau = rng.standard_normal(tree.nv), rng.standard_normal(tree.nv)
    motion = algorithms.contact_dynamics(tree, q, v, tau, feet)
    for name in feet:
        assert_allclose(algorithms.acceleration(tree, q, v, motion.acceleration, name), 0.0, atol=1e-8)
    forces = algorithms.inverse_dynamics(tree, q, v, motion.acceleration, motion.wrenches)
    assert_allclose(forces, tau, atol=1e-8 * np.linalg.norm(list(motion.wrenches.values())))


def test_redundant_contacts_share_what_one_would_carry(standing, rng):
    """The sole and the link it is on are the same body: twice the constraints, the same motion."""
    tree, q, feet = standing
    body = tree.bodies[tree.frames[feet[0]][0]].name
    v, tau = rng.standard_normal((2, tree.nv))
    one = algorithms.contact_dynamics(tree, q, 0.0 * v, tau, [feet[0]])
    both = algorithms.contact_dynamics(tree, q, 0.0 * v, tau, [feet[0], body])
    assert_allclose(both.acceleration, one.acceleration, atol=1e-6)


def test_wrenches_change_the_momentum(standing, rng):
    tree, q, feet = standing
    v, tau = rng.standard_normal((2, tree.nv))
    wrenches = {name: rng.standard_normal(6) for name in feet}
    a = algorithms.forward_dynamics(tree, q, v, np.r_[np.zeros(6), tau[6:]], wrenches)
    rate = algorithms.centroidal_momentum_rate(tree, q, v, a)
    A = algorithms.centroidal_wrench_matrix(tree, q, feet)
    weight = np.r_[tree.mass * np.array(tree.gravity), np.zeros(3)]
    scale = np.linalg.norm(a)
    assert_allclose(A @ np.concatenate(list(wrenches.values())) + weight, rate, atol=1e-9 * scale)
    forces = algorithms.generalized_forces(tree, q, wrenches)
    without = algorithms.bias(tree, q, v) - algorithms.bias(tree, q, v, wrenches)
    assert_allclose(forces, without, atol=1e-9)


def test_batches(standing, rng):
    tree, q, feet = standing
    q = np.stack([algorithms.integrate(tree, q, 0.2 * rng.standard_normal(tree.nv)) for _ in range(3)])
    v, tau = rng.standard_normal((2, 3, tree.nv))
    batch = algorithms.contact_dynamics(tree, q, v, tau, feet)
    one = algorithms.contact_dynamics(tree, q[1], v[1], tau[1], feet)
    assert_allclose(batch.acceleration[1], one.acceleration, rtol=1e-6, atol=1e-6)
    assert batch.wrenches[feet[0]].shape == (3, 6)
    assert algorithms.centroidal_wrench_matrix(tree, q, feet).shape == (3, 6, 12)


@pytest.mark.parametrize("contacts", ["l_sole", [], ["l_sole", "l_sole"]])
def test_contacts_are_listed(standing, contacts):
    tree, q, _ = standing
    with pytest.raises(ArgumentError, match="lists one or more frames"):
        algorithms.contact_dynamics(tree, q, np.zeros(tree.nv), np.zeros(tree.nv), contacts)
