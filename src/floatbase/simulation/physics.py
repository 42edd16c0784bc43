r"""A robot among laws of contact and of joints: which forces act at a state, and how they change.

The frames in contact, the ground and the joints' laws are given in an order; so are what they remember, their
parameters and what commands them:

| vector | entries |
|---|---|
| memory | of each contact, of each law of joints, then impulses of hard contacts |
| parameters | of each contact, of the ground, of each law of joints, then of hard contacts |
| command | one for each joint rate, then further ones |

A command is a torque, or what the law of that joint obeys; laws that obey more than one per joint, such as a position
and a velocity, find the further ones behind those of all joints. A joint without a law, or with one that obeys no
command (friction, a limit), is commanded by its torque. Everything here is in mixed representation and works on numbers
with batch axes and on symbols.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from floatbase.algorithms.acceleration import acceleration
from floatbase.algorithms.added_inertia import AddedInertia
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.algorithms.pose import pose
from floatbase.algorithms.velocity import velocity
from floatbase.model.tree import Tree
from floatbase.simulation.constraints.constraint import Constraint, stacked_names
from floatbase.simulation.constraints.motion import Baumgarte, constrained_acceleration
from floatbase.simulation.constraints.projections import project_configuration, project_velocity
from floatbase.simulation.contacts import HardContact
from floatbase.simulation.hard_step import impulse_size
from floatbase.simulation.laws import ContactLaw, Ground, JointLaw, Law
from floatbase.spatial.arrays import Array, vector, zeros


@dataclass(frozen=True, eq=False)
class Drive:
    """A law of some joints; `places` are their rates among those of all joints, `positions` their coordinates."""

    law: JointLaw
    places: tuple[int, ...]
    positions: tuple[int, ...]

    @property
    def obeys(self) -> int:
        """How many numbers command it."""
        return self.law.command_size(len(self.places))

    @property
    def remembers(self) -> int:
        """How many numbers it remembers."""
        return self.law.memory_size(len(self.places))


class Inputs(NamedTuple):
    """What is held during a step, besides the laws' own parameters: (..., n) each, inertial parameters or None."""

    memory: Array
    command: Array
    pushes: Array
    inertial: Array | None


class Forces(NamedTuple):
    """Wrenches at the frames in contact (..., 6) and torques of the joints (..., number of joint rates)."""

    wrenches: dict[str, Array]
    torque: Array


