r"""Robots from MJCF files, read by MuJoCo's own parser (the extra `mujoco`) and taken from the compiled model.

* A body becomes a link, its joints (hinge, slide, ball, free) a chain of joints with massless links between them; a
  body without joints is fixed to its parent. Positions mean what they mean in MuJoCo, `ref` included, so `qpos` of
  hinges, slides and balls are our coordinates. Velocities of free joints differ: here they are twists in body axes.
* A single moving body with a free joint is the floating base, and the world, with whatever stands in it, is left out.
  Otherwise the world is the root link, which does not float, and free joints are joints of the kind "floating".
* Sites become frames; sensors at sites, cameras, keyframes (as configurations), friction, limits, armature, damping and
  torque limits (of joints and of the actuators at them) are kept; `equality/joint` of degree one becomes a mimic joint,
  `equality/connect` and `equality/weld` become constraints.
* All else that MuJoCo simulates and a tree does not have (tendons, springs, contact pairs, ...) is listed in one
  `ModelWarning`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from floatbase.errors import ModelError, RobotFileError, missing_dependency
from floatbase.model.description import Frame, Inertia, Joint, JointKind, Limits, Link, Mimic, Model
from floatbase.model.doubts import doubt
from floatbase.model.files import as_path, read_bounded
from floatbase.model.inertia import check_inertias
from floatbase.model.mjcf_drives import Drive, drives
from floatbase.model.mjcf_equalities import constraints, mimics
from floatbase.model.mjcf_files import gather_files
from floatbase.model.mjcf_names import Names
from floatbase.model.mjcf_parts import configurations, geometries, sensors
from floatbase.model.mjcf_report import left_out
from floatbase.model.motions import joint_H_child
from floatbase.model.poses import Array, position_quaternion, shift
from floatbase.model.structure import check_structure
from floatbase.model.xml import MAX_BYTES

_COMPILING = Lock()  # MuJoCo has one receiver of warnings for all threads
_KINDS: tuple[JointKind, ...] = ("floating", "spherical", "prismatic", "revolute")  # in the order of mjtJoint


def load_mjcf(
    path: str | os.PathLike[str],
    allow_nonphysical: bool = False,
    folder: str | os.PathLike[str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> Model:
    """Read an MJCF file and the files it names, which must lie in `folder`, by default that of the file."""
    file = as_path(path)
    content = read_bounded(file, max_bytes)
    return _read(content, file, Path(folder) if folder is not None else None, allow_nonphysical, max_bytes)


def parse_mjcf(
    content: bytes | str, files: Mapping[str, bytes] | None = None, allow_nonphysical: bool = False
) -> Model:
    """A model from the text of an MJCF file; `files` are the contents of those it names."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    return _read(data, None, None, allow_nonphysical, MAX_BYTES, files or {})


def _read(
    content: bytes,
    source: Path | None,
    folder: Path | None,
    allow_nonphysical: bool,
    max_bytes: int,
    files: Mapping[str, bytes] | None = None,
) -> Model:
    where = str(source) if source is not None else "MJCF text"
    root, found = gather_files(content, source or Path("MJCF text"), folder, max_bytes, files)
    if root.tag != "mujoco":
        root.refuse(f"the root element is <{root.tag}>; an MJCF file has <mujoco>")
    mujoco = _import_mujoco()
    compiled, said = _compile(mujoco, content, found, where)
    name = root.attributes.get("model", "").strip() or (source.stem if source is not None else "robot")
    model, rest = _convert(mujoco, compiled, name, source)
    rest += [f"MuJoCo warns: {message}" for message in dict.fromkeys(said)]
    try:
        check_structure(model.links, model.joints, where)
        check_inertias(model, where, allow_nonphysical)
    except ModelError as error:
        raise RobotFileError(str(error)) from None
    if rest:
        doubt(f"{where}: not part of the model: {'; '.join(rest)}")
    return model


def _import_mujoco() -> ModuleType:
    try:
        import mujoco
    except ImportError:
        raise missing_dependency("mujoco", "mujoco", "reading an MJCF file") from None
    module: ModuleType = mujoco
    return module


def _compile(mujoco: ModuleType, content: bytes, files: dict[str, bytes], where: str) -> tuple[Any, list[str]]:
    """MuJoCo's model, and its warnings, which it would otherwise print and write to a file in the working directory."""
    said: list[str] = []
    with _COMPILING:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda message: said.append(" ".join(str(message).split())))
        try:
            return mujoco.MjModel.from_xml_string(content.decode("utf-8", "replace"), files), said
        except (ValueError, mujoco.FatalError) as error:
            raise RobotFileError(f"{where}: MuJoCo cannot read it: {' '.join(str(error).split())}") from None
        finally:
            mujoco.set_mju_user_warning(before)


