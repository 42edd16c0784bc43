r"""Hard contacts with Coulomb's friction: the impulses of all contacts at once.

Contact $i$ has its axes: two in the tangent plane, then the normal away from the ground. With the impulses
$\lambda \in \mathbb R^{3m}$ of all contacts on the bodies, their relative velocities after a step are
$u = D \lambda + u_0$, where $D = J M^{-1} J^\top$ and $u_0$ is what they would be without contacts. For each contact,

$$ 0 \le \lambda_n \perp u_n + b_n \ge 0, \qquad |\lambda_t| \le \mu \lambda_n, \qquad
   \mu \lambda_n u_t = -|u_t|\, \lambda_t , $$

with a bias $b_n$ for gaps, restitution and stabilisation (`contact_bias`). Nothing is regularised: what sticks has no
velocity at all, and the friction of what slides is opposed to it. With $K$ the product of the friction cones
$|\lambda_t| \le \mu \lambda_n$, this is the one condition
$K \ni \lambda \perp u + b + \mu |u_t| e_n \in K^*$ (G. De Saxcé and Z.-Q. Feng, 1998), and it is solved as a convex
problem whose term $s = \mu |u_t| e_n$ is brought up to date on the way, by the alternating direction method of
multipliers (J. Carpentier and others, 2024):

$$ \lambda \leftarrow (D + \rho)^{-1} (\rho z + v - u_0 - b - s), \quad
   z \leftarrow \Pi_K(\hat\lambda - v / \rho), \quad
   v \leftarrow v + \rho (z - \hat\lambda), \quad \hat\lambda = \alpha \lambda + (1 - \alpha) z . $$

$D$ may be singular, as it is for four points of one rigid sole. Contacts are scaled so that the mean diagonal entry of
each is 1. After every 20 iterations $\rho$ is changed so that $|\Delta z|\, \rho$ and $|z - \lambda|$, each relative to
velocities and impulses, balance, and the matrix is inverted anew. The residual
$\| z - \Pi_K(z - (u + b + s)) \|_\infty$ of the scaled problem, over the largest scaled $|u_0|$, says how far the
result is from a solution; the impulses are inside the cones exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from floatbase.compiler import dense_matmul, is_symbolic, scan, while_loop
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.arrays import stacked
from floatbase.simulation.laws import Number, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.rotations import real

_RELAXATION = 1.5
_INNER = 20  # iterations between two inversions
_BALANCED = 1.2  # ratio of the two residuals that is left alone
_CHANGE = 10.0  # of rho at once
_RHO = 0.1  # at first
_UNROLLED = 12  # rows up to which products are written out
_TINY = 1e-30


class ContactSolution(NamedTuple):
    """Impulses and velocities of contacts, and how good they are."""

    impulse: Array  # (..., 3 m)
    velocity: Array  # (..., 3 m), after the step
    residual: Array  # (...,) relative, of the scaled problem
    iterations: Array  # (...,)
    converged: Array  # (...,) 1 if the residual is within the tolerance, 0 otherwise


def solve_contacts(
    delassus: Array,
    free_velocity: Array,
    friction: Array,
    bias: Array | None = None,
    *,
    guess: Array | None = None,
    iterations: int = 1000,
    tolerance: float = 1e-9,
) -> ContactSolution:
    """The impulses of contacts with friction, and the velocities that they lead to.

    delassus: (..., 3 m, 3 m), symmetric and positive semidefinite. free_velocity: (..., 3 m). friction: (..., m). bias:
    (..., m) along the normals. guess: impulses (..., 3 m) to begin with, those of the step before, say. If so many
    iterations, a multiple of 20, do not suffice, the last impulses are returned with `converged` 0. In single precision
    a tolerance below 1e-5 is not reached.
    """
    given = (delassus, free_velocity, friction, bias, guess)
    delassus, free_velocity, friction, bias, guess = (
        x if x is None or is_symbolic(x) else np.asarray(x) for x in given
    )
    _check(delassus, free_velocity, friction, bias, guess, iterations, tolerance)
    if not is_symbolic(delassus, free_velocity, friction, bias, guess):
        delassus, free_velocity, friction, bias, guess = _of_one_batch(delassus, free_velocity, friction, bias, guess)
    n = free_velocity.shape[-1]
    scale = _scale(delassus)
    D = delassus * scale[..., :, None] * scale[..., None, :]
    c = scale * free_velocity
    largest = _largest(c)
    if bias is not None:  # those of contacts that are far from closed say nothing of how large impulses are
        largest = np.maximum(largest, _largest(scale * _along_normals(np.minimum(bias, 0.0))))
        c = c + scale * _along_normals(bias)
    unit = np.where(largest > 0.0, largest, 1.0)  # so that rho and the tolerance mean the same in all units
    c = c / unit

    start = 0.0 * c if guess is None else guess / (scale * unit)
    multiplier = _slack(D, c, friction, start)
    one = 0.0 * c[..., :1] + 1.0
    carry = np.concatenate([start, multiplier, _RHO * one, one], axis=-1)
    shared = np.concatenate([_flat(D), c, friction], axis=-1)
    carry, rounds = _repeat(_round(n), carry, shared, tolerance, iterations // _INNER)
    impulse, residual = carry[..., :n] * scale * unit, carry[..., -1]
    velocity = _times(delassus, impulse) + free_velocity
    converged = np.where(residual <= tolerance, 1.0, 0.0)[()]
    return ContactSolution(impulse, velocity, residual, rounds * float(_INNER), converged)


def contact_bias(
    gap: Array,
    approach: Array,
    dt: Number,
    restitution: Number = 0.0,
    baumgarte: Number = 0.0,
    slowest: Number = 0.0,
) -> Array:
    r"""The bias (..., m) of contacts with gaps (..., m), negative in penetration, for a step of time dt.

    A contact that is open may close its gap, $u_n \ge -g / dt$; in penetration, a part `baumgarte` of it is undone,
    $u_n \ge -\beta g / dt$. One that closes in this step or has closed, coming with the velocity `approach` (..., m)
    along the normal, negative and faster than `slowest`, bounces with $u_n \ge -e\, u_n^-$.
    """
    require_positive(dt=dt)
    require_not_negative(restitution=restitution, baumgarte=baumgarte, slowest=slowest)
    pushed = np.where(real(gap) <= 0.0, baumgarte * gap / dt, gap / dt)
    bounced = restitution * approach
    bounces = (real(gap + dt * approach) <= 0.0) & (real(approach) < -slowest) & (real(bounced) < 0.0)
    return np.where(bounces, np.minimum(pushed, bounced), pushed)


def project_on_cones(force: Array, friction: Array) -> Array:
    """The nearest points (..., 3 m) to forces inside friction cones; coefficients (..., m)."""
    size = friction.shape[-1]
    entries: list[Any] = []
    for k in range(size):
        x, y, z = (force[..., 3 * k + axis] for axis in range(3))
        mu = friction[..., k]
        side = np.sqrt(x * x + y * y)
        inside, outside = (side <= mu * z) & (z >= 0.0), mu * side <= -z  # a cone without friction is a ray
        height = (mu * side + z) / (1.0 + mu * mu)
        factor = np.where(inside, 1.0, np.where(outside, 0.0, mu * height / np.where(side > 0.0, side, 1.0)))
        entries += [factor * x, factor * y, np.where(inside, z, np.where(outside, 0.0, height))]
    return stacked(*(entry[()] for entry in entries))


def _round(n: int) -> Callable[[Array, Array], Array]:
    """Iterations with one inverse; the carry is (z, v, rho, residual), shared is (D, c, friction)."""

    def body(carry: Array, shared: Array) -> Array:
        D = shared[..., : n * n].reshape((*shared.shape[:-1], n, n))
        c, friction = shared[..., n * n : n * n + n], shared[..., n * n + n :]
        rho = carry[..., 2 * n, None]
        inverse = np.linalg.inv(D + rho[..., None] * np.eye(n))
        settings = np.concatenate([_flat(inverse), c, friction, rho], axis=-1)
        room = 0.0 * carry[..., :2]
        inner, _ = scan(
            _iteration(n), np.concatenate([carry[..., : 2 * n], room], axis=-1), length=_INNER, shared=settings
        )
        z, v, primal, dual = inner[..., :n], inner[..., n : 2 * n], inner[..., 2 * n, None], inner[..., 2 * n + 1, None]
        residual = _largest(z - project_on_cones(z - _slack(D, c, friction, z), friction))
        size, speed = np.maximum(_largest(z), _TINY), np.maximum(_largest(v), _largest(c))
        ratio = np.sqrt(primal * speed / np.maximum(dual * size, _TINY))
        unbalanced = (ratio > _BALANCED) | (ratio < 1.0 / _BALANCED)
        rho = rho * np.where(unbalanced, np.clip(ratio, 1.0 / _CHANGE, _CHANGE), 1.0)
        return np.concatenate([z, v, rho, residual], axis=-1)

    return body


def _iteration(n: int) -> Callable[[Any, Array, None, Array], tuple[Array, Array]]:
    """One iteration; the carry is (z, v, primal residual, dual residual)."""

    def body(index: Any, carry: Array, row: None, shared: Array) -> tuple[Array, Array]:
        inverse = shared[..., : n * n].reshape((*shared.shape[:-1], n, n))
        c, friction = shared[..., n * n : n * n + n], shared[..., n * n + n : -1]
        rho = shared[..., -1, None]
        z, v = carry[..., :n], carry[..., n : 2 * n]
        force = _times(inverse, rho * z + v - c - _along_normals(friction * _sliding(v)))
        relaxed = _RELAXATION * force + (1.0 - _RELAXATION) * z
        following = project_on_cones(relaxed - v / rho, friction)
        v = v + rho * (following - relaxed)
        primal, dual = _largest(following - force), _largest(rho * (following - z))
        return np.concatenate([following, v, primal, dual], axis=-1), carry[..., :0]

    return body


def _repeat(
    body: Callable[[Array, Array], Array], carry: Array, shared: Array, tolerance: float, limit: int
) -> tuple[Array, Array]:
    """Rounds until the last entry of the carry is within the tolerance; each state of a batch stops on its own."""
    if is_symbolic(carry, shared):
        return while_loop(lambda carry, shared: carry[-1] > tolerance, body, carry, shared=shared, limit=limit)
    rounds = np.zeros(carry.shape[:-1])
    for _ in range(limit):
        running = carry[..., -1] > tolerance
        if not running.any():
            break
        carry = np.where(running[..., None], body(carry, shared), carry)
        rounds = rounds + running
    return carry, rounds


def _slack(D: Array, c: Array, friction: Array, impulse: Array) -> Array:
    """Velocities with the bias and De Saxce's term: inside the dual cones for a solution."""
    velocity = _times(D, impulse) + c
    return velocity + _along_normals(friction * _sliding(velocity))


