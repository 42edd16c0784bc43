r"""The part of hard contacts in a step: impulses of all of them at once, and the velocity that they lead to.

A semi-implicit step without them would lead to $\nu_0$; with $J$ the rows of all points and the impulses $\lambda$ of
`floatbase.simulation.contacts.solve_contacts`, $\nu^+ = \nu_0 + M^{-1} J^\top \lambda$, which then moves the
configuration. Impulses are remembered: those of a step are the first guess of the next. What acts on a frame in a step
is a wrench whose force is the sum of its points' $C \lambda / h$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.inverse_mass_matrix import inverse_mass_matrix
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.pose import pose
from floatbase.compiler import dense_matmul, is_symbolic
from floatbase.model.tree import Tree
from floatbase.simulation.contacts import HardContact, contact_bias, solve_contacts
from floatbase.simulation.laws import Ground
from floatbase.spatial.arrays import Array, apply_matrix, transpose

ITERATIONS = 400
TOLERANCE = 1e-8


class HardStep(NamedTuple):
    """The velocity after a step, impulses (..., 3 points), wrenches (..., 6) of the frames, and what is left."""

    velocity: Array
    impulses: Array
    wrenches: list[Array]
    residual: Array


def hard_step(
    tree: Tree,
    contacts: tuple[tuple[str, HardContact], ...],
    ground: Ground,
    q: Array,
    v: Array,
    free: Array,
    guess: Array,
    inertial: Array | None,
    h: Array,
) -> HardStep:
    """Impulses of contacts on a robot that moves at `v`, and at `free` after the step without them; h: (..., 1)."""
    jacobians, gaps, biases, frictions = [], [], [], []
    for frame, law in contacts:
        rows = law.rows(pose(tree, q, frame), jacobian(tree, q, frame), ground)
        approach = apply_matrix(rows.jacobian, v)[..., 2::3]
        jacobians.append(rows.jacobian)
        gaps.append(rows.gap)
        biases.append(contact_bias(rows.gap, approach, h, law.restitution, law.baumgarte, law.slowest))
        frictions.append(_per_state(law.friction) + 0.0 * rows.gap)
    J = np.concatenate(jacobians, axis=-2)
    spread = _product(J, inverse_mass_matrix(tree, q, inertial))
    delassus = _product(spread, transpose(J))
    delassus = 0.5 * (delassus + transpose(delassus))
    friction, bias = np.concatenate(frictions, axis=-1), np.concatenate(biases, axis=-1)
    found = solve_contacts(
        delassus, apply_matrix(J, free), friction, bias, guess=guess, iterations=ITERATIONS, tolerance=TOLERANCE
    )
    after = free + apply_matrix(transpose(spread), found.impulse)
    return HardStep(after, found.impulse, _wrenches(tree, contacts, ground, q, found.impulse, h), found.residual)


def impulse_size(contacts: tuple[tuple[str, HardContact], ...]) -> int:
    """How many impulses are remembered."""
    return sum(3 * len(law.points) for _, law in contacts)


def _wrenches(
    tree: Tree, contacts: tuple[tuple[str, HardContact], ...], ground: Ground, q: Array, impulse: Array, h: Array
) -> list[Array]:
    """Wrenches at the frames: rows of a frame that moves by itself, transposed, times impulses over time."""
    found, start = [], 0
    for frame, law in contacts:
        alone = law.rows(pose(tree, q, frame), np.eye(6) + 0.0 * q[..., :1, None], ground).jacobian
        size = 3 * len(law.points)
        found.append(apply_matrix(transpose(alone), impulse[..., start : start + size]) / h)
        start += size
    return found


def _per_state(value: Any) -> Any:
    """A parameter beside vectors (..., m) of contacts."""
    return value[..., None] if np.ndim(value) else value


def _product(A: Array, B: Array) -> Any:
    return dense_matmul(A, B) if is_symbolic(A, B) else A @ B
