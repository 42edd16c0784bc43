"""Laws put around a tree: names of frames and joints looked up, kinds of laws checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import frame_of
from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.tree import Tree, TreeJoint, position_index
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, checked_constraints
from floatbase.simulation.constraints.motion import Baumgarte
from floatbase.simulation.contacts import HardContact
from floatbase.simulation.grounds import Flat
from floatbase.simulation.laws import ContactLaw, Ground, JointLaw, require_not_negative
from floatbase.simulation.physics import Drive, Physics


def assemble(
    tree: Tree,
    contacts: Mapping[str, ContactLaw | HardContact],
    ground: Ground | None,
    joints: JointLaw | Mapping[Any, JointLaw] | None,
    pushes: Sequence[str],
    constraints: Sequence[Constraint] = (),
    baumgarte: tuple[float, float] | None = None,
) -> Physics:
    """Physics around a tree in mixed representation; arguments as of `Simulator`."""
    if not isinstance(contacts, Mapping):
        raise ArgumentError(f"contacts must be a mapping of frames to laws of contact, got {contacts!r}")
    for frame, law in contacts.items():
        frame_of(tree, frame)
        if not isinstance(law, ContactLaw | HardContact):
            raise ArgumentError(f"the contact at {frame!r} must be a ContactLaw or a HardContact, got {law!r}")
    if ground is not None and not isinstance(ground, Ground):
        raise ArgumentError(f"ground must be a Ground, got {ground!r}")
    for frame in pushes:
        frame_of(tree, frame)
    if len(set(pushes)) != len(pushes):
        raise ArgumentError(f"pushes names a frame twice: {tuple(pushes)}")
    drives = _drives(tree, joints)
    held = checked_constraints(constraints) if constraints else ()
    tuned = None
    if baumgarte is not None:
        if np.shape(baumgarte) != (2,):
            raise ArgumentError(f"baumgarte is {baumgarte!r}; it must be two numbers, alpha and beta [1/s]")
        tuned = Baumgarte(*baumgarte)
        require_not_negative(**tuned._asdict())
    soft = tuple((frame, law) for frame, law in contacts.items() if isinstance(law, ContactLaw))
    hard = tuple((frame, law) for frame, law in contacts.items() if isinstance(law, HardContact))
    return Physics(tree, soft, ground or Flat(), drives, tuple(pushes), held, tuned, hard)


def check_constraints(robot: Robot, constraints: Sequence[Constraint]) -> None:
    """Raise for places that do not exist, and for driven configurations: projections would go back to the first."""
    q, _ = robot.random(0)
    for item in constraints:
        with np.errstate(all="ignore"):
            J, (speed, _) = item.jacobian(robot, q), item.drive(robot, q)
        for row in np.flatnonzero(speed):
            size = np.linalg.norm(J[row])
            nearby = robot.integrate(q, 1e-6 * J[row] / size) if size > 0.0 else q
            if (item.residual(robot, nearby) - item.residual(robot, q))[row]:
                raise ArgumentError(
                    f"{item.row_names[row]} of {item.label} is driven, but a simulator keeps the numbers of "
                    "constraints that it was made with; step with constrained_motion_step, whose constraints may change"
                )


def _drives(tree: Tree, joints: JointLaw | Mapping[Any, JointLaw] | None) -> tuple[Drive, ...]:
    if joints is None:
        return ()
    moving = {joint.index: joint for body in tree.bodies if (joint := body.joint) is not None}
    named = dict(zip(tree.joint_names, (moving[index] for index in sorted(moving)), strict=True))
    if isinstance(joints, JointLaw):
        single = [name for name, joint in named.items() if joint.nv == 1]
        if not single:
            raise ArgumentError(f"robot {tree.name!r} has no joint of one coordinate for a law of joints")
        return (_drive(joints, single, named),)
    if not isinstance(joints, Mapping):
        raise ArgumentError(f"joints must be a JointLaw, or a mapping of names of joints to laws, got {joints!r}")
    drives, taken = [], set[str]()
    for key, law in joints.items():
        if not isinstance(key, str | tuple):
            raise ArgumentError(f"joints has the key {key!r}; it must be the name of a joint, or a tuple of names")
        names = [key] if isinstance(key, str) else list(key)
        if not isinstance(law, JointLaw):
            raise ArgumentError(f"the law of joints {names} must be a JointLaw, got {law!r}")
        for name in names:
            if name not in named:
                raise unknown_name("joint", name, named)
            if named[name].nv != 1:
                raise ArgumentError(f"joint {name!r} is {named[name].kind}; laws are of joints of one coordinate")
            if name in taken:
                raise ArgumentError(f"joint {name!r} has two laws")
            taken.add(name)
        drives.append(_drive(law, names, named))
    return tuple(drives)


def _drive(law: JointLaw, names: Sequence[str], named: Mapping[str, TreeJoint]) -> Drive:
    for parameter, size in _sizes(law).items():
        if size not in (1, len(names)):
            raise ArgumentError(
                f"{parameter} of {type(law).__name__} has {size} numbers for {len(names)} joints; it must have one, or "
                "one for each joint"
            )
    places = tuple(named[name].index for name in names)
    return Drive(law, places, tuple(position_index(named[name]) for name in names))


def _sizes(law: JointLaw) -> dict[str, int]:
    """How many numbers parameters have that are one for each joint."""
    found: dict[str, int] = {}
    for name in law.parameter_names():
        parameter = re.sub(r"\[\d+\]$", "", name)
        if parameter != name:
            found[parameter] = found.get(parameter, 0) + 1
    return found