def _sliding(velocity: Array) -> Array:
    """The speeds (..., m) in the tangent planes."""
    x, y = velocity[..., 0::3], velocity[..., 1::3]
    return np.sqrt(x * x + y * y)


def _along_normals(x: Array) -> Array:
    """Numbers (..., m) as the normal entries of vectors (..., 3 m)."""
    entries = []
    for k in range(x.shape[-1]):
        entries += [0.0, 0.0, x[..., k][()]]
    return stacked(*entries)


def _scale(delassus: Array) -> Array:
    """Factors (..., 3 m) of impulses, the same for the three of a contact: its mean diagonal entry becomes 1."""
    entries = []
    for k in range(0, delassus.shape[-1], 3):
        mean = (delassus[..., k, k] + delassus[..., k + 1, k + 1] + delassus[..., k + 2, k + 2])[()] / 3.0
        entries += [1.0 / np.sqrt(np.where(mean > 0.0, mean, 1.0))[()]] * 3
    return stacked(*entries)


def _largest(x: Array) -> Any:
    """The largest absolute value (..., 1) along the last axis."""
    sizes = [np.abs(x[..., k])[()] for k in range(x.shape[-1])]
    return stacked(reduce(np.maximum, sizes))


def _flat(M: Array) -> Array:
    return M.reshape((*M.shape[:-2], M.shape[-2] * M.shape[-1]))


