"""What the actuators of a compiled MuJoCo model can do at most: the effort limits of joints.

An actuator at a joint pushes with `gear * force`; the force is bounded by `forcerange`, or, for a motor (constant
gain, no bias), by the gain times `ctrlrange`. Actuators at the same joint add up. A joint that an unbounded actuator
drives, or none, has no such limit.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np


def effort_limits(mujoco: ModuleType, m: Any) -> dict[int, float]:
    """Joint -> the largest force (N) or torque (N m) of its actuators and of its own `actuatorfrcrange`."""
    found: dict[int, float] = {}
    for actuator in range(m.nu):
        if int(m.actuator_trntype[actuator]) == int(mujoco.mjtTrn.mjTRN_JOINT):
            joint = int(m.actuator_trnid[actuator][0])
            force = _largest_force(mujoco, m, actuator) * abs(float(m.actuator_gear[actuator][0]))
            found[joint] = found.get(joint, 0.0) + force
    for joint in range(m.njnt):
        if m.jnt_actfrclimited[joint]:
            own = float(np.abs(m.jnt_actfrcrange[joint]).max())
            found[joint] = min(own, found.get(joint, np.inf))
    return found


def _largest_force(mujoco: ModuleType, m: Any, actuator: int) -> float:
    if m.actuator_forcelimited[actuator]:
        return float(np.abs(m.actuator_forcerange[actuator]).max())
    constant = int(m.actuator_gaintype[actuator]) == int(mujoco.mjtGain.mjGAIN_FIXED)
    unbiased = int(m.actuator_biastype[actuator]) == int(mujoco.mjtBias.mjBIAS_NONE)
    direct = int(m.actuator_dyntype[actuator]) == int(mujoco.mjtDyn.mjDYN_NONE)
    if constant and unbiased and direct and m.actuator_ctrllimited[actuator]:
        return abs(float(m.actuator_gainprm[actuator][0])) * float(np.abs(m.actuator_ctrlrange[actuator]).max())
    return float(np.inf)
