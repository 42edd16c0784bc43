r"""What laws of physics have in common: parameters that can differ from state to state, and memory.

A *law* is a frozen dataclass. Those of its fields that are numbers, or one number per joint, are its *parameters*:
`law.parameters` is a vector of them, and `law.with_parameters(values)` the same law with others, which may be arrays
with batch axes or symbols. So the same law serves one simulation, thousands with different parameters, and a program
whose parameters are inputs. What is not a number (a name, a shape, another law) is fixed when a program is traced.

A law of contact says which wrench the ground exerts on a frame. It may remember things from step to step, such as the
place where a sole touched the ground; its memory is a vector whose size is known ahead. Poses are `world_H_frame`
(..., 4, 4); twists and wrenches are mixed: at the frame's origin, in the axes of the world.

A law of joints says which torques act on some joints, given their positions, velocities, a command and a memory. In
each step of a simulation

1. `sample` is called once, at the beginning: what is digital (a controller, a delay, a measurement) happens there;
2. `torque` is called as often as the integrator likes, with the memory that `sample` gave, and `damping` and
   `stiffness` where the integrator is implicit;
3. `remember` is called once, at the end: what is continuous (bristles, the rotor behind a spring) moves on there.

`damping` and `stiffness` are what an implicit step needs: to first order in a short time $dt$ the torque becomes
$\tau(q, v) - D\, (v^+ - v) - K\, v^+ dt$.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from floatbase.compiler import is_symbolic
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.derivatives import derivative_by_pose, derivative_by_twist
from floatbase.spatial.arrays import Array, components, require_shape, transpose, vector

L = TypeVar("L", bound="Law")
Number = Any  # a float, an array of the batch's shape, or a symbol
NO_LIMIT = 1e30  # for limits that do not bind: parameters are finite, as inputs of compiled functions must be
Numbers = Any  # one number per joint: an array (..., joints), or (..., 1) or a number where all joints have the same


class _ParameterNames:
    """`parameter_names()`, of a law or of a class of laws; a class does not know how many joints there are."""

    def __get__(self, law: Law | None, kind: type[Law]) -> Callable[[], tuple[str, ...]]:
        def names() -> tuple[str, ...]:
            found: list[str] = []
            for name, size in kind._fields() if law is None else law._sizes():
                found += [name] if size is None else [f"{name}[{k}]" for k in range(size)]
            return tuple(found)

        return names


@dataclass(frozen=True, eq=False)
class Law:
    """Base of all laws: fields annotated as `Number` or `Numbers` are parameters (with postponed annotations).

    `parameter_names()`: those of `parameters`, in their order; numbers of joints are called like `stiffness[2]`.
    Laws with such arrays are compared by identity: `@dataclass(frozen=True, eq=False)`.
    """

    parameter_names: ClassVar = _ParameterNames()

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "Numbers":
                object.__setattr__(self, field.name, np.atleast_1d(getattr(self, field.name)))
                require_finite(**{field.name: getattr(self, field.name)})

    @classmethod
    def _fields(cls) -> list[tuple[str, int | None]]:
        return [(field.name, None) for field in fields(cls) if field.type in ("Number", "Numbers")]

    def _sizes(self) -> list[tuple[str, int | None]]:
        """Fields that are parameters, each with how many numbers it has, None if it is a number itself."""
        vectors = {field.name for field in fields(self) if field.type == "Numbers"}
        return [
            (name, np.shape(getattr(self, name))[-1] if name in vectors else None) for name, _ in type(self)._fields()
        ]

    @property
    def parameters(self) -> Array:
        """All parameters (n,), or (..., n) if they differ from state to state."""
        values = [
            np.asarray(getattr(self, name), dtype=float)[..., None if size is None else slice(None)]
            for name, size in self._sizes()
        ]
        return join(values) if values else np.zeros(0)

    def with_parameters(self, values: Array) -> Self:
        """The same law with other parameters: numbers (..., n), or symbols (n,)."""
        sizes = self._sizes()
        require_shape(values, sum(1 if size is None else size for _, size in sizes))
        changes, start = {}, 0
        for name, size in sizes:
            changes[name] = components(values)[start] if size is None else values[..., start : start + size]
            start += 1 if size is None else size
        return replace(self, **changes)


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

    def implicit(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> tuple[Array, Array]:
        """Damping and stiffness (..., 6, 6) that implicit steps use: symmetric, and better positive semidefinite.

        Any will do for the order of a step; those of a law without its own are the symmetric parts of its derivatives.
        """
        state = world_H_frame, twist, memory, ground
        D, K = self.damping_matrix(*state), self.stiffness_matrix(*state)
        return 0.5 * (D + transpose(D)), 0.5 * (K + transpose(K))

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
    """What happens between the command for some joints and the torques on them: a drive, friction, a spring.

    A simulation calls `check_joints` before it begins. In what follows positions, velocities and torques are
    (..., joints), and so are parameters annotated `Numbers`, in one order. Commands are (..., command_size), memories
    (..., memory_size).
    """

    def check_joints(self, joints: int) -> None:
        """Raise unless each parameter is one number for each of so many joints, or one for all."""
        for name, size in self._sizes():
            if size not in (None, 1, joints):
                raise ShapeError(
                    f"{type(self).__name__}: {name} has {size} numbers; it must have one for each of {joints} joints, "
                    "or one for all"
                )

    def command_size(self, joints: int) -> int:
        """How many numbers command so many joints; 0 if the law obeys no command, and then any command will do.

        A command of several numbers per joint has those of one kind for all joints first, then those of the next.
        """
        return joints

    def memory_size(self, joints: int) -> int:
        """How many numbers are remembered for so many joints."""
        return 0

    def begin(self, position: Array, velocity: Array) -> Array:
        """The memory (..., memory_size) at the beginning of a simulation."""
        return vector([], position, velocity)

    def rest(self, position: Array, velocity: Array) -> Array:
        """The command that asks for nothing there: no torque, or the present position and velocity."""
        return vector([0.0] * self.command_size(position.shape[-1]), position, velocity)

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The memory after what happens at the beginning of a step of time `dt`; called once in each step."""
        return memory

    @abstractmethod
    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torques on the joints; `command` is what the law drives them to."""

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The memory after a step of time `dt` that led to this position and velocity; called once in each step."""
        return memory

    @abstractmethod
    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Minus the derivative of each joint's torque in its own velocity (..., joints).

        Where a torque bends sharply, as friction does, it may be another number that makes implicit steps stable.
        """

    @abstractmethod
    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Minus the derivative of each joint's torque in its own position (..., joints).

        Laws that know the time step may count within it what positions do to the torque as damping instead.
        """

    @abstractmethod
    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The derivative of each joint's torque in each of its commands (..., command_size)."""


