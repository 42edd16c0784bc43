"""What a compiled MuJoCo model has and a robot description has not.

Numbers count only where they differ from what MuJoCo takes if a file says nothing. What is there for pictures alone
(lights, textures, materials beyond their colour, visual settings) is not counted.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from floatbase.model.mjcf_drives import Drive, actuator_count, armatures_of_tendons, drives
from floatbase.model.mjcf_equalities import dropped_equalities, soft_equalities
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
_OF_CAMERAS: dict[str, Any] = {
    "mode": 0,
    "projection": 0,
    "resolution": (1, 1),
    "sensorsize": 0.0,
    "output": 1,
    "ipd": 0.068,
}
_OF_SENSORS: dict[str, Any] = {"history": 0, "delay": 0.0, "interval": 0.0}
_MEDIUM = ("density", "viscosity", "wind")
_SAID_ELSEWHERE = ("gravity", "disableflags", "enableflags", *_MEDIUM)


def left_out(mujoco: ModuleType, m: Any, names: Names, first: int) -> list[str]:
    """Everything that is not in the model, with counts, in words; empty if nothing was left out."""
    free = m.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)
    ball = m.jnt_type == int(mujoco.mjtJoint.mjJNT_BALL)
    ours, touching = m.geom_bodyid >= first, (m.geom_contype != 0) | (m.geom_conaffinity != 0)
    usual_mask = (m.geom_contype == 1) & (m.geom_conaffinity == 1)
    counts = {
        **dropped_shapes(mujoco, m, first),
        "actuators": actuator_count(m),
        "tendons": m.ntendon,
        "armatures of tendons or of their actuators (the mass matrix lacks them)": armatures_of_tendons(mujoco, m),
        "equality constraints": dropped_equalities(mujoco, m, names, first),
        "constraints or mimic joints with a softness of their own": soft_equalities(mujoco, m, names, first, _SOFTNESS),
        "deformable bodies": m.nflex,
        "contact pairs": m.npair,
        "contact exclusions": m.nexclude,
        "skins": m.nskin,
        "plugins": m.nplugin,
        "custom numbers, texts or tuples": m.nnumeric + m.ntext + m.ntuple,
        "shapes with contact properties of their own": np.count_nonzero(
            _differs(m, "geom", _OF_CONTACTS) & touching & ours
        ),
        "shapes that touch only some others": np.count_nonzero(touching & ~usual_mask & ours),
        "shapes with fluid forces of their own": np.count_nonzero(_any_of(m, "geom_fluid") & ours),
        "springs in joints": np.count_nonzero(_any_of(m, "jnt_stiffness", "jnt_stiffnesspoly")),
        "joints that yield": np.count_nonzero(_any_of(m, "jnt_springyield")),
        "joints with soft limits or friction of their own": _own_softness(m),
        "limits of ball joints": np.count_nonzero(m.jnt_limited[ball]),
        "gravity compensations": np.count_nonzero(m.body_gravcomp),
        "joints whose actuators compensate gravity": np.count_nonzero(_any_of(m, "jnt_actgravcomp")),
        "mocap bodies (fixed here)": m.nmocap,
        "bodies with a sleeping policy": np.count_nonzero(np.asarray(getattr(m, "tree_sleep_policy", ())) > 2),
        "keyframes with times, velocities, activations or controls": np.count_nonzero(
            np.any([m.key_time, *m.key_qvel.T, *m.key_act.T, *m.key_ctrl.T], axis=0)
        ),
        "sensors": sum(_is_dropped(mujoco, m, number, first) for number in range(m.nsensor)),
        "sensors with delays or intervals": np.count_nonzero(_differs(m, "sensor", _OF_SENSORS)),
        "sites of the world": np.count_nonzero(m.site_bodyid < first),
        "cameras of the world": np.count_nonzero(m.cam_bodyid < first),
        "cameras with optics or motions of their own": np.count_nonzero(
            _differs(m, "cam", _OF_CAMERAS) & (m.cam_bodyid >= first)
        ),
        "parts with user data": sum(np.count_nonzero(_any_of(m, table)) for table in dir(m) if table.endswith("_user")),
    }
    found = [f"{int(count)} {what}" for what, count in counts.items() if count]
    if first and _resists(drives(mujoco, m)[int(m.body_jntadr[1])], m):
        found.append("armature, damping or friction of the floating base")
    if _differs_by_axis(m, free | ball, 6 if first else 0):
        found.append("armature, damping or friction that differ between the axes of a joint")
    if _any_of(m, "dof_dampingpoly").any() or _any_of(m, "actuator_dampingpoly").any():
        found.append("damping that is not linear")
    return found + _settings(mujoco, m)


def _settings(mujoco: ModuleType, m: Any) -> list[str]:
    """What the file says of the simulation as a whole."""
    found = []
    usual = mujoco.MjOption()
    if not np.allclose(m.opt.gravity, GRAVITY):
        found.append(f"gravity {m.opt.gravity.tolist()} (set it with load(..., gravity=...))")
    for what, bits, prefix, before in (
        ("disable", mujoco.mjtDisableBit, "mjDSBL_", usual.disableflags),
        ("enable", mujoco.mjtEnableBit, "mjENBL_", usual.enableflags),
    ):
        now = m.opt.disableflags if what == "disable" else m.opt.enableflags
        switched = [
            name.removeprefix(prefix).lower()
            for name, bit in bits.__members__.items()
            if name.startswith(prefix) and (now & ~before) & int(bit)
        ]
        if switched:
            found.append(f"the switches that {what} {', '.join(switched)}")
    if any(np.any(getattr(m.opt, name)) for name in _MEDIUM):
        found.append("the medium around the robot")
    own = [
        name
        for name in dir(usual)
        if not name.startswith("_")
        and name not in _SAID_ELSEWHERE
        and not np.array_equal(getattr(usual, name), getattr(m.opt, name))
    ]
    if own:
        found.append(f"the options {', '.join(own)}")
    if m.nuserdata:
        found.append("user data of the simulation")
    return found


def _any_of(m: Any, *names: str) -> Any:
    """For each entry whether any of some arrays, of those that this version of MuJoCo has, is not zero."""
    arrays = [np.asarray(getattr(m, name)) for name in names if hasattr(m, name)]
    rows = [array.any(axis=tuple(range(1, array.ndim))) for array in arrays]
    return np.any(rows, axis=0) if rows else np.zeros(1, dtype=bool)


def _differs(m: Any, part: str, usual: dict[str, Any]) -> Any:
    """For each part whether any of its numbers, of those that this version of MuJoCo has, is another than usual."""
    tables = {name: np.asarray(getattr(m, f"{part}_{name}")) for name in usual if hasattr(m, f"{part}_{name}")}
    rows = [
        (values != np.asarray(usual[name])).any(axis=tuple(range(1, values.ndim))) for name, values in tables.items()
    ]
    return np.any(rows, axis=0) if rows else np.zeros(1, dtype=bool)


def _resists(drive: Drive, m: Any) -> bool:
    """Whether the floating base, whose freedoms are the first six, has inertia or resistance beside its mass."""
    own = any(values[:6].any() for values in (m.dof_armature, m.dof_damping, m.dof_frictionloss))
    return own or drive.rotor_inertia != 0.0 or drive.damping != 0.0


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
