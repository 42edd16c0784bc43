"""What laws of physics have in common: parameters that can differ from state to state, and memory.

A *law* is a frozen dataclass. Those of its fields that are numbers are its *parameters*: `law.parameters` is a vector
of them, and `law.with_parameters(values)` the same law with others, which may be arrays with batch axes or symbols. So
the same law serves one simulation, thousands with different parameters, and a program whose parameters are inputs. What
is not a number (a name, a shape, another law) is fixed when a program is traced.

A law of contact says which wrench the ground exerts on a frame. It may remember things from step to step, such as the
place where a sole touched the ground; its memory is a vector whose size is known ahead. Poses are `world_H_frame`
(..., 4, 4); twists and wrenches are mixed: at the frame's origin, in the axes of the world.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeVar

import numpy as np

from floatbase.compiler import is_symbolic
from floatbase.errors import ArgumentError
from floatbase.simulation.derivatives import derivative_by_pose, derivative_by_twist
from floatbase.spatial.arrays import Array, components, require_shape

L = TypeVar("L", bound="Law")
Number = Any  # a float, an array of the batch's shape, or a symbol


@dataclass(frozen=True)
class Law:
    """Base of all laws: fields that are annotated as `Number` are parameters (with postponed annotations)."""

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Names of the fields that are parameters, in the order of `parameters`."""
        return tuple(field.name for field in fields(cls) if field.type == "Number")

    @property
    def parameters(self) -> Array:
        """All parameters (n,), or (..., n) if they differ from state to state."""
        values = [np.asarray(getattr(self, name), dtype=float) for name in self.parameter_names()]
        return np.stack(np.broadcast_arrays(*values), axis=-1) if values else np.zeros(0)

    def with_parameters(self, values: Array) -> Self:
        """The same law with other parameters: numbers (..., n), or symbols (n,)."""
        names = self.parameter_names()
        require_shape(values, len(names))
        return replace(self, **dict(zip(names, components(values), strict=True)))


class Ground(Law, ABC):
    """What is stood on, as functions of the place (x, y): numbers with batch axes, or symbols."""

    @abstractmethod
    def height(self, x: Any, y: Any) -> Any:
        """How high the surface is there."""

    @abstractmethod
    def normal(self, x: Any, y: Any) -> Array:
        """The upward unit normal (..., 3)."""

    @abstractmethod
    def softness(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Factors by which the stiffness and the damping of laws of contact are multiplied there."""


class ContactLaw(Law, ABC):
    """The wrench that the ground exerts on a frame."""

    @property
    def memory_size(self) -> int:
        """How many numbers are remembered."""
        return 0

    @abstractmethod
    def begin(self, world_H_frame: Array, ground: Ground) -> Array:
        """The memory (..., memory_size) of a frame at the beginning of a simulation."""

    @abstractmethod
    def wrench(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> Array:
        """The wrench (..., 6) on the frame."""

    @abstractmethod
    def remember(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground, dt: Any) -> Array:
        """The memory after a step of time `dt` that led to this pose and twist; called once in each step."""

    def damping_matrix(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> Array:
        """Minus the derivative (..., 6, 6) of the wrench by the twist, for implicit integration.

        Pose and memory are held. What dissipates has a positive semidefinite one; zero out of contact.
        """
        return -self._differentiate(derivative_by_twist, world_H_frame, twist, memory, ground)

    def stiffness_matrix(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> Array:
        """Minus the derivative (..., 6, 6) of the wrench by a displacement of the pose, for implicit integration.

        The displacement (dp, dtheta) is one in the axes of the world, as the twist is: the origin moves by dp, the
        frame turns by exp(dtheta^) from the left. The components of the twist and the memory are held.
        """
        return -self._differentiate(derivative_by_pose, world_H_frame, twist, memory, ground)

    def _differentiate(
        self, rule: Callable[..., Array], world_H_frame: Array, twist: Array, memory: Array, ground: Ground
    ) -> Array:
        """Derivative of the wrench by a rule; parameters are arguments, so that they may be symbols too."""
        given = [*_symbols_of(self), *_symbols_of(ground)]

        def wrench(world_H_frame: Array, twist: Array, memory: Array, *values: Array) -> Array:
            parameters = iter(values)
            law, below = _with_symbols(self, parameters), _with_symbols(ground, parameters)
            return law.wrench(world_H_frame, twist, memory, below)

        return rule(wrench, world_H_frame, twist, memory, *given)


class JointLaw(Law, ABC):
    """What happens between the command for some joints and the torques on them: a drive, friction, a spring."""

    @abstractmethod
    def memory_size(self, joints: int) -> int:
        """How many numbers are remembered for so many joints."""

    @abstractmethod
    def begin(self, position: Array, velocity: Array) -> Array:
        """The memory (..., memory_size) at the beginning of a simulation; positions and velocities (..., joints)."""

    @abstractmethod
    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torques (..., joints) on the joints; `command` (..., joints) is what the law drives them to."""

    @abstractmethod
    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The memory after a step of time `dt` that led to this position and velocity; called once in each step."""


def _symbols_of(law: Law) -> list[Any]:
    """The parameters of a law that are symbols, with those of the laws in its fields."""
    found: list[Any] = []
    for field in fields(law):
        value = getattr(law, field.name)
        if isinstance(value, Law):
            found += _symbols_of(value)
        elif is_symbolic(value):
            found.append(value)
    return found


def _with_symbols(law: L, values: Iterator[Any]) -> L:
    """The same law with other symbols, in the order of `_symbols_of`."""
    changes: dict[str, Any] = {}
    for field in fields(law):
        value = getattr(law, field.name)
        if isinstance(value, Law):
            changes[field.name] = _with_symbols(value, values)
        elif is_symbolic(value):
            changes[field.name] = next(values)[()]
    return replace(law, **changes)


def require_positive(**values: Any) -> None:
    """Raise an error that names the first argument that is not positive; symbols pass."""
    for name, value in values.items():
        numbers = np.asarray(value)
        if numbers.dtype != object and not (np.all(numbers > 0) and np.all(np.isfinite(numbers))):
            raise ArgumentError(f"{name} is {value!r}; it must be positive and finite")


def require_not_negative(**values: Any) -> None:
    """Raise an error that names the first argument that is negative; symbols pass."""
    for name, value in values.items():
        numbers = np.asarray(value)
        if numbers.dtype != object and not (np.all(numbers >= 0) and np.all(np.isfinite(numbers))):
            raise ArgumentError(f"{name} is {value!r}; it must be finite and not negative")


def require_finite(**values: Any) -> None:
    """Raise an error that names the first argument that is NaN or infinite; symbols pass."""
    for name, value in values.items():
        numbers = np.asarray(value)
        if numbers.dtype != object and not np.all(np.isfinite(numbers)):
            raise ArgumentError(f"{name} is {value!r}; it must be finite")
