r"""Linearised motion and steps of time, matrix-free: $A z + B u$, and $A^\top p$, $B^\top p$.

Accelerations change by $\alpha = M^{-1} (S u - d\tau)$, where $d\tau$ is what the change $z = (\delta, \epsilon)$ of
the state does to inverse dynamics at the same acceleration; backwards, with $y = M^{-1} w$,

$$ w^\top \frac{\partial\dot\nu}{\partial q} = -y^\top \frac{\partial\tau}{\partial q}, \qquad
   w^\top \frac{\partial\dot\nu}{\partial\nu} = -y^\top \frac{\partial\tau}{\partial\nu}, \qquad
   w^\top \frac{\partial\dot\nu}{\partial\tau} = y^\top $$

(`floatbase.algorithms.derivatives.products`). Steps of time take changes through their stages in order, or backwards
(`floatbase.algorithms.derivatives.steps`). Over a horizon of K steps a gradient takes K calls and memory for the states
alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.algorithms.arguments import as_array, configuration, optional_parameters, rates
from floatbase.algorithms.configuration import disturbance_rate, integrate, integrate_derivatives
from floatbase.algorithms.derivatives.external import fixed_in
from floatbase.algorithms.derivatives.forward_dynamics import factorized_acceleration
from floatbase.algorithms.derivatives.linearization import first_input
from floatbase.algorithms.derivatives.products import inverse_dynamics_change, inverse_dynamics_gradient
from floatbase.algorithms.derivatives.steps import SHARE
from floatbase.algorithms.factorization import solve as solve_factors
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.algorithms.midpoint import MidpointEquation, Residual, midpoint_acceleration
from floatbase.algorithms.steps import check_method, runge_kutta_stages
from floatbase.algorithms.tangent_matrices import turn, turn_back
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.compiler.control import subprogram
from floatbase.compiler.dense import solve
from floatbase.model.tree import Tree
from floatbase.results import ForwardDynamicsGradient, StateGradient
from floatbase.spatial.arrays import Array, apply_matrix, components, transpose, vector


def forward_dynamics_product(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    z: Any,
    u: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    inputs: str = "joints",
    wrenches_fixed: str | None = None,
) -> Array:
    """The change (..., nv) of `forward_dynamics` with a change `z: (..., 2 nv)` of the state, `u` of inputs.

    u: (..., joint_nv), changes of joint forces; with inputs="all" (..., nv), of all generalised forces.
    """
    acceleration = Acceleration(tree, wrenches, parameters, wrenches_fixed)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    return acceleration.change(q, v, tau, *_state_change(tree, z), _forces(tree, u, inputs))


def forward_dynamics_gradient(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    w: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> ForwardDynamicsGradient:
    """`w: (..., nv)` times the derivatives of `forward_dynamics`, to which the other arguments belong."""
    acceleration = Acceleration(tree, wrenches, parameters, wrenches_fixed)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    return ForwardDynamicsGradient(*acceleration.gradient(q, v, tau, rates(tree, "w", w)))


def linearize_product(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    z: Any,
    u: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    inputs: str = "joints",
    wrenches_fixed: str | None = None,
) -> Array:
    """`A z + B u` (..., 2 nv) of `linearize` in the representation's own chart."""
    delta, epsilon = _state_change(tree, z)
    alpha = forward_dynamics_product(tree, q, v, tau, z, u, wrenches, parameters, inputs, wrenches_fixed)
    above = epsilon + apply_matrix(disturbance_rate(tree, rates(tree, "v", v)), delta)
    return _beside(above, alpha)


def linearize_gradient(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    p: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    inputs: str = "joints",
    wrenches_fixed: str | None = None,
) -> StateGradient:
    """`A^T p` (..., 2 nv) and `B^T p` of `linearize` in the representation's own chart; `p: (..., 2 nv)`."""
    first, (p_q, p_v) = first_input(tree, inputs), _state_change(tree, p, "p")
    by = forward_dynamics_gradient(tree, q, v, tau, p_v, wrenches, parameters, wrenches_fixed)
    turned = apply_matrix(transpose(disturbance_rate(tree, rates(tree, "v", v))), p_q)
    return StateGradient(_beside(turned + by.dq, p_q + by.dv), by.dtau[..., first:])


