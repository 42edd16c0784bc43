"""From a `Model` to the `Tree` that algorithms walk: choosing a base, locking and merging joints, numbering bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from floatbase.errors import ArgumentError, ModelError, ShapeError, unknown_name
from floatbase.model.canonical_frames import CanonicalFrame, choose_frames, tidy_pose
from floatbase.model.coordinates import assign_coordinates
from floatbase.model.cuts import find_cuts
from floatbase.model.description import Model
from floatbase.model.inertia import check_bodies, check_inertias, check_range, link_parameters
from floatbase.model.motions import tree_kind
from floatbase.model.parts import check_parts
from floatbase.model.poses import Array, inverse
from floatbase.model.tree import Body, Representation, Tree, TreeJoint
from floatbase.model.universal import split_universal_joints
from floatbase.model.walk import MovingBody, Walk, visit_links


@np.errstate(over="ignore", invalid="ignore")  # what overflows is refused below
def build_tree(
    model: Model,
    base: str | None = None,
    floating: bool | None = None,
    *,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float | Sequence[float]] | None = None,
    free_mimic: bool = False,
    keep_force_sensors: bool = False,
    representation: Representation = "mixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    allow_massless: bool = False,
    allow_nonphysical: bool = False,
) -> Tree:
    """The tree of a model.

    * `base`: any link; by default the root of the file.
    * `floating`: whether the base moves freely; by default it does, unless it is a link named "world".
    * `joints`: the joints that stay free, in the order of the coordinates; the others are locked at rest or at their
      value in `locked`. By default all moving joints that are not in `locked` are free, in the order of the model.
    * `free_mimic`: give joints that mimic another one coordinates of their own.
    * `keep_force_sensors`: list the fixed joints with force/torque sensors as `Tree.cuts`.
    * `allow_massless`: accept joints that move nothing that has mass (kinematics only: the mass matrix is singular).
    * `allow_nonphysical`: accept inertias that no distribution of mass gives, negative masses included.
    """
    if representation not in get_args(Representation):
        raise ArgumentError(f"representation is {representation!r}; it must be one of {get_args(Representation)}")
    where = f"model {model.name!r}"
    check_parts(model, where)
    check_inertias(model, where, allow_nonphysical, warn=False)
    model = split_universal_joints(model)
    joint_names, coordinates = assign_coordinates(model, joints, locked or {}, free_mimic)
    root = _root(model)
    base = root if base is None else _base(model, base)
    walk = visit_links(model, base, coordinates)
    described = walk if base == root else visit_links(model, root, coordinates)
    order = tuple(walk.poses[raw.name][0] for raw in described.bodies)
    names = {number: raw.name for number, raw in zip(order, described.bodies, strict=True)}
    canonical = choose_frames([raw.geometry for raw in walk.bodies])
    frames = _frames(model, walk, canonical)
    parameters = {
        link.name: link_parameters(link.inertia, frames[link.name][1])
        for link in model.links
        if link.inertia is not None
    }
    cuts, submodels = find_cuts(model, described, walk, frames, parameters) if keep_force_sensors else ((), ())
    totals = [np.zeros(10) for _ in walk.bodies]
    shares: list[list[tuple[str, Array]]] = [[] for _ in walk.bodies]
    for name, own in parameters.items():
        totals[frames[name][0]] += own
        shares[frames[name][0]].append((name, own))
    if floating is None:
        floating = base != "world"
    if not allow_massless:
        _refuse_massless(walk.bodies, totals, floating, where)
    bodies = tuple(
        Body(names[number], raw.geometry.parent, _tree_joint(raw, frame), _tidy_parameters(total))
        for number, (raw, frame, total) in enumerate(zip(walk.bodies, canonical, totals, strict=True))
    )
    _refuse_overflow(bodies, frames, where)
    check_range(np.array([body.parameters for body in bodies]), [body.name for body in bodies], where)
    if not allow_nonphysical:
        check_bodies(np.array(totals), shares, where)
    return Tree(
        name=model.name,
        bodies=bodies,
        frames=frames,
        joint_names=joint_names,
        floating=bool(floating),
        representation=representation,
        gravity=_gravity(gravity),
        cuts=cuts,
        submodels=submodels,
        base=base,
        order=order,
    )


def _root(model: Model) -> str:
    names = [link.name for link in model.links]
    if not names:
        raise ModelError(f"model {model.name!r} has no links; a robot has at least one")
    if model.root is None:
        children = {joint.child for joint in model.joints}
        return next((name for name in names if name not in children), names[0])
    if model.root not in names:
        raise ModelError(f"model {model.name!r}: its root {model.root!r} is none of its links")
    return model.root


def _base(model: Model, base: str) -> str:
    names = [link.name for link in model.links]
    if base not in names:
        raise unknown_name("link", base, names)
    return base


def _frames(model: Model, walk: Walk, canonical: Sequence[CanonicalFrame]) -> dict[str, tuple[int, Array]]:
    body_H_raw = np.array([inverse(frame.raw_H_body) for frame in canonical])
    numbers = [walk.poses[link.name][0] for link in model.links]
    raw_H_link = np.array([walk.poses[link.name][1] for link in model.links])
    body_H_link = tidy_pose(body_H_raw[numbers] @ raw_H_link)
    body_H_link.flags.writeable = False
    frames = {link.name: (body, pose) for link, body, pose in zip(model.links, numbers, body_H_link, strict=True)}
    for frame in model.frames:
        if frame.link not in walk.poses:
            raise ModelError(f"model {model.name!r}: frame {frame.name!r} is on {frame.link!r}, which is no link")
        if frame.name in frames:
            raise ModelError(f"model {model.name!r}: two links or frames are named {frame.name!r}")
        body, pose = frames[frame.link]
        frames[frame.name] = (body, tidy_pose(pose @ frame.link_H_frame))
    return frames


def _tree_joint(raw: MovingBody, frame: CanonicalFrame) -> TreeJoint | None:
    joint, coordinate = raw.joint, raw.coordinate
    if joint is None or coordinate.index is None:
        return None
    return TreeJoint(
        joint.name,
        tree_kind(joint.kind),
        frame.parent_H_joint,
        coordinate.index,
        coordinate.ratio,
        coordinate.offset + frame.offset,
        joint.pitch,
        coordinate.q_index,
        joint.rotor_inertia * (joint.gear_ratio * joint.gear_ratio),
        raw.reversed,
    )


def _tidy_parameters(parameters: Array) -> Array:
    result = parameters.copy()
    for part in (result[1:4], result[4:]):
        part[np.abs(part) <= 4e-15 * np.abs(part).max()] = 0.0
    return result


def _refuse_massless(bodies: Sequence[MovingBody], parameters: Sequence[Array], floating: bool, where: str) -> None:
    """Every coordinate must move some mass, through one of its joints at least (several, if some mimic another)."""
    loaded = [bool(own.any()) for own in parameters]
    for number in range(len(bodies) - 1, 0, -1):
        parent = bodies[number].geometry.parent
        loaded[parent] = loaded[parent] or loaded[number]
    moving = {body.coordinate.index for body, has_mass in zip(bodies[1:], loaded[1:], strict=True) if has_mass}
    idle = next((body for body in bodies[1:] if body.coordinate.index not in moving), None)
    if floating and not loaded[0]:
        idle = bodies[0]
    if idle is not None:
        moved = f"joint {idle.joint.name!r} moves" if idle.joint is not None else "the floating base has"
        raise ModelError(
            f"{where}: {moved} nothing with mass (body {idle.name!r} and everything beyond it), so the mass matrix "
            "would be singular; lock the joint, or pass allow_massless=True for kinematics alone"
        )


def _refuse_overflow(bodies: Sequence[Body], frames: Mapping[str, tuple[int, Array]], where: str) -> None:
    finite = np.isfinite([body_H_frame for _, body_H_frame in frames.values()]).all(axis=(1, 2))
    if not finite.all():
        name = list(frames)[int(np.argmin(finite))]
        raise ModelError(f"{where}: the pose of {name!r} overflows: distances in the model are too large")
    for body in bodies:
        joint_is_finite = body.joint is None or bool(
            np.isfinite(body.joint.parent_H_joint).all()
            and math.isfinite(body.joint.ratio + body.joint.offset + body.joint.armature)
        )
        if not (joint_is_finite and np.isfinite(body.parameters).all()):
            raise ModelError(f"{where}: the inertia or joint of body {body.name!r} overflows: numbers are too large")


def _gravity(gravity: Sequence[float]) -> tuple[float, float, float]:
    try:
        values = tuple(float(value) for value in gravity)
    except (TypeError, ValueError):
        raise ArgumentError(f"gravity is {gravity!r}; it is a vector of 3 numbers, such as (0, 0, -9.81)") from None
    if len(values) != 3:
        raise ShapeError(f"gravity has {len(values)} components; it is a vector of 3, in m/s^2, such as (0, 0, -9.81)")
    if not all(map(math.isfinite, values)):
        raise ArgumentError(f"gravity is {values}; it must be finite")
    return values[0], values[1], values[2]
