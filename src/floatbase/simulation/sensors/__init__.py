"""Sensors: what they read of a robot's motion and of the wrenches on it, and how far that is from the truth."""

from floatbase.simulation.sensors.allan import allan_deviation
from floatbase.simulation.sensors.attitude_calibration import (
    AttitudeCalibration,
    calibrate_attitude,
    pendulum_pose,
    true_attitude,
)
from floatbase.simulation.sensors.attitude_errors import AttitudeErrors
from floatbase.simulation.sensors.cartesian_excitation import random_cartesian
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.encoders import JointEncoders
from floatbase.simulation.sensors.errors import Errors
from floatbase.simulation.sensors.excitation import PointToPoint, TwoAxisSweep
from floatbase.simulation.sensors.excitation_wrenches import BandLimitedWrench, reference_wrench
from floatbase.simulation.sensors.force_torque import ForceTorque
from floatbase.simulation.sensors.inertial import Accelerometer, Attitude, Gyroscope, Magnetometer
from floatbase.simulation.sensors.odometry import odometry_in_world, odometry_scale, odometry_start
from floatbase.simulation.sensors.pose_errors import PoseErrors
from floatbase.simulation.sensors.robot_sensors import SensorWarning, sensors_of
from floatbase.simulation.sensors.sampling import Sampling
from floatbase.simulation.sensors.screening import Screen, ScreenState, Verdict, screen_from_log
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.skin import SkinAccelerometers, SkinForces, SkinProximity, contact_of_forces
from floatbase.simulation.sensors.skin_layout import (
    Cell,
    cell_frames,
    cells,
    hexagonal_cylinder,
    hexagonal_plane,
    is_connected,
    neighbours,
)
from floatbase.simulation.sensors.suite import Readings, SensorState, SensorSuite
from floatbase.simulation.sensors.tracking import PoseTracker, camera, motion_capture
from floatbase.simulation.sensors.trajectories import JointMotion, JointTrajectory, Trapezoid

__all__ = [
    "Accelerometer",
    "Attitude",
    "AttitudeCalibration",
    "AttitudeErrors",
    "BandLimitedWrench",
    "Cell",
    "Distortion",
    "Errors",
    "ForceTorque",
    "Gyroscope",
    "JointEncoders",
    "JointMotion",
    "JointTrajectory",
    "Magnetometer",
    "PointToPoint",
    "PoseErrors",
    "PoseTracker",
    "Readings",
    "Sampling",
    "Screen",
    "ScreenState",
    "Sensor",
    "SensorState",
    "SensorSuite",
    "SensorWarning",
    "SkinAccelerometers",
    "SkinForces",
    "SkinProximity",
    "Trapezoid",
    "TwoAxisSweep",
    "Verdict",
    "allan_deviation",
    "calibrate_attitude",
    "camera",
    "cell_frames",
    "cells",
    "contact_of_forces",
    "hexagonal_cylinder",
    "hexagonal_plane",
    "is_connected",
    "motion_capture",
    "neighbours",
    "odometry_in_world",
    "odometry_scale",
    "odometry_start",
    "pendulum_pose",
    "random_cartesian",
    "reference_wrench",
    "screen_from_log",
    "sensors_of",
    "true_attitude",
]
