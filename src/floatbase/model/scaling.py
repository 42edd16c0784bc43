r"""A robot of another size: lengths by a factor $\lambda$, densities by a factor $\rho$.

Masses scale with $\rho \lambda^3$, moments of inertia (rotors included) with $\rho \lambda^5$. Limits of sliding joints
scale with $\lambda$; drives (velocity and effort limits, damping, friction) are left as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from floatbase.errors import ArgumentError
from floatbase.model.description import Configuration, Geometry, Inertia, Joint, Link, Model
from floatbase.model.poses import Array


def scale(model: Model, length: float = 1.0, density: float = 1.0) -> Model:
    """The model with lengths and densities multiplied by positive factors."""
    for name, value in (("length", length), ("density", density)):
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"the factor of {name} is {value!r}; it must be positive and finite")
    sliding = {joint.name for joint in model.joints if joint.kind == "prismatic"}
    kinds = {joint.name: joint.kind for joint in model.joints}
    return replace(
        model,
        links=tuple(_link(item, length, density) for item in model.links),
        joints=tuple(_joint(item, length, density, sliding) for item in model.joints),
        frames=tuple(replace(item, link_H_frame=_moved(item.link_H_frame, length)) for item in model.frames),
        sensors=tuple(replace(item, link_H_sensor=_moved(item.link_H_sensor, length)) for item in model.sensors),
        skin=tuple(replace(item, positions=item.positions * length) for item in model.skin),
        constraints=tuple(
            replace(
                item,
                first_H_frame=_moved(item.first_H_frame, length),
                second_H_frame=_moved(item.second_H_frame, length),
            )
            for item in model.constraints
        ),
        configurations=tuple(_configuration(item, length, kinds) for item in model.configurations),
    )


def _moved(pose: Array, length: float) -> Array:
    result = pose.copy()
    result[:3, 3] *= length
    return result


def _link(link: Link, length: float, density: float) -> Link:
    inertia = link.inertia
    if inertia is not None:
        mass = inertia.mass * density * length**3
        inertia = Inertia(mass, inertia.center * length, inertia.tensor * density * length**5)
    visuals, collisions = (
        tuple(_geometry(item, length) for item in shapes) for shapes in (link.visuals, link.collisions)
    )
    return replace(link, inertia=inertia, visuals=visuals, collisions=collisions)


def _geometry(shape: Geometry, length: float) -> Geometry:
    size = tuple(entry * length for entry in shape.size)
    return replace(shape, size=size, link_H_shape=_moved(shape.link_H_shape, length))


def _joint(joint: Joint, length: float, density: float, sliding: set[str]) -> Joint:
    limits, mimic = joint.limits, joint.mimic
    slides = joint.name in sliding
    if slides:
        limits = replace(limits, lower=limits.lower * length, upper=limits.upper * length)
    if mimic is not None:
        own, other = (length if name in sliding else 1.0 for name in (joint.name, mimic.joint))
        mimic = replace(mimic, multiplier=mimic.multiplier * own / other, offset=mimic.offset * own)
    return replace(
        joint,
        parent_H_joint=_moved(joint.parent_H_joint, length),
        limits=limits,
        mimic=mimic,
        pitch=joint.pitch * length,
        rotor_inertia=joint.rotor_inertia * density * length**5,
        gear_ratio=joint.gear_ratio / (length if slides else 1.0),
    )


def _configuration(item: Configuration, length: float, kinds: Mapping[str, str]) -> Configuration:
    lengths = {"prismatic": 1, "planar": 2, "floating": 3}

    def scaled(values: tuple[float, ...], count: int) -> tuple[float, ...]:
        return tuple(value * length if place < count else value for place, value in enumerate(values))

    joints = {name: scaled(values, lengths.get(kinds.get(name, ""), 0)) for name, values in item.joints.items()}
    return replace(item, joints=joints, root=None if item.root is None else scaled(item.root, 3))