def step_product(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    z: Any,
    u: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    method: str = "semi-implicit",
    inputs: str = "joints",
) -> Array:
    """`A z + B u` (..., 2 nv) of `step_derivatives`, for changes `z` of the state and `u` of the inputs."""
    check_method(method)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    h, (delta, epsilon), force = np.asanyarray(dt)[..., None], _state_change(tree, z), _forces(tree, u, inputs)
    f = Acceleration(tree, wrenches, parameters)
    if method == "rk4":
        return _runge_kutta(f, q, v, tau, h, delta, epsilon, force)
    if method == "midpoint":
        a, by = _midpoint(f, q, v, tau, h)
        right = force - apply_matrix(by.by_q, delta) - apply_matrix(by.by_v, epsilon)
        alpha = solve(by.by_a, right[..., None])[..., 0]
    else:
        a, alpha = f(q, v, tau), f.change(q, v, tau, delta, epsilon, force)
    share = SHARE[method]
    P, J = integrate_derivatives(tree, q, h * (v + share * h * a))
    return _beside(turn(tree, P, delta) + h * turn(tree, J, epsilon + share * h * alpha), epsilon + h * alpha)


def step_gradient(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    p: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    method: str = "semi-implicit",
    inputs: str = "joints",
) -> StateGradient:
    """`A^T p` (..., 2 nv) and `B^T p` of `step_derivatives`, for `p: (..., 2 nv)`."""
    check_method(method)
    first = first_input(tree, inputs)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    h, (p_q, p_v) = np.asanyarray(dt)[..., None], _state_change(tree, p, "p")
    f = Acceleration(tree, wrenches, parameters)
    if method == "rk4":
        return _gradient(first, *_runge_kutta_back(f, q, v, tau, h, p_q, p_v))
    residual = None
    if method == "midpoint":
        a, residual = _midpoint(f, q, v, tau, h)
    else:
        a = f(q, v, tau)
    share = SHARE[method]
    P, J = integrate_derivatives(tree, q, h * (v + share * h * a))
    moved = h * turn_back(tree, J, p_q)
    delta, epsilon, alpha = turn_back(tree, P, p_q), p_v + moved, h * p_v + share * h * moved
    if residual is None:
        by_q, by_v, force = f.gradient(q, v, tau, alpha)
    else:
        force = solve(transpose(residual.by_a), alpha[..., None])[..., 0]
        by_q, by_v = (-apply_matrix(transpose(by), force) for by in (residual.by_q, residual.by_v))
    return _gradient(first, delta + by_q, epsilon + by_v, force)


