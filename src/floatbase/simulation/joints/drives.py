r"""Drives without inertia of their own: torque, velocity and position control, and the cascades they are made of.

A controller of positions with the drive's gain,

$$ \tau = K_\tau K_p\, (q_d - q) + K_\tau K_d\, (\dot q_d - \dot q) + \tau_{ff}, \qquad K_\tau = K_v K_r K_m , $$

where $K_\tau$ is the product of the gains of amplifier, reduction and motor. Commands of several numbers are
$(q_d, \dot q_d, \tau_{ff})$, each for all joints. These laws act without pause, and implicit steps know their gains;
`PidDrive` and `CascadeDrive` are what a controller does once in a period.

Q. Leboutet, PhD thesis, TU Munich, 2022, (12).
"""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.simulation.joints.composite import split
from floatbase.simulation.laws import JointLaw, Numbers, join, require_not_negative
from floatbase.spatial.arrays import Array, zeros


@dataclass(frozen=True, eq=False)
class TorqueDrive(JointLaw):
    """A torque in proportion to the command (a current, a voltage, or the torque itself), and an offset.

    drive_gain: N m per unit of the command. offset: N m.
    """

    drive_gain: Numbers = 1.0
    offset: Numbers = 0.0

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Gain times command, and the offset."""
        return self.drive_gain * command + self.offset

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: the torque is that commanded however the joint moves."""
        return zeros((position.shape[-1],), position, velocity)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: the torque is that commanded wherever the joint is."""
        return zeros((position.shape[-1],), position, velocity)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the drive."""
        return self.drive_gain + 0.0 * command


@dataclass(frozen=True, eq=False)
class VelocityDrive(JointLaw):
    """A torque in proportion to the error of the velocity; commands are velocities, then torques to be added.

    proportional: N m s/rad before the `drive_gain`.
    """

    proportional: Numbers
    drive_gain: Numbers = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(proportional=self.proportional)

    def command_size(self, joints: int) -> int:
        """Velocities and torques."""
        return 2 * joints

    def rest(self, position: Array, velocity: Array) -> Array:
        """The present velocity."""
        return join([velocity, zeros((position.shape[-1],), position, velocity)])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torque of the error, and that commanded."""
        target, forward = split(command, [position.shape[-1]] * 2)
        return self.drive_gain * self.proportional * (target - velocity) + forward

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The gain of velocities."""
        return self.drive_gain * self.proportional + 0.0 * velocity

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: positions are not controlled."""
        return zeros((position.shape[-1],), position, velocity)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The gain of velocities, and one."""
        one = 0.0 * velocity + 1.0
        return join([self.drive_gain * self.proportional * one, one])


@dataclass(frozen=True, eq=False)
class PositionDrive(JointLaw):
    """The controller above; commands are positions, then velocities, then torques to be added.

    proportional, derivative: N m/rad and N m s/rad before the `drive_gain`.
    """

    proportional: Numbers
    derivative: Numbers
    drive_gain: Numbers = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(proportional=self.proportional, derivative=self.derivative)

    def command_size(self, joints: int) -> int:
        """Positions, velocities and torques."""
        return 3 * joints

    def rest(self, position: Array, velocity: Array) -> Array:
        """The present position and velocity."""
        return join([position, velocity, zeros((position.shape[-1],), position, velocity)])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torque of the errors, and that commanded."""
        target, rate, forward = split(command, [position.shape[-1]] * 3)
        error = self.proportional * (target - position) + self.derivative * (rate - velocity)
        return self.drive_gain * error + forward

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The gain of velocities."""
        return self.drive_gain * self.derivative + 0.0 * velocity

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The gain of positions."""
        return self.drive_gain * self.proportional + 0.0 * position

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The gains of positions and velocities, and one."""
        one = 0.0 * position + 1.0
        drive = self.drive_gain * one
        return join([drive * self.proportional, drive * self.derivative, one])
