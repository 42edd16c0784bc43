r"""One rigid body: its energies, its momentum, and the Newton-Euler equations in every form.

With ${}_C\mathbb M$ the inertia in a frame C, $z = (0, \omega)$, and the gravitational acceleration $g$ in its axes,

| form | external wrench |
|---|---|
| body, inertial | $\mathbb M \dot v + v \bar\times^* \mathbb M v - \mathbb M (g, 0)$ |
| mixed, sensor | $\mathbb M a + z \bar\times^* \mathbb M z - \mathbb M (g, 0)$ |
| proper sensor | $\mathbb M \alpha^g + z \bar\times^* \mathbb M z$ |

and $k = \tfrac12 v^\top \mathbb M v$, $U = -g^\top (m o + R\, m c)$, ${}_Ch = {}_CX^B\, \mathbb M v$ with
${}_A\dot h = {}_AX^B (\mathbb M (R^\top g, 0) + f)$. A point mass is a body with $m$ alone.

Traversaro 2017, (2.52)-(2.63), (2.70)-(2.87) with the sign of U corrected.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from floatbase.spatial.arrays import Array, apply_matrix, require_shape, transpose
from floatbase.spatial.inertias import inertia_matrix, transform_parameters
from floatbase.spatial.kinds import BodyParameters, HeavyParameters, Parameters, Pose
from floatbase.spatial.poses import apply_pose, position_of, rotation_of
from floatbase.spatial.representations import TwistForm, change_wrench, form_H_body
from floatbase.spatial.twists import transform_twist, transform_wrench, wrench_cross

EquationForm = Literal["mixed", "body", "inertial", "sensor", "proper sensor"]
GRAVITY = (0.0, 0.0, -9.81)


def body_kinetic_energy(parameters: Parameters, body_twist: Array) -> Array:
    """Kinetic energy (...) of a body with ten parameters (..., 10) and body twist (..., 6)."""
    return 0.5 * np.sum(body_twist * apply_matrix(inertia_matrix(parameters), body_twist), axis=-1)


def body_potential_energy(parameters: Parameters, world_H_body: Pose, gravity: Array = GRAVITY) -> Array:
    """Potential energy (...) in uniform gravity, zero at the world's origin."""
    first_moment = apply_matrix(rotation_of(world_H_body), parameters[..., 1:4])
    first_moment = first_moment + parameters[..., :1] * position_of(world_H_body)
    return -np.sum(np.asanyarray(gravity) * first_moment, axis=-1)


def body_lagrangian(parameters: Parameters, world_H_body: Pose, body_twist: Array, gravity: Array = GRAVITY) -> Array:
    """Kinetic minus potential energy (...)."""
    return body_kinetic_energy(parameters, body_twist) - body_potential_energy(parameters, world_H_body, gravity)


def body_momentum(parameters: Parameters, body_twist: Array, form: TwistForm, world_H_body: Pose) -> Array:
    """Momentum (..., 6): about and in the frame that the form says."""
    return change_wrench(apply_matrix(inertia_matrix(parameters), body_twist), "body", form, world_H_body)


def body_momentum_rate(
    parameters: Parameters, body_wrench: Array, world_H_body: Pose, gravity: Array = GRAVITY
) -> Array:
    """Derivative (..., 6) of the "inertial" momentum, from the external wrench (..., 6) in the body's frame."""
    weight = apply_matrix(inertia_matrix(parameters), _free_fall("body", world_H_body, gravity, body_wrench))
    return transform_wrench(world_H_body, weight + body_wrench)


def central_momentum_rate(
    parameters: HeavyParameters, body_wrench: Array, world_H_body: Pose, gravity: Array = GRAVITY
) -> Array:
    """Derivative (..., 6) of the momentum about the moving centre of mass in world axes: weight and wrench there."""
    rate = body_momentum_rate(parameters, body_wrench, world_H_body, gravity)
    center = apply_pose(world_H_body, parameters[..., 1:4] / parameters[..., :1])
    return np.concatenate([rate[..., :3], rate[..., 3:] - np.cross(center, rate[..., :3])], axis=-1)


def external_wrench(
    parameters: Parameters,
    acceleration: Array,
    form: EquationForm,
    world_H_body: Pose,
    body_twist: Array,
    gravity: Array = GRAVITY,
) -> Array:
    """The wrench (..., 6) that makes a body accelerate, gravity apart.

    acceleration (..., 6) and wrench are in `form`; the wrench of both "sensor" forms is in the body's frame. A proper
    acceleration is relative to free fall: neither attitude nor gravity nor linear velocity matter then.
    """
    require_shape(acceleration, 6)
    frame: TwistForm = "body" if form in ("sensor", "proper sensor") else form  # type: ignore[assignment]
    frame_H_body = form_H_body(frame, world_H_body)
    M = inertia_matrix(transform_parameters(frame_H_body, parameters))
    twist = transform_twist(frame_H_body, body_twist)
    if form not in ("body", "inertial"):
        twist = np.concatenate([0.0 * twist[..., :3], twist[..., 3:]], axis=-1)
    if form != "proper sensor":
        acceleration = acceleration - _free_fall(frame, world_H_body, gravity, acceleration)
    return apply_matrix(M, acceleration) + apply_matrix(wrench_cross(twist), apply_matrix(M, twist))


def body_acceleration(
    parameters: BodyParameters, body_wrench: Array, world_H_body: Pose, body_twist: Array, gravity: Array = GRAVITY
) -> Array:
    """Derivative (..., 6) of the body twist under an external wrench (..., 6) in the body's frame and gravity."""
    M = inertia_matrix(parameters)
    gyration = apply_matrix(wrench_cross(body_twist), apply_matrix(M, body_twist))
    motion = np.linalg.solve(M, (body_wrench - gyration)[..., None])[..., 0]
    return motion + _free_fall("body", world_H_body, gravity, body_wrench)


def _free_fall(form: TwistForm, world_H_body: Pose, gravity: Array, like: Array) -> Array:
    """The acceleration (..., 6) of free fall without rotation, in the axes of a form."""
    g = np.asanyarray(gravity)
    if form == "body":
        g = apply_matrix(transpose(rotation_of(world_H_body)), g)
    nothing = 0.0 * like[..., :3]
    return np.concatenate([g + nothing, nothing], axis=-1)
