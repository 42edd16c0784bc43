r"""Random motions of a frame, such as a hand, as trajectories of the joints that move it.

Targets are drawn about the pose of the frame at the start: positions in a box, attitudes turned by a vector in a ball.
Between them the position and the rotation vector go with the least jerk, by $10\tau^3 - 15\tau^4 + 6\tau^5$. At every
sample the joints follow by damped least squares,

$$ \Delta q = J^\top (J J^\top + \rho^2 1)^{-1} e, \qquad e = (p - p(q),\ \log(R R(q)^\top)), $$

within their limits; what cannot be reached is followed as closely as the damping lets it. The samples become a
`JointTrajectory`, twice continuously differentiable.

Traversaro 2017, section 7.5, which gives neither the box nor the times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, unknown_name
from floatbase.robot import Robot
from floatbase.simulation.laws import require_not_negative, require_positive
from floatbase.simulation.sensors.excitation import PointToPoint
from floatbase.simulation.sensors.trajectories import JointTrajectory
from floatbase.spatial.arrays import Array
from floatbase.spatial.rotations import rotation_exponential, rotation_logarithm

_ITERATIONS = 2
_LONGEST_STEP = 0.2  # rad or m, of a joint in an iteration


def random_cartesian(
    robot: Robot,
    frame: str,
    q: Any,
    joints: Sequence[str],
    *,
    box: Sequence[float] = (0.1, 0.1, 0.1),
    angle: float = 0.5,
    move_time: float = 2.0,
    duration: float = 60.0,
    seed: int = 0,
    rate: float = 100.0,
    damping: float = 0.02,
) -> JointTrajectory:
    """Positions of joints (n, joints) that move a frame at random; `q: (nq,)` is the start, at which others stay.

    box: m, how far targets lie from the start along each axis of the world at most; angle: rad, how far they are turned
    at most; move_time: s, of each move; rate: samples per second; damping: rho.
    """
    if frame not in robot.tree.frames:
        raise unknown_name("frame", frame, robot.tree.frames)
    q = np.array(q, dtype=float)
    if q.shape != (robot.nq,):
        raise ShapeError(f"q has shape {q.shape}; robot {robot.name!r} needs ({robot.nq},)")
    require_positive(move_time=move_time, duration=duration, rate=rate, damping=damping)
    require_not_negative(box=np.asarray(box, dtype=float), angle=angle)
    if np.shape(box) != (3,):
        raise ShapeError(f"box has shape {np.shape(box)}; it must have three numbers, in m")
    robot = robot.with_representation("mixed")
    coordinates, columns = _places(robot, joints)
    of_joints = np.array(coordinates) - (robot.nq - robot.tree.joint_nq)
    lower, upper = (np.asarray(limit)[of_joints] for limit in robot.position_limits)
    start = robot.pose(q, frame)
    points = _targets(start, np.asarray(box, dtype=float), angle, move_time, duration, seed)
    time = np.arange(int(np.floor(duration * rate)) + 1) / rate
    found = np.empty((len(time), len(coordinates)))
    for k, motion in enumerate(points(time).position):
        position, turn = motion[:3], motion[3:]
        for _ in range(_ITERATIONS):
            here = robot.pose(q, frame)
            rotation = start[:3, :3] @ rotation_exponential(turn)
            error = np.r_[position - here[:3, 3], rotation_logarithm(rotation @ here[:3, :3].T)]
            J = robot.jacobian(q, frame)[:, columns]
            step = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(6), error)
            step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), 1e-300))
            q[coordinates] = np.clip(q[coordinates] + step, lower, upper)
        found[k] = q[coordinates]
    return JointTrajectory(time, found)


def _places(robot: Robot, joints: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where the coordinates and the velocities of joints stand in q and v."""
    if isinstance(joints, str) or not len(joints):
        raise ArgumentError(f"joints must be names of joints, got {joints!r}")
    coordinates, velocities = robot.tree.coordinate_names, robot.tree.velocity_names
    for name in joints:
        if name not in robot.joint_names:
            raise unknown_name("joint", name, robot.joint_names)
        if name not in coordinates:
            raise ArgumentError(f"joint {name!r} has several coordinates; this needs joints with one")
    return [coordinates.index(name) for name in joints], [velocities.index(name) for name in joints]


def _targets(start: Array, box: Array, angle: float, move_time: float, duration: float, seed: int) -> PointToPoint:
    """Positions in the world and rotation vectors in the frame at the start, which is the first target."""
    rng = np.random.default_rng(seed)
    count = max(1, int(np.ceil(duration / move_time * (1.0 - 1e-12))))
    places = start[:3, 3] + rng.uniform(-box, box, (count, 3))
    directions = rng.standard_normal((count, 3))
    lengths = angle * rng.uniform(0.0, 1.0, (count, 1)) ** (1.0 / 3.0)
    turns = lengths * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    targets = np.concatenate([places, turns], axis=1)
    return PointToPoint(np.concatenate([np.r_[start[:3, 3], np.zeros(3)][None], targets]), move_time)
