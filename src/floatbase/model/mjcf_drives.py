r"""What the actuators of a compiled MuJoCo model do to the joints they drive: bounds of effort, rotors and damping.

An actuator at a joint (`joint` or `jointinparent`) moves `gear` times as fast as the joint and pushes with
`gear * force`. Its force is bounded by `forcerange`, or, for a motor (constant gain, no bias), by the gain times
`ctrlrange`; bounds of actuators at the same joint add up, and a joint that an unbounded actuator drives, or none, has
no such limit. Its armature $a$ and damping $d$ add $a g^2$ to the mass matrix and $d g^2$ to the damping of the joint,
whether the actuator is enabled or not; joints of several axes have them about every axis, with the first entry of
`gear`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Drive:
    """What a joint has beside its geometry; `rotor_inertia * gear_ratio**2` is what the mass matrix sees."""

    effort: float  # N or N m, infinite if nothing bounds it
    rotor_inertia: float
    gear_ratio: float
    damping: float


def drives(mujoco: ModuleType, m: Any) -> list[Drive]:
    """For each joint its own armature, damping and `actuatorfrcrange` with what its actuators add."""
    efforts: dict[int, float] = {}
    rotors: dict[int, list[tuple[float, float]]] = {}
    dampings: dict[int, float] = {}
    for actuator, joint, gear in _at_joints(mujoco, m):
        if int(m.jnt_type[joint]) in _SINGLE:
            force = _largest_force(mujoco, m, actuator) * abs(gear) if gear != 0.0 else 0.0
            efforts[joint] = efforts.get(joint, 0.0) + force
        rotors.setdefault(joint, []).append((_number(m, "actuator_armature", actuator), gear))
        dampings[joint] = dampings.get(joint, 0.0) + _number(m, "actuator_damping", actuator) * gear * gear
    result = []
    for joint in range(m.njnt):
        dof, effort = int(m.jnt_dofadr[joint]), efforts.get(joint, np.inf)
        if m.jnt_actfrclimited[joint]:
            effort = min(effort, float(np.abs(m.jnt_actfrcrange[joint]).max()))
        inertia, ratio = _rotor([(float(m.dof_armature[dof]), 1.0), *rotors.get(joint, ())])
        result.append(Drive(effort, inertia, ratio, float(m.dof_damping[dof]) + dampings.get(joint, 0.0)))
    return result


_SINGLE = (2, 3)  # slide and hinge in mjtJoint


def _at_joints(mujoco: ModuleType, m: Any) -> Iterator[tuple[int, int, float]]:
    """Actuators with a joint of their own: actuator, joint, gear."""
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    for actuator in range(actuator_count(m)):
        if int(m.actuator_trntype[actuator]) in kinds:
            output = _first(m, "actuator_outadr", actuator)
            yield actuator, int(m.actuator_trnid[actuator][0]), float(m.actuator_gear[output][0])


def _rotor(parts: list[tuple[float, float]]) -> tuple[float, float]:
    """One rotor and its gear for several; what the joint sees of them adds up."""
    seen = [(inertia, abs(gear)) for inertia, gear in parts if inertia * gear * gear != 0.0]
    if not seen:
        return 0.0, 1.0
    if len({gear for _, gear in seen}) == 1:
        return sum(inertia for inertia, _ in seen), seen[0][1]
    return sum(inertia * gear * gear for inertia, gear in seen), 1.0


def armatures_of_tendons(mujoco: ModuleType, m: Any) -> int:
    """How many tendons weigh on the mass matrix, by an armature of their own or of an actuator that pulls them."""
    heavy = {tendon for tendon in range(m.ntendon) if _number(m, "tendon_armature", tendon) != 0.0}
    for actuator in range(actuator_count(m)):
        if int(m.actuator_trntype[actuator]) == int(mujoco.mjtTrn.mjTRN_TENDON):
            gear = float(m.actuator_gear[_first(m, "actuator_outadr", actuator)][0])
            if _number(m, "actuator_armature", actuator) * gear != 0.0:
                heavy.add(int(m.actuator_trnid[actuator][0]))
    return len(heavy)


def actuator_count(m: Any) -> int:
    """Number of actuators, which may have several controls each since MuJoCo 4."""
    return int(getattr(m, "nactuator", m.nu))


def _largest_force(mujoco: ModuleType, m: Any, actuator: int) -> float:
    if m.actuator_forcelimited[actuator]:
        return float(np.abs(m.actuator_forcerange[actuator]).max())
    constant = int(m.actuator_gaintype[actuator]) == int(mujoco.mjtGain.mjGAIN_FIXED)
    unbiased = int(m.actuator_biastype[actuator]) == int(mujoco.mjtBias.mjBIAS_NONE)
    direct = int(m.actuator_dyntype[actuator]) == int(mujoco.mjtDyn.mjDYN_NONE)
    control = _first(m, "actuator_ctrladr", actuator)
    if constant and unbiased and direct and m.actuator_ctrllimited[control]:
        return abs(float(m.actuator_gainprm[actuator][0])) * float(np.abs(m.actuator_ctrlrange[control]).max())
    return float(np.inf)


def _first(m: Any, table: str, actuator: int) -> int:
    """The row of an actuator's first control or output; before MuJoCo 4 each had one."""
    return int(getattr(m, table)[actuator]) if hasattr(m, table) else actuator


def _number(m: Any, table: str, row: int) -> float:
    """A number that older versions of MuJoCo do not have."""
    return float(getattr(m, table)[row]) if hasattr(m, table) else 0.0
