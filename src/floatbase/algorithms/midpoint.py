r"""The acceleration of the implicit midpoint step, by Newton's method.

The step from $(q, \nu)$ over the time $h$ takes the acceleration at its own middle, which solves

$$ r(a) = \mathrm{ID}(\bar q, \bar\nu, a) - \tau = 0, \qquad
   \bar\nu = \nu + \tfrac h2 a, \quad \bar q = q \oplus \tfrac h2 \bar\nu . $$

With $P, J$ the derivatives of $q \oplus s$ by $q$ and $s$ at $s = \tfrac h2 \bar\nu$, those of the residual by $q$,
$\nu$ and $a$ are

$$ R_q = \frac{\partial\,\mathrm{ID}}{\partial q} P, \qquad
   R_\nu = \frac{\partial\,\mathrm{ID}}{\partial \nu} + \tfrac h2 \frac{\partial\,\mathrm{ID}}{\partial q} J, \qquad
   R_a = M + \tfrac h2 R_\nu, $$

so that $a$ changes by $-R_a^{-1}$ times what the others bring about. The iteration starts at the acceleration of the
explicit step and goes along $-R_a^{-1} r$: all the way, or half of it, a quarter, and so on until $|r|$ has become
smaller by a fair share of what it would if it were linear. It ends after a correction so small that the next, its
square, is lost in rounding. Of the steps of 0.1 s of random robots and states it solves all, of those of 0.2 s 97 in a
hundred, of those of 0.4 s five in six; one that is too long to be solved is an error.

P. Deuflhard, "Newton methods for nonlinear problems", 2004, section 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.configuration import integrate, integrate_derivatives
from floatbase.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.algorithms.inverse_dynamics import inverse_dynamics
from floatbase.algorithms.tangent_matrices import combination, turn_columns
from floatbase.compiler.control import guard, subprogram, while_loop
from floatbase.compiler.dense import solve
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, components, vector

ENOUGH = 1e-16  # after a correction whose square, relative to the acceleration's (or 1), is this, none is needed
LARGEST = 1e-6  # what that of the last may be: above, the iteration has not converged
ROUNDING = 1e-10  # below, a correction that makes the residual no smaller is at fault for rounding
ANYTHING = 1e36  # the square of the residual before it is known
SHORTEST = 1e-4  # the smallest part of a correction that is tried
LIMIT = 60


class Residual(NamedTuple):
    """What is left of the equation (..., n), and its derivatives (..., n, n)."""

    value: Array
    by_q: Array
    by_v: Array
    by_a: Array


class MidpointEquation:
    """The equation of a step; in a program the dynamics in it are there once, however often it is evaluated."""

    def __init__(self, tree: Tree, external: Mapping[str, Array], parameters: Array | None) -> None:
        self.tree, self.names, self.with_parameters = tree, tuple(external), parameters is not None
        self.given = [*external.values(), *(() if parameters is None else (parameters,))]
        self._dynamics = subprogram(self._at_middle)

    def _at_middle(self, q: Array, v: Array, a: Array, tau: Array, *given: Array) -> Array:
        """Residual and derivatives of inverse dynamics, side by side."""
        settings = dict(zip(self.names, given, strict=False)), given[-1] if self.with_parameters else None
        residual = inverse_dynamics(self.tree, q, v, a, *settings) - tau
        by = inverse_dynamics_derivatives(self.tree, q, v, a, *settings)
        return np.concatenate([residual[..., None], *by], axis=-1)

    def middle(self, q: Array, v: Array, h: Array, a: Array) -> tuple[Array, Array, Array]:
        """Configuration and velocity in the middle of a step, and how far the first is from the start."""
        v_middle = v + 0.5 * h * a
        move = 0.5 * h * v_middle
        return integrate(self.tree, q, move), v_middle, move

    def residual(self, q: Array, v: Array, tau: Array, h: Array, a: Array, *given: Array) -> Residual:
        """At an acceleration; h: (..., 1); given: values of wrenches and parameters."""
        q_middle, v_middle, move = self.middle(q, v, h, a)
        n, found = self.tree.nv, self._dynamics(q_middle, v_middle, a, tau, *given)
        dq, dv, M = (found[..., 1 + k * n : 1 + (k + 1) * n] for k in range(3))
        P, J = integrate_derivatives(self.tree, q, move)
        by_v = combination([1.0, 0.5 * h], [dv, turn_columns(self.tree, dq, J)])
        return Residual(found[..., 0], turn_columns(self.tree, dq, P), by_v, combination([1.0, 0.5 * h], [M, by_v]))


def midpoint_acceleration(equation: MidpointEquation, q: Array, v: Array, tau: Array, h: Array) -> Array:
    """The acceleration (..., nv) that solves the equation; h: (..., 1)."""
    tree, n = equation.tree, equation.tree.nv
    arrays = [q, v, tau, h, *equation.given]
    ends = np.cumsum([array.shape[-1] for array in arrays])[:-1]
    shared = vector([entry for array in arrays for entry in components(array)], *arrays)

    def body(carry: Array, shared: Array) -> Array:
        q, v, tau, h, *given = np.split(shared, ends, axis=-1)
        a, correction, share, before, _ = _parts(carry, n)
        tried = a - share * correction
        found = equation.residual(q, v, tau, h, tried, *given)
        left = _square(found.value)
        nearer = left <= (1.0 - 0.25 * share) ** 2 * before
        a = np.where(nearer, tried, a)
        correction = np.where(nearer, solve(found.by_a, found.value[..., None])[..., 0], correction)
        share = np.where(nearer, np.where(share < 0.5, 2.0 * share, 1.0), 0.5 * share)
        refused = np.where(nearer, 0.0, 1.0)
        return np.concatenate([a, correction, share, np.where(nearer, left, before), refused], axis=-1)

    def goes_on(carry: Array, shared: Array) -> Any:
        a, correction, share, left, refused = _parts(carry, n)
        enough = np.where(refused > 0.5, ROUNDING, ENOUGH) * _scale(a)
        going = np.logical_and(np.logical_or(_square(correction) > enough, left >= ANYTHING), share > SHORTEST)
        return going[..., 0] if is_symbolic(carry) else np.any(going)

    settings = dict(zip(equation.names, equation.given, strict=False)), None
    if equation.with_parameters:
        settings = settings[0], equation.given[-1]
    start = forward_dynamics(tree, q, v, tau, *settings)
    first = vector([*components(start), *[0.0] * n, 1.0, ANYTHING, 0.0], shared)
    carry, _ = while_loop(goes_on, body, first, shared=shared, limit=LIMIT)
    a, correction, _, left, _ = _parts(carry, n)
    solved = np.logical_and(_square(correction) <= LARGEST * _scale(a), left < ANYTHING)
    guard(solved[..., 0], "the midpoint step does not converge: dt is too long for this motion")
    return a - correction


def _square(x: Array) -> Array:
    return np.sum(np.abs(x) ** 2, axis=-1)[..., None]


def _scale(a: Array) -> Array:
    return 1.0 + _square(a)


def _parts(carry: Array, n: int) -> list[Array]:
    """Acceleration, its correction, how much of that is tried, the residual's square, whether the last was refused."""
    return np.split(carry, [n, 2 * n, 2 * n + 1, 2 * n + 2], axis=-1)
