r"""The floating base at the boundary: from the representation of the state to body axes, and back.

Recursions work in the axes of the bodies, with the angular velocity $\omega$ of the base and its proper classical
acceleration $\alpha^g = ({}^BR_A(\ddot o_B - g),\ {}^B\dot\omega)$. For the base twist of each representation

| representation | $\omega$ | ${}^A\ddot o_B$ | ${}^A\dot\omega$ |
|---|---|---|---|
| mixed | ${}^BR_A\,{}^A\omega$ | $\dot v$ | $\dot\omega$ |
| body | ${}^B\omega$ | ${}^AR_B(\dot v + \omega \times v)$ | ${}^AR_B\dot\omega$ |
| inertial | ${}^BR_A\,{}^A\omega$ | $\dot v + \dot\omega \times o + \omega \times \dot o$ | $\dot\omega$ |

with $\dot o = v + \omega \times o$ in the last row.

S. Traversaro, "Modelling, estimation and identification of humanoid robots dynamics", 2017, table 2.2 and (2.29).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Component
from floatbase.spatial.rotations import quaternion_rows
from floatbase.spatial.vectors import ZERO, Matrix, Vector, add, cross, multiply, multiply_transposed, subtract

IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class BasePose:
    """Attitude `world_R_base` and position of the base's origin in the world."""

    rotation: Matrix
    position: Vector


def base_pose(tree: Tree, q_base: list[Component]) -> BasePose:
    """The pose of the base from `q[:7]`; a fixed base sits at the world's origin."""
    if not tree.floating:
        return BasePose(IDENTITY, ZERO)
    x, y, z, *quaternion = q_base
    return BasePose(quaternion_rows(*quaternion), (x, y, z))


def base_twist(tree: Tree, pose: BasePose, v_base: list[Component]) -> tuple[Vector, Vector]:
    """Linear and angular velocity of the base's frame in body axes."""
    if not tree.floating:
        return ZERO, ZERO
    linear, angular = _halves(v_base)
    if tree.representation == "body":
        return linear, angular
    if tree.representation == "inertial":
        linear = add(linear, cross(angular, pose.position))
    return multiply_transposed(pose.rotation, linear), multiply_transposed(pose.rotation, angular)


def base_angular_velocity(tree: Tree, pose: BasePose, v_base: list[Component]) -> Vector:
    """Angular velocity of the base in body axes."""
    return base_twist(tree, pose, v_base)[1]


def base_acceleration(
    tree: Tree, pose: BasePose, v_base: list[Component], a_base: list[Component], gravity: bool = True
) -> tuple[Vector, Vector]:
    """Classical acceleration of the base's origin (relative to free fall, if `gravity`) and angular, in body axes."""
    g: Vector = tuple(float(entry) for entry in tree.gravity) if gravity else ZERO  # type: ignore[assignment]
    if not tree.floating:
        return subtract(ZERO, g), ZERO
    v, omega = _halves(v_base)
    linear, angular = _halves(a_base)
    if tree.representation == "body":
        return subtract(add(linear, cross(omega, v)), multiply_transposed(pose.rotation, g)), angular
    if tree.representation == "inertial":
        origin_velocity = add(v, cross(omega, pose.position))
        linear = add(add(linear, cross(angular, pose.position)), cross(omega, origin_velocity))
    return multiply_transposed(pose.rotation, subtract(linear, g)), multiply_transposed(pose.rotation, angular)


def base_acceleration_rate(
    tree: Tree, pose: BasePose, v_base: list[Component], linear: Vector, angular: Vector
) -> list[Component]:
    """The inverse of `base_acceleration`: the derivative of the base twist's components."""
    g: Vector = tuple(float(entry) for entry in tree.gravity)  # type: ignore[assignment]
    v, omega = _halves(v_base)
    if tree.representation == "body":
        return [*subtract(add(linear, multiply_transposed(pose.rotation, g)), cross(omega, v)), *angular]
    linear, angular = add(multiply(pose.rotation, linear), g), multiply(pose.rotation, angular)
    if tree.representation == "inertial":
        origin_velocity = add(v, cross(omega, pose.position))
        linear = subtract(subtract(linear, cross(angular, pose.position)), cross(omega, origin_velocity))
    return [*linear, *angular]


def base_wrench(tree: Tree, pose: BasePose, force: Vector, moment: Vector) -> list[Component]:
    """A wrench in body axes about the base's origin as the generalised force of the base twist."""
    if tree.representation == "body":
        return [*force, *moment]
    force, moment = multiply(pose.rotation, force), multiply(pose.rotation, moment)
    if tree.representation == "inertial":
        moment = add(moment, cross(pose.position, force))
    return [*force, *moment]


def base_wrench_in_body(tree: Tree, pose: BasePose, wrench: list[Component]) -> tuple[Vector, Vector]:
    """The inverse of `base_wrench`."""
    force, moment = _halves(wrench)
    if tree.representation == "body":
        return force, moment
    if tree.representation == "inertial":
        moment = subtract(moment, cross(pose.position, force))
    return multiply_transposed(pose.rotation, force), multiply_transposed(pose.rotation, moment)


def _halves(six: list[Any]) -> tuple[Vector, Vector]:
    return (six[0], six[1], six[2]), (six[3], six[4], six[5])
