"""What a compiled MuJoCo model has and a robot description has not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from floatbase.model.mjcf_equalities import dropped_equalities
from floatbase.model.mjcf_names import Names
from floatbase.model.mjcf_parts import dropped_shapes, site_sensor_kind

GRAVITY = (0.0, 0.0, -9.81)
_SOFTNESS = ((0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0))  # what MuJoCo takes where a file says nothing: solref, solimp
_OF_CONTACTS: dict[str, Any] = {
    "friction": (1.0, 0.005, 0.0001),
    "condim": 3,
    "solref": _SOFTNESS[0],
    "solimp": _SOFTNESS[1],
    "margin": 0.0,
    "gap": 0.0,
    "priority": 0,
    "solmix": 1.0,
    "adhesion": 0.0,
    "surfacevel": 0.0,
}
_SWITCHES = ("gravity", "limit", "spring", "damper", "frictionloss", "equality", "actuation", "clampctrl", "sensor")


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
        "skins": m.nskin,
        "plugins": m.nplugin,
        "custom numbers, texts or tuples": m.nnumeric + m.ntext + m.ntuple,
        "shapes with contact properties of their own": _own_contact_properties(m, first),
        "springs in joints": int(np.count_nonzero(_any_of(m, "jnt_stiffness", "jnt_stiffnesspoly"))),
        "joints that yield": int(np.count_nonzero(_any_of(m, "jnt_springyield"))),
        "joints with soft limits or friction of their own": _own_softness(m),
        "limits of ball joints": int(np.count_nonzero(m.jnt_limited[ball])),
        "gravity compensations": int(np.count_nonzero(m.body_gravcomp)),
        "mocap bodies (fixed here)": m.nmocap,
        "keyframes with velocities, activations or controls": int(
            np.count_nonzero(np.any([*m.key_qvel.T, *m.key_act.T, *m.key_ctrl.T], axis=0))
        ),
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
    off = [
        name for name in _SWITCHES if m.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name.upper()}"))
    ]
    if off:
        found.append(f"the switches that disable {', '.join(off)}")
    if m.opt.density or m.opt.viscosity or m.opt.wind.any():
        found.append("the medium around the robot")
    return found


def _any_of(m: Any, *names: str) -> Any:
    """For each entry whether any of some arrays, of those that this version of MuJoCo has, is not zero."""
    arrays = [np.asarray(getattr(m, name)) for name in names if hasattr(m, name)]
    rows = [array.any(axis=tuple(range(1, array.ndim))) for array in arrays]
    return np.any(rows, axis=0) if rows else np.zeros(0, dtype=bool)


def _own_contact_properties(m: Any, first: int) -> int:
    """How many shapes that can touch something do so in a way of their own."""
    own = np.zeros(m.ngeom, dtype=bool)
    for name, usual in _OF_CONTACTS.items():
        values = np.asarray(getattr(m, f"geom_{name}", np.zeros((m.ngeom, 0))))
        if values.size:
            own |= (values != np.asarray(usual)).any(axis=tuple(range(1, values.ndim)))
    touches = (m.geom_contype != 0) | (m.geom_conaffinity != 0)
    return int(np.count_nonzero(own & touches & (m.geom_bodyid >= first)))


def _own_softness(m: Any) -> int:
    """How many joints have limits or dry friction that give way otherwise than usual, or limits that act early."""
    own = (
        (m.jnt_margin != 0.0) | (m.jnt_solref != _SOFTNESS[0]).any(axis=1) | (m.jnt_solimp != _SOFTNESS[1]).any(axis=1)
    )
    soft = np.zeros(m.njnt, dtype=bool)
    rubbing = (m.dof_solref != _SOFTNESS[0]).any(axis=1) | (m.dof_solimp != _SOFTNESS[1]).any(axis=1)
    soft[m.dof_jntid[rubbing & (m.dof_frictionloss != 0.0)]] = True
    return int(np.count_nonzero((own & (m.jnt_limited != 0)) | soft))


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
