"""What a compiled MuJoCo model has and a robot description has not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from floatbase.model.mjcf_equalities import dropped_equalities
from floatbase.model.mjcf_names import Names
from floatbase.model.mjcf_parts import dropped_shapes, site_sensor_kind

GRAVITY = (0.0, 0.0, -9.81)


def left_out(mujoco: ModuleType, m: Any, names: Names, first: int) -> list[str]:
    """Everything that is not in the model, with counts, in words; empty if nothing was left out."""
    base_dofs = 6 if first else 0
    free = m.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)
    ball = m.jnt_type == int(mujoco.mjtJoint.mjJNT_BALL)
    counts = {
        **dropped_shapes(mujoco, m, first),
        "actuators": m.nu,
        "tendons": m.ntendon,
        "equality constraints": dropped_equalities(mujoco, m, names, first),
        "deformable bodies": m.nflex,
        "contact pairs": m.npair,
        "contact exclusions": m.nexclude,
        "springs in joints": int(np.count_nonzero(m.jnt_stiffness)),
        "limits of ball joints": int(np.count_nonzero(m.jnt_limited[ball])),
        "gravity compensations": int(np.count_nonzero(m.body_gravcomp)),
        "mocap bodies (fixed here)": m.nmocap,
        "sensors": sum(_is_dropped(mujoco, m, number, first) for number in range(m.nsensor)),
        "sites of the world": int(np.count_nonzero(m.site_bodyid < first)),
        "cameras of the world": int(np.count_nonzero(m.cam_bodyid < first)),
    }
    found = [f"{int(count)} {what}" for what, count in counts.items() if count]
    if base_dofs and any(values[:base_dofs].any() for values in (m.dof_armature, m.dof_damping, m.dof_frictionloss)):
        found.append("armature, damping or friction of the floating base")
    if _differs_by_axis(m, free | ball, base_dofs):
        found.append("armature, damping or friction that differ between the axes of a joint")
    if any(polynomial.any() for polynomial in (getattr(m, "dof_dampingpoly", np.zeros(0)),)):
        found.append("damping that is not linear")
    if not np.allclose(m.opt.gravity, GRAVITY):
        found.append(f"gravity {m.opt.gravity.tolist()} (set it with load(..., gravity=...))")
    if m.opt.density or m.opt.viscosity or m.opt.wind.any():
        found.append("the medium around the robot")
    return found


def _is_dropped(mujoco: ModuleType, m: Any, number: int, first: int) -> bool:
    kept = site_sensor_kind(mujoco, m, number) is not None
    return not kept or bool(m.site_bodyid[m.sensor_objid[number]] < first)


def _differs_by_axis(m: Any, several: Any, base_dofs: int) -> bool:
    """Whether a ball or free joint has other numbers for one of its axes than for the others."""
    for joint in np.flatnonzero(several):
        dofs = np.flatnonzero(m.dof_jntid == joint)
        if dofs[0] >= base_dofs:
            for values in (m.dof_armature, m.dof_damping, m.dof_frictionloss):
                if np.ptp(values[dofs]) > 0.0:
                    return True
    return False
