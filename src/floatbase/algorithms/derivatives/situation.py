"""A tree in motion, and what every element carries: where derivatives of the dynamics begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import base_acceleration, base_twist
from floatbase.algorithms.derivatives.columns import Column, base_columns, base_motion, joined_elements, joint_columns
from floatbase.algorithms.derivatives.composites import Composite, composites
from floatbase.algorithms.derivatives.external import HeldWrench, fixed_in, held_wrenches
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.inverse_dynamics import rotor_inertias
from floatbase.algorithms.kinematics import Motion, all_motions
from floatbase.algorithms.wrenches import Wrenches, external_wrenches, wrench_arrays
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component
from floatbase.spatial.rigid_inertia import RigidInertia
from floatbase.spatial.screws import Screw
from floatbase.spatial.vectors import ZERO


@dataclass(frozen=True, eq=False)
class Moving:
    """Motions of all elements, and the columns they make."""

    motions: list[Motion]
    base: list[Column]
    joints: list[Column]


@dataclass(frozen=True, eq=False)
class Situation:
    """A tree in motion, and what every element carries."""

    tree: Tree
    mechanism: Mechanism
    motions: list[Motion]
    base: list[Column]
    joints: list[Column]
    inertias: Sequence[RigidInertia]
    carried: list[Composite]
    external: Mapping[str, Array]
    fixed: str  # what wrenches are held fixed in
    like: tuple[Array, ...]

    def virtual(self, w: Array) -> Moving:
        """The motion at a virtual velocity."""
        m, tree = self.mechanism, self.tree
        w_base, w_joints = split(tree, w, 6)
        start = Motion(*base_twist(tree, m.base, w_base), ZERO, ZERO)
        motions = all_motions(m, start, m.rates(w_joints), [0.0] * m.count)
        base = base_columns(tree, m.base, base_motion(tree, m.base, w_base, [0.0] * 6))
        return Moving(motions, base, joint_columns(m, motions))

    def acting(self) -> list[Screw | None]:
        """The external wrench on each element."""
        found = external_wrenches(self.mechanism, self.external)
        return [found.get(i) for i in range(self.mechanism.count)]

    def rotors(self) -> Iterator[tuple[int, Component]]:
        """Velocities with the inertia of their rotors."""
        first = 6 if self.tree.floating else 0
        return ((index + first, armature) for index, armature in rotor_inertias(self.tree).items())

    def held_wrenches(self) -> Iterator[HeldWrench]:
        """External wrenches that do not move with their links."""
        return held_wrenches(self.mechanism, self.joints, self.base, self.external, self.fixed)


def situation(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
    loaded: bool = True,
) -> Situation:
    """At a configuration, velocity and acceleration.

    `loaded`: links carry the external wrenches on them, also those that are not fixed in them.
    """
    fixed = fixed_in(tree, wrenches_fixed)
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    external, parameters = wrench_arrays(tree, wrenches), optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    a_base, a_joints = split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    start = Motion(*base_twist(tree, m.base, v_base), *base_acceleration(tree, m.base, v_base, a_base))
    motions = all_motions(m, start, m.rates(v_joints), m.accelerations(v_joints, a_joints))
    inertias = grouped_inertias(m, parameters, joined_elements(m))
    carried = composites(m, motions, inertias, external_wrenches(m, external) if loaded or fixed == "link" else {})
    base = base_columns(tree, m.base, base_motion(tree, m.base, v_base, a_base))
    like = tuple(x for x in (q, v, a, parameters, *external.values()) if x is not None)
    return Situation(tree, m, motions, base, joint_columns(m, motions), inertias, carried, external, fixed, like)
