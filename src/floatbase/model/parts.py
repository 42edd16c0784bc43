"""Checks of what hangs on the tree: frames, sensors, skin, shapes, constraints, configurations and numbers of joints.

Every part refers to links and joints that exist, has a name of its own, and is where a rigid body can be.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from floatbase.errors import ModelError, name_hint
from floatbase.model.description import Array, Constraint, Joint, Model, Sensor, SkinPatch
from floatbase.model.doubts import doubt, listed

_UNIT = 1e-6  # of the length of normals and quaternions, which files round
_EXACT = 1e-9  # of rotations and axes, as for joints


def check_parts(model: Model, where: str) -> None:
    """Raise `ModelError` if a part of the model makes no sense, and warn of constraints, which a tree leaves out."""
    links = {link.name for link in model.links}
    joints = {joint.name: joint for joint in model.joints}
    if model.root is not None and links:
        _refer("the root of the model", "link", model.root, links, where)
    for what, parts in (
        ("sensors", model.sensors),
        ("skin patches", model.skin),
        ("constraints", model.constraints),
        ("configurations", model.configurations),
    ):
        _refuse_twice(what, [part.name for part in parts], where)
    for joint in model.joints:
        _check_numbers(joint, where)
    for sensor in model.sensors:
        _check_sensor(sensor, links, joints, where)
    for patch in model.skin:
        _refer(f"skin patch {patch.name!r}", "link", patch.link, links, where)
        _check_cells(patch, where)
    for constraint in model.constraints:
        check_constraint(constraint, links, where)
    _check_poses(list(_poses(model)), where)
    _check_configurations(model, where)
    if model.constraints:
        _warn_of_open_loops(model, where)


def _warn_of_open_loops(model: Model, where: str) -> None:
    names = [constraint.name for constraint in model.constraints]
    doubt(
        f"{where}: {len(names)} constraint{'s' * (len(names) > 1)} ({listed(names)}) kept in model.constraints, and "
        "ignored by the dynamics of the tree, which are those of open chains"
    )


def check_constraint(constraint: Constraint, links: Collection[str], where: str) -> None:
    """Raise `ModelError` if a constraint is between links that do not exist, or has axes that it cannot have."""
    part = f"constraint {constraint.name!r}"
    for link in (constraint.first, constraint.second):
        _refer(part, "link", link, links, where)
    if constraint.first == constraint.second:
        raise ModelError(f"{where}: {part} is between the link {constraint.first!r} and itself; it needs two links")
    _check_poses([(f"{part} on {constraint.first!r}", constraint.first_H_frame)], where)
    _check_poses([(f"{part} on {constraint.second!r}", constraint.second_H_frame)], where)
    second = constraint.second_axis
    if (second is not None) != (constraint.kind == "universal"):
        needs = "needs" if second is None else "has"
        raise ModelError(f"{where}: {part} ({constraint.kind}) {needs} a second_axis, as universal joints alone have")
    for name, axis in (("axis", constraint.axis), ("second_axis", second)):
        if axis is not None and not abs(math.hypot(*axis) - 1.0) <= _EXACT:
            raise ModelError(f"{where}: the {name} of {part} is {axis}; it must have unit length")


def _poses(model: Model) -> Iterator[tuple[str, Array]]:
    for frame in model.frames:
        yield f"frame {frame.name!r}", frame.link_H_frame
    for sensor in model.sensors:
        yield f"sensor {sensor.name!r}", sensor.link_H_sensor
    for link in model.links:
        for shape in (*link.visuals, *link.collisions):
            yield f"a {shape.kind} on link {link.name!r}", shape.link_H_shape


def _check_poses(named: Sequence[tuple[str, Array]], where: str) -> None:
    if not named:
        return
    poses = np.array([pose for _, pose in named])
    rotations = poses[:, :3, :3]
    finite = np.isfinite(poses).all(axis=(1, 2))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(rotations @ rotations.swapaxes(1, 2) - np.eye(3)).max(axis=(1, 2))
        rigid = (error <= _EXACT) & (poses[:, 3] == (0.0, 0.0, 0.0, 1.0)).all(axis=1)
    for good, what in ((finite, "is not finite"), (rigid, "is no rigid motion")):
        if not good.all():
            part, pose = named[int(np.argmin(good))]
            raise ModelError(
                f"{where}: the pose of {part} {what}: {pose.tolist()}; it needs an orthogonal rotation, a finite "
                "position, and (0, 0, 0, 1) as its last row"
            )


def _check_sensor(sensor: Sensor, links: Collection[str], joints: dict[str, Joint], where: str) -> None:
    part = f"sensor {sensor.name!r}"
    if sensor.joint is not None:
        _refer(part, "joint", sensor.joint, joints, where)
        child = joints[sensor.joint].child
        if sensor.link != child:
            raise ModelError(
                f"{where}: {part} is in joint {sensor.joint!r}, so its link must be {child!r}, the child, but is "
                f"{sensor.link!r}"
            )
    elif sensor.link is None:
        raise ModelError(f"{where}: {part} is on no link and in no joint; it needs one of them")
    else:
        _refer(part, "link", sensor.link, links, where)


def _check_cells(patch: SkinPatch, where: str) -> None:
    lengths = np.linalg.norm(patch.normals, axis=1)
    if not (np.isfinite(patch.positions).all() and (np.abs(lengths - 1.0) <= _UNIT).all()):
        raise ModelError(f"{where}: skin patch {patch.name!r} needs finite positions, and normals of unit length")


def _check_numbers(joint: Joint, where: str) -> None:
    """Limits, resistance and the mimic rule; `visit_links` checks what moves the joint."""
    limits, rule = joint.limits, joint.mimic
    if any(map(math.isnan, (limits.velocity, limits.effort))) or not limits.lower <= limits.upper:
        raise ModelError(
            f"{where}: the limits of joint {joint.name!r} are {limits}; they must be numbers (infinite if there is no "
            "limit), the lower one not above the upper one"
        )
    if not (math.isfinite(joint.damping) and math.isfinite(joint.friction)):
        raise ModelError(
            f"{where}: joint {joint.name!r} has a damping of {joint.damping} and a friction of {joint.friction}; both "
            "must be finite"
        )
    if rule is not None and not (math.isfinite(rule.multiplier) and math.isfinite(rule.offset)):
        raise ModelError(
            f"{where}: joint {joint.name!r} mimics joint {rule.joint!r} with multiplier {rule.multiplier} and offset "
            f"{rule.offset}; both must be finite"
        )


def _check_configurations(model: Model, where: str) -> None:
    names: set[str] = set()
    for joint in model.joints:
        names |= {f"{joint.name}_1", f"{joint.name}_2"} if joint.kind == "universal" else {joint.name}
    for item in model.configurations:
        part = f"configuration {item.name!r}"
        for name, values in item.joints.items():
            _refer(part, "joint", name, names, where)
            if not all(map(math.isfinite, values)):
                raise ModelError(f"{where}: {part} has joint {name!r} at {values}; the coordinates must be finite")
        root = item.root
        if root is not None and not (
            len(root) == 7 and all(map(math.isfinite, root)) and abs(math.hypot(*root[3:]) - 1.0) <= _UNIT
        ):
            raise ModelError(
                f"{where}: {part} has the root at {root}; it needs a position and a unit quaternion w x y z"
            )


def _refer(part: str, kind: str, name: str, known: Collection[str], where: str) -> None:
    if name not in known:
        raise ModelError(f"{where}: {part} names the {kind} {name!r}, which does not exist; {name_hint(name, known)}")


def _refuse_twice(what: str, names: Sequence[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{where}: there are two {what} named {name!r}; names must be unique")
        seen.add(name)