class Acceleration:
    """Forward dynamics and its derivatives' products; in a program each is there once, however often evaluated."""

    def __init__(
        self, tree: Tree, wrenches: Wrenches | None, parameters: Any, wrenches_fixed: str | None = None
    ) -> None:
        self.tree, self.fixed = tree, fixed_in(tree, wrenches_fixed)
        self.external, self.parameters = wrench_arrays(tree, wrenches), optional_parameters(tree, parameters)
        self.values = [*self.external.values(), *(() if self.parameters is None else (self.parameters,))]
        self._value = subprogram(self._evaluate)
        self._change = subprogram(self._evaluate_change)
        self._gradient = subprogram(self._evaluate_gradient)

    def __call__(self, q: Array, v: Array, tau: Array) -> Array:
        """The acceleration."""
        return self._value(q, v, tau, *self.values)

    def change(self, q: Array, v: Array, tau: Array, delta: Array, epsilon: Array, force: Array) -> Array:
        """That of the acceleration, with changes of the state and of the generalised force."""
        return self._change(q, v, tau, delta, epsilon, force, *self.values)

    def gradient(self, q: Array, v: Array, tau: Array, w: Array) -> tuple[Array, Array, Array]:
        """`w` times the derivatives by configuration, velocity and generalised force."""
        n, found = self.tree.nv, self._gradient(q, v, tau, w, *self.values)
        return found[..., :n], found[..., n : 2 * n], found[..., 2 * n :]

    def _settings(self, values: tuple[Array, ...]) -> tuple[dict[str, Array], Array | None]:
        return dict(zip(self.external, values, strict=False)), None if self.parameters is None else values[-1]

    def _evaluate(self, q: Array, v: Array, tau: Array, *values: Array) -> Array:
        return forward_dynamics(self.tree, q, v, tau, *self._settings(values))

    def _evaluate_change(
        self, q: Array, v: Array, tau: Array, delta: Array, epsilon: Array, force: Array, *values: Array
    ) -> Array:
        settings = self._settings(values)
        factors, a = factorized_acceleration(self.tree, q, v, tau, *settings)
        right = force - inverse_dynamics_change(self.tree, q, v, a, delta, epsilon, *settings, self.fixed)
        return vector(solve_factors(factors, components(right)), right)

    def _evaluate_gradient(self, q: Array, v: Array, tau: Array, w: Array, *values: Array) -> Array:
        settings = self._settings(values)
        factors, a = factorized_acceleration(self.tree, q, v, tau, *settings)
        y = vector(solve_factors(factors, components(w)), w, a)
        by = inverse_dynamics_gradient(self.tree, q, v, a, y, *settings, self.fixed)
        return np.concatenate([-by.dq, -by.dv, y], axis=-1)


def _midpoint(f: Acceleration, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Residual]:
    """The acceleration of the step, and the derivatives of its equation."""
    equation = MidpointEquation(f.tree, f.external, f.parameters)
    a = midpoint_acceleration(equation, q, v, tau, h)
    return a, equation.residual(q, v, tau, h, a, *f.values)


def _runge_kutta(
    f: Acceleration, q: Array, v: Array, tau: Array, h: Array, delta: Array, epsilon: Array, force: Array
) -> Array:
    tree = f.tree
    states, _ = runge_kutta_stages(tree, q, v, h, lambda q, v: f(q, v, tau))
    (_, v1), (q2, v2), (_, v3), (_, v4) = states
    (P2, J2), (P3, J3) = (integrate_derivatives(tree, q, 0.5 * h * rate) for rate in (v1, v2))
    P4, J4 = integrate_derivatives(tree, q2, h * v3 - 0.5 * h * v1)
    a1 = f.change(*states[0], tau, delta, epsilon, force)
    d2, e2 = turn(tree, P2, delta) + 0.5 * h * turn(tree, J2, epsilon), epsilon + 0.5 * h * a1
    a2 = f.change(*states[1], tau, d2, e2, force)
    d3, e3 = turn(tree, P3, delta) + 0.5 * h * turn(tree, J3, e2), epsilon + 0.5 * h * a2
    a3 = f.change(*states[2], tau, d3, e3, force)
    d4, e4 = turn(tree, P4, d2) + turn(tree, J4, h * e3 - 0.5 * h * epsilon), epsilon + h * a3
    a4 = f.change(*states[3], tau, d4, e4, force)
    (P5, J5), (P6, J6) = _last_moves(f, q, h, v1, v2, v3, v4)
    half_way = turn(tree, P5, delta) + h / 12.0 * turn(tree, J5, 3.0 * epsilon + 2.0 * e2 + 2.0 * e3 - e4)
    end = turn(tree, P6, half_way) + h / 12.0 * turn(tree, J6, -epsilon + 2.0 * e2 + 2.0 * e3 + 3.0 * e4)
    return _beside(end, epsilon + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4))


