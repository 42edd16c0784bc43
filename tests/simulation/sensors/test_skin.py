"""Skin: forces that make the wrench, proximity of the ground, cells' accelerometers, and where cells are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.simulation.blocks import block
from tests.simulation.sensors.humanoid import motion

import floatbase as fb
from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.model import SkinPatch
from floatbase.simulation.grounds import Slope
from floatbase.simulation.sensors import (
    Accelerometer,
    SensorSuite,
    SkinAccelerometers,
    SkinForces,
    SkinProximity,
    cell_frames,
    cells,
    contact_of_forces,
    hexagonal_cylinder,
    hexagonal_plane,
    is_connected,
    neighbours,
)
from floatbase.spatial import pose_from, rotation_from_rpy

DOWN = pose_from(rotation_from_rpy(np.array([np.pi, 0.0, 0.0])), np.zeros(3))


@pytest.fixture(scope="module")
def robot() -> fb.Robot:
    return block()


@pytest.fixture(scope="module")
def sole() -> SkinPatch:
    """Under the block, with normals down."""
    return hexagonal_plane("sole", "block", 0.03, 7, 5, DOWN)


def forces(robot: fb.Robot, patch: SkinPatch, wrench: np.ndarray) -> np.ndarray:
    q, zero = robot.neutral(), np.zeros(6)
    return np.concatenate(
        SensorSuite(robot, (SkinForces("skin", patch),), wrenches=("block",)).layout.ideal([q, zero, zero, wrench])
    )


def test_forces_have_the_normal_force_and_the_centre_of_pressure(robot: fb.Robot, sole: SkinPatch) -> None:
    wrench = np.array([20.0, -30.0, 300.0, 2.0, -3.0, 5.0])
    found = forces(robot, sole, wrench)
    assert (found > 0.0).all()
    assert found.sum() == pytest.approx(300.0, rel=1e-12)
    moments = np.cross(sole.positions, found[:, None] * np.array([0.0, 0.0, 1.0])).sum(axis=0)
    np.testing.assert_allclose(moments[:2], wrench[3:5], atol=1e-12)  # about the origin, which is in the patch
    touched, point = contact_of_forces(sole, found)
    assert touched
    np.testing.assert_allclose(point[:2], [3.0 / 300.0, 2.0 / 300.0], atol=1e-12)


def test_cells_do_not_pull(robot: fb.Robot, sole: SkinPatch) -> None:
    tilting = forces(robot, sole, np.array([0.0, 0.0, 100.0, 0.0, -9.0, 0.0]))
    assert (tilting >= 0.0).all() and (tilting == 0.0).any()
    assert tilting.sum() == pytest.approx(100.0, rel=1e-12)
    assert not forces(robot, sole, np.array([0.0, 0.0, -100.0, 0.0, 0.0, 0.0])).any()
    touched, point = contact_of_forces(sole, np.zeros((2, len(sole.positions))))
    assert not touched.any() and np.isnan(point).all()


def test_wrenches_on_other_links_are_not_felt() -> None:
    robot = fb.load("icub")
    patch = hexagonal_plane("palm", "l_foot", 0.02, 4, 3)
    suite = SensorSuite(robot, (SkinForces("skin", patch),), wrenches=("l_sole", "r_sole"))
    now = motion(robot, 1)
    quiet = np.concatenate([np.zeros(6), now.wrenches["r_sole"]])
    assert not np.concatenate(suite.layout.ideal([now.q, now.v, now.a, quiet])).any()


def test_proximity_of_level_and_sloping_ground(robot: fb.Robot, sole: SkinPatch) -> None:
    q, zero = robot.neutral(), np.zeros(6)
    q[2] = 0.04
    sensor = SkinProximity("skin", sole, reach=0.1)
    level = np.concatenate(SensorSuite(robot, (sensor,)).layout.ideal([q, zero, zero]))
    np.testing.assert_allclose(level, 0.6, atol=1e-12)
    ground = Slope(0.3, 0.0)
    sloping = np.concatenate(SensorSuite(robot, (sensor,), ground=ground).layout.ideal([q, zero, zero]))
    distance = (0.04 - np.tan(0.3) * sole.positions[:, 0]) * np.cos(0.3)
    np.testing.assert_allclose(sloping, 1.0 - np.maximum(distance, 0.0) / 0.1, atol=1e-12)
    up = replace(sensor, patch=hexagonal_plane("top", "block", 0.03, 7, 5))
    assert not np.concatenate(SensorSuite(robot, (up,)).layout.ideal([q, zero, zero])).any()


def test_proximity_in_batches_and_compiled(robot: fb.Robot, sole: SkinPatch) -> None:
    q, v = robot.random(np.random.default_rng(1), 5)
    q[:, 2] = 0.03
    suite = SensorSuite(robot, (SkinProximity("near", sole), SkinForces("forces", sole)), wrenches=("block",))
    wrenches = np.random.default_rng(2).standard_normal((5, 6)) + np.array([0.0, 0.0, 50.0, 0.0, 0.0, 0.0])
    compiled = suite.ideal(q, v, v, wrenches)
    np.testing.assert_allclose(np.concatenate(suite.layout.ideal([q, v, v, wrenches]), axis=-1), compiled, atol=1e-12)
    assert (compiled[:, :35] > 0.0).any()


def test_cells_measure_acceleration_in_their_frames() -> None:
    """With the errors of the published cells: 0.34 m/s^2, steps of 7.81 mg, 4 g."""
    robot = fb.load("icub")
    patch = hexagonal_cylinder("arm", "r_forearm", 0.04, 6, 2)
    sensor = SkinAccelerometers("skin", patch)
    now = motion(robot, 3, ())
    now = now._replace(a=0.01 * now.a)
    found = np.concatenate(SensorSuite(robot, (sensor,)).layout.ideal([now.q, now.v, now.a]))
    for k, frame in enumerate(cell_frames(patch)):
        one = SensorSuite(robot, (Accelerometer("one", "r_forearm", frame),)).layout.ideal([now.q, now.v, now.a])
        np.testing.assert_allclose(found[3 * k : 3 * k + 3], one[0], rtol=1e-12)
    errors = sensor.errors
    assert (
        errors.noise == 0.34
        and errors.limit == pytest.approx(39.2266)
        and errors.resolution == pytest.approx(0.0766, abs=1e-4)
    )


def test_where_cells_are() -> None:
    """144 cells on a cylinder of 60 mm radius with a pitch of about 30 mm."""
    around = round(2.0 * np.pi * 0.06 / 0.03)
    patch = hexagonal_cylinder("upper", "arm", 0.06, around, 12)
    np.testing.assert_allclose(np.linalg.norm(patch.positions[:, :2], axis=1), 0.06)
    found = neighbours(patch)
    inside = [len(found[k]) for k in range(around, 11 * around)]
    assert set(inside) == {6} and max(map(len, found)) == 6
    assert all(k in found[other] for k in range(len(found)) for other in found[k])
    assert is_connected(patch)
    apart = SkinPatch(
        "two", "arm", np.array([[0.0, 0.0, 0.0], [0.01, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.tile([0.0, 0.0, 1.0], (3, 1))
    )
    assert not is_connected(apart)
    frames = cell_frames(patch)
    np.testing.assert_allclose(frames[:, :3, 2], patch.normals, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(frames[:, :3, :3]), 1.0)
    made = cells(patch)
    assert (made[3].number, made[3].link, made[3].state) == (3, "arm", "idle") and made[3].neighbours == found[3]


def test_bad_skin_is_refused(robot: fb.Robot, sole: SkinPatch) -> None:
    elsewhere = SkinPatch("sole", "blok", sole.positions, sole.normals)
    empty = SkinPatch("none", "block", np.zeros((0, 3)), np.zeros((0, 3)))
    for make, message in (
        (lambda: SensorSuite(robot, (SkinForces("s", elsewhere),)), "block"),
        (lambda: SkinForces("s", empty), "with cells"),
        (lambda: SkinProximity("s", sole, reach=0.0), "reach"),
        (lambda: hexagonal_cylinder("s", "block", 0.1, 2, 1), "around is 2"),
        (lambda: hexagonal_plane("s", "block", 0.0, 2, 2), "pitch"),
    ):
        with pytest.raises((ArgumentError, UnknownNameError), match=message):
            make()
