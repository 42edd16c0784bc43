"""Random robots as descriptions: links, joints of every kind, mimics, fixed joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.random_trees import random_parameters, random_pose

from floatbase.model import Joint, Link, Mimic, Model
from floatbase.model.inertia import inertia_from_parameters

EVERY_KIND = (
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "mimic",
    "helical",
    "universal",
    "planar",
    "spherical",
    "floating",
)


def random_model(seed: int, kinds: tuple[str, ...] = EVERY_KIND, more: int = 2) -> Model:
    """A robot with a joint of each of `kinds`, in an order and a shape of its own, and `more` of them."""
    rng = np.random.default_rng(seed)
    chosen = [*rng.permutation(kinds), *rng.choice(kinds, more)]
    links = [Link("link0", inertia_from_parameters(random_parameters(rng)))]
    joints: list[Joint] = []
    for number, kind in enumerate(chosen, 1):
        parent = number - 1 if rng.random() < 0.6 else int(rng.integers(0, number))
        links.append(Link(f"link{number}", inertia_from_parameters(random_parameters(rng))))
        joints.append(_joint(rng, str(kind), f"joint{number}", f"link{parent}", f"link{number}"))
    masters = [joint.name for joint in joints if joint.kind in ("revolute", "prismatic") and joint.mimic is None]
    joints = [_following(rng, joint, masters) for joint in joints]
    return Model(f"random{seed}", tuple(links), tuple(joints), root="link0")


def _joint(rng: np.random.Generator, kind: str, name: str, parent: str, child: str) -> Joint:
    axis, second = _axis(rng), None
    if kind == "universal":
        other = np.cross(axis, rng.standard_normal(3))
        second = other / np.linalg.norm(other)
    return Joint(
        name,
        "revolute" if kind == "mimic" else kind,  # type: ignore[arg-type]
        parent,
        child,
        random_pose(rng),
        axis,
        mimic=Mimic("") if kind == "mimic" else None,
        pitch=float(rng.uniform(-0.3, 0.3)) if kind == "helical" else 0.0,
        second_axis=second,
    )


def _axis(rng: np.random.Generator) -> np.ndarray:
    if rng.random() < 0.5:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    axis = rng.standard_normal(3)
    return axis / np.linalg.norm(axis)


def _following(rng: np.random.Generator, joint: Joint, masters: list[str]) -> Joint:
    if joint.mimic is None:
        return joint
    rule = Mimic(str(rng.choice(masters)), float(rng.uniform(0.5, 2.0)), float(rng.uniform(-0.5, 0.5)))
    return replace(joint, mimic=rule)
