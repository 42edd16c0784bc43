"""A wheel held on its axis by a constraint, beside the closed form of the motion of a frame on its rim."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import floatbase as fb
from floatbase import spatial
from floatbase.model.description import Frame, Inertia, Link, Model
from floatbase.model.poses import shift
from floatbase.simulation.constraints import (
    FrameConstraint,
    constrained_acceleration,
    constrained_motion_step,
    project_velocity,
)

RADIUS, MASS, ECCENTRICITY, MOMENT = 0.4, 3.0, 0.1, 0.2


@pytest.fixture(scope="module", params=["mixed", "body", "inertial"])
def wheel(request):
    """A wheel about z through its link's origin, whose centre of mass is off the axis; gravity along -y."""
    inertia = Inertia(MASS, np.array([0.0, ECCENTRICITY, 0.0]), np.diag([0.1, 0.1, MOMENT]))
    model = Model("wheel", (Link("hub", inertia),), (), (Frame("rim", "hub", shift((0.0, RADIUS, 0.0))),), root="hub")
    return fb.Robot(model, gravity=(0.0, -9.81, 0.0), representation=request.param)


AXLE = [FrameConstraint("revolute", None, "hub")]


def spinning(robot, angle, rate):
    q = robot.neutral()
    q[3], q[6] = np.cos(angle / 2), np.sin(angle / 2)
    v = np.zeros(6)
    v[5] = rate
    return q, project_velocity(robot, q, v, AXLE)


def test_the_rim_moves_as_in_closed_form(wheel):
    angle, rate, torque = 0.7, 5.0, 2.0
    q, v = spinning(wheel, angle, rate)
    tau = wheel.generalized_forces(q, {"hub": np.array([0.0, 0.0, 0.0, 0.0, 0.0, torque])})
    motion = constrained_acceleration(wheel, q, v, tau, AXLE)
    inertia = MOMENT + MASS * ECCENTRICITY**2
    faster = (torque + MASS * 9.81 * ECCENTRICITY * np.sin(angle)) / inertia
    closed = spatial.SpinningWheel(RADIUS, angle, rate, faster)
    form = wheel.representation
    assert_allclose(wheel.pose(q, "rim"), closed.pose, atol=1e-13)
    assert_allclose(wheel.velocity(q, v, "rim"), closed.twists()[form], atol=1e-12)
    assert_allclose(wheel.acceleration(q, v, motion.acceleration, "rim"), closed.accelerations()[form], atol=1e-9)


def test_the_axle_carries_weight_and_imbalance(wheel):
    angle, rate = 0.7, 5.0
    q, v = spinning(wheel, angle, rate)
    motion = constrained_acceleration(wheel, q, v, np.zeros(6), AXLE)
    faster = MASS * 9.81 * ECCENTRICITY * np.sin(angle) / (MOMENT + MASS * ECCENTRICITY**2)
    out = np.array([-np.sin(angle), np.cos(angle), 0.0])  # from the axis to the centre of mass
    along = np.array([-np.cos(angle), -np.sin(angle), 0.0])
    force = MASS * ECCENTRICITY * (faster * along - rate**2 * out) + MASS * np.array([0.0, 9.81, 0.0])
    assert_allclose(motion.multipliers, [*force, 0.0, 0.0], atol=1e-8)


def test_it_turns_with_constant_energy(wheel):
    q, v = spinning(wheel, 0.0, 8.0)
    energy = wheel.kinetic_energy(q, v) + wheel.potential_energy(q)
    for _ in range(1000):
        q, v = constrained_motion_step(wheel, q, v, np.zeros(6), 0.005, AXLE)
    assert wheel.kinetic_energy(q, v) + wheel.potential_energy(q) == pytest.approx(energy, abs=1e-6)
    closed = spatial.SpinningWheel(RADIUS, 2.0 * np.arctan2(q[6], q[3]))
    assert_allclose(wheel.pose(q, "rim"), closed.pose, atol=1e-10)
