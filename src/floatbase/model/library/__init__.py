"""Robots described in Python: small ones with known equations, and ones from published numbers.

Each function returns a `Model`; those without arguments that are needed are also known by name: `fb.load("pendulum")`.
"""

from floatbase.model.library.aerial import quadrotor_with_arm
from floatbase.model.library.arms import mitsubishi_rv2sq, staubli_tx40, ur5_dh
from floatbase.model.library.denavit_hartenberg import Row, serial_robot
from floatbase.model.library.humanoids import humanoid_31_links, parametric_humanoid
from floatbase.model.library.nine_joints import nine_joint_tree
from floatbase.model.library.pendulums import pendulum, planar_double_pendulum, spherical_pendulum
from floatbase.model.library.suspended import suspended_manipulator

__all__ = [
    "Row",
    "humanoid_31_links",
    "mitsubishi_rv2sq",
    "nine_joint_tree",
    "parametric_humanoid",
    "pendulum",
    "planar_double_pendulum",
    "quadrotor_with_arm",
    "serial_robot",
    "spherical_pendulum",
    "staubli_tx40",
    "suspended_manipulator",
    "ur5_dh",
]
