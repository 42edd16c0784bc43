"""Robots of bodies and joints: freedoms, agreement with trees, four forms of chains and arms, energy."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_pose, random_state, random_tree
from tests.simulation.constraints.robots import four_bar_robot, seven_joint_arm

import floatbase as fb
from floatbase import algorithms, spatial
from floatbase.errors import ModelError
from floatbase.model import build_tree, library
from floatbase.model.tree import Body, Tree, TreeJoint
from floatbase.simulation.constraints import diagnose
from floatbase.simulation.constraints.bodies import (
    GeneralizedModel,
    assemble,
    compare_trajectories,
    equivalence,
    explicit_motion,
    explicit_velocity,
)

STEP = 1e-30


def three_slides_three_hinges(rng):
    arm = random_tree(rng, 7, False, "body", branching=0.0)
    bodies = [arm.bodies[0]]
    for k, body in enumerate(arm.bodies[1:]):
        kind = "prismatic" if k < 3 else "revolute"
        bodies.append(Body(body.name, k, TreeJoint(f"joint{k}", kind, random_pose(rng), k), body.parameters))
    return Tree("arm", tuple(bodies), arm.frames, tuple(f"joint{k}" for k in range(6)), False, "body")


def accelerations_of_tree(whole, q, v, a):
    """The derivative of the body twists along the tree's motion."""
    return whole.twists(algorithms.integrate(whole.tree, q, 1j * STEP * v), v + 1j * STEP * a).imag / STEP


def generalized(tree):
    """The tree's bodies as a function of its coordinates."""
    whole = assemble(tree)
    return GeneralizedModel(whole.poses, tree.nq, whole.system.inertial_parameters, whole.system.gravity), whole


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("kinds", [(), ("revolute", "spherical", "prismatic")])
def test_chains_and_branches_move_as_trees_do(floating, kinds, rng):
    tree = random_tree(rng, 7, floating, "mixed", kinds=kinds)
    whole = assemble(tree)
    q, v = random_state(rng, tree)
    moving = [body.joint for body in tree.bodies[1:] if body.joint.nv == 1]
    efforts = rng.standard_normal(len(moving))
    tau = np.zeros(tree.nv)
    for joint, effort in zip(moving, efforts):
        tau[(6 if floating else 0) + joint.index] = effort
    a = algorithms.forward_dynamics(tree, q, v, tau)
    H, V = whole.poses(q), whole.twists(q, v)
    motion = explicit_motion(whole.system, H, V, whole.wrenches(H, efforts))
    expected = accelerations_of_tree(whole, q, v, a)
    assert_allclose(motion.acceleration, expected, atol=1e-10 * np.linalg.norm(expected))
    assert whole.system.kinetic_energy(V) == pytest.approx(algorithms.kinetic_energy(tree, q, v))
    assert diagnose(whole.system, H).freedoms == tree.nv
    # the world's potential differs by the base of a fixed tree, which does not move
    lift = algorithms.potential_energy(tree, q) - whole.system.potential_energy(H)
    other, _ = random_state(rng, tree)
    again = algorithms.potential_energy(tree, other) - whole.system.potential_energy(whole.poses(other))
    assert again == pytest.approx(lift, abs=1e-9)


def test_three_slides_and_three_hinges(rng):
    """Six bodies, thirty rows, six freedoms; the energy stays."""
    tree = three_slides_three_hinges(rng)
    whole = assemble(tree)
    system = whole.system
    q, v = random_state(rng, tree)
    H, V = whole.poses(q), whole.twists(q, v)
    found = diagnose(system, H)
    assert (found.rows, found.rank, found.freedoms) == (30, 30, 6)
    later = system.matrix(H @ spatial.pose_exponential(1j * STEP * V.reshape(-1, 6))).imag / STEP
    assert_allclose(system.rate(H, V), later, atol=1e-10)
    velocity = explicit_velocity(system, lambda _t, _H, V: np.zeros_like(V))
    state = (*H, V)
    energies = [system.kinetic_energy(V) + system.potential_energy(H)]
    for k in range(100):
        state = spatial.projected_stacked_step(velocity, 2e-3 * k, state, 2e-3)
    end = np.array(state[:-1])
    energies.append(system.kinetic_energy(state[-1]) + system.potential_energy(end))
    assert abs(energies[1] - energies[0]) < 1e-9 * system.kinetic_energy(state[-1])
    assert np.abs(system.residual(end)).max() < 1e-8


