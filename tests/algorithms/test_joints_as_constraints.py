"""Joints of the tree keep what joints described as constraints between two bodies demand of their velocities.

With the angular part of twists first, a revolute joint about z of J demands

    v1 + omega1 x r1J = R12 (v2 + omega2 x r2J),   S RJ^T (omega1 - R12 omega2) = 0,

a prismatic one omega1 = R12 omega2 and S RJ^T (v1 + omega1 x r12 - R12 v2) = 0, with S = [1 0 0; 0 1 0].
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.random_trees import random_state, random_tree

from floatbase import algorithms, spatial
from floatbase.model.tree import Body, Tree, TreeJoint

STEP = 1e-20
SELECT = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def constraint(kind, first_H_joint, second_H_joint, first_H_second):
    """A (5, 12) for the stacked body twists of the two links, angular parts first."""
    R12, r12 = first_H_second[:3, :3], first_H_second[:3, 3]
    RJ = first_H_joint[:3, :3]
    one, zero = np.eye(3), np.zeros((3, 3))
    if kind == "revolute":
        r1, r2 = spatial.hat(first_H_joint[:3, 3]), spatial.hat(second_H_joint[:3, 3])
        point = np.hstack([-r1, one, R12 @ r2, -R12])
        turn = SELECT @ RJ.T @ np.hstack([one, zero, -R12, zero])
        return np.vstack([point, turn])
    turn = np.hstack([one, zero, -R12, zero])
    slide = SELECT @ RJ.T @ np.hstack([-spatial.hat(r12), one, zero, -R12])
    return np.vstack([turn, slide])


def stacked(tree, q, v, first, second):
    """Both twists, angular first."""
    return np.concatenate([spatial.angular_first(algorithms.velocity(tree, q, v, name)) for name in (first, second)])


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_velocities_and_accelerations_satisfy_the_constraint(kind, rng):
    tree = random_tree(rng, 5, True, "body", prismatic=float(kind == "prismatic"))
    q, v = random_state(rng, tree)
    a = algorithms.forward_dynamics(tree, q, v, np.r_[np.zeros(6), rng.standard_normal(tree.nv - 6)])

    def at(q):
        matrices = []
        for body in tree.bodies[1:]:
            first_H_second = algorithms.relative_pose(tree, q, tree.bodies[body.parent].name, body.name)
            matrices.append(constraint(kind, body.joint.parent_H_joint, np.eye(4), first_H_second))
        return matrices

    later = at(algorithms.integrate(tree, q, 1j * STEP * v))
    for body, A, slope in zip(tree.bodies[1:], at(q), later, strict=True):
        names = tree.bodies[body.parent].name, body.name
        V = stacked(tree, q, v, *names)
        V_rate = np.concatenate([spatial.angular_first(algorithms.acceleration(tree, q, v, a, name)) for name in names])
        assert np.linalg.matrix_rank(A) == 5
        assert_allclose(A @ V, 0.0, atol=1e-12)
        size = np.linalg.norm(V_rate)
        assert_allclose(A @ V_rate + slope.imag / STEP @ V, 0.0, atol=1e-11 * size)


def test_a_robot_of_three_slides_and_three_hinges_keeps_its_energy(rng):
    """Thirty constraints on six bodies leave six velocities."""
    arm = random_tree(rng, 7, False, "body", branching=0.0)
    kinds = ["prismatic"] * 3 + ["revolute"] * 3
    bodies = [arm.bodies[0]]
    for k, (body, kind) in enumerate(zip(arm.bodies[1:], kinds, strict=True)):
        bodies.append(Body(body.name, k, TreeJoint(f"joint{k}", kind, body.joint.parent_H_joint, k), body.parameters))
    tree = Tree("arm", tuple(bodies), arm.frames, tuple(f"joint{k}" for k in range(6)), False, "body")
    q, v = random_state(rng, tree)
    rows = []
    for k, kind in enumerate(kinds):
        first_H_second = algorithms.relative_pose(tree, q, bodies[k].name, bodies[k + 1].name)
        A = constraint(kind, bodies[k + 1].joint.parent_H_joint, np.eye(4), first_H_second)
        row = np.zeros((5, 42))
        row[:, 6 * k : 6 * k + 12] = A
        rows.append(row[:, 6:])  # the world does not move
    assert np.linalg.matrix_rank(np.vstack(rows)) == 30 and tree.nv == 36 - 30

    def slope(_time, x):
        return np.r_[x[6:], algorithms.forward_dynamics(tree, x[:6], x[6:], np.zeros(6))]

    end = solve_ivp(slope, (0.0, 2.0), np.r_[q, v], "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    energies = [
        algorithms.kinetic_energy(tree, x[:6], x[6:]) + algorithms.potential_energy(tree, x[:6])
        for x in (np.r_[q, v], end)
    ]
    assert abs(energies[1] - energies[0]) < 1e-9 * algorithms.kinetic_energy(tree, end[:6], end[6:])