def _runge_kutta_back(
    f: Acceleration, q: Array, v: Array, tau: Array, h: Array, p_q: Array, p_v: Array
) -> tuple[Array, Array, Array]:
    """The equations of `_runge_kutta` transposed, last first; names are those of what the gradient is taken by."""
    tree = f.tree
    states, _ = runge_kutta_stages(tree, q, v, h, lambda q, v: f(q, v, tau))
    (_, v1), (q2, v2), (_, v3), (_, v4) = states
    (P2, J2), (P3, J3) = (integrate_derivatives(tree, q, 0.5 * h * rate) for rate in (v1, v2))
    P4, J4 = integrate_derivatives(tree, q2, h * v3 - 0.5 * h * v1)
    (P5, J5), (P6, J6) = _last_moves(f, q, h, v1, v2, v3, v4)
    a1 = a4 = h / 6.0 * p_v
    a2 = a3 = h / 3.0 * p_v
    half_way, second = turn_back(tree, P6, p_q), h / 12.0 * turn_back(tree, J6, p_q)
    delta, first = turn_back(tree, P5, half_way), h / 12.0 * turn_back(tree, J5, half_way)
    epsilon = p_v + 3.0 * first - second
    e2 = e3 = 2.0 * first + 2.0 * second
    e4 = 3.0 * second - first

    d4, by_v, force = f.gradient(*states[3], tau, a4)
    e4 = e4 + by_v
    moved = h * turn_back(tree, J4, d4)
    d2, e3, epsilon, a3 = turn_back(tree, P4, d4), e3 + moved, epsilon + e4 - 0.5 * moved, a3 + h * e4

    d3, by_v, by_force = f.gradient(*states[2], tau, a3)
    e3, force = e3 + by_v, force + by_force
    e2 = e2 + 0.5 * h * turn_back(tree, J3, d3)
    delta, epsilon, a2 = delta + turn_back(tree, P3, d3), epsilon + e3, a2 + 0.5 * h * e3

    by_q, by_v, by_force = f.gradient(*states[1], tau, a2)
    d2, e2, force = d2 + by_q, e2 + by_v, force + by_force
    delta, a1 = delta + turn_back(tree, P2, d2), a1 + 0.5 * h * e2
    epsilon = epsilon + e2 + 0.5 * h * turn_back(tree, J2, d2)

    by_q, by_v, by_force = f.gradient(*states[0], tau, a1)
    return delta + by_q, epsilon + by_v, force + by_force


def _last_moves(
    f: Acceleration, q: Array, h: Array, v1: Array, v2: Array, v3: Array, v4: Array
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Derivatives of the two moves that lead to the end of a step."""
    move = h / 12.0 * (3.0 * v1 + 2.0 * v2 + 2.0 * v3 - v4)
    P5, J5 = integrate_derivatives(f.tree, q, move)
    P6, J6 = integrate_derivatives(
        f.tree, integrate(f.tree, q, move), h / 12.0 * (-v1 + 2.0 * v2 + 2.0 * v3 + 3.0 * v4)
    )
    return (P5, J5), (P6, J6)


def _state_change(tree: Tree, z: Any, name: str = "z") -> tuple[Array, Array]:
    """The parts of configuration and velocity."""
    z = as_array(name, z, 2 * tree.nv, tree)
    return z[..., : tree.nv], z[..., tree.nv :]


def _forces(tree: Tree, u: Any, inputs: str) -> Array:
    """Inputs as generalised forces."""
    first = first_input(tree, inputs)
    u = as_array("u", u, tree.nv - first, tree)
    return u if first == 0 else vector([*[0.0] * first, *components(u)], u)


def _gradient(first: int, delta: Array, epsilon: Array, force: Array) -> StateGradient:
    """The parts of a gradient put together."""
    return StateGradient(_beside(delta, epsilon), force[..., first:])


def _beside(first: Array, second: Array) -> Array:
    """Two parts of one vector, whose batches may differ."""
    return vector([*components(first), *components(second)], first, second)
