r"""Identities that hold for every robot, evaluated on random states.

Derivatives along a motion are central differences on the curve through the state $q$ with velocity $\nu$ and
acceleration $\dot\nu$: the base position moves with the linear part of the velocity, its attitude with the angular part
in world axes (the "mixed" representation), joints with their rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.robot import Robot
from floatbase.spatial import rotations

Array = npt.NDArray[np.floating[Any]]

FRAME = "l_sole"
QUANTITIES: tuple[str | tuple[str, str], ...] = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "bias",
    "gravity",
    "kinetic_energy",
    "potential_energy",
    ("pose", FRAME),
    ("velocity", FRAME),
    ("jacobian", FRAME),
)
STEP = 1e-5  # of central differences: truncation and rounding are about equal
EXACT, SOLVED, DIFFERENCED = 1e-11, 1e-9, 1e-6


@dataclass(frozen=True)
class Check:
    """An identity, the largest relative residual over the states, and what is tolerated."""

    name: str
    residual: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the identity holds; a residual that is not a number does not."""
        return bool(self.residual <= self.tolerance)


def verify(robot: Robot, q: Array, v: Array, rng: np.random.Generator) -> list[Check]:
    """The identities at states (n, nq), (n, nv) with random accelerations and forces. The robot's base floats."""
    a, tau = rng.standard_normal((2, *v.shape))
    wrench = 100.0 * rng.standard_normal((len(q), 6))
    M, J, G = robot.mass_matrix(q), robot.jacobian(q, FRAME), robot.gravity(q)
    needed, motion = robot.inverse_dynamics(q, v, a), robot.forward_dynamics(q, v, tau)
    pushed = robot.inverse_dynamics(q, v, a, wrenches={FRAME: wrench})
    twist = robot.velocity(q, v, FRAME)
    pose_rate = _rate(lambda q, v: robot.pose(q, FRAME), q, v, a)
    climb = _rate(lambda q, v: robot.potential_energy(q), q, v, a)
    gain = _rate(lambda q, v: robot.kinetic_energy(q, v) + robot.potential_energy(q), q, v, motion)
    watt = 10.0 * robot.mass  # the power of falling at 1 m/s: states with little power are judged as the others are
    pairs: list[tuple[str, Array, Array, float]] = [
        ("inverse dynamics of forward dynamics = forces", robot.inverse_dynamics(q, v, motion), tau, SOLVED),
        ("M a + bias = inverse dynamics", _apply(M, a) + robot.bias(q, v), needed, EXACT),
        ("bias at rest = gravity", robot.bias(q, np.zeros_like(v)), G, EXACT),
        ("M = transposed M", M, _transposed(M), 0.0),
        ("M = L transposed L, so that M > 0", _factored(M), M, EXACT),
        ("kinetic energy = v M v / 2", _dot(v, _apply(M, v)) / 2.0, robot.kinetic_energy(q, v), EXACT),
        (f"a wrench on {FRAME} takes J^T f off", pushed, needed - _apply(_transposed(J), wrench), EXACT),
        (f"Jacobian of {FRAME} times v = velocity", _apply(J, v), twist, EXACT),
        (f"velocity of {FRAME} = rate of its pose", _twist(robot.pose(q, FRAME), pose_rate), twist, DIFFERENCED),
        ("gravity = gradient of potential energy", climb / watt, _dot(v, G) / watt, DIFFERENCED),
        ("rate of energy = power of the forces", gain / watt, _dot(v, tau) / watt, DIFFERENCED),
        ("a row of a batch = a call on one state", needed[-1:], robot.inverse_dynamics(q[-1], v[-1], a[-1])[None], 0.0),
    ]
    return [Check(name, _error(found, expected), tolerance) for name, found, expected, tolerance in pairs]


def _error(found: Array, expected: Array) -> float:
    """The largest deviation over the states: relative to the norm of arrays, for numbers to 1 at least."""
    deviation, size = ((x.reshape(len(x), -1) ** 2).sum(axis=-1) ** 0.5 for x in (found - expected, expected))
    least = 1.0 if expected.ndim == 1 else np.finfo(np.float64).tiny
    return float(np.max(deviation / np.maximum(size, least)))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ni,ni->n", a, b))


def _apply(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors))


def _transposed(matrices: Array) -> Array:
    return np.swapaxes(matrices, -1, -2)


def _factored(M: Array) -> Array:
    """The product of the Cholesky factors; infinite if a matrix is not positive definite and has none."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.full_like(M, np.inf)
    return np.asarray(L @ _transposed(L))


def _rate(quantity: Callable[[Array, Array], Array], q: Array, v: Array, a: Array) -> Array:
    """The rate of a quantity along the motion, by central differences."""
    ahead = quantity(_moved(q, v, STEP), v + STEP * a)
    behind = quantity(_moved(q, v, -STEP), v - STEP * a)
    return (ahead - behind) / (2.0 * STEP)


def _moved(q: Array, v: Array, time: float) -> Array:
    """The configuration after a time at the velocity `v`, to first order."""
    attitude = rotations.multiply_quaternions(rotations.quaternion_exponential(time * v[:, 3:6]), q[:, 3:7])
    return np.concatenate([q[:, :3] + time * v[:, :3], attitude, q[:, 7:] + time * v[:, 6:]], axis=-1)


def _twist(world_H_frame: Array, rate: Array) -> Array:
    """The twist of a pose that changes at a rate (n, 4, 4): velocity of the origin, angular velocity in world axes."""
    spin = rate[:, :3, :3] @ _transposed(world_H_frame[:, :3, :3])
    angular = np.stack(
        [spin[:, 2, 1] - spin[:, 1, 2], spin[:, 0, 2] - spin[:, 2, 0], spin[:, 1, 0] - spin[:, 0, 1]], -1
    )
    return np.concatenate([rate[:, :3, 3], angular / 2.0], axis=-1)
