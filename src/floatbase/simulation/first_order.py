r"""Sensitivities of one step of first order, for robots of any size.

The step solves $r(a) = \mathrm{ID}(q, \nu, a) - \sum_c J_c^\top f_c - \tau = 0$ for the acceleration, with wrenches
$f_c(x_c, \dot x_c, \ddot x_c)$ of contacts and torques $\tau(s, \dot s, \ddot s)$ of joints, which depend on
accelerations if it is "stiff". With the derivatives of inverse dynamics at held wrenches, of the poses, twists and
accelerations of frames, and those of laws, which are small, the implicit function theorem gives

$$ \Bigl( M - \sum_c J_c^\top \frac{\partial f_c}{\partial \ddot x_c} J_c
   - \frac{\partial \tau}{\partial \ddot s} \Bigr)\, \alpha
   = - \frac{\partial\,\mathrm{ID}}{\partial q} \delta - \frac{\partial\,\mathrm{ID}}{\partial \nu} \epsilon
   + \sum_c J_c^\top \mathrm d f_c + \mathrm d \tau , $$

and with the derivatives $P, J$ of `integrate`, $\epsilon^+ = \epsilon + h \alpha$ and
$\delta^+ = P \delta + h J\, \epsilon^+$, or $h J \epsilon$ if the step is explicit. Every change is a matrix with a
column for each of the configuration, the velocity, the memory, the command and the parameters, in this order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from floatbase.algorithms.configuration import integrate_derivatives
from floatbase.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from floatbase.algorithms.derivatives.kinematics import acceleration_derivatives, velocity_derivatives
from floatbase.algorithms.pose import pose
from floatbase.compiler.dense import solve
from floatbase.simulation.integration.methods import euler
from floatbase.simulation.law_slopes import contact_memory_slopes, contact_slopes, drive_memory_slopes, drive_slopes
from floatbase.simulation.physics import Drive, Physics
from floatbase.simulation.step import Field
from floatbase.spatial.arrays import Array, transpose, zeros


@dataclass(frozen=True, eq=False)
class Changes:
    """A step under way: `laws` with the parameters of this one, and where changes stand among columns."""

    laws: Physics
    method: str
    memory: Array
    command: Array
    pushes: Array
    parameters: Array
    inertial: Array | None
    h: Array

    @property
    def starts(self) -> list[int]:
        """Where the columns of configuration, velocity, memory, command and parameters begin, and the end."""
        n, laws = self.laws.tree.nv, self.laws
        sizes = [n, n, laws.memory_size, laws.command_size, len(laws.parameter_names)]
        return [0, *(int(end) for end in np.cumsum(sizes))]

    def contact_places(self, number: int) -> list[int]:
        """The columns of the memory of a contact, of its parameters and of the ground's."""
        return [*self._memories()[number], *self._values()[number], *self._values()[len(self.laws.contacts)]]

    def drive_places(self, number: int) -> tuple[list[int], list[int], list[int]]:
        """The columns of the positions and rates of a drive, of its memory, and of its command and parameters."""
        n, first, count = self.laws.tree.nv, self.laws.tree.nv - self.laws.tree.joint_nv, len(self.laws.contacts)
        joints = [first + place for place in self.laws.drives[number].places]
        asked = [self.starts[3] + place for place in self.laws.command_places(number)]
        own = [*asked, *self._values()[count + 1 + number]]
        return [*joints, *(n + k for k in joints)], list(self._memories()[count + number]), own

    def values_of(self, places: list[int]) -> Array:
        """The parameters among some columns."""
        return self.parameters[[k - self.starts[4] for k in places if k >= self.starts[4]]]

    def _memories(self) -> list[range]:
        sizes = [law.memory_size for _, law in self.laws.contacts] + [drive.remembers for drive in self.laws.drives]
        return _ranges(self.starts[2], sizes)

    def _values(self) -> list[range]:
        return _ranges(self.starts[4], [len(law.parameter_names()) for _, law in self.laws.laws])


def first_order_sensitivities(
    physics: Physics, method: str, q: Array, v: Array, inputs: dict[str, Any], h: Array
) -> tuple[Array, Array, Array]:
    """The next q and v, and the derivative (2 nv + memory, columns) of the next state, in mixed representation.

    inputs: memory, command, pushes, parameters and inertial parameters (or None) by name; h: (1,).
    """
    laws, n = physics.with_parameters(inputs["parameters"]), physics.tree.nv
    memory, command, pushes = inputs["memory"], inputs["command"], inputs["pushes"]
    c = Changes(laws, method, memory, command, pushes, inputs["parameters"], inputs["inertial"], h)
    sampled = laws.sample(q, v, c.memory, c.command, h[0])
    given = [sampled, c.command, c.pushes, c.parameters, *([] if c.inertial is None else [c.inertial])]
    field = Field(physics)

    def rate(q: Array, v: Array) -> Array:
        return field.stiff(q, v, h, *given) if method == "stiff" else field.plain(q, v, *given, h=h)

    done = euler(laws.tree, q, v, h, rate, semi_implicit=method != "explicit")
    alpha, fresh = _acceleration_change(c, q, v, done.mean)
    change_v, still = h * alpha, zeros(alpha.shape, q)
    change_v[:, n : 2 * n] = change_v[:, n : 2 * n] + np.eye(n)
    still[:, n : 2 * n] = np.eye(n)
    explicit = method == "explicit"
    P, J = integrate_derivatives(laws.tree, q, h * (v if explicit else done.v))
    change_q = J @ (h * (still if explicit else change_v))
    change_q[:, :n] = change_q[:, :n] + P
    kept = _remembered(c, done.q, done.v, sampled, change_q, change_v, fresh)
    return done.q, done.v, np.concatenate([change_q, change_v, *kept])


