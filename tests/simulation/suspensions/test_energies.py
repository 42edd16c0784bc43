"""Energies over two seconds of motion without damping: every suspension, robots that hang, slides and hinges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.simulation.suspensions.hanging import (
    HOOK,
    LENGTH,
    MASS,
    PLATFORM,
    STIFFNESS,
    TORSION,
    allowed,
    energy,
    hung,
    motion,
)

import floatbase as fb
from floatbase.model import library
from floatbase.simulation import Simulator, simulate
from floatbase.simulation.constraints import FrameConstraint, project_velocity
from floatbase.simulation.suspensions import Cable, Cables, CompliantDoublePendulum, CompliantPendulum, FrameSuspension

SECONDS, ALLOWED = 2.0, 1e-6  # of the largest kinetic energy
G = 9.81
SOFT = CompliantPendulum(LENGTH, STIFFNESS, TORSION)
SAM = fb.Robot(library.suspended_manipulator(hung=False))
CORNERS = [(0.5, 0.0, 0.1), (-0.25, 0.433, 0.1), (-0.25, -0.433, 0.1)]
PULL = SAM.mass * G / 3.0 * np.hypot(0.5, LENGTH - 0.1) / (LENGTH - 0.1)  # of each of three cables at rest
REST = np.hypot(0.5, LENGTH - 0.1) - PULL / 4e4
TRIPOD = Cables(tuple(Cable(None, 0, (0.0, 0.0, 0.0), corner, REST, 4e4) for corner in CORNERS))


def swinging(lengths: list[float], size: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Bodies that hang, inclined a little, and move a little."""
    rng = np.random.default_rng(3)
    n = len(lengths)
    return hung(lengths, size * rng.standard_normal((n, 3))), 0.1 * size * rng.standard_normal(6 * n)


def test_a_soft_double_pendulum() -> None:
    suspension, both = CompliantDoublePendulum(2.0, 1.5, 6e4, STIFFNESS, TORSION), np.array([HOOK, PLATFORM])
    H, V = swinging([2.0 + (HOOK[0] + MASS) * G / 6e4, 1.5 + MASS * G / STIFFNESS])
    poses, twists = motion(
        suspension, both, H, allowed(suspension, both, H, V), np.linspace(0, SECONDS, 41), tolerance=1e-9
    )
    found = np.array([energy(suspension, both, *state) for state in zip(poses, twists, strict=True)])
    assert (suspension.slack(poses) < 0.0).all()
    assert np.ptp(found[:, 1]) < ALLOWED * found[:, 0].max()


@pytest.mark.parametrize("suspension", [SOFT, TRIPOD], ids=["cable", "three cables"])
def test_a_robot_on_cables_that_stretch(suspension: FrameSuspension) -> None:
    """Runge and Kutta's steps of 0.2 ms; the arm swings too."""
    simulator = Simulator(SAM, {"center": suspension}, method="rk4", dt=1e-3, substeps=5)
    q, v = SAM.neutral(), np.zeros(SAM.nv)
    q[2] = -LENGTH - (SAM.mass * G / STIFFNESS if suspension is SOFT else 0.0)
    v[0], v[6:] = 0.02, 0.02
    found = simulate(simulator, None, simulator.init(q, v), SECONDS, record=["q", "v", ("pose", "center")], every=20)
    H = found["pose_center"][:, None]
    assert (suspension.slack(H) < 0.0).all()
    kinetic = SAM.kinetic_energy(found["q"], found["v"])
    total = kinetic + SAM.potential_energy(found["q"]) + suspension.energy(H)
    assert np.ptp(total) < ALLOWED * kinetic.max()


@pytest.mark.parametrize("hook_mass", [None, 20.0])
def test_a_robot_on_rods_as_a_tree(hook_mass: float | None) -> None:
    robot = fb.Robot(library.suspended_manipulator(hook_mass=hook_mass), floating=False)
    simulator = Simulator(robot, method="rk4", dt=1e-3)
    v = robot.random(5)[1]
    found = simulate(simulator, None, simulator.init(robot.integrate(robot.neutral(), 0.1 * v), 0.3 * v), SECONDS)
    kinetic = robot.kinetic_energy(found["q"], found["v"])
    assert np.ptp(kinetic + robot.potential_energy(found["q"])) < ALLOWED * kinetic.max()


def test_a_robot_on_a_rod_as_a_constraint() -> None:
    rod = (FrameConstraint("point", None, "suspension"),)
    simulator = Simulator(SAM, constraints=rod, method="rk4", dt=1e-3)
    q = SAM.neutral()
    q[:3] -= SAM.pose(q, "suspension")[:3, 3]
    v = project_velocity(SAM, q, 0.2 * SAM.random(6)[1], rod)
    found = simulate(simulator, None, simulator.init(q, v), SECONDS, record=["q", "v", ("pose", "suspension")])
    kinetic = SAM.kinetic_energy(found["q"], found["v"])
    assert np.ptp(kinetic + SAM.potential_energy(found["q"])) < ALLOWED * kinetic.max()
    assert np.abs(found["pose_suspension"][:, :3, 3]).max() < 1e-10


def test_three_slides_and_three_hinges() -> None:
    """Slides along three axes, each with a weight that springs would hold: they fall, the hinges swing."""
    arm = library.staubli_tx40()
    slides = tuple(
        replace(joint, kind="prismatic") if k < 3 else joint
        for k, joint in enumerate(j for j in arm.joints if j.kind != "fixed")
    )
    kept = {joint.name: joint for joint in slides}
    robot = fb.Robot(replace(arm, joints=tuple(kept.get(joint.name, joint) for joint in arm.joints)), floating=False)
    simulator = Simulator(robot, method="rk4", dt=1e-3)
    q, v = robot.random(7)
    found = simulate(simulator, None, simulator.init(q, 0.3 * v), SECONDS)
    kinetic = robot.kinetic_energy(found["q"], found["v"])
    assert np.ptp(kinetic + robot.potential_energy(found["q"])) < ALLOWED * kinetic.max()
