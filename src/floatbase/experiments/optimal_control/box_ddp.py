r"""Differential dynamic programming with bounded inputs, for systems whose states are on a manifold.

A trajectory $x_{k+1} = f(x_k, u_k)$ with the cost $\sum_k l_k(x_k, u_k)$ is improved by turns. Backwards, with changes
$x_k \oplus z$, $f_x = A_k$, $f_u = B_k$ and the cost-to-go $V \approx \tfrac12 z^\top V_{xx} z + V_x^\top z$,

$$ Q_x = l_x + A^\top V_x, \quad Q_u = l_u + B^\top V_x, \quad
   Q_{xx} = l_{xx} + A^\top V_{xx} A, \quad Q_{ux} = l_{ux} + B^\top V_{xx} A, \quad
   Q_{uu} = l_{uu} + B^\top V_{xx} B + \mu 1, $$

$k = \arg\min \tfrac12 w^\top Q_{uu} w + Q_u^\top w$ over the inputs that $u + w$ may take, $K = -Q_{uu}^{-1} Q_{ux}$ in
those that are at no bound and zero in the others, and the cost-to-go of $w = k + K z$. Forwards, a step of size
$\alpha$, $u = u_k + \alpha k + K\, (x \ominus x_k)$, is taken if it brings a part of the decrease that was expected;
if none does, $\mu$ grows.

Nothing here depends on what states are: $A$ and $B$ act on tangent vectors, and $\oplus$, $\ominus$ are the system's.
The curvature of the system is left out, as in iLQR, which keeps $Q_{xx}$ positive.

D. Mayne, "A second-order gradient method", 1966; Y. Tassa, N. Mansard, E. Todorov, "Control-limited differential
dynamic programming", ICRA 2014.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from floatbase.experiments.optimal_control.box_qp import box_minimum
from floatbase.spatial.arrays import Array

SIZES = 0.5 ** np.arange(12)
SUFFICIENT = 1e-3  # part of the expected decrease that a step must bring
START, LEAST, CALM, MOST = 1e-6, 1e-8, 1e-3, 1e8  # regularisation; above CALM, a small decrease proves nothing
GROWTH = 4.0
FAR = 1e6  # no state is


class Expansion(NamedTuple):
    """Of the cost along a trajectory of N steps, to second order in tangents: x (N + 1, n), u (N, m)."""

    x: Array
    u: Array
    xx: Array
    ux: Array
    uu: Array


class Problem(Protocol):
    """A system, its cost, where it starts, and which inputs it may be given (m,)."""

    @property
    def start(self) -> Array:
        """The first state."""
        ...

    @property
    def lower(self) -> Array:
        """Least inputs."""
        ...

    @property
    def upper(self) -> Array:
        """Largest inputs."""
        ...

    def step(self, x: Array, u: Array) -> Array:
        """The next state."""
        ...

    def sensitivities(self, X: Array, U: Array) -> tuple[Array, Array]:
        """`A` (N, n, n) and `B` (N, n, m) of the steps from states (N, ...) with inputs (N, m)."""
        ...

    def difference(self, x: Array, x_other: Array) -> Array:
        """The tangent vector (n,) that leads from `x` to the other."""
        ...

    def cost(self, X: Array, U: Array) -> float:
        """Of states (N + 1, ...) and inputs (N, m)."""
        ...

    def expansion(self, X: Array, U: Array) -> Expansion:
        """Of the cost."""
        ...


@dataclass(frozen=True)
class Solution:
    """States (N + 1, ...), inputs (N, m), feedback (N, m, n), the cost after every step that was taken."""

    X: Array
    U: Array
    gains: Array
    costs: tuple[float, ...]
    iterations: int
    converged: bool
    rejected: int  # iterations in which no size of step was good enough
    shortened: int  # ... in which the full step was not

    @property
    def cost(self) -> float:
        """At the end."""
        return self.costs[-1]


class _Policy(NamedTuple):
    k: Array
    K: Array
    linear: float
    quadratic: float

    def expected(self, size: float) -> float:
        """Change of the cost."""
        return size * self.linear + size**2 * self.quadratic


def solve(
    problem: Problem,
    U: Array,
    *,
    iterations: int = 200,
    tolerance: float = 1e-7,
) -> Solution:
    """The trajectory from the first guess of inputs `U` (N, m) on; `tolerance` is a relative decrease of the cost."""
    U = np.clip(U, problem.lower, problem.upper)
    X = _roll(problem, lambda n, x: U[n], len(U))
    if X is None:
        raise ArithmeticError("the first guess of inputs leads to states beyond all bounds")
    costs, regularization = [problem.cost(X, U)], START
    converged, rejected, shortened, done, fresh = False, 0, 0, 0, True
    gains = np.zeros((*U.shape, problem.difference(X[0], X[0]).size))
    while done < iterations and not converged and regularization < MOST:
        done += 1
        if fresh:
            A, B = problem.sensitivities(X[:-1], U)
            by = problem.expansion(X, U)
        policy = _backward(problem, X, U, A, B, by, regularization)
        taken = None if policy is None else _search(problem, X, U, policy, costs[-1])
        fresh = taken is not None
        small = tolerance * abs(costs[-1])
        if policy is None or taken is None:
            converged = policy is not None and regularization <= CALM and -policy.expected(1.0) <= small
            rejected += not converged
            regularization *= GROWTH**2
            continue
        converged = regularization <= CALM and costs[-1] - taken.cost <= small
        regularization = max(LEAST, regularization / GROWTH)
        X, U, gains = taken.X, taken.U, policy.K
        shortened += taken.size < 1.0
        costs.append(taken.cost)
    return Solution(X, U, gains, tuple(costs), done, converged, rejected, shortened)


def _backward(
    problem: Problem, X: Array, U: Array, A: Array, B: Array, by: Expansion, regularization: float
) -> _Policy | None:
    """The policy, or None where some input matrix is not positive definite."""
    k, K = np.zeros_like(U), np.zeros((*U.shape, A.shape[-1]))
    linear = quadratic = 0.0
    V_x, V_xx = by.x[-1], by.xx[-1]
    for n in reversed(range(len(U))):
        Q_x, Q_u = by.x[n] + A[n].T @ V_x, by.u[n] + B[n].T @ V_x
        VA = V_xx @ A[n]
        Q_xx, Q_ux = by.xx[n] + A[n].T @ VA, by.ux[n] + B[n].T @ VA
        Q_uu = by.uu[n] + B[n].T @ V_xx @ B[n]
        H = Q_uu + regularization * np.eye(len(Q_u))
        start = k[n + 1] if n + 1 < len(U) else k[n]
        try:
            minimum = box_minimum(H, Q_u, problem.lower - U[n], problem.upper - U[n], start)
            free = minimum.free
            if free.any():
                factor = np.linalg.cholesky(H[np.ix_(free, free)])
                K[n, free] = -np.linalg.solve(factor.T, np.linalg.solve(factor, Q_ux[free]))
        except np.linalg.LinAlgError:
            return None
        k[n] = minimum.x
        linear += k[n] @ Q_u
        quadratic += 0.5 * k[n] @ Q_uu @ k[n]
        V_x = Q_x + K[n].T @ (Q_uu @ k[n] + Q_u) + Q_ux.T @ k[n]
        V_xx = Q_xx + K[n].T @ Q_uu @ K[n] + K[n].T @ Q_ux + Q_ux.T @ K[n]
        V_xx = 0.5 * (V_xx + V_xx.T)
    return _Policy(k, K, float(linear), float(quadratic))


class _Step(NamedTuple):
    X: Array
    U: Array
    cost: float
    size: float


def _search(problem: Problem, X: Array, U: Array, policy: _Policy, cost: float) -> _Step | None:
    """The largest step that is good enough."""
    for size in SIZES:
        expected, inputs = policy.expected(size), np.empty_like(U)

        def choose(n: int, x: Array, size: float = size, inputs: Array = inputs) -> Array:
            u = U[n] + size * policy.k[n] + policy.K[n] @ problem.difference(X[n], x)
            inputs[n] = np.clip(u, problem.lower, problem.upper)
            return inputs[n]

        tried = _roll(problem, choose, len(U)) if expected < 0.0 else None
        if tried is not None:
            reached = problem.cost(tried, inputs)
            if reached - cost <= SUFFICIENT * expected:
                return _Step(tried, inputs, reached, float(size))
    return None


def _roll(problem: Problem, choose: Callable[[int, Array], Array], steps: int) -> Array | None:
    """The states under inputs that are chosen on the way; None if they leave all bounds."""
    X = [problem.start]
    for n in range(steps):
        X.append(problem.step(X[-1], choose(n, X[-1])))
        if not (np.abs(X[-1]) < FAR).all():
            return None
    return np.stack(X)
