r"""Derivatives of a step of time: exact for the step, not a linearisation made discrete.

Changes $z = (\delta, \epsilon)$ of the state before a step (`floatbase.algorithms.derivatives.linearization`) and $w$
of what is held during it, joint forces or inertial parameters, change the state after it by

$$ z^+ = A z + B w , $$

in the tangent spaces at the two states. Where a step evaluates the acceleration $f$, it changes by

$$ \alpha = \frac{\partial f}{\partial q} \delta + \frac{\partial f}{\partial \nu} \epsilon
   + \frac{\partial f}{\partial u} w, $$

or as the implicit function theorem says (`floatbase.algorithms.midpoint`). With the derivatives $P, J$ of `integrate`
by configuration and velocity, steps $q^+ = q \oplus h (\nu + \beta h f)$, $\nu^+ = \nu + h f$ have

$$ \delta^+ = P \delta + h J (\epsilon + \beta h \alpha), \qquad \epsilon^+ = \epsilon + h \alpha , $$

$\beta = 0$ for "explicit", $1$ for "semi-implicit", $\tfrac12$ for "midpoint" steps; the stages of "rk4" likewise. In
another chart (`floatbase.algorithms.derivatives.charts`) the changes are written there at both states.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.configuration import integrate, integrate_derivatives
from floatbase.algorithms.derivatives.charts import Base, by_chart, chart_of, in_chart
from floatbase.algorithms.derivatives.forward_dynamics import acceleration_and_derivatives
from floatbase.algorithms.derivatives.linearization import first_input
from floatbase.algorithms.derivatives.parameters import forward_dynamics_parameter_derivatives
from floatbase.algorithms.midpoint import MidpointEquation, midpoint_acceleration
from floatbase.algorithms.regressor import regressor
from floatbase.algorithms.steps import check_method, runge_kutta_stages
from floatbase.algorithms.tangent_matrices import combination, turned_combinations
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.compiler.control import subprogram
from floatbase.compiler.dense import dense_matmul, solve
from floatbase.model.tree import Tree
from floatbase.results import StepDerivatives
from floatbase.spatial.arrays import Array, zeros

SHARE = {"explicit": 0.0, "semi-implicit": 1.0, "midpoint": 0.5}  # beta


def step_derivatives(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    method: str = "semi-implicit",
    inputs: str = "joints",
    chart: str | None = None,
) -> StepDerivatives:
    """`A` (..., 2 nv, 2 nv) and `B` (..., 2 nv, joint_nv) of a `step`, to which the arguments belong.

    inputs: "joints", or "all" generalised forces: B (..., 2 nv, nv). chart: that of the representation if None.
    """
    chart = chart_of(tree, chart)
    held = Held(tree, wrenches, parameters, "forces", method, first_input(tree, inputs))
    found, (q_end, v_end) = _derivatives(held, q, v, tau, dt)
    n = tree.nv
    if chart != tree.representation:
        start = Base(tree, configuration(tree, q), rates(tree, "v", v))
        found = in_chart(Base(tree, q_end, v_end), chart, found)
        found[..., :n], found[..., n : 2 * n] = by_chart(start, chart, found[..., :n], found[..., n : 2 * n])
    return StepDerivatives(found[..., : 2 * n], found[..., 2 * n :])


def step_parameter_derivatives(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    method: str = "semi-implicit",
) -> Array:
    """The derivative (..., 2 nv, 10 n_bodies) of the state after a `step` by inertial parameters."""
    return _derivatives(Held(tree, wrenches, parameters, "parameters", method), q, v, tau, dt)[0]


class Held:
    """What is held during a step. Derivatives are by state and forces from the first on, or by inertial parameters."""

    def __init__(
        self,
        tree: Tree,
        wrenches: Wrenches | None,
        parameters: Any,
        by: Literal["forces", "parameters"],
        method: str,
        first: int = 0,
    ) -> None:
        check_method(method)
        self.tree, self.by_state, self.method, self.first = tree, by == "forces", method, first
        self.external, self.parameters = wrench_arrays(tree, wrenches), optional_parameters(tree, parameters)
        self.values = [*self.external.values(), *(() if self.parameters is None else (self.parameters,))]
        self.evaluate = subprogram(self._evaluate)

    def _evaluate(self, q: Array, v: Array, tau: Array, *values: Array) -> Array:
        """The acceleration and its derivatives by state and inputs, side by side."""
        external = dict(zip(self.external, values, strict=False))
        state = (q, v, tau, external, None if self.parameters is None else values[-1])
        a, by = acceleration_and_derivatives(self.tree, *state)
        if self.by_state:
            return np.concatenate([a[..., None], by.dq, by.dv, by.dtau[..., self.first :]], axis=-1)
        inputs = forward_dynamics_parameter_derivatives(self.tree, *state)
        if self.method == "rk4":
            return np.concatenate([a[..., None], by.dq, by.dv, inputs], axis=-1)
        return np.concatenate([a[..., None], inputs], axis=-1)

    def with_state(self, changes: Array, by_q: Array | None = None, by_v: Array | None = None) -> Array:
        """Changes (..., nv, columns) and what the state before the step adds to them: (..., nv, nv)."""
        n = self.tree.nv
        if self.by_state:
            changes = changes.copy()
            for part, place in ((by_q, slice(0, n)), (by_v, slice(n, 2 * n))):
                if part is not None:
                    changes[..., place] = changes[..., place] + part
        return changes


class Stage(NamedTuple):
    """The acceleration at a state, its derivatives by that state (..., nv, 2 nv), and by the inputs."""

    acceleration: Array
    by_state: Array
    by_inputs: Array


def _stage(held: Held, q: Array, v: Array, tau: Array) -> Stage:
    found = held.evaluate(q, v, tau, *held.values)
    first = 1 + 2 * held.tree.nv * (held.by_state or held.method == "rk4")
    return Stage(found[..., 0], found[..., 1:first], found[..., first:])


def _derivatives(held: Held, q: Any, v: Any, tau: Any, dt: Any) -> tuple[Array, tuple[Array, Array]]:
    """All columns (..., 2 nv, columns), and the state at the end."""
    tree, one = held.tree, np.eye(held.tree.nv)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    h = np.asanyarray(dt)[..., None]
    if held.method == "rk4":
        return _runge_kutta(held, q, v, tau, h)
    if held.method == "midpoint":
        a, change = _midpoint(held, q, v, tau, h)
    else:
        a, by_state, by_inputs = _stage(held, q, v, tau)
        change = np.concatenate([by_state, by_inputs], axis=-1)
    share = SHARE[held.method]
    move = h * (v + share * h * a)
    P, J = integrate_derivatives(tree, q, move)
    moved = turned_combinations(tree, [change], [(J, [share * h * h])])
    delta = held.with_state(moved, P, h[..., None] * J)
    epsilon = held.with_state(combination([h], [change]), None, one)
    return np.concatenate([delta, epsilon], axis=-2), (integrate(tree, q, move), v + h * a)


def _midpoint(held: Held, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    """The acceleration of the step and its changes."""
    tree = held.tree
    equation = MidpointEquation(tree, held.external, held.parameters)
    a = midpoint_acceleration(equation, q, v, tau, h)
    residual = equation.residual(q, v, tau, h, a, *held.values)
    if held.by_state:
        inputs = zeros((tree.nv, tree.nv - held.first), residual.value)
        inputs[..., held.first :, :] = -np.eye(tree.nv - held.first)
        right = np.concatenate([residual.by_q, residual.by_v, inputs], axis=-1)
    else:
        q_middle, v_middle, _ = equation.middle(q, v, h, a)
        right = regressor(tree, q_middle, v_middle, a)
    return a, solve(combination([-1.0], [residual.by_a]), right)


def _runge_kutta(held: Held, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, tuple[Array, Array]]:
    tree, one = held.tree, np.eye(held.tree.nv)
    stages: list[Stage] = []

    def f(q: Array, v: Array) -> Array:
        stages.append(_stage(held, q, v, tau))
        return stages[-1].acceleration

    ((_, v1), (q2, v2), (_, v3), (_, v4)), accelerations = runge_kutta_stages(tree, q, v, h, f)
    half, (_, by_state, by_inputs) = 0.5 * h[..., None], stages[0]
    a1 = np.concatenate([by_state, by_inputs], axis=-1) if held.by_state else by_inputs

    P2, J2 = integrate_derivatives(tree, q, 0.5 * h * v1)
    delta = held.with_state(zeros(a1.shape[-2:], a1[..., 0]), P2, half * J2)
    a2 = _carried(held, stages[1], delta, held.with_state(combination([0.5 * h], [a1]), None, one))

    P3, J3 = integrate_derivatives(tree, q, 0.5 * h * v2)
    delta = held.with_state(turned_combinations(tree, [a1], [(J3, [0.25 * h * h])]), P3, half * J3)
    a3 = _carried(held, stages[2], delta, held.with_state(combination([0.5 * h], [a2]), None, one))

    P4, J4 = integrate_derivatives(tree, q2, h * v3 - 0.5 * h * v1)
    delta = turned_combinations(tree, [a2], [(J4, [0.5 * h * h])])
    delta = held.with_state(delta, P4 @ P2, half * (P4 @ J2 + J4))
    a4 = _carried(held, stages[3], delta, held.with_state(combination([h], [a3]), None, one))

    move = h / 12.0 * (3.0 * v1 + 2.0 * v2 + 2.0 * v3 - v4)
    P5, J5 = integrate_derivatives(tree, q, move)
    between, rest = integrate(tree, q, move), h / 12.0 * (-v1 + 2.0 * v2 + 2.0 * v3 + 3.0 * v4)
    P6, J6 = integrate_derivatives(tree, between, rest)
    c = h * h / 12.0
    delta = turned_combinations(tree, [a1, a2, a3], [(P6 @ J5, [c, c, -c]), (J6, [c, c, 3.0 * c])])
    delta = held.with_state(delta, P6 @ P5, half * (P6 @ J5 + J6))
    sixth, third = h / 6.0, h / 3.0
    epsilon = held.with_state(combination([sixth, third, third, sixth], [a1, a2, a3, a4]), None, one)
    b1, b2, b3, b4 = accelerations
    end = integrate(tree, between, rest), v + sixth * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
    return np.concatenate([delta, epsilon], axis=-2), end


def _carried(held: Held, stage: Stage, delta: Array, epsilon: Array) -> Array:
    """Changes of the acceleration at a stage, from those of its state and of the inputs."""
    changes = dense_matmul(stage.by_state, np.concatenate([delta, epsilon], axis=-2))
    first = 2 * held.tree.nv * held.by_state
    inputs = combination([1.0, 1.0], [changes[..., first:], stage.by_inputs])
    return np.concatenate([changes[..., :first], inputs], axis=-1)
