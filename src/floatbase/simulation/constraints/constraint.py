r"""What a constraint on a robot is: rows $J(q)\, \nu = w$ on its velocities, $w = 0$ unless something drives it.

Differentiated, $J \dot\nu + \dot J \nu = \dot w$. What holds a constraint are generalised forces $J^\top \lambda$ with
one multiplier for each row, a force along it [N] or a moment about it [N m]; they do no work on velocities that a
constraint without a drive allows. A row that comes from an equation of configurations also has a *residual* $\phi(q)$
whose rate is $J \nu - w$ wherever it is zero; rows that constrain velocities only, such as rolling, have the residual
zero.

A constraint is a law: those of its fields that are numbers can differ from state to state or be inputs of a program.
Rows may have any scale: accelerations do not depend on it. Rothammer 2021, chapter 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.compiler.control import guard
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.laws import Law
from floatbase.spatial.arrays import Array, zeros


@dataclass(frozen=True)
class Constraint(Law, ABC):
    """Rows that the velocities of a robot must be orthogonal to; q: (..., nq) configuration, v: (..., nv) velocity."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What messages call it."""

    @property
    @abstractmethod
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains, for messages."""

    @abstractmethod
    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., rows, nv)."""

    @abstractmethod
    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., rows)."""

    def residual(self, robot: Robot | Tree, q: Any) -> Array:
        """How far the configuration is off, (..., rows); zero for rows that constrain velocities only."""
        return zeros((len(self.row_names),), np.asanyarray(q))

    def drive(self, robot: Robot | Tree, q: Any) -> tuple[Array, Array]:
        """The speeds w along the rows and their derivatives, (..., rows) each."""
        nothing = zeros((len(self.row_names),), np.asanyarray(q))
        return nothing, nothing

    def demands(self, robot: Robot | Tree, q: Any) -> tuple[tuple[Any, str], ...]:
        """Conditions (...) without which the rows do not exist at a configuration, each with what to say otherwise."""
        return ()


def tree_of(robot: Robot | Tree) -> Tree:
    """The tree of a robot, or a tree itself."""
    if isinstance(robot, Tree):
        return robot
    if isinstance(robot, Robot):
        return robot.tree
    raise ArgumentError(f"robot must be a floatbase.Robot or its tree, got {type(robot).__name__}")


def driven_rows(q: Any, speed: Any, speed_rate: Any) -> tuple[Array, Array]:
    """The drive (..., 1) of one row from numbers, arrays with batch axes, or symbols."""
    nothing = zeros((1,), np.asanyarray(q))
    return nothing + np.asanyarray(speed)[..., None], nothing + np.asanyarray(speed_rate)[..., None]


def checked_constraints(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """One or more constraints as a tuple."""
    if isinstance(constraints, Constraint):
        raise ArgumentError(f"constraints is one constraint; it must be a sequence of them, such as [{constraints!r}]")
    found = tuple(constraints)
    for item in found:
        if not isinstance(item, Constraint):
            raise ArgumentError(f"constraints holds {item!r}; its entries must be of type Constraint")
    if not found:
        raise ArgumentError("constraints is empty; without constraints there is forward_dynamics")
    return found


def require_rows(robot: Robot | Tree, q: Any, constraints: Sequence[Constraint]) -> None:
    """Guard that the rows of all constraints exist: at once for numbers, whenever it runs for a program."""
    for item in constraints:
        for condition, message in item.demands(robot, q):
            guard(condition, message)


def stacked_jacobian(robot: Robot | Tree, q: Any, constraints: Sequence[Constraint]) -> Array:
    """The rows of several constraints (..., c, nv), one below the other."""
    return np.concatenate([item.jacobian(robot, q) for item in constraints], axis=-2)


def stacked_rate(robot: Robot | Tree, q: Any, v: Any, constraints: Sequence[Constraint]) -> Array:
    r"""$\dot J \nu$ (..., c) of several constraints."""
    return np.concatenate([item.rate(robot, q, v) for item in constraints], axis=-1)


def stacked_drive(robot: Robot | Tree, q: Any, constraints: Sequence[Constraint]) -> tuple[Array, Array]:
    """The speeds and their derivatives (..., c) of several constraints."""
    found = [item.drive(robot, q) for item in constraints]
    return tuple(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))  # type: ignore[return-value]


def stacked_residual(robot: Robot | Tree, q: Any, constraints: Sequence[Constraint]) -> Array:
    """The residuals (..., c) of several constraints."""
    return np.concatenate([item.residual(robot, q) for item in constraints], axis=-1)


def stacked_names(constraints: Sequence[Constraint]) -> list[str]:
    """What each row of several constraints is called in messages."""
    return [f"{name} of {item.label}" for item in constraints for name in item.row_names]
