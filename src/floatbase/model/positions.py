"""Positions of a robot's joints: their limits, neutral ones, random ones, and configurations with names.

Arrays of joints have the order of the joint part of a configuration, `Tree.joint_nq` entries on the last axis.
"""

from __future__ import annotations

import numpy as np

from floatbase.errors import ArgumentError, ModelError, unknown_name
from floatbase.model.description import Model
from floatbase.model.poses import Array
from floatbase.model.tree import Tree, TreeJoint, position_index
from floatbase.model.universal import split_universal_joints

_ATTITUDE = {"spherical": 0, "floating": 3}  # where the quaternion begins


def position_limits(model: Model, tree: Tree) -> tuple[Array, Array]:
    """Lower and upper limits of the joint coordinates, infinite where the description gives none."""
    limits = {joint.name: joint.limits for joint in split_universal_joints(model).joints}
    lower, upper = np.full(tree.joint_nq, -np.inf), np.full(tree.joint_nq, np.inf)
    for joint in _independent(tree):
        if joint.nq == 1:
            lower[position_index(joint)] = limits[joint.name].lower
            upper[position_index(joint)] = limits[joint.name].upper
    return lower, upper


def neutral_positions(model: Model, tree: Tree) -> Array:
    """Every joint at zero, or at the limit nearest to it; attitudes are the identity."""
    result = np.clip(np.zeros(tree.joint_nq), *position_limits(model, tree))
    for joint in _independent(tree):
        if joint.kind in _ATTITUDE:
            result[position_index(joint) + _ATTITUDE[joint.kind]] = 1.0
    return result


def named_configuration(model: Model, tree: Tree, name: str) -> Array:
    """The configuration (nq,) that the description gives a name; joints it does not mention are neutral.

    Its pose is that of the model's root link, so a floating base must be that link. Without a pose it is the identity.
    """
    known = {item.name: item for item in model.configurations}
    if name not in known:
        raise unknown_name("configuration", name, known)
    item = known[name]
    joints = neutral_positions(model, tree)
    for joint in _independent(tree):
        values = item.joints.get(joint.name)
        if values is None:
            continue
        if len(values) != joint.nq:
            raise ModelError(
                f"configuration {name!r} of model {model.name!r} gives joint {joint.name!r} {len(values)} coordinates; "
                f"a {joint.kind} joint has {joint.nq}"
            )
        joints[position_index(joint) : position_index(joint) + joint.nq] = values
    if not tree.floating:
        return joints
    if item.root is not None and model.root != tree.base:
        raise ArgumentError(
            f"configuration {name!r} places the root link {model.root!r}, and the base is {tree.base!r}; "
            "take it from a robot whose base is the root"
        )
    return np.concatenate([item.root or (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), joints])


def random_positions(model: Model, tree: Tree, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Coordinates uniform within their limits, or within half a turn or half a metre of zero; uniform attitudes."""
    lower, upper = position_limits(model, tree)
    reach = np.full(tree.joint_nq, np.pi)
    joints = _independent(tree)
    for joint in joints:
        first = position_index(joint)
        reach[first : first + _lengths(joint)] = 0.5
    lower, upper = np.where(np.isfinite(lower), lower, -reach), np.where(np.isfinite(upper), upper, reach)
    result: Array = lower + (upper - lower) * rng.random((*shape, tree.joint_nq))
    for joint in joints:
        if joint.kind in _ATTITUDE:
            first = position_index(joint) + _ATTITUDE[joint.kind]
            result[..., first : first + 4] = random_quaternions(rng, shape)
    return result


def random_quaternions(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Unit quaternions w x y z, uniform over attitudes."""
    result: Array = rng.standard_normal((*shape, 4))
    result /= np.linalg.norm(result, axis=-1, keepdims=True)
    return result


def _independent(tree: Tree) -> list[TreeJoint]:
    """The joints whose coordinates are those of the state: not those that mimic others."""
    names = set(tree.joint_names)
    return [body.joint for body in tree.bodies if body.joint is not None and body.joint.name in names]


def _lengths(joint: TreeJoint) -> int:
    """How many of a joint's first coordinates are lengths."""
    return {"prismatic": 1, "planar": 2, "floating": 3}.get(joint.kind, 0)
