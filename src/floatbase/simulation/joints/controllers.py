r"""Controllers that run once in a period, and hold their torque until the next: PID, and a cascade of P and PI.

Both are digital: what they measure is that of the beginning of a step, their torque is constant within it, and their
integrals are part of the memory. `Sampled` makes the period several steps; `Encoder` makes their measurements those of
an encoder. With the error $e = q_d - q$ and the period $dt$, the PID controller is

$$ I^+ = I + K_i\, e\, dt, \qquad \hat{\dot q}^+ = \hat{\dot q} + \frac{dt}{T + dt} (\dot q - \hat{\dot q}), \qquad
   \tau = K_\tau \bigl( K_p\, e + I^+ + K_d\, (\dot q_d - \hat{\dot q}^+) \bigr) + \tau_{ff} , $$

and the cascade, whose inner loop controls the velocity that the outer one asks,

$$ v_d = \mathrm{clip}\bigl( K_p\, e + \dot q_d,\ \pm v_{max} \bigr), \qquad I^+ = I + K_i\, (v_d - \dot q)\, dt, \qquad
   \tau = K_\tau \bigl( K_v\, (v_d - \dot q) + I^+ \bigr) + \tau_{ff} . $$

Against windup, the integral stays within `integral_limit`, and it does not move further into a torque that is beyond
`torque_limit`; the torque is then the limit.

Q. Leboutet, PhD thesis, TU Munich, 2022, (12), with the integral, its bound and the saturation that the thesis's
simulator has.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.simulation.joints.composite import split
from floatbase.simulation.laws import NO_LIMIT, JointLaw, Numbers, join, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, vector, zeros


class Controller(JointLaw):
    """Base of digital controllers of positions: the last numbers of their memory are the torques they hold."""

    def command_size(self, joints: int) -> int:
        """Positions, velocities and torques."""
        return 3 * joints

    def rest(self, position: Array, velocity: Array) -> Array:
        """The present position and velocity."""
        return join([position, velocity, zeros((position.shape[-1],), position, velocity)])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torque that is held."""
        return memory[..., -position.shape[-1] :] + 0.0 * velocity

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step the torque is held."""
        return zeros((position.shape[-1],), position, velocity)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step the torque is held."""
        return zeros((position.shape[-1],), position, velocity)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step the torque is held."""
        return 0.0 * command

    @abstractmethod
    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """What the controller does in a period `dt`."""


def integrated(integral: Array, change: Array, others: Array, factor: Any, bounds: tuple[Any, Any]) -> Array:
    """The integral after a period in which its input adds `change`, kept from winding up.

    others: the rest of the torque; the whole is `factor * integral + others`. bounds: of the integral and the torque.
    """
    integral_limit, torque_limit = bounds
    moved = np.minimum(np.maximum(integral + change, -integral_limit), integral_limit)
    torque = factor * moved + others
    further = np.where(torque > torque_limit, 1.0, 0.0) - np.where(torque < -torque_limit, 1.0, 0.0)
    return np.where(further * factor * (moved - integral) > 0.0, integral, moved)


@dataclass(frozen=True, eq=False)
class PidDrive(Controller):
    r"""A PID controller of positions; remembers integrals, filtered velocities and torques.

    proportional, integral, derivative: $K_p$, $K_i$, $K_d$. drive_gain: $K_\tau$. filter_time: $T$, s.
    integral_limit: of $I$, which has the unit of $K_p\, e$. torque_limit: N m.
    """

    proportional: Numbers
    integral: Numbers = 0.0
    derivative: Numbers = 0.0
    drive_gain: Numbers = 1.0
    filter_time: Numbers = 0.0
    integral_limit: Numbers = NO_LIMIT
    torque_limit: Numbers = NO_LIMIT

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(
            proportional=self.proportional,
            integral=self.integral,
            derivative=self.derivative,
            filter_time=self.filter_time,
        )
        require_positive(integral_limit=self.integral_limit, torque_limit=self.torque_limit)

    def memory_size(self, joints: int) -> int:
        """Integrals, velocities and torques."""
        return 3 * joints

    def begin(self, position: Array, velocity: Array) -> Array:
        """No integral, the velocity as it is, no torque."""
        nothing = zeros((position.shape[-1],), position, velocity)
        return join([nothing, velocity, nothing])

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The controller once."""
        joints = position.shape[-1]
        target, rate, forward = split(command, [joints] * 3)
        integral, filtered, _ = split(memory, [joints] * 3)
        step = vector([dt], position, velocity)
        filtered = filtered + step / (self.filter_time + step) * (velocity - filtered)
        error = target - position
        others = self.drive_gain * (self.proportional * error + self.derivative * (rate - filtered)) + forward
        bounds = self.integral_limit, self.torque_limit
        integral = integrated(integral, self.integral * error * step, others, self.drive_gain, bounds)
        torque = np.minimum(np.maximum(self.drive_gain * integral + others, -self.torque_limit), self.torque_limit)
        return join([integral, filtered, torque])


@dataclass(frozen=True, eq=False)
class CascadeDrive(Controller):
    r"""A P controller of positions around a PI controller of velocities; remembers integrals and torques.

    proportional: $K_p$, 1/s. velocity_gain, integral: $K_v$ and $K_i$. drive_gain: $K_\tau$. velocity_limit: rad/s.
    integral_limit: of $I$, which has the unit of $K_v\, v_d$. torque_limit: N m.
    """

    proportional: Numbers
    velocity_gain: Numbers
    integral: Numbers = 0.0
    drive_gain: Numbers = 1.0
    velocity_limit: Numbers = NO_LIMIT
    integral_limit: Numbers = NO_LIMIT
    torque_limit: Numbers = NO_LIMIT

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(proportional=self.proportional, velocity_gain=self.velocity_gain, integral=self.integral)
        require_positive(
            velocity_limit=self.velocity_limit, integral_limit=self.integral_limit, torque_limit=self.torque_limit
        )

    def memory_size(self, joints: int) -> int:
        """Integrals and torques."""
        return 2 * joints

    def begin(self, position: Array, velocity: Array) -> Array:
        """No integral, no torque."""
        return zeros((2 * position.shape[-1],), position, velocity)

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The controller once."""
        joints = position.shape[-1]
        target, rate, forward = split(command, [joints] * 3)
        integral, step = memory[..., :joints], vector([dt], position, velocity)
        asked = self.proportional * (target - position) + rate
        error = np.minimum(np.maximum(asked, -self.velocity_limit), self.velocity_limit) - velocity
        others = self.drive_gain * self.velocity_gain * error + forward
        bounds = self.integral_limit, self.torque_limit
        integral = integrated(integral, self.integral * error * step, others, self.drive_gain, bounds)
        torque = np.minimum(np.maximum(self.drive_gain * integral + others, -self.torque_limit), self.torque_limit)
        return join([integral, torque])
