"""Sensors: what they read of a robot's motion and of the wrenches on it, and how far that is from the truth."""

from floatbase.simulation.sensors.allan import allan_deviation
from floatbase.simulation.sensors.attitude_errors import AttitudeErrors
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.encoders import JointEncoders
from floatbase.simulation.sensors.errors import Errors
from floatbase.simulation.sensors.force_torque import ForceTorque
from floatbase.simulation.sensors.inertial import Accelerometer, Attitude, Gyroscope, Magnetometer
from floatbase.simulation.sensors.pose_errors import PoseErrors
from floatbase.simulation.sensors.robot_sensors import SensorWarning, sensors_of
from floatbase.simulation.sensors.sampling import Sampling
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.skin import SkinAccelerometers, SkinForces, SkinProximity, contact_of_forces
from floatbase.simulation.sensors.suite import Readings, SensorState, SensorSuite
from floatbase.simulation.sensors.tracking import PoseTracker, camera, motion_capture
