"""Decimal numbers that a reader of robot files turns back into the same rotation or direction, to the last bit.

Files hold angles and axes with few digits, models hold the rotation matrices and unit vectors computed from them. Here
the shortest decimals that give the same numbers are found again; if there are none, the closest are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from floatbase.model.poses import Array, pose

Angles = tuple[float, float, float]

_ROUNDING = 2.0**-53
_NEIGHBOURS = 64


# entries of the rotation by which pitch, roll and yaw are found: row 2 has no yaw, its first entry no roll
_ENTRIES: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = (
    (1, ((2, 0),)),
    (0, ((2, 1), (2, 2))),
    (2, ((0, 0), (1, 0), (0, 1), (1, 1))),
)


def roll_pitch_yaw(rotation: Array) -> Angles:
    r"""Angles of $R_z(y) R_y(p) R_x(r)$."""
    best: Angles | None = None
    for start in _angles(rotation):
        angles = list(start)
        for place, entries in _ENTRIES:
            angles[place] = _shortest(rotation, angles, place, entries)
        found: Angles = (angles[0], angles[1], angles[2])
        if np.array_equal(_rotation(found), rotation):
            return found
        if best is None or _error(rotation, found) < _error(rotation, best):
            best = found
    assert best is not None
    return best


def _angles(R: Array) -> Iterator[Angles]:
    """The angles that give a rotation: two triples, and another where the pitch is nearly a quarter turn."""
    across = _across(R)
    pitch = math.atan2(-R[2, 0], across)
    roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    if across > 0.0:
        yield roll, pitch, yaw
        yield roll + math.pi, math.pi - pitch, yaw + math.pi
    if across < 1e-6:
        yield 0.0, pitch, math.atan2(-R[0, 1], R[1, 1])


def direction(axis: Array, read: Callable[[Array], Array]) -> Array:
    """Numbers of unit length, to rounding, that `read` normalises to a unit axis to the last bit, if there are any."""
    for count in range(_NEIGHBOURS):
        for factor in (1.0 + count * _ROUNDING, 1.0 - count * _ROUNDING):
            if np.array_equal(read(axis * factor), axis):
                return axis * factor
    return axis


def _across(R: Array) -> float:
    """The cosine of the pitch, up to its sign."""
    return math.hypot(R[0, 0], R[1, 0])


def _rotation(angles: Angles) -> Array:
    return pose((0.0, 0.0, 0.0), angles)[:3, :3]


def _error(R: Array, angles: Angles) -> float:
    return float(np.abs(_rotation(angles) - R).max())


def _shortest(R: Array, angles: list[float], place: int, entries: tuple[tuple[int, int], ...]) -> float:
    """The shortest decimal for one of the angles with which entries of the rotation are exact; itself if none is."""
    trial = list(angles)
    for candidate in _candidates(angles[place]):
        trial[place] = candidate
        made = _rotation((trial[0], trial[1], trial[2]))
        # near a quarter turn of pitch the sine alone says little
        across = math.isclose(_across(made), _across(R), rel_tol=1e-12)
        if across and all(made[entry] == R[entry] for entry in entries):
            return candidate
    return angles[place]


def _candidates(angle: float) -> Iterator[float]:
    """An angle, and those a full turn away, with more and more digits; at last its neighbours."""
    turns = (angle, angle + math.tau, angle - math.tau)
    for digits in range(1, 18):
        for turned in turns:
            yield float(f"{turned:.{digits}g}")
    for towards in (math.inf, -math.inf):
        neighbour = angle
        for _ in range(4):
            neighbour = math.nextafter(neighbour, towards)
            yield neighbour