@pytest.mark.parametrize(("hook_mass", "expected"), [(None, (38, 38, 10)), (20.0, (41, 41, 13))])
def test_freedoms_of_the_suspended_manipulator(hook_mass, expected, rng):
    robot = fb.Robot(library.suspended_manipulator(hook_mass=hook_mass))
    whole = assemble(robot)
    q, v = robot.random(rng)
    H, V = whole.poses(q), whole.twists(q, v)
    assert diagnose(whole.system, H)[:3] == expected
    later = whole.system.matrix(H @ spatial.pose_exponential(1j * STEP * V.reshape(-1, 6))).imag / STEP
    assert_allclose(whole.system.rate(H, V), later, atol=1e-10)
    motion = explicit_motion(whole.system, H, V, np.zeros_like(V))
    expected_rates = accelerations_of_tree(whole, q, v, robot.forward_dynamics(q, v, np.zeros(robot.nv)))
    assert_allclose(motion.acceleration, expected_rates, atol=1e-9 * np.linalg.norm(expected_rates))


def states(rng, d, n, count):
    return [(rng.uniform(-1.5, 1.5, d), rng.standard_normal(d), 5.0 * rng.standard_normal(6 * n)) for _ in range(count)]


def test_four_forms_of_the_double_pendulum(rng):
    model, whole = generalized(build_tree(library.planar_double_pendulum((1.0, 2.0), (0.8, 1.1))))
    found = equivalence(model, whole.system, states(rng, 2, 2, 100))
    assert found.largest < 1e-10 and found.multipliers < 1e-9
    assert found.constraint < 1e-12 and found.basis < 1e-12 and found.rank == 2
    q, qd, f = states(rng, 2, 2, 1)[0]
    apart = compare_trajectories(model, whole.system, q, qd, 0.1 * f, np.array([0.0, 0.2]), 1e-9)
    assert max(apart.values()) < 1e-8


def test_four_forms_of_an_arm_of_seven_joints(rng):
    tree = build_tree(seven_joint_arm())
    model, whole = generalized(tree)
    cases = states(rng, 7, 7, 20)
    found = equivalence(model, whole.system, cases)
    assert found.largest < 1e-10 and found.multipliers < 1e-9
    assert found.constraint < 1e-12 and found.basis < 1e-12 and found.rank == 7
    assert diagnose(whole.system, whole.poses(cases[0][0])).freedoms == 7
    # and with the recursions of the tree
    q, qd, f = cases[0]
    forces = model.generalized_forces(q, f)
    a = algorithms.forward_dynamics(tree, q, qd, forces)
    assert_allclose(model.lagrange_acceleration(q, qd, forces), a, atol=1e-9 * np.linalg.norm(a))
    assert_allclose(model.motion(q, qd)[0], whole.poses(q), atol=1e-13)


def test_loops_count(rng):
    robot = four_bar_robot()
    whole = assemble(robot)
    assert [item.name for item in whole.system.constraints] == ["input", "knee", "output", "loop"]
    q = np.array([0.1, 0.2, 0.3])
    assert diagnose(whole.system, whole.poses(q)).rows == 20
    assert len(assemble(robot.tree).system.constraints) == 3


def test_joints_without_a_counterpart_are_refused(rng):
    tree = random_tree(rng, 3, False, "body", kinds=("helical",))
    with pytest.raises(ModelError, match=r"joint 'joint1'.*helical.*revolute, prismatic and spherical"):
        assemble(tree)
    with pytest.raises(ModelError, match="rotor"):
        assemble(random_tree(np.random.default_rng(3), 8, False, "body", kinds=("revolute",), armature=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.ModelWarning)
        model = four_bar_robot().model
        loop = replace(model.constraints[0], kind="universal", second_axis=np.array([1.0, 0.0, 0.0]))
        robot = fb.Robot(replace(model, constraints=(loop,)))
    with pytest.raises(ModelError, match="'loop' is universal"):
        assemble(robot)
