"""What moves: a robot in a physics, with the same interface whichever physics it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from floatbase.errors import unknown_name
from floatbase.model.tree import position_index
from floatbase.robot import Robot
from floatbase.simulation.loop.signals import Channel, Slice
from floatbase.simulation.sensors import Sensor, SensorSuite


@runtime_checkable
class Plant(Protocol):
    """A robot that is moved by commands, period by period.

    Its state is a value that `init` and `step` give, for one robot or for `rows` of them. `measure` gives the `outputs`
    at a state. They begin with q and v of the robot, and the forces of the step that led there.
    """

    @property
    def robot(self) -> Robot:
        """The robot."""

    @property
    def dt(self) -> float:
        """The period, s."""

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes of its parameters: states have at least these."""

    @property
    def command_size(self) -> int:
        """How many numbers command it."""

    @property
    def pushes(self) -> tuple[str, ...]:
        """Frames at which wrenches can be given."""

    @property
    def outputs(self) -> tuple[Channel, ...]:
        """What is measured."""

    @property
    def parts(self) -> Mapping[str, Slice]:
        """Parts of outputs that have names of their own."""

    def init(self, q: Any = None, v: Any = None) -> Any:
        """The state at the beginning; the neutral configuration at rest if not given."""

    def step(self, state: Any, command: Any = None, pushes: Any = None) -> Any:
        """The state a period later; a command or pushes that are None are zero."""

    def measure(self, state: Any) -> dict[str, Any]:
        """The outputs at a state."""

    def suite(self, sensors: Sequence[Sensor], dt: float) -> tuple[SensorSuite, tuple[str, ...]]:
        """A suite of sensors of this robot, and the outputs that its `step` takes in their order."""


def joint_parts(robot: Robot) -> dict[str, Slice]:
    """The positions and velocities of joints, where all have one coordinate."""
    tree = robot.tree
    joints = [body.joint for body in tree.bodies if body.joint is not None]
    if not joints or any(joint.nv != 1 or position_index(joint) != joint.index for joint in joints):
        return {}
    names, n = tree.joint_names, tree.joint_nv
    slides = {joint.name for joint in joints if joint.kind == "prismatic"}
    units = tuple("m" if name in slides else "rad" for name in names)
    rates = tuple("m/s" if name in slides else "rad/s" for name in names)
    return {
        "joint_positions": Slice("q", slice(tree.nq - n, tree.nq), Channel("joint_positions", n, units, names)),
        "joint_velocities": Slice("v", slice(tree.nv - n, tree.nv), Channel("joint_velocities", n, rates, names)),
    }


def wrench_channel(name: str, frames: Sequence[str]) -> Channel:
    """Wrenches at some frames, one after the other."""
    columns = tuple(f"{frame}.{part}" for frame in frames for part in WRENCH)
    return Channel(name, 6 * len(frames), WRENCH_UNITS * len(frames), columns)


def wrench_parts(output: str, frames: Sequence[str]) -> dict[str, Slice]:
    """The wrench at each frame."""
    return {
        frame: Slice(output, slice(6 * k, 6 * k + 6), Channel(frame, 6, WRENCH_UNITS, WRENCH))
        for k, frame in enumerate(frames)
    }


def state_channels(robot: Robot) -> tuple[Channel, ...]:
    """q, v and torques."""
    tree = robot.tree
    base_q = ("base.x", "base.y", "base.z", "base.qw", "base.qx", "base.qy", "base.qz") if tree.floating else ()
    rest_q = tree.coordinate_names[7 * tree.floating :]
    rest_v = tree.velocity_names[6 * tree.floating :]
    base_v = tuple(f"base.{x}" for x in ("vx", "vy", "vz", "wx", "wy", "wz")) if tree.floating else ()
    return (
        Channel("q", tree.nq, "", (*base_q, *rest_q)),
        Channel("v", tree.nv, "", (*base_v, *rest_v)),
        Channel("torques", tree.joint_nv, "", tuple(rest_v)),
    )


def check_frames(robot: Robot, what: str, frames: Sequence[str]) -> None:
    """Raise for a frame that the robot has not."""
    for frame in frames:
        if frame not in robot.tree.frames:
            raise unknown_name(what, frame, robot.tree.frames)


WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
WRENCH_UNITS = ("N",) * 3 + ("N m",) * 3
