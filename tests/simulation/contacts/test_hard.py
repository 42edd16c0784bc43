"""Robots on hard ground: rows of contacts against differences, and a humanoid that stands, in one program."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation import contacts, grounds

SOLES = ("l_sole", "r_sole")


def test_rows_are_velocities_and_gaps_of_the_points() -> None:
    robot = fb.load("quadrotor_with_arm")
    q, v = robot.random(0)
    frame = robot.frame_names[-1]
    law = contacts.HardContact(points=((0.1, 0.0, -0.2), (0.0, 0.3, 0.0)), radius=0.05)
    ground = grounds.Slope(0.3, 0.4, 0.2)
    pose, jacobian = robot.pose(q, frame), robot.jacobian(q, frame)
    rows = law.rows(pose, jacobian, ground)
    step = 1e-6
    moved = [robot.pose(robot.integrate(q, v, s * step), frame) for s in (1, -1)]
    gaps = [law.rows(place, jacobian, ground).gap for place in moved]
    np.testing.assert_allclose((rows.jacobian @ v)[2::3], (gaps[0] - gaps[1]) / (2 * step), atol=1e-8)
    center = pose[:3, 3] + pose[:3, :3] @ np.array([0.1, 0.0, -0.2])
    normal = ground.normal(0.0, 0.0)
    np.testing.assert_allclose(rows.gap[0], (center - [0, 0, 0.2]) @ normal - 0.05, atol=1e-14)


@fb.kernel(guess=(24,))
def stand(robot, q, v, guess, *, dt=2e-3, stiffness=300.0, damping=10.0):
    """A step of a robot that holds its joints by springs, implicitly, with hard contacts at its soles' corners."""
    law = contacts.HardContact(0.5, points=contacts.box_corners(0.12, 0.06))
    joints = np.concatenate([np.zeros(6), np.ones(robot.nv - 6)])
    inverse = np.linalg.inv(robot.mass_matrix(q) + np.diag(joints * dt * (damping + dt * stiffness)))
    torque = np.concatenate([np.zeros(6), -stiffness * q[7:] - (damping + dt * stiffness) * v[6:]])
    free = v + dt * (inverse @ (torque - robot.bias(q, v)))
    found = [law.rows(robot.pose(q, sole), robot.jacobian(q, sole), grounds.Flat()) for sole in SOLES]
    rows = contacts.ContactRows(*(np.concatenate(parts, axis=0) for parts in zip(*found, strict=True)))
    v, solution = law.resolve(rows, inverse, v, free, dt, guess, tolerance=1e-8)
    return robot.integrate(q, v, dt), v, solution.impulse / dt, solution.converged


def test_a_humanoid_stands_still_on_its_soles() -> None:
    robot = fb.load("parametric_humanoid")
    q, v = robot.neutral(), np.zeros(robot.nv)
    q[2] = -robot.pose(q, "l_sole")[2, 3] + 1e-3
    force, weight = np.zeros(24), robot.mass * 9.81
    for _ in range(300):
        q, v, force, converged = stand(robot, q, v, 2e-3 * force)
        assert converged
    np.testing.assert_allclose(force[2::3].sum(), weight, rtol=1e-3)
    assert np.abs(v).max() < 1e-2
    corners = [robot.pose(q, sole)[2, 3] for sole in SOLES]
    np.testing.assert_allclose(corners, 0.0, atol=1e-4)


def test_what_is_no_hard_contact_is_refused() -> None:
    with pytest.raises(ArgumentError, match="friction"):
        contacts.HardContact(-0.1)
    with pytest.raises(ArgumentError, match="restitution"):
        contacts.HardContact(restitution=np.nan)
    with pytest.raises(ShapeError, match="points"):
        contacts.HardContact(points=(0.0, 1.0))
