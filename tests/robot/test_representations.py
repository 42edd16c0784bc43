"""Mixed and inertial representation against body, by the change of variables; and against another base."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import floatbase as fb

NAMES = ("g1", "icub")


def skew(p):
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def rotation(q):
    w, x, y, z = q[3:7]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def moved(q, v_body, step):
    """The configuration after moving by a small step along a body velocity, to second order."""
    turned = step * v_body[3:6]
    half = np.linalg.norm(turned) / 2
    w0, u0 = q[3], q[4:7]
    w1, u1 = np.cos(half), np.sin(half) * turned / (2 * half)
    quaternion = np.concatenate([[w0 * w1 - u0 @ u1], w0 * u1 + w1 * u0 + np.cross(u0, u1)])
    return np.concatenate([q[:3] + rotation(q) @ (step * v_body[:3]), quaternion, q[7:] + step * v_body[6:]])


def other_T_body(representation, q, nv):
    """T with nu = T nu_body."""
    R = rotation(q)
    T = np.eye(nv)
    T[:3, :3] = T[3:6, 3:6] = R
    if representation == "inertial":
        T[:3, 3:6] = skew(q[:3]) @ R
    return T


def rate_of_T(representation, q, v_body, nv):
    """Derivative of T along the motion."""
    R, w = rotation(q), v_body[3:6]
    dR, do = R @ skew(w), R @ v_body[:3]
    dT = np.zeros((nv, nv))
    dT[:3, :3] = dT[3:6, 3:6] = dR
    if representation == "inertial":
        dT[:3, 3:6] = skew(do) @ R + skew(q[:3]) @ dR
    return dT


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("representation", ["mixed", "inertial"])
def test_dynamics_by_the_change_of_variables(load_robot, name, representation, rng):
    body, other = load_robot(name, "body"), load_robot(name, representation)
    for _ in range(5):
        q, v_body = body.random(rng)
        a_body = rng.standard_normal(body.nv)
        T, dT = other_T_body(representation, q, body.nv), rate_of_T(representation, q, v_body, body.nv)
        v, a = T @ v_body, T @ a_body + dT @ v_body
        tau_body = body.inverse_dynamics(q, v_body, a_body)
        tau = np.linalg.solve(T.T, tau_body)
        scale = np.linalg.norm(tau)
        assert np.linalg.norm(other.inverse_dynamics(q, v, a) - tau) < 1e-11 * scale
        assert np.linalg.norm(other.forward_dynamics(q, v, tau) - a) < 1e-9 * np.linalg.norm(a)
        M = np.linalg.solve(T.T, np.linalg.solve(T.T, body.mass_matrix(q)).T)
        assert np.linalg.norm(other.mass_matrix(q) - M) < 1e-11 * np.linalg.norm(M)
        assert np.allclose(other.kinetic_energy(q, v), body.kinetic_energy(q, v_body), rtol=1e-11)
        assert np.allclose(other.com_jacobian(q) @ v, body.com_jacobian(q) @ v_body, atol=1e-11)


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
def test_jacobians_are_derivatives_of_poses(load_robot, representation, rng):
    robot, body = load_robot("g1", representation), load_robot("g1", "body")
    frame = robot.body_names[-1]
    q, v_body = body.random(rng)
    v = other_T_body(representation, q, robot.nv) @ v_body if representation != "body" else v_body
    h = 1e-6

    H = robot.pose(q, frame)
    rate = (robot.pose(moved(q, v_body, h), frame) - robot.pose(moved(q, v_body, -h), frame)) / (2 * h)
    left = np.linalg.inv(H) @ rate
    right = rate @ np.linalg.inv(H)
    expected = {
        "body": [*left[:3, 3], left[2, 1], left[0, 2], left[1, 0]],
        "inertial": [*right[:3, 3], right[2, 1], right[0, 2], right[1, 0]],
        "mixed": [*rate[:3, 3], right[2, 1], right[0, 2], right[1, 0]],
    }[representation]
    assert np.allclose(robot.jacobian(q, frame) @ v, expected, atol=1e-7)
    assert np.allclose(robot.velocity(q, v, frame), robot.jacobian(q, frame) @ v, atol=1e-12)


def test_power_balance(load_robot, rng):
    """Power of the generalised forces equals the rate of the total energy, along a body motion."""
    robot = load_robot("icub", "mixed")
    q, v = robot.random(rng)
    a = rng.standard_normal(robot.nv)
    tau = robot.inverse_dynamics(q, v, a)
    dv = 1e-6

    v_body = v.copy()
    v_body[:3], v_body[3:6] = rotation(q).T @ v[:3], rotation(q).T @ v[3:6]

    def energy(step):
        there = moved(q, v_body, step)
        return robot.kinetic_energy(there, v + step * a) + robot.potential_energy(there)

    assert (energy(dv) - energy(-dv)) / (2 * dv) == pytest.approx(tau @ v, rel=1e-7)


def test_another_base_changes_nothing_physical(rng):
    robot = fb.load("anymal_c")
    foot = fb.load("anymal_c", base="LF_FOOT")
    q, v = robot.random(rng)
    H, w = robot.pose(q, "LF_FOOT"), robot.velocity(q, v, "LF_FOOT")
    quaternion = Rotation.from_matrix(H[:3, :3]).as_quat(scalar_first=True)
    q_foot, v_foot = np.concatenate([H[:3, 3], quaternion, q[7:]]), np.concatenate([w, v[6:]])
    assert np.allclose(foot.com(q_foot), robot.com(q), atol=1e-12)
    assert np.isclose(foot.kinetic_energy(q_foot, v_foot), robot.kinetic_energy(q, v), rtol=1e-11)
    torques = np.concatenate([np.zeros(6), rng.standard_normal(12)])
    ours, theirs = robot.forward_dynamics(q, v, torques), foot.forward_dynamics(q_foot, v_foot, torques)
    assert np.allclose(ours[6:], theirs[6:], rtol=1e-8, atol=1e-8)
