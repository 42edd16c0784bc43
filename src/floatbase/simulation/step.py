r"""One period of a simulation as a function that becomes one program: laws, dynamics, integration, memory.

A period is `substeps` steps of time $h$ under one command. In each, laws sample their inputs, the method advances the
state, and laws remember where it led. With the state come the wrenches at the frames in contact and the torques of the
joints that acted in the last step, as means over it, and the work of contacts, joints and pushes in the period, by the
method's own quadrature: the means of the powers over a step with the weights of the accelerations. For steps of first
order these are the inner products of forces with the mean of the velocities before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.added_inertia import AddedInertia
from floatbase.algorithms.configuration import integrate
from floatbase.compiler.control import guard, scan, subprogram
from floatbase.compiler.graph import current_graph
from floatbase.compiler.scalar import select
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.simulation.constraints.constraint import stacked_residual
from floatbase.simulation.hard_step import hard_step
from floatbase.simulation.integration.methods import (
    LARGEST,
    NO_SOLUTION,
    Advance,
    euler,
    implicit_midpoint,
    runge_kutta,
)
from floatbase.simulation.physics import Forces, Inputs, Physics, joined
from floatbase.simulation.representation import from_mixed, into_mixed
from floatbase.spatial.arrays import Array, apply_matrix, components, zeros
from floatbase.spatial.representations import TwistForm

FASTEST = 1e6  # m/s or rad/s: what moves faster diverges
INFINITE = 1e30
IMPOSSIBLE = "inertial parameters are not those of a robot: its mass matrix is not positive definite"
FARTHEST = 1e-3  # m or rad: a robot that projections leave so far off its constraints has left them
DIVERGES = "the motion diverges"
LOST = "projections do not lead back to the constraints"
OUTPUTS = ("q", "v", "memory", "wrenches", "torques", "work", "residual", "multipliers")


class Period(NamedTuple):
    """What a period gives: the state, wrenches (..., 6 contacts), torques, work (..., 3), what is left to solve (1).

    `multipliers` are those of the rows of constraints.
    """

    q: Array
    v: Array
    memory: Array
    wrenches: Array
    torques: Array
    work: Array
    residual: Array
    multipliers: Array


@dataclass(frozen=True, eq=False)
class Stepper:
    """The function of a period: laws, a method, steps in a period, and the representation of velocities.

    After each step, `projections` steps of Gauss and Newton lead back to the constraints, if there are any.
    """

    physics: Physics
    method: str
    substeps: int
    form: TwistForm
    projections: int = 1

    def __call__(
        self,
        q: Array,
        v: Array,
        memory: Array,
        command: Array,
        pushes: Array,
        parameters: Array,
        inertial: Any,
        dt: Any,
    ) -> Period:
        """The state after `substeps` steps that last `dt: (...)` together; inertial parameters, or None."""
        tree = self.physics.tree
        h = np.asanyarray(dt)[..., None] / float(self.substeps)
        v = into_mixed(self.form, tree.floating, q, v)
        counts = (6 * len(self.physics.frames), tree.joint_nv, self.physics.multiplier_size)
        last = zeros((sum(counts),), q, v, memory, command)
        state = [q, v, memory, last, zeros((3,), last), zeros((1,), last)]
        held = [command, pushes, parameters, *([] if inertial is None else [inertial])]
        if self.substeps == 1:
            parts = self._one(state, held, h)
        else:
            ends, held_ends = _ends(state), _ends([h, *held])

            def body(index: Any, carry: Array, row: Any, shared: Array) -> tuple[Array, Array]:
                h, *given = np.split(shared, held_ends, axis=-1)
                *after, residual = self._one(np.split(carry, ends, axis=-1), given, h)
                return joined([*after, np.maximum(residual, _violated(carry))]), shared[:1]

            carry, _ = scan(body, joined(state), length=self.substeps, shared=joined([h, *held]))
            parts = np.split(carry, ends, axis=-1)
        q, v, memory, last, work, residual = parts
        midpoint = self.method == "midpoint"
        guard(residual[..., 0] < (LARGEST if midpoint else 0.1 * INFINITE), NO_SOLUTION if midpoint else IMPOSSIBLE)
        fastest = reduce(np.maximum, components(np.abs(v)))
        guard(fastest < FASTEST, DIVERGES)
        if self.physics.constraints and self.projections:
            errors = np.abs(stacked_residual(tree, q, self.physics.constraints))
            guard(reduce(np.maximum, components(errors)) < FARTHEST, LOST)
        wrenches, torques, multipliers = np.split(last, np.cumsum(counts)[:-1], axis=-1)
        v = from_mixed(self.form, tree.floating, q, v)
        return Period(q, v, memory, wrenches, torques, work, residual, multipliers)

    def _one(self, state: list[Array], held: list[Array], h: Array) -> list[Array]:
        """One step; h: (..., 1)."""
        q, v, memory, _, work, _ = state
        command, pushes, parameters, *inertial = held
        laws, time = self.physics.with_parameters(parameters), h[..., 0][()]
        memory = laws.sample(q, v, memory, command, time)
        done = self._advanced(q, v, h, [memory, command, pushes, parameters, *inertial])
        if self.physics.constraints and self.projections:
            found = laws.projected(done.q, done.v, inertial[0] if inertial else None, self.projections)
            done = done._replace(q=found[0], v=found[1])
        acted, work = done.mean[..., self.physics.tree.nv : -3], work + h * done.mean[..., -3:]
        if self.physics.hard:
            done, memory, acted, work = self._with_hard(laws, state, done, memory, acted, work, inertial, h)
        memory = laws.remember(done.q, done.v, memory, command, time)
        residual = np.maximum(state[5], zeros((1,), done.q) + done.residual)
        return [done.q, done.v, memory, acted, work, residual]

    def _with_hard(
        self,
        laws: Physics,
        state: list[Array],
        done: Advance,
        memory: Array,
        acted: Array,
        work: Array,
        inertial: list[Array],
        h: Array,
    ) -> tuple[Advance, Array, Array, Array]:
        """The step again with hard contacts: what it leads to, the memory, what acted, and the work."""
        (q, v), tree, given = state[:2], self.physics.tree, inertial[0] if inertial else None
        guess = laws.impulses(memory)
        found = hard_step(tree, laws.hard, laws.ground, q, v, done.v, guess, given, h)
        twists = [laws.frame_twist(q, 0.5 * (v + found.velocity), frame) for frame, _ in laws.hard]
        power = sum(np.sum(f * t, axis=-1) for f, t in zip(found.wrenches, twists, strict=True))
        soft = 6 * len(laws.contacts)
        acted = joined([acted[..., :soft], *found.wrenches, acted[..., soft:]])
        memory = joined([memory[..., : memory.shape[-1] - guess.shape[-1]], found.impulses])
        work = joined([work[..., :1] + h * np.asanyarray(power)[..., None], work[..., 1:]])
        q_end = integrate(tree, q, h * found.velocity)
        residual = np.asanyarray(found.residual)[..., None]
        return done._replace(q=q_end, v=found.velocity, residual=residual), memory, acted, work

    def _advanced(self, q: Array, v: Array, h: Array, held: list[Array]) -> Advance:
        tree, field = self.physics.tree, Field(self.physics)
        if self.method == "midpoint":
            ends = _ends([h, *held])

            def iterate(q: Array, v: Array, guess: Array, rest: Array) -> Array:
                h, *given = np.split(rest, ends, axis=-1)
                return field.middle(q, v, h, guess, *given)

            return implicit_midpoint(tree, q, v, h, subprogram(iterate), joined([h, *held]))
        if self.method in ("rk2", "rk4"):
            plain = subprogram(field.plain)
            return runge_kutta(tree, q, v, h, lambda q, v: plain(q, v, *held), self.method)
        stiff = self.method == "stiff"

        def first_order(q: Array, v: Array) -> Array:
            return field.stiff(q, v, h, *held) if stiff else field.plain(q, v, *held, h=h)

        return euler(tree, q, v, h, first_order, semi_implicit=self.method != "explicit")


@dataclass(frozen=True, eq=False)
class Field:
    """The right-hand side in the forms that methods need: [acceleration, wrenches, torques, powers] (..., n)."""

    physics: Physics

    def plain(self, q: Array, v: Array, *held: Array, h: Array | None = None) -> Array:
        """Forces at the state itself; powers are means over the time `h: (..., 1)` of a step of first order."""
        physics, inputs = self._unpacked(held)
        forces = physics.forces(q, v, inputs.memory, inputs.command)
        a, multipliers = physics.acceleration(q, v, forces, inputs)
        return self._row(physics, q, v, a, forces, multipliers, inputs, h)

    def stiff(self, q: Array, v: Array, h: Array, *held: Array) -> Array:
        """Forces at the end of a step of `h: (..., 1)`, to first order."""
        physics, inputs = self._unpacked(held)
        forces = physics.forces(q, v, inputs.memory, inputs.command)
        damping, stiffness = physics.slopes(q, v, inputs.memory, inputs.command)
        wrenches = {
            frame: wrench - h * apply_matrix(stiffness.wrenches[frame], physics.frame_twist(q, v, frame))
            for frame, wrench in forces.wrenches.items()
        }
        rates = v[..., v.shape[-1] - forces.torque.shape[-1] :]
        moved = Forces(wrenches, forces.torque - h * stiffness.torque * rates)
        added = _springs(damping, stiffness, h, h * h)
        moved, added = _released(physics, q, moved, added)
        a, multipliers = physics.acceleration(q, v, moved, inputs, added)
        return self._row(physics, q, v, a, _with(physics, q, v, moved, added, a, -1.0), multipliers, inputs, h)

    def middle(self, q: Array, v: Array, h: Array, guess: Array, *held: Array) -> Array:
        """Forces at the state in the middle of a step, which a guess of the acceleration has led to.

        They change with the acceleration by half of the time and its square: with that the next guess is better.
        """
        physics, inputs = self._unpacked(held)
        forces = physics.forces(q, v, inputs.memory, inputs.command)
        if physics.constraints:
            a, multipliers = physics.acceleration(q, v, forces, inputs)
            return self._row(physics, q, v, a, forces, multipliers, inputs, None)
        added = _springs(*physics.slopes(q, v, inputs.memory, inputs.command), 0.5 * h, 0.25 * h * h)
        near = _with(physics, q, v, forces, added, guess[..., : v.shape[-1]], 1.0)
        a, multipliers = physics.acceleration(q, v, near, inputs, added)
        return self._row(physics, q, v, a, forces, multipliers, inputs, None)

    def _unpacked(self, held: tuple[Array, ...]) -> tuple[Physics, Inputs]:
        memory, command, pushes, parameters, *inertial = held
        given = inertial[0] if inertial else None
        return self.physics.with_parameters(parameters), Inputs(memory, command, pushes, given)

    def _row(
        self,
        physics: Physics,
        q: Array,
        v: Array,
        a: Array,
        forces: Forces,
        multipliers: Array,
        inputs: Inputs,
        h: Array | None,
    ) -> Array:
        mean = v if h is None else v + 0.5 * h * a
        powers = physics.powers(q, mean, forces, inputs.pushes)
        return joined([a, *forces.wrenches.values(), forces.torque, multipliers, powers])


def _springs(damping: Forces, stiffness: Forces, by_damping: Array, by_stiffness: Array) -> AddedInertia:
    frames = {
        frame: by_damping[..., None] * D + by_stiffness[..., None] * stiffness.wrenches[frame]
        for frame, D in damping.wrenches.items()
    }
    return AddedInertia(frames, by_damping * damping.torque + by_stiffness * stiffness.torque)


def _released(physics: Physics, q: Array, forces: Forces, added: AddedInertia) -> tuple[Forces, AddedInertia]:
    """Without contacts that would pull by the end of the step if the motion went on as it is."""
    wrenches, frames = {}, {}
    for frame, wrench in forces.wrenches.items():
        presses = np.sum(physics.normal(q, frame) * wrench[..., :3], axis=-1) >= 0.0
        wrenches[frame] = np.where(presses[..., None], wrench, 0.0)
        frames[frame] = np.where(presses[..., None, None], added.frames[frame], 0.0)
    return Forces(wrenches, forces.torque), AddedInertia(frames, added.joints)


def _with(physics: Physics, q: Array, v: Array, forces: Forces, added: AddedInertia, a: Array, sign: float) -> Forces:
    """Forces with (1) or without (-1) what they lose to an acceleration."""
    wrenches = {
        frame: wrench + sign * apply_matrix(added.frames[frame], physics.frame_acceleration(q, v, a, frame))
        for frame, wrench in forces.wrenches.items()
    }
    rates = a[..., a.shape[-1] - forces.torque.shape[-1] :]
    return Forces(wrenches, forces.torque + (sign * rates) * added.joints)


def _violated(like: Array) -> Any:
    """Infinite where something that is demanded in the body of a loop does not hold; else 0."""
    if not is_symbolic(like):
        return 0.0
    demanded = current_graph().guards
    flags = [select(condition, 0.0, INFINITE) for condition, _ in demanded]
    demanded.clear()
    return reduce(np.maximum, flags, 0.0)


def _ends(parts: list[Array]) -> list[int]:
    """Where parts end that stand one after the other, but for the last."""
    return [int(end) for end in np.cumsum([part.shape[-1] for part in parts])[:-1]]
