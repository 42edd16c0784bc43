r"""Steps of time on the configuration group, of states that move at $\dot q = \nu$, $\dot\nu = f(q, \nu)$.

With $\oplus$ as `integrate` moves configurations and $h$ the step,

| method | step | order |
|---|---|---|
| "explicit" | $\nu^+ = \nu + h f(q, \nu),\ q^+ = q \oplus h\nu$ | 1 |
| "semi-implicit" | $\nu^+ = \nu + h f(q, \nu),\ q^+ = q \oplus h\nu^+$ | 1 |
| "stiff" | the same with $f$ made implicit in stiff forces | 1 |
| "rk2" | the explicit midpoint in exponential coordinates | 2 |
| "rk4" | Runge and Kutta's four stages in exponential coordinates | 4 |
| "midpoint" | $\nu^+ = \nu + h a,\ q^+ = q \oplus h \bar\nu$ | 2 |

with $\bar\nu = \nu + \tfrac h2 a$ and $a = f(q \oplus \tfrac h2 \bar\nu, \bar\nu)$ in the last, which is implicit.

Exponential coordinates are those of `floatbase.simulation.integration.group`: with the stages' coordinates
$u_i = h \sum_j a_{ij} \dot u_j$ and rates $\dot u_i = J(u_i)^{-1} \nu_i$, $q^+ = q \oplus h \sum_i b_i \dot u_i$, so
that attitudes never leave their group and the order is that of the tableau. The implicit midpoint undoes itself
in reversed time and keeps the energy of a conservative system within bounds; the semi-implicit step does so where the
inertia does not depend on the configuration.

A stiff step takes the forces of springs and dampers at its end, to first order there:

$$ f_F = f_F(q, \nu) - h K \dot x_F - (h D + h^2 K)\, a_F , $$

with $\dot x_F$ and $a_F$ the twist of the frame and its rate, and D and K what laws give for minus the derivatives of
the wrench by twist and displacement (`ContactLaw.implicit`); likewise for joints. That is linear in the acceleration,
and forward dynamics solves for it as for an inertia (`floatbase.algorithms.added_inertia`): no iteration, and about the
price of an explicit step. It is stable for every stiffness and damping, and takes energy out of motions that it does
not resolve. A contact that would pull by the end of the step if the motion went on is let go at its beginning.

H. Munthe-Kaas, "High order Runge-Kutta methods on manifolds", 1999; E. Hairer, C. Lubich, G. Wanner, "Geometric
numerical integration", 2006; D. Baraff, A. Witkin, "Large steps in cloth simulation", 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.configuration import integrate
from floatbase.compiler.control import while_loop
from floatbase.compiler.graph import current_graph
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.simulation.integration.group import coordinate_rate
from floatbase.spatial.arrays import Array, vector, zeros

METHODS = ("semi-implicit", "stiff", "explicit", "rk2", "rk4", "midpoint")
TABLEAUS = {
    "rk2": ([[0.5]], [0.0, 1.0]),
    "rk4": ([[0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
}
NO_SOLUTION = "the implicit midpoint does not converge: dt is too long for this motion"
LIMIT = 60  # iterations of the implicit midpoint
ENOUGH = 1e-28  # square of a correction relative to the acceleration's, or 1, after which none is needed
LARGEST = 1e-4  # the residual, the root of what that of the last may be; above, there is no solution
SHRINKING = 0.7  # a correction less smaller than this, in square, than the one before is at fault for rounding

Field = Callable[[Array, Array], Array]  # q, v -> acceleration (..., nv), and rates of whatever else is integrated
Iteration = Callable[[Array, Array, Array, Array], Array]  # q, v, last guess, h -> a better field


class Advance(NamedTuple):
    """The state after a step, the means over the step of what the field gives, and what is left of an equation."""

    q: Array
    v: Array
    mean: Array
    residual: Any


def check_method(method: object) -> None:
    """Raise an error that lists the methods there are."""
    if method not in METHODS:
        raise ArgumentError(f"method is {method!r}; it must be one of {METHODS}")


def euler(tree: Tree, q: Array, v: Array, h: Array, field: Field, *, semi_implicit: bool) -> Advance:
    """A step of first order; h: (..., 1). A stiff one has a field that knows h."""
    rate = field(q, v)
    v_end = v + h * rate[..., : tree.nv]
    return Advance(integrate(tree, q, h * (v_end if semi_implicit else v)), v_end, rate, 0.0)


def runge_kutta(tree: Tree, q: Array, v: Array, h: Array, field: Field, method: str) -> Advance:
    """A step of Runge and Kutta's in exponential coordinates; h: (..., 1)."""
    rows, weights = TABLEAUS[method]
    moves, rates = [v], [field(q, v)]
    for row in rows:
        u = h * _sum(row, moves)
        v_here = v + h * _sum(row, [rate[..., : tree.nv] for rate in rates])
        rates.append(field(integrate(tree, q, u), v_here))
        moves.append(coordinate_rate(tree, u, v_here))
    mean = _sum(weights, rates)
    return Advance(integrate(tree, q, h * _sum(weights, moves)), v + h * mean[..., : tree.nv], mean, 0.0)


def implicit_midpoint(tree: Tree, q: Array, v: Array, h: Array, iterate: Iteration, shared: Array) -> Advance:
    """A step of the implicit midpoint; h: (..., 1); shared: (..., n) what `iterate` needs, unpacked by itself.

    `iterate(q_middle, v_middle, guess, shared)` is a field whose acceleration solves the equation if it is that of
    `guess`, and is nearer to the solution otherwise.
    """
    n = tree.nv
    ends = [tree.nq, tree.nq + n, tree.nq + n + 1]
    packed = np.concatenate([q, v, zeros((1,), q, v, h) + h, shared], axis=-1)

    def body(carry: Array, packed: Array) -> Array:
        q, v, h, rest = np.split(packed, ends, axis=-1)
        guess, before = carry[..., :-2], carry[..., -2:-1]
        v_middle = v + 0.5 * h * guess[..., :n]
        found = iterate(integrate(tree, q, 0.5 * h * v_middle), v_middle, guess, rest)
        correction = _square(found[..., :n] - guess[..., :n]) / (1.0 + _square(found[..., :n]))
        if is_symbolic(carry):
            current_graph().guards.clear()  # a loop has none; what they demand, the first evaluation demands as well
        return np.concatenate([found, correction, before], axis=-1)

    def goes_on(carry: Array, packed: Array) -> Any:
        last, before = carry[..., -2], carry[..., -1]
        going = np.logical_and(last > ENOUGH, np.logical_or(last > 1e-3 * LARGEST**2, last < SHRINKING * before))
        return going if is_symbolic(carry) else np.any(going)

    first = iterate(q, v, zeros((n,), q, v), shared)
    start = np.concatenate([first, vector([1e30, 1e30], first)], axis=-1)
    carry, _ = while_loop(goes_on, body, start, shared=packed, limit=LIMIT)
    rate, left = carry[..., :-2], carry[..., -2]
    a = rate[..., :n]
    return Advance(integrate(tree, q, h * (v + 0.5 * h * a)), v + h * a, rate, np.sqrt(left)[..., None])


def _square(x: Array) -> Array:
    return np.sum(np.abs(x) ** 2, axis=-1)[..., None]


def _sum(weights: Sequence[float], terms: Sequence[Array]) -> Array:
    """The sum of terms whose weights are not zero."""
    parts = [term if weight == 1.0 else weight * term for weight, term in zip(weights, terms, strict=True) if weight]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
