r"""Rigid bodies in maximal coordinates: each has a pose and a twist of its own, and constraints couple them.

The state is the poses $H_1 \ldots H_n$ and the stacked body twists $V = (v_1, \ldots, v_n)$, linear parts first. A
constraint demands

$$ A(H)\, V = w(t), \qquad A \dot V = \dot w - \dot A V , $$

with w zero unless it is driven (a motor, a belt). Rows may couple any number of bodies. Where they come from equations
of poses alone, a residual $\phi(H)$ has the rate $A V$ on the constraint; rolling has none. Constraint wrenches are
$A^\top \lambda$; they do no work on the velocities that a constraint allows. Any scale and any invertible mixing of the
rows describes the same constraint.

Rothammer 2021, chapter 2; his twists have the angular part first, $V_{\mathrm{lin}} = T V$ with the halves
exchanged, and $A_{\mathrm{lin}} = A\, \mathrm{blkdiag}(T, \ldots)$.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from floatbase.compiler import is_symbolic
from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.checks import require
from floatbase.spatial.demands import DEMANDS
from floatbase.spatial.inertias import inertia_matrix
from floatbase.spatial.poses import pose_exponential, rotation_of
from floatbase.spatial.rigid_body import GRAVITY
from floatbase.spatial.twists import wrench_cross

STEP = 1e-30  # of derivatives by complex numbers, which do not cancel


@dataclass(frozen=True, eq=False)
class BodyConstraint:
    r"""Rows that couple some bodies, as functions of their poses (..., k, 4, 4) and twists (..., 6 k).

    matrix: A (..., r, 6 k). rate: $\dot A$ (..., r, 6 k); None takes it from `matrix` by complex numbers, exactly, for
    states of numbers. residual: (..., r), zero in rows that have none. drive: w and its derivative (r,) at a time.
    """

    name: str
    bodies: tuple[int, ...]
    row_names: tuple[str, ...]
    matrix: Callable[[Array], Array]
    rate: Callable[[Array, Array], Array] | None = None
    residual: Callable[[Array], Array] | None = None
    drive: Callable[[Any], tuple[Array, Array]] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        object.__setattr__(self, "row_names", tuple(self.row_names))
        numbers = all(isinstance(body, Integral) and body >= 0 for body in self.bodies)
        if not self.bodies or not numbers or len(set(self.bodies)) < len(self.bodies):
            raise ArgumentError(
                f"bodies of the constraint {self.name!r} is {self.bodies}; it lists numbers of bodies, each once"
            )

    def mixed(self, mixing: Array) -> BodyConstraint:
        """The constraint whose rows are `mixing` (r, r) times these, such as scaled ones."""
        K = np.asarray(mixing, dtype=np.float64)
        r = len(self.row_names)
        if K.shape != (r, r):
            raise ShapeError(f"mixing has shape {K.shape}; the constraint {self.name!r} needs ({r}, {r})")
        residual, drive = self.residual, self.drive
        return replace(
            self,
            row_names=tuple(f"mixed row {k}" for k in range(r)),
            matrix=lambda H: K @ self.matrix(H),
            rate=lambda H, V: K @ rate_of(self, H, V),
            residual=None if residual is None else (lambda H: apply_matrix(K, residual(H))),
            drive=None if drive is None else (lambda time: (K @ drive(time)[0], K @ drive(time)[1])),
        )


def rate_of(constraint: BodyConstraint, world_H_bodies: Array, twists: Array) -> Array:
    r"""$\dot A$ (..., r, 6 k) of a constraint for its own bodies."""
    if constraint.rate is not None:
        return constraint.rate(world_H_bodies, twists)
    if not np.issubdtype(world_H_bodies.dtype, np.floating):
        raise ArgumentError(
            f"the constraint {constraint.name!r} has no rate, which symbols need: give it as a function"
        )
    V = twists.reshape(*twists.shape[:-1], -1, 6)
    return constraint.matrix(world_H_bodies @ pose_exponential(1j * STEP * V)).imag / STEP


@dataclass(frozen=True, eq=False)
class BodySystem:
    """Bodies with ten inertial parameters each (n, 10), in their own frames, their constraints, and gravity."""

    inertial_parameters: Array
    constraints: tuple[BodyConstraint, ...] = ()
    gravity: tuple[float, float, float] = GRAVITY

    def __post_init__(self) -> None:
        parameters = np.asarray(self.inertial_parameters, dtype=np.float64)
        if parameters.ndim != 2 or parameters.shape[1] != 10 or not len(parameters):
            raise ShapeError(f"inertial_parameters has shape {parameters.shape}; it must be (n, 10) for n bodies")
        require("inertial_parameters", parameters, DEMANDS["BodyParameters"])
        object.__setattr__(self, "inertial_parameters", parameters)
        object.__setattr__(self, "constraints", tuple(self.constraints))
        for item in self.constraints:
            if not isinstance(item, BodyConstraint):
                raise ArgumentError(f"constraints holds {item!r}; its entries must be of type BodyConstraint")
            if max(item.bodies) >= len(parameters):
                raise ArgumentError(
                    f"the constraint {item.name!r} is on body {max(item.bodies)}; there are {len(parameters)} bodies, "
                    "numbered from 0"
                )

    @property
    def n(self) -> int:
        """How many bodies there are."""
        return len(self.inertial_parameters)

    @property
    def row_names(self) -> list[str]:
        """What each row is called in messages."""
        return [f"{name} of {item.name}" for item in self.constraints for name in item.row_names]

    @cached_property
    def inertia(self) -> Array:
        r"""$\Lambda$ (6 n, 6 n)."""
        return self._diagonal(inertia_matrix(self.inertial_parameters))

    @cached_property
    def inverse_inertia(self) -> Array:
        r"""$\Lambda^{-1}$ (6 n, 6 n)."""
        return self._diagonal(np.linalg.inv(inertia_matrix(self.inertial_parameters)))

    @cached_property
    def inverse_root(self) -> Array:
        r"""$L^{-\top}$ (6 n, 6 n) for $\Lambda = L L^\top$: velocities of unit kinetic energy, up to a factor."""
        roots = np.linalg.inv(np.linalg.cholesky(inertia_matrix(self.inertial_parameters)))
        return self._diagonal(transpose(roots))

    def _diagonal(self, blocks: Array) -> Array:
        result = np.zeros((6 * self.n, 6 * self.n))
        for k, block in enumerate(blocks):
            result[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
        return result

    def check(self, world_H_bodies: Array, twists: Array | None = None) -> None:
        """Raise unless poses are (..., n, 4, 4) and twists (..., 6 n), and numbers among them finite."""
        for name, value, shape in (
            ("world_H_bodies", world_H_bodies, (self.n, 4, 4)),
            ("twists", twists, (6 * self.n,)),
        ):
            if value is None:
                continue
            if value.shape[-len(shape) :] != shape:
                wanted = ", ".join(map(str, shape))
                raise ShapeError(f"{name} has shape {value.shape}; for {self.n} bodies it must be (..., {wanted})")
            if value.dtype != object and not np.isfinite(value).all():
                raise StateError(f"{name} contains NaN or infinity; all numbers must be finite")

    def matrix(self, world_H_bodies: Array) -> Array:
        """A (..., c, 6 n) of all constraints, one below the other."""
        return self._stacked(world_H_bodies, None)

    def rate(self, world_H_bodies: Array, twists: Array) -> Array:
        r"""$\dot A$ (..., c, 6 n)."""
        return self._stacked(world_H_bodies, twists)

    def _stacked(self, H: Array, V: Array | None) -> Array:
        self.check(H, V)
        blocks = [zeros((0, 6 * self.n), H[..., 0, 0, :])]
        for item in self.constraints:
            chosen, r, width = H[..., list(item.bodies), :, :], len(item.row_names), 6 * len(item.bodies)
            part = item.matrix(chosen) if V is None else rate_of(item, chosen, columns_of(item, V))
            if part.shape[-2:] != (r, width):
                raise ShapeError(
                    f"{'matrix' if V is None else 'rate'} of the constraint {item.name!r} has shape {part.shape}; "
                    f"for {r} rows and {len(item.bodies)} bodies it must be (..., {r}, {width})"
                )
            if not is_symbolic(part) and not np.isfinite(part).all():
                what = "matrix" if V is None else "rate"
                raise StateError(f"{what} of the constraint {item.name!r} contains NaN or infinity at these poses")
            block = zeros((r, 6 * self.n), part[..., 0, :])
            for k, body in enumerate(item.bodies):
                block[..., 6 * body : 6 * body + 6] = part[..., 6 * k : 6 * k + 6]
            blocks.append(block)
        batch = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
        return np.concatenate([broadcast(block, (*batch, *block.shape[-2:])) for block in blocks], axis=-2)

    def residual(self, world_H_bodies: Array) -> Array:
        """The residuals (..., c); zero in rows that have none."""
        self.check(world_H_bodies)
        like = zeros((0,), world_H_bodies[..., 0, 0, :])
        parts = [like]
        for item in self.constraints:
            chosen = world_H_bodies[..., list(item.bodies), :, :]
            still = zeros((len(item.row_names),), like)
            parts.append(still if item.residual is None else item.residual(chosen) + still)
        return np.concatenate(parts, axis=-1)

    def drive(self, time: Any) -> tuple[Array, Array]:
        """W and its derivative (c,) at a time."""
        speeds, rates = [np.zeros(0)], [np.zeros(0)]
        for item in self.constraints:
            r = len(item.row_names)
            found = (np.zeros(r), np.zeros(r)) if item.drive is None else item.drive(time)
            speeds.append(np.asanyarray(found[0]))
            rates.append(np.asanyarray(found[1]))
        return np.concatenate(speeds), np.concatenate(rates)

    def forces(self, world_H_bodies: Array, twists: Array, wrenches: Array) -> Array:
        r"""$b = F^\top \Lambda V + f$ (..., 6 n): wrenches (..., 6 n) on the bodies, weight and gyroscopic ones."""
        self.check(world_H_bodies, twists)
        if np.shape(wrenches)[-1:] != (6 * self.n,):
            raise ShapeError(
                f"wrenches has shape {np.shape(wrenches)}; for {self.n} bodies it must be (..., {6 * self.n})"
            )
        parts = []
        for k in range(self.n):
            M, V = inertia_matrix(self.inertial_parameters[k]), twists[..., 6 * k : 6 * k + 6]
            g = apply_matrix(transpose(rotation_of(world_H_bodies[..., k, :, :])), np.array(self.gravity))
            weight = apply_matrix(M, np.concatenate([g, 0.0 * g], axis=-1))
            parts.append(weight - apply_matrix(wrench_cross(V), apply_matrix(M, V)))
        return wrenches + np.concatenate(parts, axis=-1)

    def kinetic_energy(self, twists: Array) -> Array:
        r"""$\tfrac12 V^\top \Lambda V$ (...)."""
        return 0.5 * np.sum(twists * apply_matrix(self.inertia, twists), axis=-1)

    def potential_energy(self, world_H_bodies: Array) -> Array:
        """Of gravity (...), zero at the world's origin."""
        m, moment = self.inertial_parameters[:, :1], self.inertial_parameters[:, 1:4]
        place = apply_matrix(rotation_of(world_H_bodies), moment) + m * world_H_bodies[..., :3, 3]
        return -np.sum(place * np.array(self.gravity), axis=(-2, -1))


def broadcast(x: Array, shape: tuple[int, ...]) -> Array:
    """An array of numbers or symbols, seen with more batch axes."""
    return np.broadcast_to(x, shape, subok=True)


def columns_of(constraint: BodyConstraint, twists: Array) -> Array:
    """The twists (..., 6 k) of a constraint's bodies among all (..., 6 n)."""
    return np.concatenate([twists[..., 6 * k : 6 * k + 6] for k in constraint.bodies], axis=-1)
