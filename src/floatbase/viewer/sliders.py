"""Coordinates of joints that can be moved one by one, with their ranges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floatbase.robot import Robot

_TURN, _SLIDE = float(np.pi), 1.0  # rad and m, where a joint has no limits


class Slider(NamedTuple):
    """A coordinate of a joint: its name, its place in a configuration, and its range in rad or m."""

    name: str
    place: int
    lower: float
    upper: float
    is_angle: bool


def sliders(robot: Robot) -> tuple[Slider, ...]:
    """All coordinates but those of base and quaternions; without limits half a turn, or a metre, either way."""
    tree = robot.tree
    head = 7 if tree.floating else 0
    lower, upper = robot.position_limits
    neutral = robot.neutral()
    kinds: dict[int, tuple[bool, ...]] = {}
    for body in tree.bodies:
        if body.joint is not None:
            angles = {"prismatic": (False,), "planar": (False, False, True), "floating": (), "spherical": ()}
            kinds[body.joint.q_index or 0] = angles.get(body.joint.kind, (True,))
    found = []
    for first, angles_of in sorted(kinds.items()):
        for place, is_angle in enumerate(angles_of, first):
            reach = _TURN if is_angle else _SLIDE
            low, high = float(lower[place]), float(upper[place])
            middle = float(neutral[head + place])
            low, high = low if np.isfinite(low) else middle - reach, high if np.isfinite(high) else middle + reach
            if high > low:
                found.append(Slider(tree.coordinate_names[head + place], head + place, low, high, is_angle))
    return tuple(found)