def _convert(mujoco: ModuleType, m: Any, name: str, source: Path | None) -> tuple[Model, list[str]]:
    """The model, and what of the compiled one is not in it."""
    names = Names(mujoco, m)
    floats = _floating_base(mujoco, m)
    links: list[Link] = []
    joints: list[Joint] = []
    first = 1 if floats else 0
    rules = mimics(mujoco, m, names), drives(mujoco, m)
    for body in range(first, m.nbody):
        if body > first:
            _add_joints(m, body, names, rules, links, joints)
        links.append(Link(names.link(body), _inertia(m, body), *geometries(mujoco, m, body, source)))
    frames = tuple(
        Frame(names.frame(site), names.link(int(m.site_bodyid[site])), _pose(m.site_pos[site], m.site_quat[site]))
        for site in range(m.nsite)
        if m.site_bodyid[site] >= first
    )
    model = Model(
        name=name,
        links=tuple(links),
        joints=tuple(joints),
        frames=frames,
        sensors=sensors(mujoco, m, names, first),
        constraints=constraints(mujoco, m, names, first),
        configurations=configurations(m, names, first),
        root=names.link(first),
        source=str(source) if source is not None else None,
    )
    return model, left_out(mujoco, m, names, first)


def _floating_base(mujoco: ModuleType, m: Any) -> bool:
    """Whether the robot is one body with a free joint and what hangs on it."""
    tops = [body for body in range(1, m.nbody) if m.body_parentid[body] == 0]
    free = int(mujoco.mjtJoint.mjJNT_FREE)
    return len(tops) == 1 and int(m.body_jntnum[tops[0]]) == 1 and int(m.jnt_type[m.body_jntadr[tops[0]]]) == free


def _inertia(m: Any, body: int) -> Inertia | None:
    mass = float(m.body_mass[body])
    if mass == 0.0 and not m.body_inertia[body].any():
        return None
    body_H_principal = _pose(m.body_ipos[body], m.body_iquat[body])
    R = body_H_principal[:3, :3]
    return Inertia(mass, body_H_principal[:3, 3], R @ np.diag(m.body_inertia[body]) @ R.T)


def _add_joints(
    m: Any,
    body: int,
    names: Names,
    rules: tuple[Mapping[int, Mimic], Sequence[Drive]],
    links: list[Link],
    joints: list[Joint],
) -> None:
    """The chain of joints from a body's parent to the body, with the massless links between them.

    MuJoCo applies a body's joints one after another to its pose at rest, each about an anchor fixed in the body.
    """
    parent = names.link(int(m.body_parentid[body]))
    child = names.link(body)
    parent_H_body = _pose(m.body_pos[body], m.body_quat[body])
    numbers = range(int(m.body_jntadr[body]), int(m.body_jntadr[body] + m.body_jntnum[body]))
    if not numbers:
        joints.append(Joint(names.fixed_joint(body), "fixed", parent, child, parent_H_body))
        return
    anchor = np.zeros(3)  # of the joint before, in the body
    for number in numbers:
        kind = _KINDS[int(m.jnt_type[number])]
        own = m.jnt_pos[number] if kind in ("revolute", "spherical") else anchor
        last = number == numbers[-1] and not own.any()
        moved = child if last else names.between(body, number)
        # a free joint's coordinates are the pose in the world itself
        start = np.eye(4) if kind == "floating" else parent_H_body @ shift(own - anchor)
        joints.append(_joint(m, number, kind, names, rules, parent, moved, start))
        if not last:
            links.append(Link(moved))
        parent, parent_H_body, anchor = moved, np.eye(4), own
    if parent != child:
        joints.append(Joint(names.fixed_joint(body), "fixed", parent, child, shift(-anchor)))


def _joint(
    m: Any,
    number: int,
    kind: JointKind,
    names: Names,
    rules: tuple[Mapping[int, Mimic], Sequence[Drive]],
    parent: str,
    child: str,
    parent_H_rest: Array,
) -> Joint:
    follows, drive = rules[0], rules[1][number]
    dof = int(m.jnt_dofadr[number])
    single = kind in ("revolute", "prismatic")
    result = Joint(
        name=names.joint(number),
        kind="continuous" if kind == "revolute" and not m.jnt_limited[number] else kind,
        parent=parent,
        child=child,
        parent_H_joint=parent_H_rest,
        axis=m.jnt_axis[number] / np.linalg.norm(m.jnt_axis[number]) if single else np.array([0.0, 0.0, 1.0]),
        limits=_limits(m, number, single, drive.effort),
        damping=drive.damping,
        friction=float(m.dof_frictionloss[dof]),
        mimic=follows.get(number),
        rotor_inertia=drive.rotor_inertia,
        gear_ratio=drive.gear_ratio,
    )
    reference = float(m.qpos0[m.jnt_qposadr[number]]) if single else 0.0
    if reference == 0.0:
        return result
    return replace(result, parent_H_joint=parent_H_rest @ joint_H_child(result, (-reference,)))


def _limits(m: Any, number: int, single: bool, effort: float) -> Limits:
    lower, upper = m.jnt_range[number] if single and m.jnt_limited[number] else (-np.inf, np.inf)
    return Limits(float(lower), float(upper), effort=effort)


def _pose(position: Array, quaternion: Array) -> Array:
    return position_quaternion((*position, *quaternion))
