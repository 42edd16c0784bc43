"""Motions: between samples, from logs and recordings, as moving pictures."""

from __future__ import annotations

import itertools
import shutil

import numpy as np
import pytest

import floatbase as fb
from floatbase import logs
from floatbase.errors import ArgumentError, LogError, MissingDependencyError, ShapeError, UnknownNameError
from floatbase.viewer import Trajectory, animate, frame_times, log_trajectory, robot_shapes, save_frames, view
from floatbase.viewer.animation import motion_bounds
from floatbase.viewer.trajectory import trajectory_of
from floatbase.viewer.viewing import resolved

TIME = np.linspace(0.0, 2.0, 41)


@pytest.fixture
def robot(load_robot) -> fb.Robot:
    return load_robot("quadrotor_with_arm", "mixed")


def turning(robot: fb.Robot) -> Trajectory:
    """It turns about z by half a turn a second, rises, and moves its arm."""
    q = np.tile(robot.neutral(), (len(TIME), 1))
    q[:, 2] = 0.1 * TIME
    q[:, 3], q[:, 6] = np.cos(np.pi * TIME / 2.0), np.sin(np.pi * TIME / 2.0)
    q[:, 7] = 0.3 * np.sin(TIME)
    return Trajectory(TIME, q, {robot.frame_names[0]: np.stack([TIME, 0 * TIME, 9 + 0 * TIME], axis=1)})


def log_of(robot: fb.Robot, motion: Trajectory) -> logs.Log:
    wrench = np.concatenate([motion.forces[robot.frame_names[0]], np.zeros((len(TIME), 3))], axis=1)
    return logs.Log(
        (
            logs.signal("goal/position", TIME, 0 * motion.q[:, 7:], "rad", columns=robot.joint_names),
            logs.signal("joints/velocity", TIME, 9 + motion.q[:, 7:], "rad/s", columns=robot.joint_names),
            logs.signal("joints/angles", TIME, np.rad2deg(motion.q[:, 7:]), "deg", columns=robot.joint_names),
            logs.signal("base/position", TIME, 1e3 * motion.q[:, :3], "mm", columns=["x", "y", "z"]),
            logs.signal("base/attitude", TIME, motion.q[:, 3:7], orientation=True),
            logs.signal(f"contacts/{robot.frame_names[0]}", TIME, wrench, ["N"] * 3 + ["N m"] * 3),
        )
    )


def test_between_samples_quaternions_take_the_shorter_way(robot: fb.Robot) -> None:
    motion = turning(robot)
    flipped = Trajectory(TIME, motion.q)
    flipped.q[::2, 3:7] *= -1.0
    times = np.array([-1.0, 0.33, 1.0, 5.0])
    exact = np.clip(times, 0.0, 2.0)
    for trajectory in (motion, flipped):
        q = trajectory.at(robot.tree, times)
        assert np.allclose(q[:, 2], 0.1 * exact)
        assert np.allclose(np.abs(q[:, 3]), np.abs(np.cos(np.pi * exact / 2.0)), atol=1e-3)
        assert np.allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0)
    assert np.allclose(motion.forces_at([0.5])[robot.frame_names[0]], [[0.5, 0.0, 9.0]])
    short = motion.resampled(robot.tree, 5)
    assert len(short) == 5 and short.time[-1] == 2.0
    assert len(motion.between(0.5, 1.0)) == 11
    with pytest.raises(ArgumentError, match="no sample there"):
        motion.between(7.0)


def test_motions_that_make_no_sense_are_refused(robot: fb.Robot) -> None:
    q = turning(robot).q
    with pytest.raises(ShapeError, match=r"time \(n,\)"):
        Trajectory(TIME[:3], q)
    with pytest.raises(ArgumentError, match="increase"):
        Trajectory(TIME[::-1], q)
    with pytest.raises(ShapeError, match="forces at 'here'"):
        Trajectory(TIME, q, {"here": q})


def test_the_motion_of_a_log_has_its_units_and_forces(robot: fb.Robot) -> None:
    motion = turning(robot)
    found = log_trajectory(robot.tree, robot.neutral(), log_of(robot, motion).without("goal/position"))
    assert np.allclose(found.q, motion.q, atol=1e-12)
    assert np.allclose(found.forces[robot.frame_names[0]], motion.forces[robot.frame_names[0]])
    assert 0 < len(found.panels) <= 8
    aimed = log_trajectory(robot.tree, robot.neutral(), log_of(robot, motion), ["joints/*"])
    assert np.allclose(aimed.q[:, 7:], 0.0)  # a signal called position comes first
    assert {panel.unit for panel in aimed.panels} == {"rad/s", "deg"}
    whole = logs.Log((logs.signal("state/q", TIME, motion.q),))
    assert np.allclose(log_trajectory(robot.tree, robot.neutral(), whole).q, motion.q)


def test_logs_of_the_loop_are_motions(robot: fb.Robot) -> None:
    motion, frames = turning(robot), robot.frame_names[:2]
    columns = [f"{frame}.{part}" for frame in frames for part in ("fx", "fy", "fz", "mx", "my", "mz")]
    wrenches = np.arange(12.0) + np.zeros((len(TIME), 1))
    units = (["N"] * 3 + ["N m"] * 3) * 2
    log = logs.Log(
        (
            logs.signal("plant/q", TIME, motion.q, columns=robot.tree.coordinate_names),
            logs.signal("plant/wrenches", TIME, wrenches, units, columns=columns),
        ),
        metadata={"robot": robot.name.upper()},
    )
    chosen, found = resolved(log)
    assert chosen.name == robot.name
    assert np.allclose(found.q, motion.q)
    assert {name: values[0].tolist() for name, values in found.forces.items()} == {
        frames[0]: [0.0, 1.0, 2.0],
        frames[1]: [6.0, 7.0, 8.0],
    }