def _times(M: Array, x: Array) -> Array:
    """A matrix times a vector; a loop in a program if it is large."""
    if is_symbolic(M, x) and x.shape[-1] > _UNROLLED:
        return dense_matmul(M, x[:, None])[:, 0]
    return apply_matrix(M, x)


def _of_one_batch(D: Array, velocity: Array, *vectors: Array | None) -> list[Any]:
    """Arrays of numbers with the batch axes that they have together."""
    given = [x for x in vectors if x is not None]
    batch = np.broadcast_shapes(D.shape[:-2], velocity.shape[:-1], *(x.shape[:-1] for x in given))
    matrix = np.broadcast_to(D, (*batch, *D.shape[-2:]))
    rest = (None if x is None else np.broadcast_to(x, (*batch, x.shape[-1])) for x in (velocity, *vectors))
    return [matrix, *rest]


def _check(
    delassus: Array,
    velocity: Array,
    friction: Array,
    bias: Array | None,
    guess: Array | None,
    iterations: int,
    tolerance: float,
) -> None:
    n = velocity.shape[-1]
    if n == 0 or n % 3:
        raise ShapeError(f"free_velocity has shape {velocity.shape}; it must be (..., 3 m) for m contacts")
    wanted = {"friction": (friction, (n // 3,)), "delassus": (delassus, (n, n))}
    if bias is not None:
        wanted["bias"] = bias, (n // 3,)
    if guess is not None:
        wanted["guess"] = guess, (n,)
    for name, (array, shape) in wanted.items():
        if array.shape[-len(shape) :] != shape:
            raise ShapeError(
                f"{name} has shape {array.shape}; for {n // 3} contacts it must be (..., {str(shape)[1:-1]})"
            )
    if iterations < _INNER or iterations % _INNER:
        raise ArgumentError(f"iterations is {iterations}; it must be a positive multiple of {_INNER}")
    require_positive(tolerance=tolerance)
    for name, array in (("free_velocity", velocity), *((key, value[0]) for key, value in wanted.items())):
        if not is_symbolic(array) and not np.all(np.isfinite(array)):
            raise ArgumentError(f"{name} contains NaN or infinity; all numbers must be finite")
    require_not_negative(friction=friction)
    if not is_symbolic(delassus):
        size = np.max(np.abs(delassus))
        rounding = np.sqrt(np.finfo(np.result_type(delassus.dtype, np.float32)).eps)
        if np.max(np.abs(delassus - transpose(delassus))) > rounding * size:
            raise ArgumentError("delassus is not symmetric; it must be J M^-1 J^T")
        if np.min(np.diagonal(delassus, axis1=-2, axis2=-1)) < 0.0:
            raise ArgumentError("delassus has a negative diagonal entry; it must be positive semidefinite")
