"""Second derivatives of inverse dynamics: every kind of joint, both directions, all representations, wrenches."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error, trees
from tests.algorithms.every_kind import COUNT, EXACT, Situation, along, by_complex_step, robot_of_every_kind
from tests.random_trees import random_state, random_tree, with_representation

from floatbase.algorithms import inverse_dynamics_derivatives, inverse_dynamics_hessian
from floatbase.compiler import trace

KINDS = ("revolute", "prismatic", "helical", "spherical", "planar", "floating")


def cases():
    for k, tree in enumerate(trees(4, kinds=KINDS, backwards=0.5, armature=True)):
        yield pytest.param(tree, id=f"all-kinds-{k}")
    for k, tree in enumerate(trees(4, seed=1, mimic=True)):
        yield pytest.param(tree, id=f"mimic-{k}")
    for k, tree in enumerate(trees(3, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0)):
        yield pytest.param(tree, id=f"reversed-{k}")


def gradients(tree, q, v, a, w, wrenches=None):
    """First derivatives (3, ..., nv) of `w . tau` by configuration, velocity and acceleration."""
    return np.stack(np.broadcast_arrays(*(w @ part for part in inverse_dynamics_derivatives(tree, q, v, a, wrenches))))


def assert_exact(tree, q, v, a, w, wrenches):
    """Complex steps of the first derivatives."""
    found = inverse_dynamics_hessian(tree, q, v, a, w, wrenches)
    first = along(lambda x: rows(gradients(tree, x, v, a, w, wrenches)), tree, q)
    second = by_complex_step(lambda x: rows(gradients(tree, q, x, a, w, wrenches)), v)
    size = np.linalg.norm(first)  # some of them vanish, if the base is all there is
    assert np.linalg.norm(found.dqdq - first[0]) < EXACT * size
    assert np.linalg.norm(found.dqdv.T - first[1]) < EXACT * size
    assert np.linalg.norm(found.dqda.T - first[2]) < EXACT * size
    assert np.linalg.norm(found.dqdv - second[0]) < TOLERANCE[np.float64] * size
    assert np.linalg.norm(found.dvdv - second[1]) < TOLERANCE[np.float64] * size


def rows(stacked):
    """The batch axis first."""
    return np.moveaxis(stacked, 0, -2)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("number", range(COUNT))
def test_every_kind_of_joint_against_first_derivatives(number, representation, rng):
    s = Situation(robot_of_every_kind(number, representation), rng)
    assert_exact(s.tree, s.q, s.v, s.a, s.tau, s.wrenches)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", list(cases()))
def test_rotors_and_reversed_joints_against_first_derivatives(tree, representation, rng):
    tree = with_representation(tree, representation)
    q, v = random_state(rng, tree)
    a, w = rng.standard_normal((2, tree.nv))
    names = [name for name in tree.frames if name.startswith("frame")]
    wrenches = {name: 5.0 * rng.standard_normal(6) for name in (names[0], names[-1])}
    assert_exact(tree, q, v, a, w, wrenches)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_symmetric_but_for_turns_of_one_joint(representation, rng):
    tree = random_tree(rng, 8, representation=representation, kinds=("revolute", "prismatic", "helical", "planar"))
    q, v = random_state(rng, tree)
    a, w = rng.standard_normal((2, tree.nv))
    found = inverse_dynamics_hessian(tree, q, v, a, w)
    assert error(found.dvdv, found.dvdv.T) < 1e-12
    assert error(found.dqdq[6:], found.dqdq[:, 6:].T) < 1e-12
    assert error(found.dqdq[:6, :6], found.dqdq[:6, :6].T) > 1e-3


def test_base_differs_from_its_transpose_by_the_gradient_along_the_bracket(rng):
    tree = random_tree(rng, 6, kinds=KINDS)
    q, v = random_state(rng, tree)
    a, w = rng.standard_normal((2, tree.nv))
    head = inverse_dynamics_hessian(tree, q, v, a, w).dqdq[:6, :6]
    gradient = gradients(tree, q, v, a, w)[0, :6]
    for i, j in np.ndindex(6, 6):
        x, y = np.eye(6)[[i, j]]
        bracket = np.concatenate([np.cross(x[3:], y[:3]) + np.cross(x[:3], y[3:]), np.cross(x[3:], y[3:])])
        # of body velocities, which are invariant under motions of the world: D_i D_j - D_j D_i
        assert abs(head[j, i] - head[i, j] - gradient @ bracket) < 1e-11 * np.linalg.norm(gradient)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_batches_and_other_inertial_parameters(representation, rng):
    tree = random_tree(rng, 6, representation=representation, kinds=KINDS)
    q, v = random_state(rng, tree, (3, 2))
    a, w = rng.standard_normal((2, *v.shape))
    parameters = np.stack([[body.parameters for body in tree.bodies]] * 2).reshape(2, -1)
    parameters = parameters * rng.uniform(0.5, 1.5, parameters.shape)
    batch = inverse_dynamics_hessian(tree, q, v, a, w, parameters=parameters)
    for i, j in np.ndindex(3, 2):
        single = inverse_dynamics_hessian(tree, q[i, j], v[i, j], a[i, j], w[i, j], parameters=parameters[j])
        for many, one in zip(batch, single):
            np.testing.assert_allclose(many[i, j], one, rtol=0, atol=1e-13 * np.abs(one).max())


@pytest.mark.parametrize(("representation", "most"), [("body", 41_500), ("mixed", 50_000), ("inertial", 52_500)])
def test_operations_for_a_humanoid(load_robot, representation, most):
    tree = load_robot("icub", representation).tree
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv, "w": tree.nv}
    program = trace(lambda *x: inverse_dynamics_hessian(tree, *x)._asdict(), sizes)
    assert program.operation_count < most
