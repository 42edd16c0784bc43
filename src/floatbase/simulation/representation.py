"""Velocities between the representation of a robot and the mixed one, in which laws of physics are written."""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array
from floatbase.spatial.poses import pose_from
from floatbase.spatial.representations import TwistForm, change_acceleration, change_twist
from floatbase.spatial.rotations import rotation_from_quaternion


def into_mixed(form: TwistForm, floating: bool, q: Array, v: Array) -> Array:
    """The velocity (..., nv) in mixed representation; q: (..., nq), v: (..., nv) in that of `form`."""
    return _changed(form, "mixed", floating, q, v)


def from_mixed(form: TwistForm, floating: bool, q: Array, v: Array) -> Array:
    """The inverse of `into_mixed`."""
    return _changed("mixed", form, floating, q, v)


def acceleration_from_mixed(form: TwistForm, floating: bool, q: Array, v: Array, a: Array) -> Array:
    """The rate (..., nv) of the velocity in another representation; v and a: (..., nv) in mixed."""
    if not floating or form == "mixed":
        return a
    world_H_base = pose_from(rotation_from_quaternion(q[..., 3:7]), q[..., :3])
    twist = change_twist(v[..., :6], "mixed", "body", world_H_base)
    base = change_acceleration(a[..., :6], "mixed", form, world_H_base, twist)
    return np.concatenate([base, a[..., 6:]], axis=-1)


def _changed(source: TwistForm, target: TwistForm, floating: bool, q: Array, v: Array) -> Array:
    if not floating or source == target:
        return v
    world_H_base = pose_from(rotation_from_quaternion(q[..., 3:7]), q[..., :3])
    return np.concatenate([change_twist(v[..., :6], source, target, world_H_base), v[..., 6:]], axis=-1)
