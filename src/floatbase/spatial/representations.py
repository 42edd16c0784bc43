r"""Twists, wrenches and accelerations of one frame in its representations.

A frame B with pose ${}^AH_B$ in the world has the body twist ${}^Bv_{A,B}$; ${}^Cv = {}^CX_B {}^Bv$ with C the frame
itself ("body"), the world ("inertial") or the frame's origin with the world's axes ("mixed"). Accelerations are
derivatives of components, so with $\delta = (v \times \omega, 0)$ formed from the body twist, and $\alpha$ the "sensor"
acceleration $({}^BR_A \ddot o_B,\ {}^B\dot\omega)$ that an accelerometer and the derivative of a gyroscope give,

$$ \alpha = {}^B\dot v - \delta, \qquad {}^A\dot v = {}^AX_B\, {}^B\dot v, \qquad
   {}^{B[A]}\dot v = {}^{B[A]}X_B\, \alpha . $$

Proper accelerations are relative to free fall: $\alpha^g = \alpha - ({}^BR_A g, 0)$.

Traversaro 2017, table 2.2, (2.40)-(2.43).
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.spatial.arrays import Array, apply_matrix, require_shape, transpose
from floatbase.spatial.kinds import Pose
from floatbase.spatial.poses import invert_pose, pose_from, position_of, rotation_of
from floatbase.spatial.twists import adjoint, transform_twist, transform_wrench

TwistForm = Literal["mixed", "body", "inertial"]
AccelerationForm = Literal["mixed", "body", "inertial", "sensor"]


def form_H_body(form: TwistForm, world_H_body: Pose) -> Array:
    """The pose (..., 4, 4) of the body's frame in the frame its twist is written in."""
    if form not in get_args(TwistForm):
        raise ArgumentError(f"unknown representation {form!r}; the valid choices are {', '.join(get_args(TwistForm))}")
    if form == "inertial":
        return world_H_body
    nowhere = 0.0 * position_of(world_H_body)
    if form == "mixed":
        return pose_from(rotation_of(world_H_body), nowhere)
    return pose_from(np.eye(3, like=world_H_body), nowhere)


def representation_matrix(form: TwistForm, world_H_body: Pose) -> Array:
    """`T` (..., 6, 6) with `twist in form = T @ body twist`; wrenches change by its inverse transpose."""
    return adjoint(form_H_body(form, world_H_body))


def spin_of_form(form: TwistForm, body_twist: Array) -> Array:
    r"""The twist $s$ (..., 6) with $\dot T = T\, (s \times)$ for the matrix T of a form."""
    if form == "inertial":
        return body_twist
    angular = body_twist[..., 3:] if form == "mixed" else 0.0 * body_twist[..., 3:]
    return np.concatenate([0.0 * body_twist[..., :3], angular], axis=-1)


def change_twist(twist: Array, source: TwistForm, target: TwistForm, world_H_body: Pose) -> Array:
    """A twist (..., 6) from one representation to another."""
    body_twist = transform_twist(invert_pose(form_H_body(source, world_H_body)), twist)
    return transform_twist(form_H_body(target, world_H_body), body_twist)


def change_wrench(wrench: Array, source: TwistForm, target: TwistForm, world_H_body: Pose) -> Array:
    """A wrench (..., 6) from one representation to another; its power with the twist stays the same."""
    body_wrench = transform_wrench(invert_pose(form_H_body(source, world_H_body)), wrench)
    return transform_wrench(form_H_body(target, world_H_body), body_wrench)


def change_acceleration(
    acceleration: Array,
    source: AccelerationForm,
    target: AccelerationForm,
    world_H_body: Pose,
    body_twist: Array,
) -> Array:
    """An acceleration (..., 6), the derivative of a twist's components, from one form to another.

    Proper accelerations convert in the same way.
    """
    require_shape(acceleration, 6)
    require_shape(body_twist, 6)
    v, omega = body_twist[..., :3], body_twist[..., 3:]
    product = np.cross(v, omega)
    delta = np.concatenate([product, 0.0 * product], axis=-1)
    if source == "sensor":
        body = acceleration + delta
    else:
        body = transform_twist(invert_pose(form_H_body(source, world_H_body)), acceleration)
        body = body + delta if source == "mixed" else body
    if target == "sensor":
        return body - delta
    return transform_twist(form_H_body(target, world_H_body), body - delta if target == "mixed" else body)


def proper_acceleration(
    acceleration: Array, form: AccelerationForm, world_H_body: Pose, gravity: Array = (0.0, 0.0, -9.81)
) -> Array:
    """The acceleration (..., 6) relative to free fall; `gravity` is the acceleration vector in the world."""
    require_shape(acceleration, 6)
    g = np.asanyarray(gravity)
    if form in ("body", "sensor"):
        g = apply_matrix(transpose(rotation_of(world_H_body)), g)
    return np.concatenate([acceleration[..., :3] - g, acceleration[..., 3:]], axis=-1)