@dataclass(frozen=True, eq=False)
class Physics:
    """Laws around a tree in mixed representation; `pushes` are frames at which wrenches are given with each step."""

    tree: Tree
    contacts: tuple[tuple[str, ContactLaw], ...]
    ground: Ground
    drives: tuple[Drive, ...]
    pushes: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    baumgarte: Baumgarte | None = None
    hard: tuple[tuple[str, HardContact], ...] = ()

    @property
    def laws(self) -> list[tuple[str, Law]]:
        """All laws that have parameters, with their names."""
        drives = [(f"joints[{k}]" if len(self.drives) > 1 else "joints", d.law) for k, d in enumerate(self.drives)]
        return [*self.contacts, ("ground", self.ground), *drives, *self.hard]

    @property
    def frames(self) -> list[str]:
        """The frames in contact: those of soft contacts, then those of hard ones."""
        return [frame for frame, _ in (*self.contacts, *self.hard)]

    @property
    def memory_size(self) -> int:
        """Size of the memory."""
        soft = sum(law.memory_size for _, law in self.contacts) + sum(drive.remembers for drive in self.drives)
        return soft + impulse_size(self.hard)

    @property
    def command_size(self) -> int:
        """Size of a command."""
        return self.tree.joint_nv + sum(max(drive.obeys - len(drive.places), 0) for drive in self.drives)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names such as "l_sole.stiffness"."""
        return tuple(f"{name}.{parameter}" for name, law in self.laws for parameter in law.parameter_names())

    @property
    def parameters(self) -> Array:
        """All parameters (n,), or (..., n) if some differ from state to state."""
        parts = [law.parameters for _, law in self.laws]
        batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts], axis=-1)

    def with_parameters(self, values: Array) -> Self:
        """The same with other parameters, numbers or symbols."""
        laws: list[Any] = []
        start = 0
        for _, law in self.laws:
            size = len(law.parameter_names())
            laws.append(law.with_parameters(values[..., start : start + size]) if size else law)
            start += size
        count = len(self.contacts)
        contacts = tuple((frame, law) for (frame, _), law in zip(self.contacts, laws, strict=False))
        own = laws[count + 1 : count + 1 + len(self.drives)]
        drives = tuple(replace(drive, law=law) for drive, law in zip(self.drives, own, strict=True))
        others = laws[count + 1 + len(self.drives) :]
        hard = tuple((frame, law) for (frame, _), law in zip(self.hard, others, strict=True))
        return replace(self, contacts=contacts, ground=laws[count], drives=drives, hard=hard)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """What a program of these laws depends on: everything but the values of parameters."""
        laws = tuple((name, structure_of(law)) for name, law in self.laws)
        places = tuple((drive.places, drive.positions) for drive in self.drives)
        return laws, places, self.pushes, self.constraints, self.baumgarte

    def begin(self, q: Array, v: Array) -> Array:
        """The memory (..., memory_size) at the beginning of a simulation."""
        parts = [law.begin(pose(self.tree, q, frame), self.ground) for frame, law in self.contacts if law.memory_size]
        for drive in self.drives:
            parts.append(drive.law.begin(*self.joint_motion(drive, q, v)))
        return joined([*parts, zeros((impulse_size(self.hard),), q, v)], q, v)

    def rest(self, q: Array, v: Array) -> Array:
        """The command (..., command_size) that asks for nothing at a state."""
        result = zeros((self.command_size,), q, v)
        for number, drive in enumerate(self.drives):
            asked = drive.law.rest(*self.joint_motion(drive, q, v))
            for k, place in enumerate(self.command_places(number)):
                result[..., place] = asked[..., k]
        return result

    def sample(self, q: Array, v: Array, memory: Array, command: Array, h: Any) -> Array:
        """The memory after what happens at the beginning of a step of time `h: (...)`."""
        contacts, drives = self.memories(memory)
        parts = [part for part in contacts if part.shape[-1]]
        for drive, part, asked in zip(self.drives, drives, self.commands(command), strict=True):
            parts.append(drive.law.sample(asked, *self.joint_motion(drive, q, v), part, h))
        return joined([*parts, self.impulses(memory)], q, v)

    def remember(self, q: Array, v: Array, memory: Array, command: Array, h: Any) -> Array:
        """The memory after a step of time `h: (...)` that led to `q, v`."""
        contacts, drives = self.memories(memory)
        parts = []
        for (frame, law), part in zip(self.contacts, contacts, strict=True):
            if law.memory_size:
                parts.append(law.remember(*self._frame(q, v, frame), part, self.ground, h))
        for drive, part, asked in zip(self.drives, drives, self.commands(command), strict=True):
            parts.append(drive.law.remember(asked, *self.joint_motion(drive, q, v), part, h))
        return joined([*parts, self.impulses(memory)], q, v)

    def impulses(self, memory: Array) -> Array:
        """The impulses of hard contacts in the last step, which end the memory."""
        return memory[..., memory.shape[-1] - impulse_size(self.hard) :]

    def forces(self, q: Array, v: Array, memory: Array, command: Array) -> Forces:
        """What the laws say at a state."""
        contacts, drives = self.memories(memory)
        wrenches = {
            frame: law.wrench(*self._frame(q, v, frame), part, self.ground)
            for (frame, law), part in zip(self.contacts, contacts, strict=True)
        }
        torque = zeros((self.tree.joint_nv,), q, v, command)
        torque[...] = command[..., : self.tree.joint_nv]
        for drive, part, asked in zip(self.drives, drives, self.commands(command), strict=True):
            own = drive.law.torque(asked, *self.joint_motion(drive, q, v), part)
            for k, place in enumerate(drive.places):
                torque[..., place] = own[..., k] if drive.obeys else torque[..., place] + own[..., k]
        return Forces(wrenches, torque)

    def slopes(self, q: Array, v: Array, memory: Array, command: Array) -> tuple[Forces, Forces]:
        """Damping and stiffness: symmetric matrices (..., 6, 6), and one number for each joint rate."""
        contacts, drives = self.memories(memory)
        found = {}
        for (frame, law), part in zip(self.contacts, contacts, strict=True):
            found[frame] = law.implicit(*self._frame(q, v, frame), part, self.ground)
        damping, stiffness = (zeros((self.tree.joint_nv,), q, v, command) for _ in range(2))
        for drive, part, asked in zip(self.drives, drives, self.commands(command), strict=True):
            state = asked, *self.joint_motion(drive, q, v), part
            D, K = drive.law.damping(*state), drive.law.stiffness(*state)
            for k, place in enumerate(drive.places):
                damping[..., place], stiffness[..., place] = D[..., k], K[..., k]
        matrices = [{frame: pair[kind] for frame, pair in found.items()} for kind in range(2)]
        return Forces(matrices[0], damping), Forces(matrices[1], stiffness)

    def acceleration(
        self, q: Array, v: Array, forces: Forces, inputs: Inputs, added: AddedInertia | None = None
    ) -> tuple[Array, Array]:
        """The acceleration (..., nv) under forces and pushes, and the multipliers (..., rows) of constraints."""
        external = dict(forces.wrenches)
        for frame, wrench in self.pushed(inputs.pushes).items():
            external[frame] = external[frame] + wrench if frame in external else wrench
        tau = self._generalised(forces.torque, q, v)
        if self.constraints:
            found = constrained_acceleration(
                self.tree, q, v, tau, self.constraints, self.baumgarte, external, inputs.inertial
            )
            return found.acceleration, found.multipliers
        return forward_dynamics(self.tree, q, v, tau, external, inputs.inertial, added), zeros((0,), q, v, tau)

    def projected(self, q: Array, v: Array, inertial: Array | None, iterations: int) -> tuple[Array, Array]:
        """The state moved onto the constraints, by so many steps of Gauss and Newton for the configuration."""
        q = project_configuration(self.tree, q, self.constraints, iterations, parameters=inertial)
        return q, project_velocity(self.tree, q, v, self.constraints, inertial)

    @cached_property
    def multiplier_size(self) -> int:
        """How many rows the constraints have together."""
        return len(stacked_names(self.constraints))

    def pushed(self, pushes: Array) -> dict[str, Array]:
        """The wrenches given with a step, by their frames."""
        return {frame: pushes[..., 6 * k : 6 * k + 6] for k, frame in enumerate(self.pushes)}

    def powers(self, q: Array, v: Array, forces: Forces, pushes: Array) -> Array:
        """Power (..., 3) of contacts, of joints and of pushes."""
        at_contacts = [_inner(wrench, velocity(self.tree, q, v, frame), q) for frame, wrench in forces.wrenches.items()]
        at_pushes = [
            _inner(wrench, velocity(self.tree, q, v, frame), q) for frame, wrench in self.pushed(pushes).items()
        ]
        first = self.tree.nv - self.tree.joint_nv
        entries = [sum(at_contacts, 0.0), _inner(forces.torque, v[..., first:], q), sum(at_pushes, 0.0)]
        return vector(entries, q, v, forces.torque)

    def frame_acceleration(self, q: Array, v: Array, a: Array, frame: str) -> Array:
        """The rate (..., 6) of the twist of a frame."""
        return acceleration(self.tree, q, v, a, frame)

    def frame_twist(self, q: Array, v: Array, frame: str) -> Array:
        """The twist (..., 6) of a frame."""
        return velocity(self.tree, q, v, frame)

    def normal(self, q: Array, frame: str) -> Array:
        """The ground's normal (..., 3) below a frame."""
        H = pose(self.tree, q, frame)
        return self.ground.normal(H[..., 0, 3][()], H[..., 1, 3][()])

    def _generalised(self, torque: Array, q: Array, v: Array) -> Array:
        result = zeros((self.tree.nv,), q, v, torque)
        result[..., self.tree.nv - self.tree.joint_nv :] = torque
        return result

    def _frame(self, q: Array, v: Array, frame: str) -> tuple[Array, Array]:
        return pose(self.tree, q, frame), velocity(self.tree, q, v, frame)

    def joint_motion(self, drive: Drive, q: Array, v: Array) -> tuple[Array, Array]:
        """Positions and velocities (..., joints) of a drive's joints."""
        tree = self.tree
        return (
            _picked(q, [tree.nq - tree.joint_nq + k for k in drive.positions]),
            _picked(v, [tree.nv - tree.joint_nv + k for k in drive.places]),
        )

    def memories(self, memory: Array) -> tuple[list[Array], list[Array]]:
        """The memory of each contact and of each drive."""
        sizes = [law.memory_size for _, law in self.contacts] + [drive.remembers for drive in self.drives]
        parts, start = [], 0
        for size in sizes:
            parts.append(memory[..., start : start + size])
            start += size
        return parts[: len(self.contacts)], parts[len(self.contacts) :]

    def command_places(self, number: int) -> list[int]:
        """Where the command of a drive stands: its entries by joint, then those behind all joints."""
        first = self.tree.joint_nv
        for drive in self.drives[:number]:
            first += max(drive.obeys - len(drive.places), 0)
        drive = self.drives[number]
        places = list(drive.places[: drive.obeys])
        return [*places, *range(first, first + drive.obeys - len(places))]

    def commands(self, command: Array) -> list[Array]:
        """What commands each drive."""
        return [_picked(command, self.command_places(number)) for number in range(len(self.drives))]


def structure_of(law: Law) -> tuple[Any, ...]:
    """The kind of a law, the names of its parameters, and its other fields; laws in it whose parameters are its own."""
    names = law.parameter_names()
    own = {name.partition("[")[0] for name in names if "." not in name}
    inner = {re.split(r"[.\[]", name)[0] for name in names if "." in name}
    others = []
    for item in fields(law):
        value = getattr(law, item.name)
        if item.name in inner:
            value = [structure_of(part) for part in (value if isinstance(value, tuple) else (value,))]
        if item.name not in own:
            others.append((item.name, value))
    return type(law), names, others


def _inner(a: Array, b: Array, like: Array) -> Any:
    if not a.shape[-1]:
        return zeros((), like)[()]
    return np.sum(a * b, axis=-1)


def _picked(x: Array, places: list[int]) -> Array:
    return vector([x[..., k][()] for k in places], x)


def joined(parts: Sequence[Array], *like: Array) -> Array:
    """Vectors one after the other, of the batch's shape; `like`: arrays that have it besides."""
    entries = [part[..., k][()] for part in parts for k in range(part.shape[-1])]
    return vector(entries, *parts, *like)
