"""Random robots for tests, and the same robots in Pinocchio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from floatbase.model.tree import Body, Tree, TreeJoint


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    w, x, y, z = random_quaternion(rng)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_quaternion(rng: np.random.Generator, shape: tuple[int, ...] = ()) -> np.ndarray:
    quaternion = rng.standard_normal((*shape, 4))
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


def random_pose(rng: np.random.Generator, reach: float = 0.3) -> np.ndarray:
    """A pose; one in two is turned by quarter turns only and moved along one axis, as in many robots."""
    result = np.eye(4)
    if rng.random() < 0.5:
        result[:3, :3] = random_rotation(rng)
        result[:3, 3] = rng.uniform(-reach, reach, 3)
    else:
        axes = rng.permutation(3)
        signs = rng.choice([-1.0, 1.0], 3)
        result[range(3), range(3)] = 0.0
        result[axes, range(3)] = signs
        result[:3, 2] *= np.sign(np.linalg.det(result[:3, :3]))
        result[rng.integers(3), 3] = rng.uniform(-reach, reach)
    return result


def random_parameters(rng: np.random.Generator) -> np.ndarray:
    """Inertial parameters of a body that exists: a cloud of eight points of mass."""
    masses = rng.uniform(0.1, 1.0, 8)
    points = rng.uniform(-0.2, 0.2, (8, 3))
    tensor = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points, strict=True))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return np.array([masses.sum(), *(masses @ points), xx, xy, xz, yy, yz, zz])


def random_tree(
    rng: np.random.Generator,
    n_bodies: int,
    floating: bool = True,
    representation: Any = "body",
    prismatic: float = 0.3,
    branching: float = 0.4,
    mimic: bool = False,
    kinds: Sequence[str] = (),
    backwards: float = 0.0,
    armature: bool = False,
) -> Tree:
    """A tree of joints with one frame on each body.

    Joints are revolute and prismatic, or of the `kinds` named, in turn. `mimic`: some joints follow others;
    `backwards`: how many joints of several velocities are reversed; `armature`: some joints have rotors.
    """
    bodies = [Body("link0", -1, None, random_parameters(rng))]
    frames = {"link0": (0, np.eye(4)), "frame0": (0, random_pose(rng))}
    index, q_index = 0, 0
    for i in range(1, n_bodies):
        parent = int(rng.integers(0, i)) if rng.random() < branching else i - 1
        kind = "prismatic" if rng.random() < prismatic else "revolute"
        if kinds:
            kind = kinds[(i - 1) % len(kinds)]
            several = kind in ("spherical", "planar", "floating")
            joint = TreeJoint(
                f"joint{i}",
                kind,
                random_pose(rng),
                index,
                pitch=float(rng.uniform(-0.3, 0.3)) if kind == "helical" else 0.0,
                q_index=q_index,
                armature=float(rng.uniform(0.05, 0.2)) if armature and rng.random() < 0.5 else 0.0,
                reversed=several and rng.random() < backwards,
            )
            index, q_index = index + joint.nv, q_index + joint.nq
        else:
            follows = mimic and index > 0 and rng.random() < 0.4
            joint = TreeJoint(
                f"joint{i}",
                kind,
                random_pose(rng),
                int(rng.integers(0, index)) if follows else index,
                float(rng.uniform(0.5, 2.0)) if follows else 1.0,
                float(rng.uniform(-0.5, 0.5)) if follows else 0.0,
            )
            index += not follows
        bodies.append(Body(f"link{i}", parent, joint, random_parameters(rng)))
        frames[f"link{i}"] = (i, np.eye(4))
        frames[f"frame{i}"] = (i, random_pose(rng))
    names = tuple(f"joint{k}" for k in range(n_bodies - 1 if kinds else index))
    return Tree("random", tuple(bodies), frames, names, floating, representation, (0.3, -0.2, -9.6))


def with_representation(tree: Tree, representation: Any) -> Tree:
    return replace(tree, representation=representation)


def random_state(rng: np.random.Generator, tree: Tree, shape: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    q = rng.uniform(-2.0, 2.0, (*shape, tree.nq))
    for start in quaternions(tree):
        q[..., start : start + 4] = random_quaternion(rng, shape)
    return q, rng.uniform(-1.0, 1.0, (*shape, tree.nv))


def quaternions(tree: Tree) -> list[int]:
    """Where quaternions begin in a configuration."""
    head = 7 if tree.floating else 0
    joints = [body.joint for body in tree.bodies if body.joint and body.joint.kind in ("spherical", "floating")]
    return [3] * tree.floating + [head + joint.q_index + joint.nq - 4 for joint in joints]