def _acceleration_change(c: Changes, q: Array, v: Array, mean: Array) -> tuple[Array, list[Array]]:
    """The change (nv, columns) of the acceleration, and those (memory, columns) of what drives sampled."""
    laws, tree, n, width = c.laws, c.laws.tree, c.laws.tree.nv, c.starts[-1]
    first, a = n - tree.joint_nv, mean[:n]
    wrenches = {frame: mean[n + 6 * k : n + 6 * k + 6] for k, (frame, _) in enumerate(laws.contacts)}
    for frame, push in laws.pushed(c.pushes).items():
        wrenches[frame] = wrenches[frame] + push if frame in wrenches else push
    by = inverse_dynamics_derivatives(tree, q, v, a, wrenches, c.inertial)
    left, right = by.da, zeros((n, width), q)
    right[:, :n], right[:, n : 2 * n] = -by.dq, -by.dv
    for k in range(len(laws.contacts)):
        change, by_rate, J = _contact_change(c, k, q, v, a)
        left, right = left - transpose(J) @ (by_rate @ J), right + transpose(J) @ change
    obeying = {place for drive in laws.drives if drive.obeys for place in drive.places}
    for joint in set(range(tree.joint_nv)) - obeying:
        column = c.starts[3] + joint
        right[first + joint, column] = right[first + joint, column] + 1.0
    fresh = []
    for k, drive in enumerate(laws.drives):
        change, by_rate = _drive_change(c, k, drive, q, v, a)
        count = len(drive.places)
        for i, row in enumerate(drive.places):
            right[first + row] = right[first + row] + change[i]
            for j, column in enumerate(drive.places):
                left[first + row, first + column] = left[first + row, first + column] - by_rate[i, j]
        fresh.append(change[count:])
    return solve(left, right), fresh


def _contact_change(c: Changes, number: int, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """The change (6, columns) of a wrench but for the acceleration's part, the derivative (6, 6) by that; J (6, nv)."""
    (frame, law), tree, n = c.laws.contacts[number], c.laws.tree, c.laws.tree.nv
    places = c.contact_places(number)
    slopes = contact_slopes(law, c.laws.ground, c.method == "stiff")
    own = c.laws.memories(c.memory)[0][number]
    motion = pose(tree, q, frame), c.laws.frame_twist(q, v, frame), c.laws.frame_acceleration(q, v, a, frame)
    S = slopes(*motion, own, c.values_of(places), c.h)
    by_twist, by_rate = velocity_derivatives(tree, q, v, frame), acceleration_derivatives(tree, q, v, a, frame)
    result = zeros((6, c.starts[-1]), q)
    result[:, :n] = S[:, :6] @ by_rate.da + S[:, 6:12] @ by_twist.dq + S[:, 12:18] @ by_rate.dq
    result[:, n : 2 * n] = S[:, 6:12] @ by_twist.dv + S[:, 12:18] @ by_rate.dv
    result[:, places] = S[:, 18:]
    return result, S[:, 12:18], by_rate.da


def _drive_change(c: Changes, number: int, drive: Drive, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
    """The change (joints + memory, columns) of torques and sampled memory, and the derivative by the joints' rates."""
    (s, rate), (_, change) = c.laws.joint_motion(drive, q, v), c.laws.joint_motion(drive, q, a)
    own, asked = c.laws.memories(c.memory)[1][number], c.laws.commands(c.command)[number]
    joints, memory, others = c.drive_places(number)
    S = drive_slopes(drive.law, c.method == "stiff")(s, rate, change, asked, own, c.values_of(others), c.h)
    two, commands = len(joints), len(asked)
    three = two + len(joints) // 2
    order = [*joints, *others[:commands], *memory, *others[commands:]]
    result = zeros((len(S), c.starts[-1]), q)
    result[:, order] = np.concatenate([S[:, :two], S[:, three:]], axis=-1)
    return result, S[:, two:three]


def _remembered(
    c: Changes, q: Array, v: Array, sampled: Array, change_q: Array, change_v: Array, fresh: list[Array]
) -> list[Array]:
    """Changes (memory, columns) of what laws remember after the step; q, v: where it led."""
    laws, tree, found = c.laws, c.laws.tree, []
    contacts, drives = laws.memories(sampled)
    for k, (frame, law) in enumerate(laws.contacts):
        if not law.memory_size:
            continue
        places, twist = c.contact_places(k), velocity_derivatives(tree, q, v, frame)
        here = pose(tree, q, frame), laws.frame_twist(q, v, frame)
        S = contact_memory_slopes(law, laws.ground)(*here, contacts[k], c.values_of(places), c.h)
        result = (S[:, :6] @ twist.dv + S[:, 6:12] @ twist.dq) @ change_q + (S[:, 6:12] @ twist.dv) @ change_v
        result[:, places] = result[:, places] + S[:, 12:]
        found.append(result)
    for k, drive in enumerate(laws.drives):
        if not drive.remembers:
            continue
        joints, _, others = c.drive_places(k)
        count = len(drive.places)
        here, asked = laws.joint_motion(drive, q, v), laws.commands(c.command)[k]
        S = drive_memory_slopes(drive.law)(*here, drives[k], asked, c.values_of(others), c.h)
        rows, end = joints[:count], 2 * count + drive.remembers
        result = S[:, :count] @ change_q[rows] + S[:, count : 2 * count] @ change_v[rows]
        result = result + S[:, 2 * count : end] @ fresh[k]
        result[:, others] = result[:, others] + S[:, end:]
        found.append(result)
    return found


def _ranges(start: int, sizes: list[int]) -> list[range]:
    ends = start + np.cumsum([0, *sizes])
    return [range(int(a), int(b)) for a, b in pairwise(ends)]
