"""The quantities of a robot that go beyond the equations of motion, compiled."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.agreement.random_models import random_model

import floatbase as fb
from floatbase.algorithms import bias
from floatbase.errors import ArgumentError, ShapeError


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


def test_parameters_of_the_robot_itself_change_nothing(robot, rng):
    q, v = robot.random(rng)
    a, phi = rng.standard_normal(robot.nv), robot.inertial_parameters
    assert np.allclose(robot.inverse_dynamics(q, v, a, parameters=phi), robot.inverse_dynamics(q, v, a), atol=1e-9)
    assert np.allclose(robot.regressor(q, v, a) @ phi, robot.inverse_dynamics(q, v, a), atol=1e-9)


def test_parameters_of_each_state_equal_a_loop_over_robots(robot, rng):
    q, v = robot.random(rng, n=3)
    phis = robot.inertial_parameters * rng.uniform(0.8, 1.2, (3, robot.n_bodies))[:, :, None].repeat(10, 2).reshape(
        3, -1
    )
    batch = robot.bias(q, v, parameters=phis)
    shared = robot.bias(q, v, parameters=phis[0])
    for k in range(3):
        other = robot.with_inertial_parameters(phis[k])
        assert np.allclose(other.inertial_parameters, phis[k], atol=1e-12)
        expected = bias(other.tree, q[k], v[k])
        assert np.allclose(batch[k], expected, atol=1e-9)
    assert np.allclose(shared[0], batch[0], atol=1e-12)


def test_parameters_and_wrenches_together(robot, rng):
    q, v = robot.random(rng)
    a, f, phi = rng.standard_normal(robot.nv), rng.standard_normal(6), robot.inertial_parameters
    given = robot.inverse_dynamics(q, v, a, {"LF_FOOT": f}, parameters=phi)
    assert np.allclose(given, robot.inverse_dynamics(q, v, a, {"LF_FOOT": f}), atol=1e-9)
    compiled = robot.function(["bias", ("jacobian", "LF_FOOT")], wrenches=("LF_FOOT",), parameters=True)
    assert [port.name for port in compiled.program.inputs] == ["q", "v", "wrench_LF_FOOT", "parameters"]
    forces, jacobian = compiled(q, v, f, phi)
    assert np.allclose(forces, robot.bias(q, v, {"LF_FOOT": f}), atol=1e-9)
    assert np.allclose(jacobian, robot.jacobian(q, "LF_FOOT"))


def test_what_is_said_about_bad_parameters(robot, rng):
    q, v = robot.random(rng)
    with pytest.raises(ShapeError, match="parameters"):
        robot.bias(q, v, parameters=np.zeros(10))
    with pytest.raises(ShapeError, match="parameters"):
        robot.with_inertial_parameters(np.zeros(10))
    with pytest.raises(ArgumentError, match="does not depend on inertial parameters"):
        robot.function([("jacobian", "LF_FOOT")], parameters=True)


def test_the_cross_of_a_universal_joint_is_no_link_to_give_a_mass():
    robot = fb.load(random_model(0))
    phi = robot.inertial_parameters.reshape(-1, 10)
    place = robot.body_names.index("joint2_cross")
    assert not phi[place].any()
    phi[place] = phi[0]
    with pytest.raises(ArgumentError, match="mass to 'joint2_cross', the cross of a universal joint"):
        robot.with_inertial_parameters(phi.ravel())


def test_moving_and_back(robot, rng):
    q, v = robot.random(rng, n=4)
    end = robot.integrate(q, v, 0.01)
    assert np.allclose(robot.difference(q, end), 0.01 * v, atol=1e-12)
    assert np.allclose(robot.integrate(q, v, np.full(4, 0.01)), end)
    assert np.allclose(robot.integrate_derivatives(q, v, 0.01).dv @ np.ones(robot.nv), 0.01, atol=1e-3)
    assert robot.difference_derivatives(q, end).dq.shape == (4, robot.nv, robot.nv)


def test_matrices_agree_with_one_another(robot, rng):
    q, v = robot.random(rng)
    assert np.allclose(robot.inverse_mass_matrix(q) @ robot.mass_matrix(q), np.eye(robot.nv), atol=1e-9)
    assert np.allclose(robot.coriolis_matrix(q, v) @ v, robot.bias(q, v) - robot.gravity(q), atol=1e-9)
    assert np.allclose(robot.centroidal_momentum_matrix(q) @ v, robot.centroidal_momentum(q, v), atol=1e-11)
    assert np.allclose(robot.locked_inertia(q) @ robot.average_velocity(q, v), robot.centroidal_momentum(q, v))
    still = np.zeros(robot.nv)
    drift = robot.acceleration(q, v, still, "LF_FOOT")
    assert np.allclose(robot.jacobian_rate(q, v, "LF_FOOT") @ v, drift, atol=1e-11)
    rate = robot.centroidal_momentum_rate(q, v, still)
    assert np.allclose(robot.centroidal_momentum_drift(q, v), rate, atol=1e-11)
    mobility = robot.operational_space_mobility(q, "LF_FOOT")
    assert np.allclose(robot.operational_space_inertia(q, "LF_FOOT") @ mobility, np.eye(6), atol=1e-9)


def test_one_frame_relative_to_another(robot, rng):
    q, v = robot.random(rng)
    twist = robot.relative_jacobian(q, "RF_FOOT", "LF_FOOT") @ v
    assert np.allclose(twist, robot.relative_velocity(q, v, "RF_FOOT", "LF_FOOT"), atol=1e-12)
    world_H = robot.pose(q, "RF_FOOT") @ robot.relative_pose(q, "RF_FOOT", "LF_FOOT")
    assert np.allclose(world_H, robot.pose(q, "LF_FOOT"), atol=1e-12)


def test_labels_that_meet_are_kept_apart(tmp_path):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    names = ("root", "x", "rate_x", "a_b", "a", "b_c", "c")
    joints = (
        f'<joint name="{parent} {child}" type="revolute"><origin xyz="0.1 0.2 0.3"/><axis xyz="0 1 {k}"/>'
        f'<parent link="{parent}"/><child link="{child}"/></joint>'
        for k, (parent, child) in enumerate(pairwise(names))
    )
    links = (f'<link name="{name}">{inertial}</link>' for name in names)
    file = tmp_path / "chain.urdf"
    file.write_text(f'<robot name="chain">{"".join(links)}{"".join(joints)}</robot>')
    robot = fb.load(file)
    q, v = robot.random(0)
    first, second = robot.function([("jacobian", "rate_x"), ("jacobian_rate", "x")])(q, v)
    assert np.array_equal(first, robot.jacobian(q, "rate_x")) and np.array_equal(second, robot.jacobian_rate(q, v, "x"))
    first, second = robot.function([("relative_pose", "a_b", "c"), ("relative_pose", "a", "b_c")])(q)
    assert np.array_equal(first, robot.relative_pose(q, "a_b", "c"))
    assert np.array_equal(second, robot.relative_pose(q, "a", "b_c"))