def join(parts: Sequence[Array]) -> Array:
    """Vectors one after the other, (..., sum of sizes): numbers whose leading axes broadcast, or symbols."""
    batch = np.broadcast_shapes(*(np.shape(part)[:-1] for part in parts))
    if batch == ():
        return np.concatenate(parts, axis=-1)
    return np.concatenate([np.broadcast_to(part, (*batch, np.shape(part)[-1])) for part in parts], axis=-1)


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
    _require("positive and finite", lambda x: x > 0, values)


def require_not_negative(**values: Any) -> None:
    """Raise an error that names the first argument that is negative; symbols pass."""
    _require("finite and not negative", lambda x: x >= 0, values)


def require_finite(**values: Any) -> None:
    """Raise an error that names the first argument that is NaN or infinite; symbols pass."""
    _require("finite", np.isfinite, values)


def require_place(**values: Any) -> None:
    """Raise an error that names the first argument that is not three finite numbers; symbols pass."""
    for name, value in values.items():
        if np.shape(value) != (3,):
            raise ShapeError(f"{name} is {value!r}; it must be one place (x, y, z)")
        require_finite(**{name: value})


def _require(demand: str, holds: Callable[[Array], Array], values: dict[str, Any]) -> None:
    for name, value in values.items():
        numbers = np.asarray(value)
        if numbers.dtype == object:
            numbers = np.array([entry for entry in numbers.flat if not is_symbolic(entry)] or [1.0])
        if numbers.dtype.kind not in "fiuc" or not (np.all(holds(numbers.real)) and np.all(np.isfinite(numbers))):
            raise ArgumentError(f"{name} is {value!r}; it must be {demand}")
