r"""States of a robot as MuJoCo has them.

A free joint of MuJoCo has the position of the base and a unit quaternion $w\,x\,y\,z$, as here, but the velocity
$(\dot o, {}^B\omega)$: linear in the world's axes, angular in those of the base. With mixed representation

$$ {}^B\omega = R^\top \omega, \qquad {}^B\dot\omega = R^\top \dot\omega , $$

since $\omega \times \omega = 0$. A ball joint has a quaternion and the angular velocity in axes of the moved side, as
here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.model.tree import Tree, position_index
from floatbase.simulation.loop.mujoco.drives import leaders
from floatbase.spatial.arrays import Array
from floatbase.spatial.rotations import rotation_from_quaternion


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Where coordinates of a tree stand in MuJoCo's: qpos = ratio * q[source] + offset, joint by joint.

    `positions` (nqpos,), `velocities` (nqvel,) are places in q and v; those of the base are the first 7 and 6.
    """

    floating: bool
    positions: Array
    position_ratios: Array
    offsets: Array
    velocities: Array
    velocity_ratios: Array
    q_places: Array  # (nq,) in qpos of the joints that are not mimics
    v_places: Array  # (nv,) in qvel

    def qpos(self, q: Array) -> Array:
        """MuJoCo's configuration of q: (nq,)."""
        return self.position_ratios * q[self.positions] + self.offsets

    def qvel(self, q: Array, v: Array) -> Array:
        """MuJoCo's velocity of v: (nv,) in mixed representation."""
        result = self.velocity_ratios * v[self.velocities]
        if self.floating:
            result[3:6] = rotation_from_quaternion(q[3:7]).T @ v[3:6]
        return result

    def q(self, qpos: Array) -> Array:
        """The configuration (nq,)."""
        result = (qpos - self.offsets)[self.q_places] / self.position_ratios[self.q_places]
        if self.floating:
            result[3:7] /= np.sqrt(result[3:7] @ result[3:7])
        return result

    def v(self, qpos: Array, qvel: Array) -> Array:
        """The velocity (nv,) in mixed representation, or its rate from that of MuJoCo's."""
        result = qvel[self.v_places] / self.velocity_ratios[self.v_places]
        if self.floating:
            result[3:6] = rotation_from_quaternion(qpos[3:7]) @ qvel[3:6]
        return result

    def torques(self, forces: Array) -> Array:
        """Torques (joint rates,) of generalised forces (nqvel,) of MuJoCo's joints that are not mimics."""
        first = 6 * self.floating
        places = self.v_places[first:]
        return np.asarray(forces[places] * self.velocity_ratios[places])


def coordinates(tree: Tree, model: Any) -> Coordinates:
    """Where coordinates stand in a model of MuJoCo's."""
    led = leaders(tree)
    first_q, first_v = 7 * tree.floating, 6 * tree.floating
    positions, velocities = np.zeros(model.nq, dtype=int), np.zeros(model.nv, dtype=int)
    position_ratios, velocity_ratios = np.ones(model.nq), np.ones(model.nv)
    offsets = np.zeros(model.nq)
    q_places, v_places = np.zeros(tree.nq, dtype=int), np.zeros(tree.nv, dtype=int)
    if tree.floating:
        positions[:7], velocities[:6], q_places[:7], v_places[:6] = range(7), range(6), range(7), range(6)
    for body in tree.bodies:
        joint = body.joint
        if joint is None:
            continue
        number = model.joint(joint.name).id
        at, to = model.jnt_qposadr[number], model.jnt_dofadr[number]
        q_from, v_from = first_q + position_index(joint), first_v + joint.index
        positions[at : at + joint.nq] = np.arange(q_from, q_from + joint.nq)
        velocities[to : to + joint.nv] = np.arange(v_from, v_from + joint.nv)
        if joint.nq == 1:
            position_ratios[at], velocity_ratios[to], offsets[at] = joint.ratio, joint.ratio, joint.offset
        if led[joint.index] is joint:
            q_places[q_from : q_from + joint.nq] = np.arange(at, at + joint.nq)
            v_places[v_from : v_from + joint.nv] = np.arange(to, to + joint.nv)
    return Coordinates(
        tree.floating, positions, position_ratios, offsets, velocities, velocity_ratios, q_places, v_places
    )
