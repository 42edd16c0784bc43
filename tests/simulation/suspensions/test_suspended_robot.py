"""The platform with its arm: propellers and their thrusts, and its state from one pose."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.suspensions.hanging import hung

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError, StateError, UnknownNameError
from floatbase.model import library
from floatbase.simulation.suspensions import (
    CompliantPendulum,
    Propellers,
    reconstruct_hook,
    reconstruct_robot,
)

FREE = fb.Robot(library.suspended_manipulator(hung=False))


def test_propellers_give_every_wrench(rng):
    propellers = Propellers.of_model(FREE.model)
    W = propellers.wrench_matrix
    assert W.shape == (6, 8) and np.linalg.cond(W) < 3.0
    for k in range(8):
        center_H = spatial.invert_pose(FREE.pose(FREE.neutral(), "center"))
        propeller = center_H @ FREE.pose(FREE.neutral(), f"propeller_{k + 1}")
        turning = propellers.spins[k] * propellers.drag
        assert_allclose(W[:, k], spatial.transform_wrench(propeller, np.array([0, 0, 1.0, 0, 0, turning])), atol=1e-14)
    wrench = 5.0 * rng.standard_normal((10, 6))
    found = propellers.allocate(wrench)
    assert_allclose(propellers.wrench(found.thrusts), wrench, atol=1e-12)
    assert_allclose(found.part, 1.0)
    least = np.linalg.lstsq(W, wrench[0], rcond=None)[0]
    assert_allclose(found.thrusts[0], least, atol=1e-12)


def test_excessive_wrenches_keep_their_direction():
    propellers = Propellers.of_model(FREE.model, limit=30.0)
    wrench = np.array([[300.0, -100.0, 0, 0, 20.0, 5.0], [1.0, 0, 0, 0, 0, 0]])
    found = propellers.allocate(wrench)
    assert np.abs(found.thrusts[0]).max() == pytest.approx(30.0) and found.part[1] == 1.0
    assert_allclose(found.wrench, found.part[:, None] * wrench)
    assert_allclose(propellers.wrench(found.thrusts), found.wrench, atol=1e-12)
    hung_ = Propellers.of_model(library.suspended_manipulator(), limit=30.0)
    assert_allclose(hung_.wrench_matrix, propellers.wrench_matrix, atol=1e-14)
    assert Propellers.of_model(FREE.model).allocate(np.array([80.0, 0, 0, 0, 0, 0])).part == 1.0


def test_thrusts_follow_commands_with_a_lag():
    propellers = Propellers.of_model(FREE.model, lag=0.1)
    thrusts, commands = np.zeros(8), np.full(8, 1e3)
    for _ in range(1000):
        thrusts = thrusts + 1e-4 * propellers.thrust_rate(thrusts, commands)
    assert_allclose(thrusts, 50.0 * (1 - np.exp(-1.0)), rtol=1e-3)


def test_robots_without_propellers_are_refused():
    with pytest.raises(ArgumentError, match="wrench is"):
        Propellers.of_model(FREE.model).allocate(np.full(6, np.nan))
    with pytest.raises(UnknownNameError, match="unknown frame 'center'"):
        Propellers.of_model(library.pendulum())
    with pytest.raises(ArgumentError, match="has no propellers"):
        Propellers.of_model(FREE.model, about="tool")
    with pytest.raises(ArgumentError, match="limit is 0"):
        Propellers.of_model(FREE.model, limit=0.0)
    with pytest.raises(ArgumentError, match="1 propellers and 2 spins"):
        Propellers((((1.0, 0, 0, 0), (0, 1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0)),), (1.0, -1.0))
    small = Propellers.of_model(library.quadrotor_with_arm(), about="propeller_1")
    with pytest.raises(ArgumentError, match="right inverse"):
        small.allocate(np.zeros(6))


@pytest.mark.parametrize("frame", ["platform", "tool", "arm_3"])
def test_the_state_follows_from_the_pose_of_any_frame(frame, rng):
    q, _ = FREE.random(rng)
    found = reconstruct_robot(FREE, frame, FREE.pose(q, frame), q[7:])
    assert_allclose(spatial.rotation_from_quaternion(found.q[3:7]), FREE.pose(q, "platform")[:3, :3], atol=1e-12)
    assert_allclose(found.q[[0, 1, 2, *range(7, 14)]], q[[0, 1, 2, *range(7, 14)]], atol=1e-12)
    assert list(found.world_H_links) == list(FREE.body_names)
    for name, world_H_link in found.world_H_links.items():
        assert_allclose(world_H_link, FREE.pose(q, name), atol=1e-12)


def test_states_are_found_for_batches(rng):
    q, _ = FREE.random(rng, n=5)
    found = reconstruct_robot(FREE, "tool", FREE.pose(q, "tool"), q[:, 7:])
    assert_allclose(FREE.pose(found.q, "arm_4"), FREE.pose(q, "arm_4"), atol=1e-12)


def test_the_hook_hangs_where_it_must(rng):
    point = (0.5, -0.2, 6.0)
    for _ in range(10):
        H = hung([2.3, 1.4], 0.6 * rng.standard_normal((2, 3)), point)
        found = reconstruct_hook(H[1], 1.4, point)
        assert_allclose(found.world_H_hook[:3, 2:], H[0, :3, 2:], atol=1e-12)
        assert found.length == pytest.approx(2.3)
        turn = spatial.rotation_logarithm(found.world_H_hook[:3, :3] @ H[1, :3, :3].T)
        assert turn @ H[1, :3, 2] == pytest.approx(0.0, abs=1e-12)  # none about the platform's z axis
    straight = reconstruct_hook(hung([3.7], [[0.2, 0.1, 0.3]])[0], 1.4)
    assert_allclose(straight.world_H_hook[:3, :3], hung([3.7], [[0.2, 0.1, 0.3]])[0, :3, :3], atol=1e-7)


def test_what_cannot_be_reconstructed_is_refused(rng):
    q, _ = FREE.random(rng)
    with pytest.raises(ShapeError, match=r"joints has shape \(6,\); the robot's joints have 7 positions"):
        reconstruct_robot(FREE, "tool", np.eye(4), q[8:])
    with pytest.raises(StateError, match="base is fixed"):
        reconstruct_robot(fb.load("suspended_manipulator"), "tool", np.eye(4), q[7:])
    with pytest.raises(StateError, match=r"the hook is .* m from the suspension point"):
        reconstruct_hook(hung([1.4], np.zeros((1, 3)))[0], 1.4)
    with pytest.raises(ArgumentError, match="platform_length is 0"):
        reconstruct_hook(np.eye(4), 0.0)
    with pytest.raises(StateError, match="upside down"):
        reconstruct_hook(spatial.pose_from(np.eye(3), np.array([0, 0, 1.0])), 1.0)


def test_a_suspension_holds_the_robot_of_the_tree():
    """The wrench of a compliant cable on the free platform, through the tree, lets the whole robot rest."""
    cable = CompliantPendulum(3.4832, 54589.0, 1903.0)
    stretch = FREE.mass * 9.81 / 54589.0
    q = FREE.neutral()
    q[2] = -3.4832 - stretch
    world_H_center = FREE.pose(q, "center")
    wrench = cable.wrenches(world_H_center[None], np.zeros(6))
    mixed = spatial.change_wrench(wrench, "body", "mixed", world_H_center)
    tau = FREE.gravity(q)
    tau[:6] = 0.0
    acceleration = FREE.forward_dynamics(q, np.zeros(FREE.nv), tau, wrenches={"center": mixed})
    assert_allclose(acceleration, 0.0, atol=1e-9)
