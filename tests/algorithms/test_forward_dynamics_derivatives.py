"""Derivatives of forward dynamics, and the solver with the structure of the tree behind them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error, trees
from tests.algorithms.every_kind import COUNT, EXACT, Situation, along, by_complex_step, robot_of_every_kind
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_parameters, random_state, random_tree, with_representation

from floatbase.algorithms import forward_dynamics, mass_matrix
from floatbase.algorithms.branches import elimination_parents, solve_columns
from floatbase.algorithms.derivatives.forward_dynamics import forward_dynamics_derivatives
from floatbase.algorithms.factorization import elimination_order, factorize
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.compiler import interpret, trace
from floatbase.model.tree import Body, Tree, TreeJoint

CASES = [
    *trees(4, kinds=KINDS, backwards=0.5, armature=True),
    *trees(4, seed=1, mimic=True),
    *trees(3, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0),
]


def assert_exact(tree, q, v, tau, wrenches):
    found = forward_dynamics_derivatives(tree, q, v, tau, wrenches)
    assert error(found.dq, along(lambda x: forward_dynamics(tree, x, v, tau, wrenches), tree, q)) < EXACT
    assert error(found.dv, by_complex_step(lambda x: forward_dynamics(tree, q, x, tau, wrenches), v)) < EXACT
    assert error(found.dtau, np.linalg.inv(mass_matrix(tree, q))) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("number", range(COUNT))
def test_every_kind_of_joint_against_complex_steps(number, representation, rng):
    s = Situation(robot_of_every_kind(number, representation), rng)
    assert_exact(s.tree, s.q, s.v, s.tau, s.wrenches)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", CASES)
def test_rotors_and_reversed_joints_against_complex_steps(tree, representation, rng):
    tree = with_representation(tree, representation)
    q, v = random_state(rng, tree)
    wrenches = {list(tree.frames)[-1]: rng.standard_normal(6)}
    assert_exact(tree, q, v, rng.standard_normal(tree.nv), wrenches)


def test_a_free_body_has_a_closed_form(rng):
    """With its centre of mass at the origin, in body axes (Bos 2019, section 3.4)."""
    tree = random_tree(rng, 1)
    m, inertia = 2.0, np.diag([0.1, 0.2, 0.25])
    body = np.array([m, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.25])
    q, v = random_state(rng, tree)
    found = forward_dynamics_derivatives(tree, q, v, np.zeros(6), parameters=body)
    w, x, y, z = q[3:]
    hat = lambda a: np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])  # noqa: E731
    R = np.eye(3) + 2 * w * hat([x, y, z]) + 2 * hat([x, y, z]) @ hat([x, y, z])
    linear, omega = v[:3], v[3:]
    dq = np.zeros((6, 6))
    dq[:3, 3:] = hat(R.T @ tree.gravity)
    np.testing.assert_allclose(found.dq, dq, atol=1e-13)
    turning = np.linalg.solve(inertia, hat(inertia @ omega) - hat(omega) @ inertia)
    np.testing.assert_allclose(
        found.dv, np.block([[-hat(omega), hat(linear)], [np.zeros((3, 3)), turning]]), atol=1e-13
    )


def test_every_velocity_is_eliminated_into_the_one_before_it_on_the_way(load_robot):
    parents = elimination_parents(load_robot("icub", "body").tree)
    assert parents[:7] == [-1, 0, 1, 2, 3, 4, 5]
    assert parents.count(5) == 3  # the legs and the torso part at the base
    assert sorted(map(parents.count, set(parents)))[-3:] == [1, 3, 3]  # arms and head at the chest


def coupled(tree):
    """Pairs of velocities on one way from the base."""
    head = 6 * tree.floating
    pattern, ways = np.zeros((tree.nv, tree.nv), dtype=bool), []
    for body in tree.bodies:
        way = list(range(head)) if body.parent < 0 else list(ways[body.parent])
        if body.joint:
            way += [head + body.joint.index + k for k in range(body.joint.nv)]
        ways.append(way)
        pattern[np.ix_(way, way)] = True
    return pattern


@pytest.mark.parametrize("tree", CASES)
def test_columns_are_solved_with_and_without_symbols(tree, rng):
    q, _ = random_state(rng, tree)
    mask = np.tile(coupled(tree), 2)
    right = rng.standard_normal(mask.shape) * mask
    expected = np.linalg.solve(mass_matrix(tree, q), right)

    def solve(q, B):
        return solve_columns(tree, factorize(mass_matrix_rows(tree, q), elimination_order(tree)), B * mask)

    assert error(solve(q, right), expected) < 1e-9
    program = trace(solve, {"q": tree.nq, "B": right.shape})
    assert error(interpret(program, q, right)[0], expected) < 1e-9


def test_orthogonal_slides_are_coupled_by_turns_alone(rng):
    """Their entry of the mass matrix is a structural zero, those of the derivatives are not."""
    quarter = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    joints = [TreeJoint(f"joint{k}", kind, quarter, k) for k, kind in enumerate(["revolute", *["prismatic"] * 3])]
    bodies = [Body("link0", -1, None, random_parameters(rng))]
    bodies += [Body(f"link{k + 1}", k, joint, random_parameters(rng)) for k, joint in enumerate(joints)]
    frames = {body.name: (k, np.eye(4)) for k, body in enumerate(bodies)}
    tree = Tree(
        "gantry", tuple(bodies), frames, tuple(joint.name for joint in joints), False, "mixed", (1.0, 2.0, -9.0)
    )
    q, v = random_state(rng, tree)
    tau = rng.standard_normal(4)
    sizes = {"q": 4, "v": 4, "tau": 4}
    program = trace(lambda *arrays: forward_dynamics_derivatives(tree, *arrays)._asdict(), sizes)
    dq, dv, _ = interpret(program, q, v, tau)
    assert error(dq, by_complex_step(lambda x: forward_dynamics(tree, x, v, tau), q)) < 1e-11
    assert error(dv, by_complex_step(lambda x: forward_dynamics(tree, q, x, tau), v)) < 1e-11


def test_machine_code_agrees_with_numbers(load_robot, rng):
    tree = load_robot("anymal_c", "mixed").tree
    robot = load_robot("anymal_c", "mixed")
    q, v = robot.random(rng, n=5)
    tau = rng.standard_normal(v.shape)
    sizes = {"q": tree.nq, "v": tree.nv, "tau": tree.nv}
    program = trace(lambda *arrays: forward_dynamics_derivatives(tree, *arrays)._asdict(), sizes)
    for ours, theirs in zip(interpret(program, q, v, tau), forward_dynamics_derivatives(tree, q, v, tau)):
        assert error(ours, theirs) < TOLERANCE[np.float64]
