"""MuJoCo as a plant, with the interface of floatbase's own.

Signals at a state are those of the command that led there, as of a `SimulatedPlant`: after each period MuJoCo's forces
and accelerations are computed once more at the new state, under the old command, so that sensors, forces and motion of
a sample are of one instant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, SimulationError, StateError, missing_dependency
from floatbase.model import Geometry
from floatbase.robot import Robot
from floatbase.simulation.assembly import assemble
from floatbase.simulation.grounds import Flat, HeightField
from floatbase.simulation.laws import Ground, JointLaw
from floatbase.simulation.loop.mujoco.contact_forces import ContactForces, Surface
from floatbase.simulation.loop.mujoco.description import Description
from floatbase.simulation.loop.mujoco.drives import Actuators, actuators, check_drives
from floatbase.simulation.loop.mujoco.inertias import set_inertia
from floatbase.simulation.loop.mujoco.parts import Part, Parts
from floatbase.simulation.loop.mujoco.shapes import (
    CHOICES,
    Choice,
    chosen_shapes,
    elevations,
    geom_and_asset,
    ground_and_asset,
    numbers,
)
from floatbase.simulation.loop.mujoco.states import Coordinates, coordinates
from floatbase.simulation.loop.mujoco.variation import varied_model
from floatbase.simulation.loop.mujoco.workers import Worker
from floatbase.simulation.loop.plant import (
    check_frames,
    joint_parts,
    state_channels,
    wrench_channel,
    wrench_parts,
)
from floatbase.simulation.loop.randomisation import Factors, Randomisation
from floatbase.simulation.loop.signals import Channel, Slice
from floatbase.simulation.physics import Physics
from floatbase.simulation.representation import from_mixed, into_mixed
from floatbase.simulation.sensors import Sensor, SensorSuite
from floatbase.spatial.arrays import Array

INTEGRATORS = ("Euler", "implicit", "implicitfast")
LARGEST = 1e10  # what MuJoCo takes: beyond that it goes on without a command
FASTEST, HARDEST = 1e6, 1e9  # m/s and m/s^2, or rad: what moves faster diverges


class MujocoState(NamedTuple):
    """MuJoCo's own state (..., n), from which it goes on, and what was measured at it.

    v and acceleration (..., nv) are in mixed representation; all_wrenches (..., 6 n) are those on all bodies that can
    touch the ground, readings (..., n) those of MuJoCo's own sensors.
    """

    own: Array
    q: Array
    v: Array
    acceleration: Array
    torques: Array
    all_wrenches: Array
    pushed: Array
    readings: Array


@dataclass(frozen=True, eq=False)
class MujocoPlant:
    """Settings of a robot in MuJoCo.

    contacts: frames whose bodies touch the ground with the collision shapes of the description, or with the shapes
    given for them, in axes of the frame. shapes: "contacts" for those alone, "primitives" for all boxes, cylinders and
    spheres of the robot besides, "all" for meshes, too (MuJoCo takes their convex hulls). Robots touch the ground, not
    themselves. ground: `Flat`, `Slope`, or `HeightField`, which ends at its edges. joints: `TorqueDrive`,
    `VelocityDrive`, `PositionDrive`, as for a `Simulator`. dt: the period of commands, in `substeps` steps of MuJoCo's
    `integrator`, whose contact forces are found to a `tolerance` (0: to rounding, in more time). pushes: frames at
    which wrenches can be given. surface: of contacts. sensors: those that MuJoCo computes as well (`readings`).
    randomisation: rows of robots that differ.
    """

    robot: Robot
    contacts: Mapping[str, Sequence[Geometry] | None] | Sequence[str] = ()
    ground: Ground | None = None
    joints: JointLaw | Mapping[Any, JointLaw] | None = None
    dt: float = 1e-3
    substeps: int = 1
    pushes: tuple[str, ...] = ()
    shapes: Choice = "contacts"
    surface: Surface = field(default_factory=Surface)
    integrator: str = "implicitfast"
    tolerance: float = 1e-8
    sensors: tuple[Sensor, ...] = ()
    randomisation: Randomisation | None = None

    def __post_init__(self) -> None:
        _mujoco()
        if not isinstance(self.robot, Robot):
            raise ArgumentError(f"a plant is made for a floatbase.Robot, got {self.robot!r}")
        if not (isinstance(self.dt, float | int) and math.isfinite(self.dt) and self.dt > 0.0):
            raise ArgumentError(f"dt is {self.dt!r}; it must be a positive, finite number of seconds")
        if isinstance(self.substeps, bool) or not isinstance(self.substeps, int) or self.substeps < 1:
            raise ArgumentError(f"substeps is {self.substeps!r}; it must be a whole number, at least 1")
        if self.shapes not in CHOICES:
            raise ArgumentError(f"shapes is {self.shapes!r}; the valid choices are {', '.join(CHOICES)}")
        if self.integrator not in INTEGRATORS:
            raise ArgumentError(f"integrator is {self.integrator!r}; the valid choices are {', '.join(INTEGRATORS)}")
        if not (isinstance(self.tolerance, float | int) and 0.0 <= self.tolerance < math.inf):
            raise ArgumentError(f"tolerance is {self.tolerance!r}; it must be a finite number, not negative")
        if isinstance(self.contacts, str):
            raise ArgumentError(f"contacts is {self.contacts!r}; it must be a sequence of frames, or shapes by frame")
        given = dict(self.contacts) if isinstance(self.contacts, Mapping) else dict.fromkeys(self.contacts)
        object.__setattr__(self, "contacts", given)
        for name in ("pushes", "sensors"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        check_frames(self.robot, "frame in contact", list(given))
        check_drives(self.physics)
        for sensor in self.sensors:
            sensor.check(self.robot)

    # -- what it is -----------------------------------------------------------------------------------------

    @cached_property
    def physics(self) -> Physics:
        """The layout of commands, as that of a simulator with these joints and pushes."""
        tree = self.robot.with_representation("mixed").tree
        return assemble(tree, {}, None, self.joints, self.pushes)

    @cached_property
    def parts_of_robot(self) -> Parts:
        """The robot's bodies, divided at force/torque sensors."""
        return Parts(self.robot, self.sensors)

    @cached_property
    def touching(self) -> dict[str, Part]:
        """The frame of each part that can touch the ground: those of `contacts` first, then links."""
        found: dict[str, Part] = {frame: self.parts_of_robot.of_frame(frame) for frame in self.contacts}
        for frame, _ in self._shapes:
            part = self.parts_of_robot.of_frame(frame)
            if part not in found.values():
                found[frame] = part
        return found

    @cached_property
    def _shapes(self) -> list[tuple[str, Geometry]]:
        assert isinstance(self.contacts, Mapping)
        return chosen_shapes(self.parts_of_robot, self.contacts, self.shapes)

    @cached_property
    def actuators(self) -> Actuators:
        """MuJoCo's actuators, and the matrix from commands to their controls."""
        return actuators(self.physics)

    @cached_property
    def xml(self) -> str:
        """The model in MJCF, but for heights of the ground."""
        geoms: dict[Part, list[str]] = {}
        meshes = []
        for number, (frame, item) in enumerate(self._shapes):
            pose = self.parts_of_robot.tree.frames[frame][1] @ item.link_H_shape
            geom, mesh = geom_and_asset(self.robot, number, item, pose)
            geoms.setdefault(self.parts_of_robot.of_frame(frame), []).append(geom)
            meshes.append(mesh)
        ground, asset = ground_and_asset(self.ground or Flat())
        options = (
            f'<option timestep="{self.dt / self.substeps!r}" integrator="{self.integrator}" cone="elliptic" '
            f'gravity="{numbers(self.robot.tree.gravity)}" tolerance="{self.tolerance!r}">'
            '<flag autoreset="disable"/></option>'
            f"<default><geom {self.surface.attributes()}/></default>"
        )
        text = Description(self.parts_of_robot, geoms, options, "".join([*meshes, asset]), ground, self.actuators.text)
        return text.text()

    @cached_property
    def model(self) -> Any:
        """MuJoCo's model of the robot as it is described."""
        mujoco, text = _mujoco(), self.xml
        try:
            model = mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            raise ArgumentError(f"MuJoCo refuses the model of robot {self.robot.name!r}: {error}") from None
        for part in self.parts_of_robot.all:
            set_inertia(model, model.body(part.name).id, self.parts_of_robot.parameters(part))
        mujoco.mj_setConst(model, mujoco.MjData(model))
        if isinstance(self.ground, HeightField):
            model.hfield_data[:] = elevations(self.ground)
        return model

    @cached_property
    def coordinates(self) -> Coordinates:
        """Where the robot's coordinates stand in MuJoCo's."""
        return coordinates(self.parts_of_robot.tree, self.model)

    @cached_property
    def factors(self) -> Factors | None:
        """How rows differ."""
        return None if self.randomisation is None else self.randomisation.draw(self.robot)

    @property
    def inertial(self) -> Array | None:
        """The inertial parameters (rows, 10 n_bodies), if they are not the robot's own."""
        return None if self.factors is None else self.factors.inertial

    # -- the interface of plants ----------------------------------------------------------------------------

    @property
    def batch(self) -> tuple[int, ...]:
        """The rows of the randomisation."""
        return () if self.randomisation is None else (self.randomisation.rows,)

    @property
    def command_size(self) -> int:
        """One for each joint rate, and more for drives that obey more."""
        return self.physics.command_size

    @cached_property
    def outputs(self) -> tuple[Channel, ...]:
        """q, v, torques; wrenches at `contacts` and at all that touch; pushes; the acceleration; MuJoCo's readings."""
        robot = self.robot
        frames = list(self.touching)
        readings = [(sensor, channel) for sensor in self.parts_of_robot.readable for channel in sensor.channels]
        units = tuple(unit for sensor in self.parts_of_robot.readable for unit in sensor.units)
        return (
            *state_channels(robot),
            Channel("mixed_velocity", robot.nv),
            Channel("mixed_acceleration", robot.nv),
            wrench_channel("wrenches", list(self.contacts)),
            wrench_channel("all_wrenches", frames),
            wrench_channel("pushed", self.pushes),
            Channel("readings", len(readings), units, tuple(f"{sensor.name}.{name}" for sensor, name in readings)),
        )

    @cached_property
    def parts(self) -> dict[str, Slice]:
        """Positions and velocities of joints, wrenches at the frames of `contacts`."""
        return {**joint_parts(self.robot), **wrench_parts("wrenches", list(self.contacts))}

    def rest(self, state: MujocoState) -> Array:
        """The command that asks for nothing at a state, as that of a `Simulator`."""
        return self.physics.rest(state.q, state.v)

    def init(self, q: Any = None, v: Any = None) -> MujocoState:
        """The state at the beginning; the neutral configuration at rest if not given."""
        robot = self.robot
        q = np.asarray(robot.neutral() if q is None else q, dtype=float)
        v = np.zeros(robot.nv) if v is None else np.asarray(v, dtype=float)
        if q.shape[-1:] != (robot.nq,) or v.shape[-1:] != (robot.nv,):
            raise ShapeError(
                f"q has shape {q.shape}, v {v.shape}; they must be (..., {robot.nq}) and (..., {robot.nv})"
            )
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise StateError("q or v is not finite")
        batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], self.batch)
        q, v = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, v))
        v = into_mixed(robot.tree.representation, robot.floating, q, v)
        rows = [worker.begin(*pair) for worker, pair in zip(self._workers(batch), _rows(q, v), strict=True)]
        return self._joined(rows, batch)

    def step(self, state: MujocoState, command: Any = None, pushes: Any = None) -> MujocoState:
        """The state a period later."""
        batch = state.q.shape[:-1]
        command = self._given("command", command, self.command_size, batch)
        pushed = self._given("pushes", pushes, 6 * len(self.pushes), batch)
        workers = self._workers(batch)
        if self._held.get(batch) is not state:
            for worker, own in zip(workers, state.own.reshape(-1, state.own.shape[-1]), strict=True):
                worker.load(own)
        controls = command @ self.actuators.matrix.T + self.actuators.constant
        rows = [worker.step(*pair) for worker, pair in zip(workers, _rows(controls, pushed), strict=True)]
        return self._joined(rows, batch)

    def measure(self, state: MujocoState) -> dict[str, Array]:
        """The outputs at a state."""
        return {
            "q": state.q,
            "v": from_mixed(self.robot.tree.representation, self.robot.floating, state.q, state.v),
            "torques": state.torques,
            "mixed_velocity": state.v,
            "mixed_acceleration": state.acceleration,
            "wrenches": state.all_wrenches[..., : 6 * len(self.contacts)],
            "all_wrenches": state.all_wrenches,
            "pushed": state.pushed,
            "readings": state.readings,
        }

    def suite(self, sensors: Sequence[Sensor], dt: float) -> tuple[SensorSuite, tuple[str, ...]]:
        """Sensors that sense MuJoCo's motion: from its accelerations, and the forces of its contacts."""
        robot = self.robot.with_representation("mixed")
        varied = self.factors is not None and self.factors.inertial is not None
        frames = tuple(self.touching)
        suite = SensorSuite(robot, tuple(sensors), dt, frames, self.pushes, "acceleration", self.ground, varied)
        return suite, ("q", "mixed_velocity", "mixed_acceleration", "all_wrenches", "pushed")

    # -- MuJoCo's work --------------------------------------------------------------------------------------

    @cached_property
    def _held(self) -> dict[tuple[int, ...], MujocoState]:
        """The state of each batch's shape that MuJoCo's data are at."""
        return {}

    @cached_property
    def _working(self) -> dict[tuple[int, ...], list[Worker]]:
        return {}

    def _workers(self, batch: tuple[int, ...]) -> list[Worker]:
        """MuJoCo's data for each row of a batch."""
        if batch not in self._working:
            self._working[batch] = [self._worker(row) for row in np.ndindex(*batch)]
        return self._working[batch]

    def _worker(self, row: tuple[int, ...]) -> Worker:
        model = self.model
        if self.factors is not None:
            model = varied_model(model, self.factors, self.parts_of_robot, self.actuators.servos, row[-1])
        forces = ContactForces.of(model, self.parts_of_robot, self.touching, self.pushes)
        signs = [self.parts_of_robot.mounting(sensor) for sensor in self.parts_of_robot.readable]
        repeated = [np.full(s.size, m.sign) for s, m in zip(self.parts_of_robot.readable, signs, strict=True) if m]
        return Worker(model, self.coordinates, forces, self.substeps, np.concatenate([np.zeros(0), *repeated]))

    def _joined(self, rows: list[tuple[Array, ...]], batch: tuple[int, ...]) -> MujocoState:
        joined = [np.stack(parts).reshape(*batch, -1) for parts in zip(*rows, strict=True)] if batch else rows[0]
        state = MujocoState(*joined)
        fastest, hardest = (float(np.max(np.abs(x), initial=0.0)) for x in (state.v, state.acceleration))
        if not (fastest < FASTEST and hardest < HARDEST):
            raise SimulationError(
                f"the motion diverges in MuJoCo: velocities reach {fastest:.3g}, accelerations {hardest:.3g} in SI "
                "units; use shorter steps, or weaker commands"
            )
        self._held[batch] = state
        return state

    def _given(self, name: str, value: Any, size: int, batch: tuple[int, ...]) -> Array:
        if value is None:
            return np.zeros((*batch, size))
        array = np.asarray(value, dtype=float)
        if array.shape[-1:] != (size,):
            raise ShapeError(f"{name} has shape {array.shape}; it must be (..., {size})")
        if not (np.abs(array) < LARGEST).all():
            raise StateError(f"{name} is not finite, or beyond the {LARGEST:g} that MuJoCo takes")
        return np.broadcast_to(array, (*batch, size))


def _rows(*arrays: Array) -> Any:
    """Rows of batches, one of each array at a time."""
    return zip(*(array.reshape(math.prod(array.shape[:-1]), array.shape[-1]) for array in arrays), strict=True)


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise missing_dependency("mujoco", "mujoco", "the MuJoCo plant") from None
    return mujoco
