r"""Rows of one's own: any functions that are linear in the velocities.

    def rows(tree, q):                   # J (..., 1, nv): the left sole stays as far from the world's z axis as it is
        H, J = algorithms.pose(tree, q, "l_sole"), algorithms.jacobian(tree, q, "l_sole")
        return (H[..., 0, 3] * J[..., 0, :] + H[..., 1, 3] * J[..., 1, :])[..., None, :]

    on_a_cylinder = Rows("the cylinder", ("distance",), rows)

$\dot J \nu$ may be given as a function, which programs need; for numbers it is taken from the rows by complex numbers,
exactly: $\dot J \nu = \mathrm{Im}\, J(q \oplus i h \nu)\, \nu / h$ with a tiny h.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.configuration import integrate
from floatbase.errors import ArgumentError, ShapeError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, tree_of
from floatbase.spatial.arrays import Array, apply_matrix

STEP = 1e-30


@dataclass(frozen=True)
class Rows(Constraint):
    r"""Rows `matrix(tree, q)` (..., r, nv), $\dot J \nu$ `bent(tree, q, v)` and a residual `off(tree, q)` (..., r).

    The functions are called with the robot's tree, for which `floatbase.algorithms` are written. bent, off: None if
    they are not given; the residual is zero then.
    """

    name: str
    names: tuple[str, ...]
    matrix: Callable[..., Array]
    bent: Callable[..., Array] | None = None
    off: Callable[..., Array] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if not self.names:
            raise ArgumentError(f"names of {self.name!r} is empty; it names each row")

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.name

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        return self.names

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., r, nv)."""
        tree = tree_of(robot)
        J, wanted = self.matrix(tree, q), (len(self.names), tree.nv)
        if np.shape(J)[-2:] != wanted:
            raise ShapeError(
                f"the rows of {self.name!r} have shape {np.shape(J)}; they must be (..., {wanted[0]}, {wanted[1]})"
            )
        return J

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., r)."""
        tree = tree_of(robot)
        if self.bent is not None:
            return self.bent(tree, q, v)
        q, v = configuration(tree, q), rates(tree, "v", v)
        if q.dtype == object or v.dtype == object:
            raise ArgumentError(f"programs need the rate of {self.name!r} as a function: give `bent`")
        later = integrate(tree, q, 1j * STEP * v)
        return np.asarray(apply_matrix(self.matrix(tree, later), v).imag / STEP)

    def residual(self, robot: Robot | Tree, q: Any) -> Array:
        """How far the configuration is off (..., r)."""
        return super().residual(robot, q) if self.off is None else self.off(tree_of(robot), q)
