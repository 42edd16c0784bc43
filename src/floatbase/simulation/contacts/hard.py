r"""Points of a robot on hard ground: what contacts do to its velocity in a step of time.

For points at $x$ over ground of normal $n$, each with axes $(t_1, t_2, n)$ in the columns of $C$, the velocities of
contacts are $J \nu$ with the rows $C^\top (J_v - r^\wedge J_\omega)$ of each, of a frame's Jacobian $(J_v, J_\omega)$
in the mixed representation and $r = x - o$. From a velocity $\nu_0$ that a step would lead to without contacts, their
impulses $\lambda$ (`solve_contacts`) lead to $\nu = \nu_0 + M^{-1} J^\top \lambda$.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from floatbase.compiler import dense_matmul, is_symbolic
from floatbase.simulation.arrays import stacked, stacked_matrix
from floatbase.simulation.contacts.exact import ContactSolution, contact_bias, solve_contacts
from floatbase.simulation.contacts.points import Points, as_vector, checked_points
from floatbase.simulation.laws import Ground, Law, Number, require_not_negative
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array, apply_matrix, require_shape, transpose
from floatbase.spatial.skew import hat


class ContactRows(NamedTuple):
    """Points over the ground: the Jacobian (..., 3 m, nv) of their velocities in the axes of contacts, and gaps."""

    jacobian: Array
    gap: Array  # (..., m) along the normals, negative in the ground


@dataclass(frozen=True)
class HardContact(Law):
    """Points or spheres in a frame that do not sink in; friction; restitution of impacts.

    baumgarte: the part of a penetration that a step undoes. slowest: speed in m/s of an impact that does not bounce.
    """

    friction: Number = 0.7
    restitution: Number = 0.0
    baumgarte: Number = 0.2
    slowest: Number = 1e-2
    points: Points = field(default=((0.0, 0.0, 0.0),), kw_only=True)
    radius: Number = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checked_points(self.points))
        require_not_negative(friction=self.friction, restitution=self.restitution, baumgarte=self.baumgarte)
        require_not_negative(slowest=self.slowest, radius=self.radius)

    def rows(self, world_H_frame: Array, jacobian: Array, ground: Ground) -> ContactRows:
        """The points over the ground, from the frame's pose (..., 4, 4) and its mixed Jacobian (..., 6, nv)."""
        require_shape(world_H_frame, 4, 4)
        parts, gaps = [], []
        rotation, origin = world_H_frame[..., :3, :3], world_H_frame[..., :3, 3]
        for point in self.points:
            arm = apply_matrix(rotation, np.array(point))
            center = as_vector(origin + arm)
            normal = as_vector(ground.normal(center[0], center[1]))
            gaps.append((center[2] - ground.height(center[0], center[1])) * normal[2] - self.radius)
            arm = arm - stacked(*vectors.scale(self.radius, normal))
            axes = contact_axes(normal)
            parts.append(axes @ (jacobian[..., :3, :] - hat(arm) @ jacobian[..., 3:, :]))
        return ContactRows(np.concatenate(parts, axis=-2), stacked(*gaps))

    def resolve(
        self,
        rows: ContactRows,
        inverse_mass_matrix: Array,
        velocity: Array,
        free_velocity: Array,
        dt: Number,
        guess: Array | None = None,
        iterations: int = 1000,
        tolerance: float = 1e-9,
    ) -> tuple[Array, ContactSolution]:
        """The velocity (..., nv) after a step, and what the contacts did.

        velocity: before the step, which says how fast impacts are. free_velocity: after it, without contacts.
        """
        spread = _product(rows.jacobian, inverse_mass_matrix)
        delassus = _product(spread, transpose(rows.jacobian))
        delassus = 0.5 * (delassus + transpose(delassus))
        approach = apply_matrix(rows.jacobian, velocity)[..., 2::3]
        bias = contact_bias(rows.gap, approach, dt, self.restitution, self.baumgarte, self.slowest)
        free = apply_matrix(rows.jacobian, free_velocity)
        friction = self.friction + 0.0 * rows.gap
        solution = solve_contacts(
            delassus, free, friction, bias, guess=guess, iterations=iterations, tolerance=tolerance
        )
        return free_velocity + apply_matrix(transpose(spread), solution.impulse), solution


def contact_axes(normal: vectors.Vector) -> Array:
    """The rotation (..., 3, 3) into the axes of a contact: along x, seen from above, then to the left, then normal."""
    x, y, z = normal
    first = (1.0 - x * x, -x * y, -x * z)
    first = vectors.scale(1.0 / np.sqrt(vectors.dot(first, first)), first)
    return stacked_matrix([first, vectors.cross(normal, first), normal])


def _product(A: Array, B: Array) -> Any:
    """A product of matrices, a loop in a program."""
    return dense_matmul(A, B) if is_symbolic(A, B) else A @ B
