"""The sensors that a robot's description has, with errors typical of their kind.

| kind | becomes | errors |
|---|---|---|
| force_torque | `ForceTorque` | noise 0.15 N, 0.01 N m; bias 0.05 N, 0.01 N m |
| accelerometer | `Accelerometer` | 60 ug/sqrt(Hz), instability 15 ug over 100 s, bias 0.05 m/s^2 |
| accelerometer of a skin board | `Accelerometer` | noise 0.34 m/s^2, steps of 7.81 mg, range 4 g |
| gyroscope | `Gyroscope` | 0.03 deg/s/sqrt(Hz), instability 18 deg/h over 100 s, bias 0.2 deg/s |
| magnetometer | `Magnetometer` | noise 0.2 uT, bias 1 uT |
| imu | `Accelerometer`, `Gyroscope`, `Attitude` | as above; attitude: noise 0.2 deg, misalignment 0.2 deg |
| joints | `JointEncoders` of positions and of velocities | 0.02 deg; 0.01 rad/s |

Skin boards are those with `_mtb_` in their names, as on iCub. Biases and misalignments are standard deviations: they
are drawn once. Numbers for force/torque sensors, encoders and the accelerometer's bias are those of the simulations for
Traversaro 2017, of skin boards those of Leboutet 2022; of IMUs those of a data sheet of the class of an Xsens MTi-30,
which Leboutet 2022 uses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.errors import ArgumentError, warn
from floatbase.model import Sensor as DescribedSensor
from floatbase.robot import Robot
from floatbase.simulation.sensors.attitude_errors import AttitudeErrors
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.encoders import JointEncoders
from floatbase.simulation.sensors.errors import Errors
from floatbase.simulation.sensors.force_torque import ForceTorque
from floatbase.simulation.sensors.inertial import Accelerometer, Attitude, Gyroscope, Magnetometer
from floatbase.simulation.sensors.sampling import Sampling
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.skin import CELL_ERRORS, STANDARD_GRAVITY

_DEGREE = float(np.deg2rad(1.0))
FORCE_TORQUE_ERRORS = Errors(noise=(0.15,) * 3 + (0.01,) * 3, bias_spread=(0.05,) * 3 + (0.01,) * 3)
ACCELEROMETER_ERRORS = Errors(
    noise_density=60e-6 * STANDARD_GRAVITY,
    bias_instability=15e-6 * STANDARD_GRAVITY,
    correlation_time=100.0,
    bias_spread=0.05,
)
GYROSCOPE_ERRORS = Errors(
    noise_density=0.03 * _DEGREE,
    bias_instability=18.0 / 3600.0 * _DEGREE,
    correlation_time=100.0,
    bias_spread=0.2 * _DEGREE,
)
MAGNETOMETER_ERRORS = Errors(noise=2e-7, bias_spread=1e-6)
ATTITUDE_ERRORS = AttitudeErrors(noise=0.2 * _DEGREE, misalignment_spread=0.2 * _DEGREE)
POSITION_ERRORS = Errors(noise=0.02 * _DEGREE)
VELOCITY_ERRORS = Errors(noise=0.01)


class SensorWarning(UserWarning):
    """A description has sensors of which there is no model."""


def sensors_of(robot: Robot, *, perfect: bool = False, encoders: bool = True) -> tuple[Sensor, ...]:
    """Models of the sensors of a robot's description, by their names there; parts of an IMU are called like
    "imu.gyroscope".

    perfect: without errors, with a sample at every tick; otherwise with the errors of this module and the rates of the
    description (at every tick where it gives none). encoders: with "joint_positions" and "joint_velocities". A warning
    names sensors of which there is no model: of other kinds, and force/torque sensors in joints that move.
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(f"sensors are those of a floatbase.Robot, got {robot!r}")
    found: list[Sensor] = []
    unknown = []
    fixed = {joint.name for joint in robot.model.joints if joint.kind == "fixed"}
    for described in robot.model.sensors:
        made = _made(described, perfect) if described.joint is None or described.joint in fixed else []
        found += made
        if not made:
            unknown.append(f"{described.name} ({described.kind})")
    if unknown:
        warn(f"robot {robot.name!r} has sensors of which there is no model: {', '.join(unknown)}", SensorWarning)
    if encoders:
        joints = tuple(body.joint.name for body in _in_order(robot) if body.joint is not None and body.joint.nv == 1)
        if joints:
            found.append(JointEncoders("joint_positions", joints, errors=_errors(POSITION_ERRORS, perfect)))
            found.append(
                JointEncoders("joint_velocities", joints, velocity=True, errors=_errors(VELOCITY_ERRORS, perfect))
            )
    return tuple(found)


def _made(described: DescribedSensor, perfect: bool) -> list[Sensor]:
    """The models of a sensor of a description; none if it is of another kind."""
    name, kind = described.name, described.kind
    sampling = Sampling() if perfect else Sampling(described.rate)
    if kind == "force_torque" and described.joint is not None:
        direction = described.direction or "child_to_parent"
        errors = _errors(FORCE_TORQUE_ERRORS, perfect)
        pose = described.link_H_sensor
        return [ForceTorque(name, described.joint, pose, direction, errors=errors, sampling=sampling)]  # type: ignore[arg-type]
    board = CELL_ERRORS if "_mtb_" in name else ACCELEROMETER_ERRORS
    parts: dict[str, list[tuple[str, Callable[..., Sensor], Distortion]]] = {
        "accelerometer": [("", Accelerometer, board)],
        "gyroscope": [("", Gyroscope, GYROSCOPE_ERRORS)],
        "magnetometer": [("", Magnetometer, MAGNETOMETER_ERRORS)],
        "imu": [
            (".accelerometer", Accelerometer, ACCELEROMETER_ERRORS),
            (".gyroscope", Gyroscope, GYROSCOPE_ERRORS),
            (".attitude", Attitude, ATTITUDE_ERRORS),
        ],
    }
    return [
        model(
            name + suffix, described.link, described.link_H_sensor, errors=_errors(errors, perfect), sampling=sampling
        )
        for suffix, model, errors in parts.get(kind, [])
    ]


def _errors(errors: Distortion, perfect: bool) -> Distortion:
    return type(errors)() if perfect else errors


def _in_order(robot: Robot) -> list:  # type: ignore[type-arg]
    """The bodies that joints move, in the order of the coordinates; of joints that mimic others none."""
    moved = {body.joint.name: body for body in robot.tree.bodies if body.joint is not None}
    return [moved[name] for name in robot.joint_names]
