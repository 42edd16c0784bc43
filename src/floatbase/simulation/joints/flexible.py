r"""Flexible joints: a spring and a damper in a passive joint, and a motor behind a spring.

A passive joint with the deflection $s$ has

$$ \tau^f = -k\, s - d\, \dot s . $$

Given the torque $\tau^f_k$ that something else exerts a balance with, backward Euler gives the motion

$$ s_k = \frac{d\, s_{k-1} - \tau^f_k\, dt}{k\, dt + d}, \qquad \dot s_k = \frac{s_k - s_{k-1}}{dt}, $$

which is stable for any step: under a constant torque $s + \tau^f / k$ is multiplied by $d / (k\, dt + d)$ in each step.

In a series elastic joint a rotor $\theta$ of inertia $J$, as seen at the joint, drives the joint $q$ by a spring,

$$ \tau = k\, (\theta - q) + d\, (\dot\theta - \dot q), \qquad
   J\, \ddot\theta = \tau_m - b\, \dot\theta - \tau . $$

The rotor moves by backward Euler within the step of the joint: with $q^+ = q + \dot q^+ dt$, and the $D_m$ and $K_m$ of
what drives it,

$$ \bigl( J + (b + d + D_m)\, dt + (k + K_m)\, dt^2 \bigr)\, \dot\theta^+
   = (J + D_m\, dt)\, \dot\theta + \bigl( \tau_m + k\, (q^+ - \theta) + d\, \dot q^+ \bigr)\, dt . $$

So $\dot\theta^+$ is linear in $\dot q^+$, the torque too, and the derivative in $\dot q^+$ is the damping that implicit
steps are told. Joint and rotor then move as one implicit system, stable for any stiffness.

G. Romualdi, PhD thesis, Genoa, 2022, section 9.1, (9.1.1) and (9.1.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.joints.composite import WrappedLaw, split
from floatbase.simulation.laws import JointLaw, Numbers, join, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, vector, zeros


def flexible_deflection(torque: Any, deflection: Any, spring: Any, damper: Any, dt: Any) -> tuple[Array, Array]:
    """The deflection and its rate after a step in which a flexible joint has a torque: backward Euler.

    torque: (..., joints), that of the joint, at the end of the step. deflection: at its beginning. spring, damper:
    k, N m/rad, and d, N m s/rad, of which one may be 0.
    """
    require_positive(dt=dt)
    require_not_negative(spring=spring, damper=damper)
    weight = spring * dt + damper
    if np.asarray(weight).dtype != object and not np.all(np.greater(weight, 0.0)):
        raise ArgumentError(
            f"spring * dt + damper is {weight!r}; a joint without a spring and a damper has no deflection for a torque"
        )
    moved = (damper * deflection - torque * dt) / weight
    return moved, (moved - deflection) / dt


@dataclass(frozen=True, eq=False)
class FlexibleJoint(JointLaw):
    """The spring and the damper of a passive joint, which obeys no command.

    spring, damper: N m/rad, N m s/rad. relaxed: the position without torque, rad.
    """

    spring: Numbers
    damper: Numbers
    relaxed: Numbers = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(spring=self.spring, damper=self.damper)

    def command_size(self, joints: int) -> int:
        """None."""
        return 0

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of the spring and the damper."""
        return -self.spring * (position - self.relaxed) - self.damper * velocity

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of the damper."""
        return self.damper + 0.0 * velocity

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of the spring."""
        return self.spring + 0.0 * position

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """There is no command to react to."""
        return zeros((0,), position, velocity)


@dataclass(frozen=True, eq=False)
class SeriesElastic(WrappedLaw):
    """A rotor that `law` drives, and the spring through which it drives the joint.

    The law inside sees positions and velocities of the rotor, and so are its commands. spring, damper: k, N m/rad, and
    d, N m s/rad. rotor_inertia: J, of the rotor as the joint sees it, kg m^2; the model must have none for the joint.
    rotor_damping: b, N m s/rad. It remembers the position and the velocity of the rotor, the time step, and what the
    law inside does.
    """

    spring: Numbers
    rotor_inertia: Numbers
    damper: Numbers = 0.0
    rotor_damping: Numbers = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(spring=self.spring, rotor_inertia=self.rotor_inertia)
        require_not_negative(damper=self.damper, rotor_damping=self.rotor_damping)

    def memory_size(self, joints: int) -> int:
        """The rotor's position and velocity, the time step, and what the law inside remembers."""
        return 2 * joints + 1 + self.law.memory_size(joints)

    def begin(self, position: Array, velocity: Array) -> Array:
        """A rotor that moves with the joint; the spring is relaxed."""
        return join([position, velocity, vector([0.0], position, velocity), self.law.begin(position, velocity)])

    def rest(self, position: Array, velocity: Array) -> Array:
        """That of the law inside."""
        return self.law.rest(position, velocity)

    def _pieces(self, memory: Array, joints: int) -> list[Array]:
        return split(memory, [joints, joints, 1, self.law.memory_size(joints)])

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """Remember how long the step is; what the law inside does with the rotor."""
        angle, rate, _, inside = self._pieces(memory, position.shape[-1])
        step = vector([dt], position, velocity)
        return join([angle, rate, step, self.law.sample(command, angle, rate, inside, dt)])

    def _rotor(self, command: Array, position: Array, velocity: Array, memory: Array) -> tuple[Array, Array, Array]:
        """The rotor's position and velocity at the end of the step, and the derivative of the latter in the joint's.

        position, velocity: those of the joint at the end of the step.
        """
        angle, rate, dt, inside = self._pieces(memory, position.shape[-1])
        motor = self.law.torque(command, angle, rate, inside)
        resistance = self.law.damping(command, angle, rate, inside)
        restoring = self.law.stiffness(command, angle, rate, inside)
        weight = (
            self.rotor_inertia
            + (self.rotor_damping + self.damper + resistance) * dt
            + (self.spring + restoring) * dt**2
        )
        push = motor + self.spring * (position - angle) + self.damper * velocity
        rate = ((self.rotor_inertia + resistance * dt) * rate + push * dt) / weight
        return angle + rate * dt, rate, (self.spring * dt + self.damper) * dt / weight

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Of the spring at the end of the step, if the velocity is that at its end."""
        ahead = position + velocity * memory[..., 2 * position.shape[-1], None]
        angle, rate, _ = self._rotor(command, ahead, velocity, memory)
        return self.spring * (angle - ahead) + self.damper * (rate - velocity)

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The rotor at the end of the step, and what the law inside remembers of it."""
        *_, step, inside = self._pieces(memory, position.shape[-1])
        angle, rate, _ = self._rotor(command, position, velocity, memory)
        return join([angle, rate, step, self.law.remember(command, angle, rate, inside, dt)])

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """What joint and rotor exchange within the step, through the spring as well."""
        dt = memory[..., 2 * position.shape[-1], None]
        *_, slope = self._rotor(command, position, velocity, memory)
        return (self.spring * dt + self.damper) * (1.0 - slope)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: what the spring does within the step is part of the damping."""
        return zeros((position.shape[-1],), position, velocity)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the law inside, as far as the rotor moves within the step."""
        joints = position.shape[-1]
        angle, rate, _, inside = self._pieces(memory, joints)
        gain = self.law.gain(command, angle, rate, inside)
        *_, slope = self._rotor(command, position, velocity, memory)
        return join([slope] * (gain.shape[-1] // joints)) * gain if gain.shape[-1] else gain
