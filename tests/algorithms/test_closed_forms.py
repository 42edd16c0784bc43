"""Robots small enough for pen and paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_quaternion

from floatbase import algorithms, spatial
from floatbase.model.tree import Body, Tree, TreeJoint

ALONG_X = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])  # z of the joint is x of the parent


def body(mass, center, central, name="link", joint=None, parent=-1):
    parameters = spatial.parameters_from_center(mass, np.array(center, float), np.diag(np.array(central, float)))
    return Body(name, parent, joint, parameters)


def tree(*bodies, floating=True, gravity=(0.0, 0.0, -9.81)):
    n = len(bodies) - 1
    frames = {item.name: (k, np.eye(4)) for k, item in enumerate(bodies)}
    return Tree("small", bodies, frames, tuple(f"joint{k}" for k in range(n)), floating, "body", gravity)


def neutral(robot):
    q = np.zeros(robot.nq)
    if robot.floating:
        q[3] = 1.0
    return q


def test_free_rigid_body():
    rng = np.random.default_rng(0)
    J = np.array([0.3, 0.5, 0.6])
    robot = tree(body(2.0, [0, 0, 0], J))
    q, v = neutral(robot), rng.standard_normal(6)
    q[3:7] = random_quaternion(rng)
    R, w = spatial.rotation_from_quaternion(q[3:7]), v[3:]
    expected = [*(R.T @ robot.gravity - np.cross(w, v[:3])), *(-np.cross(w, J * w) / J)]
    assert_allclose(algorithms.forward_dynamics(robot, q, v, np.zeros(6)), expected, atol=1e-14)


def test_slider_on_a_floating_base():
    joint = TreeJoint("slide", "prismatic", ALONG_X, 0)
    robot = tree(body(3.0, [0, 0, 0], [1, 1, 1]), body(1.5, [0, 0, 0], [1, 1, 1], "slider", joint, 0))
    inverse = np.linalg.inv(algorithms.mass_matrix(robot, neutral(robot)))
    assert_allclose([inverse[6, 6], inverse[0, 6]], [1.0, -1.0 / 3.0], atol=1e-14)


def test_hinge_on_a_floating_base():
    joint = TreeJoint("hinge", "revolute", np.eye(4), 0)
    robot = tree(body(4.0, [0, 0, 0], [1, 1, 0.3]), body(1.2, [0.6, 0, 0], [1, 1, 0.05], "arm", joint, 0))
    q, tau = neutral(robot), np.eye(7)[6]
    expected = 1.0 / (0.05 + 4.0 * 1.2 / 5.2 * 0.36) + 1.0 / 0.3
    a = algorithms.forward_dynamics(robot, q, np.zeros(7), tau)
    force_free = algorithms.forward_dynamics(robot, q, np.zeros(7), np.zeros(7))
    assert_allclose((a - force_free)[[6, 5]], [expected, -1.0 / 0.3], rtol=1e-13)
    assert expected == pytest.approx(5.949027498)


def test_pendulum():
    hang = TreeJoint("pivot", "revolute", ALONG_X, 0)
    robot = tree(body(1.0, [0, 0, 0], [1, 1, 1]), body(2.0, [0.5, 0, 0], [0.1] * 3, "bob", hang, 0), floating=False)
    q = np.array([0.4])
    # the bob's arm points down (parent -z) at zero
    assert_allclose(algorithms.gravity(robot, q), [2.0 * 9.81 * 0.5 * np.sin(0.4)], rtol=1e-14)
    inertia = 0.1 + 2.0 * 0.25
    assert_allclose(algorithms.mass_matrix(robot, q), [[inertia]], rtol=1e-14)
    expected = -algorithms.gravity(robot, q) / inertia
    assert_allclose(algorithms.forward_dynamics(robot, q, np.array([3.0]), np.zeros(1)), expected, rtol=1e-13)


def test_massless_bodies_between_joints():
    rng = np.random.default_rng(1)
    nothing = np.zeros(10)
    robot = tree(
        Body("base", -1, None, random_parameters(rng)),
        Body("first", 0, TreeJoint("x", "prismatic", ALONG_X, 0), nothing),
        Body("second", 1, TreeJoint("y", "prismatic", ALONG_X, 1), nothing),
        Body("last", 2, TreeJoint("turn", "revolute", np.eye(4), 2), random_parameters(rng)),
    )
    q, v, tau = neutral(robot), rng.standard_normal(9), rng.standard_normal(9)
    q[7:] = rng.standard_normal(3)
    a = algorithms.forward_dynamics(robot, q, v, tau)
    assert_allclose(algorithms.inverse_dynamics(robot, q, v, a), tau, atol=1e-11)


def test_gravity_is_a_uniform_acceleration():
    rng = np.random.default_rng(2)
    joint = TreeJoint("hinge", "revolute", ALONG_X, 0)
    robot = tree(Body("base", -1, None, random_parameters(rng)), Body("arm", 0, joint, random_parameters(rng)))
    q = neutral(robot)
    q[3:7], q[7:] = random_quaternion(rng), 0.3
    g = spatial.rotation_from_quaternion(q[3:7]).T @ robot.gravity
    assert_allclose(algorithms.gravity(robot, q), -algorithms.mass_matrix(robot, q)[:, :3] @ g, atol=1e-12)


def test_velocity_terms_are_quadratic():
    """Euler's theorem: doubling the velocity quadruples what depends on it."""
    rng = np.random.default_rng(3)
    joint = TreeJoint("hinge", "revolute", ALONG_X, 0)
    robot = tree(Body("base", -1, None, random_parameters(rng)), Body("arm", 0, joint, random_parameters(rng)))
    q, v = neutral(robot), rng.standard_normal(7)
    G = algorithms.gravity(robot, q)
    once, twice = algorithms.bias(robot, q, v) - G, algorithms.bias(robot, q, 2.0 * v) - G
    assert_allclose(twice, 4.0 * once, atol=1e-12)
