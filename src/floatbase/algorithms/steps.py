r"""One step of time of a robot whose joint forces and external wrenches are held constant.

With $\oplus$ as `integrate` moves configurations, and $f(q, \nu)$ the acceleration,

| method | step | order |
|---|---|---|
| "explicit" | $q^+ = q \oplus h\nu,\ \nu^+ = \nu + h f(q, \nu)$ | 1 |
| "semi-implicit" | $\nu^+ = \nu + h f(q, \nu),\ q^+ = q \oplus h\nu^+$ | 1 |
| "rk4" | below | 4 |
| "midpoint" | $q^+ = q \oplus h\bar\nu,\ \nu^+ = \nu + h a$ | 2 |

The midpoint is that of velocities, $\bar\nu = \nu + \tfrac h2 a$, and $a = f(q \oplus \tfrac h2 \bar\nu, \bar\nu)$
stands on both sides (`floatbase.algorithms.midpoint`). The step of fourth order has Runge and Kutta's four stages for
the velocity, and for the configuration the commutator-free composition of the same order,

$$ \begin{gathered}
   q_2 = q \oplus \tfrac h2 \nu_1, \quad q_3 = q \oplus \tfrac h2 \nu_2, \quad
   q_4 = q_2 \oplus (h \nu_3 - \tfrac h2 \nu_1), \\
   q^+ = q \oplus \tfrac h{12} (3\nu_1 + 2\nu_2 + 2\nu_3 - \nu_4)
           \oplus \tfrac h{12} (-\nu_1 + 2\nu_2 + 2\nu_3 + 3\nu_4) .
   \end{gathered} $$

Attitudes never leave their group, and there is no place where angles become singular. The midpoint's step undoes itself
if time is reversed, and keeps the energy of a conservative system within bounds. The semi-implicit step does that where
the inertia does not depend on the configuration and attitudes do not turn freely; else energy drifts with $h$.

E. Celledoni, A. Marthinsen, B. Owren, "Commutator-free Lie group methods", 2003; E. Hairer, C. Lubich, G. Wanner,
"Geometric numerical integration", 2006.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.configuration import integrate
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.algorithms.midpoint import MidpointEquation, midpoint_acceleration
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.compiler.control import subprogram
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import STEPS, Step
from floatbase.spatial.arrays import Array

Motion = Callable[[Array, Array], Array]


def step(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    method: str = "semi-implicit",
) -> Step:
    """The state a time `dt: (...)` after `q, v`; the other arguments as in `forward_dynamics`."""
    check_method(method)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    h = np.asanyarray(dt)[..., None]
    external, parameters = wrench_arrays(tree, wrenches), optional_parameters(tree, parameters)
    if method == "midpoint":
        a = midpoint_acceleration(MidpointEquation(tree, external, parameters), q, v, tau, h)
        return Step(integrate(tree, q, h * (v + 0.5 * h * a)), v + h * a)
    names = tuple(external)
    given = (tau, *external.values(), *(() if parameters is None else (parameters,)))

    @subprogram
    def acceleration(q: Array, v: Array, tau: Array, *rest: Array) -> Array:
        phi = None if parameters is None else rest[len(names)]
        return forward_dynamics(tree, q, v, tau, dict(zip(names, rest, strict=False)), phi)

    def f(q: Array, v: Array) -> Array:
        return acceleration(q, v, *given)

    if method == "rk4":
        return _runge_kutta(tree, q, v, h, f)
    v_end = v + h * f(q, v)
    return Step(integrate(tree, q, h * (v if method == "explicit" else v_end)), v_end)


def check_method(method: object) -> None:
    """Raise an error that lists the methods there are."""
    if method not in STEPS:
        raise ArgumentError(f"method is {method!r}; it must be one of {STEPS}")


def _runge_kutta(tree: Tree, q: Array, v: Array, h: Array, f: Motion) -> Step:
    states, accelerations = runge_kutta_stages(tree, q, v, h, f)
    (_, v1), (_, v2), (_, v3), (_, v4) = states
    a1, a2, a3, a4 = accelerations
    between = integrate(tree, q, h / 12.0 * (3.0 * v1 + 2.0 * v2 + 2.0 * v3 - v4))
    end = integrate(tree, between, h / 12.0 * (-v1 + 2.0 * v2 + 2.0 * v3 + 3.0 * v4))
    return Step(end, v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4))


def runge_kutta_stages(
    tree: Tree, q: Array, v: Array, h: Array, f: Motion
) -> tuple[list[tuple[Array, Array]], list[Array]]:
    """The four states at which accelerations are evaluated, and those."""
    a1 = f(q, v)
    q2, v2 = integrate(tree, q, 0.5 * h * v), v + 0.5 * h * a1
    a2 = f(q2, v2)
    q3, v3 = integrate(tree, q, 0.5 * h * v2), v + 0.5 * h * a2
    a3 = f(q3, v3)
    q4, v4 = integrate(tree, q2, h * v3 - 0.5 * h * v), v + h * a3
    return [(q, v), (q2, v2), (q3, v3), (q4, v4)], [a1, a2, a3, f(q4, v4)]