def test_tables_of_numbers_are_motions_too(robot: fb.Robot, tmp_path) -> None:
    motion = turning(robot)
    path = tmp_path / "a.csv"
    logs.write_csv(log_of(robot, motion).select("base/*").rename({"attitude": "base/orientation"}), path)
    found = log_trajectory(robot.tree, robot.neutral(), logs.load(path))
    assert np.allclose(found.q[:, :7], motion.q[:, :7], atol=1e-9)


def test_logs_without_a_motion_say_so(robot: fb.Robot, tmp_path) -> None:
    other = logs.Log((logs.signal("a/b", TIME, TIME),))
    with pytest.raises(LogError, match="no motion of"):
        log_trajectory(robot.tree, robot.neutral(), other)
    with pytest.raises(LogError, match="no finite samples"):
        empty = logs.Log((logs.signal("q", TIME, np.full((len(TIME), robot.nq), np.nan)),))
        log_trajectory(robot.tree, robot.neutral(), empty)
    with pytest.raises(ArgumentError, match="says nothing of its robot"):
        resolved(other)
    for name in ("../evil.urdf", "/etc/passwd", 7):  # only names are taken from a log
        with pytest.raises(ArgumentError, match="not known by name"):
            resolved(logs.Log(other.signals, metadata={"robot": name}))
    with pytest.raises(ArgumentError, match="neither the name of a robot"):
        resolved("icup")
    with pytest.raises(ArgumentError, match="belong to a log"):
        resolved(robot, robot="icub")
    with pytest.raises(ArgumentError, match="own motion"):
        view(log_of(robot, turning(robot)), robot.neutral(), robot=robot)


def test_a_damaged_log_is_an_error(tmp_path) -> None:
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1" + b"\xff" * 64)
    with pytest.raises(LogError):
        resolved(path, robot="quadrotor_with_arm")


def test_recordings_are_motions(robot: fb.Robot) -> None:
    from floatbase.simulation import Recording

    motion = turning(robot)
    recording = Recording(TIME, {"q": motion.q, "sole": np.ones((len(TIME), 6))}, None)
    found = trajectory_of(robot.tree, recording, {robot.frame_names[0]: "sole"})
    assert np.array_equal(found.q, motion.q)
    assert found.forces[robot.frame_names[0]].shape == (len(TIME), 3)
    with pytest.raises(UnknownNameError, match="'q'"):
        trajectory_of(robot.tree, Recording(TIME, {}, None))
    with pytest.raises(ShapeError, match="batch"):
        trajectory_of(robot.tree, Recording(TIME, {"q": motion.q[:, None]}, None))


def test_moving_pictures_move(robot: fb.Robot, tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    shapes = robot_shapes(robot.model, robot.tree)
    path = animate(tmp_path / "a.gif", shapes, turning(robot), rate=4.0, speed=2.0, size=(96, 72), samples=1)
    with image.open(path) as picture:
        assert (picture.n_frames, picture.size, picture.info["duration"]) == (5, (96, 72), 250)
        frames = []
        for k in range(5):
            picture.seek(k)
            frames.append(np.asarray(picture.convert("RGB"), dtype=int))
    assert len(np.unique(frames[0].reshape(-1, 3), axis=0)) > 20
    assert all((np.abs(a - b).sum(axis=-1) > 30).mean() > 0.01 for a, b in itertools.pairwise(frames))


def test_the_bounds_of_a_motion_hold_all_of_it(robot: fb.Robot) -> None:
    shapes, motion = robot_shapes(robot.model, robot.tree), turning(robot)
    low, high = motion_bounds(shapes, motion.q)
    corners = np.concatenate([m.corners for q in motion.q[::8] for m, _ in shapes.placed(q)]).reshape(-1, 3)
    room = 0.01 * np.linalg.norm(high - low)
    assert (corners.min(axis=0) > low - room).all() and (corners.max(axis=0) < high + room).all()


def test_mp4_needs_ffmpeg(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [np.full((31, 41, 3), 40 * k, dtype=np.uint8) for k in range(6)]
    if shutil.which("ffmpeg"):
        assert b"ftyp" in save_frames(tmp_path / "a.mp4", frames, 10.0).read_bytes()[:16]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingDependencyError, match="ffmpeg"):
        save_frames(tmp_path / "b.mp4", frames, 10.0)
    with pytest.raises(ArgumentError, match=r"\.gif or \.mp4"):
        save_frames(tmp_path / "b.avi", frames, 10.0)
    with pytest.raises(ArgumentError, match="no picture"):
        save_frames(tmp_path / "b.gif", [], 10.0)
    with pytest.raises(ShapeError, match="one size"):
        save_frames(tmp_path / "b.gif", [frames[0], frames[0][:5]], 10.0)
    with pytest.raises(ArgumentError, match="more than 3000"):
        frame_times(np.array([0.0, 1e6]), 20.0)


def test_ffmpeg_is_given_every_picture(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a program in its place that keeps what it is given."""
    program = tmp_path / "ffmpeg"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/said\ncat > {tmp_path}/given\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    frames = [np.full((31, 41, 3), 40 * k, dtype=np.uint8) for k in range(6)]
    save_frames(tmp_path / "a.mp4", frames, 10.0)
    assert (tmp_path / "given").read_bytes() == b"".join(frame.tobytes() for frame in frames)
    assert "41x31" in (tmp_path / "said").read_text()
    program.write_text("#!/bin/sh\necho no such codec >&2\nexit 1\n")
    with pytest.raises(fb.FloatbaseError, match="no such codec"):
        save_frames(tmp_path / "a.mp4", frames, 10.0)
