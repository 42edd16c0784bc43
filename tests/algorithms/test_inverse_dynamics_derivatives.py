"""Derivatives of inverse dynamics: every kind of joint, both directions, all representations, wrenches, rotors."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error, trees
from tests.algorithms.every_kind import COUNT, EXACT, Situation, along, by_complex_step, robot_of_every_kind
from tests.random_trees import random_state, random_tree, with_representation

from floatbase.algorithms import inverse_dynamics, mass_matrix
from floatbase.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from floatbase.compiler import trace

KINDS = ("revolute", "prismatic", "helical", "spherical", "planar", "floating")


def cases():
    for k, tree in enumerate(trees(4, kinds=KINDS, backwards=0.5, armature=True)):
        yield pytest.param(tree, id=f"all-kinds-{k}")
    for k, tree in enumerate(trees(4, seed=1, mimic=True)):
        yield pytest.param(tree, id=f"mimic-{k}")
    for k, tree in enumerate(trees(3, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0)):
        yield pytest.param(tree, id=f"reversed-{k}")


def assert_exact(tree, q, v, a, wrenches):
    found = inverse_dynamics_derivatives(tree, q, v, a, wrenches)
    assert error(found.dq, along(lambda x: inverse_dynamics(tree, x, v, a, wrenches), tree, q)) < EXACT
    expected = by_complex_step(lambda x: inverse_dynamics(tree, q, x, a, wrenches), v)
    assert error(found.dv, expected) < TOLERANCE[np.float64]
    assert error(found.da, mass_matrix(tree, q)) < TOLERANCE[np.float64]


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("number", range(COUNT))
def test_every_kind_of_joint_against_complex_steps(number, representation, rng):
    s = Situation(robot_of_every_kind(number, representation), rng)
    assert_exact(s.tree, s.q, s.v, s.a, s.wrenches)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", list(cases()))
def test_rotors_and_reversed_joints_against_complex_steps(tree, representation, rng):
    tree = with_representation(tree, representation)
    q, v = random_state(rng, tree)
    names = [name for name in tree.frames if name.startswith("frame")]
    wrenches = {name: 5.0 * rng.standard_normal(6) for name in (names[0], names[-1])}
    assert_exact(tree, q, v, rng.standard_normal(tree.nv), wrenches)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_batches_and_other_inertial_parameters(representation, rng):
    tree = random_tree(rng, 6, representation=representation, kinds=KINDS)
    q, v = random_state(rng, tree, (3, 2))
    a = rng.standard_normal(v.shape)
    parameters = np.stack([[body.parameters for body in tree.bodies]] * 2).reshape(2, -1)
    parameters = parameters * rng.uniform(0.5, 1.5, parameters.shape)
    batch = inverse_dynamics_derivatives(tree, q, v, a, parameters=parameters)
    for i, j in np.ndindex(3, 2):
        single = inverse_dynamics_derivatives(tree, q[i, j], v[i, j], a[i, j], parameters=parameters[j])
        for many, one in zip(batch, single):
            np.testing.assert_allclose(many[i, j], one, rtol=0, atol=1e-13 * np.abs(one).max())


def test_moving_the_base_changes_no_more_than_gravity(rng):
    """In body axes the first three columns vanish, and turning acts on gravity alone (Bos 2019, (4.21) corrected)."""
    tree = random_tree(rng, 8, kinds=KINDS)
    q, v = random_state(rng, tree)
    a = rng.standard_normal(tree.nv)
    found = inverse_dynamics_derivatives(tree, q, v, a)
    w, x, y, z = q[3:7]
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    gx, gy, gz = R.T @ tree.gravity
    hat = np.array([[0, -gz, gy], [gz, 0, -gx], [-gy, gx, 0]])
    np.testing.assert_array_equal(found.dq[:, :3], 0.0)
    assert error(found.dq[:, 3:6], -mass_matrix(tree, q)[:, :3] @ hat) < 1e-12


def test_joints_on_different_branches_do_not_meet():
    """Structural zeros, exactly: no operation is spent where two joints share no path to the base."""
    tree = random_tree(np.random.default_rng(3), 9, prismatic=0.3, branching=1.0)
    parents = {body.joint.index: body.parent for body in tree.bodies[1:]}
    ancestors = {}
    for index, parent in parents.items():
        chain, body = {index}, parent
        while body > 0:
            chain.add(tree.bodies[body].joint.index)
            body = tree.bodies[body].parent
        ancestors[index] = chain
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv}
    program = trace(lambda q, v, a: inverse_dynamics_derivatives(tree, q, v, a)._asdict(), sizes)
    for name in ("dq", "dv", "da"):
        pattern = program.sparsity(name)[6:, 6:]
        for i, j in np.ndindex(pattern.shape):
            if i not in ancestors[j] and j not in ancestors[i]:
                assert not pattern[i, j]


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_operations_for_a_humanoid(load_robot, representation):
    """Those by q and v together; automatic differentiation needs several times as many."""
    tree = load_robot("icub", representation).tree
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv}
    program = trace(lambda q, v, a: inverse_dynamics_derivatives(tree, q, v, a)[:2], sizes)
    assert program.operation_count < 30_000
