r"""A robot that hangs: its links and joints in maximal coordinates, held by a suspension at one of its frames.

The rows of the suspension are for twists of the platform's frame C, at its centre of mass with z up the cable. With C
at a constant pose in the base link B, $V_C = {}^CX_B V_B$, so that rows become $A\, {}^CX_B$ and wrenches
${}^CX_B^\top f$. A suspension with a hook adds it as the last body. A platform with an arm of seven joints has 8
bodies: 35 rows of its joints and 3 of a rod leave 10 freedoms; with a hook on rods, 9 bodies, 41 rows and 13.
Rothammer 2021, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.robot import Robot
from floatbase.simulation.constraints.bodies import Assembly, BodyConstraint, BodySystem, assemble, explicit_motion
from floatbase.simulation.constraints.motion import Baumgarte, ConstrainedMotion
from floatbase.simulation.laws import Number
from floatbase.simulation.suspensions.reconstruction import Hook, reconstruct_hook, reconstruct_robot
from floatbase.simulation.suspensions.suspension import Suspension
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.poses import invert_pose
from floatbase.spatial.twists import adjoint


@dataclass(frozen=True, eq=False)
class HangingRobot:
    """Bodies of a robot in the order of its tree, and a hook after them if the suspension has one."""

    robot: Robot
    suspension: Suspension
    assembly: Assembly  # of the robot alone
    system: BodySystem  # of everything
    base_H_platform: Array

    @property
    def has_hook(self) -> bool:
        """Whether the suspension is of two bodies."""
        return self.suspension.bodies == 2

    def poses(self, q: Any, world_H_hook: Array | None = None) -> Array:
        """`world_H_bodies` (..., n, 4, 4) at a configuration of the free robot (..., nq) and a pose of the hook."""
        return self._with_hook(self.assembly.poses(q), world_H_hook, "world_H_hook", -3)

    def twists(self, q: Any, v: Any, hook_twist: Array | None = None) -> Array:
        """The body twists (..., 6 n) at a configuration and velocity of the free robot, and of the hook (..., 6)."""
        return self._with_hook(self.assembly.twists(q, v), hook_twist, "hook_twist", -1)

    def wrenches(
        self, world_H_bodies: Array, twists: Array, efforts: Any = None, platform_wrench: Array | None = None
    ) -> Array:
        """The wrenches (..., 6 n) of the suspension, of joints (..., k) and of propellers on the bodies.

        platform_wrench: (..., 6) in the platform's frame.
        """
        held = self.suspension.wrenches(*self.suspended(world_H_bodies, twists))
        first = held[..., -6:] if platform_wrench is None else held[..., -6:] + platform_wrench
        X = adjoint(invert_pose(self.base_H_platform))
        result = zeros((6 * self.system.n,), world_H_bodies[..., 0, 0, :], twists, first)
        result[..., :6] = apply_matrix(transpose(X), first)
        if self.has_hook:
            result[..., -6:] = held[..., :6]
        if efforts is None:
            return result
        bodies = self.assembly.system.n
        driven = self.assembly.wrenches(world_H_bodies[..., :bodies, :, :], efforts)
        hook = zeros((6 * (self.system.n - bodies),), driven)
        return result + np.concatenate([driven, hook], axis=-1)

    def motion(
        self,
        world_H_bodies: Array,
        twists: Array,
        efforts: Any = None,
        platform_wrench: Array | None = None,
        baumgarte: Baumgarte | None = None,
    ) -> ConstrainedMotion:
        """Accelerations (..., 6 n) and multipliers (..., c), those of the suspension last."""
        f = self.wrenches(world_H_bodies, twists, efforts, platform_wrench)
        return explicit_motion(self.system, world_H_bodies, twists, f, baumgarte)

    def energy(self, world_H_bodies: Array, twists: Array) -> Array:
        """Kinetic energy, that of gravity, and that stored in the suspension (...)."""
        stored = self.suspension.energy(self.suspended(world_H_bodies, twists)[0])
        return self.system.kinetic_energy(twists) + self.system.potential_energy(world_H_bodies) + stored

    def suspended(self, world_H_bodies: Array, twists: Array) -> tuple[Array, Array]:
        """Poses and twists of what the suspension holds: the platform, or hook and platform."""
        platform = world_H_bodies[..., 0, :, :] @ self.base_H_platform
        twist = apply_matrix(adjoint(invert_pose(self.base_H_platform)), twists[..., :6])
        if not self.has_hook:
            return platform[..., None, :, :], twist
        both = np.stack([world_H_bodies[..., -1, :, :], platform], axis=-3)
        return both, np.concatenate([twists[..., -6:], twist], axis=-1)

    def reconstruct(
        self, frame: str, world_H_frame: Array, joints: Array, platform_length: Number | None = None
    ) -> Array:
        """`world_H_bodies` (..., n, 4, 4) from the pose of one frame and the positions of the joints.

        platform_length: of the cable between hook and platform, by default as the suspension says.
        """
        q = reconstruct_robot(self.robot, frame, world_H_frame, joints).q
        poses = self.assembly.poses(q)
        if not self.has_hook:
            return poses
        if platform_length is None:
            platform_length = getattr(self.suspension, "platform_length", None)
        if platform_length is None:
            raise ArgumentError("platform_length is needed: the suspension does not say how far the platform hangs")
        point = getattr(self.suspension, "point", (0.0, 0.0, 0.0))
        hook: Hook = reconstruct_hook(poses[..., 0, :, :] @ self.base_H_platform, platform_length, point)
        return self.poses(q, hook.world_H_hook)

    def _with_hook(self, found: Array, hook: Array | None, name: str, axis: int) -> Array:
        if self.has_hook != (hook is not None):
            wanted = "is needed: the suspension has a hook" if self.has_hook else "is given, and there is no hook"
            raise ArgumentError(f"{name} {wanted}")
        if hook is None:
            return found
        added = hook[..., None, :, :] if axis == -3 else hook
        batch = np.broadcast_shapes(found.shape[:axis], added.shape[:axis])
        parts = [np.broadcast_to(x, (*batch, *x.shape[axis:])) for x in (found, added)]
        return np.concatenate(parts, axis=axis)


def hang(
    robot: Robot, suspension: Suspension, frame: str = "center", hook_parameters: Array | None = None
) -> HangingRobot:
    """A robot with a free base that hangs by a frame of its base link.

    hook_parameters: (10,), the inertial parameters of the hook about its frame, if the suspension has one.
    """
    if not isinstance(suspension, Suspension):
        raise ArgumentError(f"suspension is {suspension!r}; it must be a Suspension, such as RigidPendulum(3.5)")
    if not robot.floating:
        raise ArgumentError(f"the base of {robot.model.name!r} is fixed; what hangs must have a free base")
    if suspension.bodies > 2:
        raise ArgumentError(f"the suspension holds {suspension.bodies} bodies; a robot hangs by one, or with a hook")
    if (suspension.bodies == 2) != (hook_parameters is not None):
        raise ArgumentError("hook_parameters is needed if, and only if, the suspension has a hook")
    body, base_H_platform = robot.tree.frames[frame] if frame in robot.tree.frames else (None, np.eye(4))
    if body != 0:
        raise ArgumentError(f"{frame!r} is not a frame of the base link {robot.tree.bodies[0].name!r}")
    assembly = assemble(robot)
    parameters = assembly.system.inertial_parameters
    if hook_parameters is not None:
        if np.shape(hook_parameters) != (10,):
            raise ShapeError(f"hook_parameters has shape {np.shape(hook_parameters)}; it must be (10,)")
        parameters = np.concatenate([parameters, np.asarray(hook_parameters, dtype=np.float64)[None]])
    constraints = assembly.system.constraints
    if suspension.rows:
        constraints = (*constraints, _constraint(suspension, len(assembly.names), base_H_platform))
    system = replace(assembly.system, inertial_parameters=parameters, constraints=constraints)
    return HangingRobot(robot, suspension, assembly, system, base_H_platform)


def _constraint(suspension: Suspension, hook: int, base_H_platform: Array) -> BodyConstraint:
    """The rows of a suspension for the base link, or hook and base link."""
    X = np.eye(6 * suspension.bodies)
    X[-6:, -6:] = adjoint(invert_pose(base_H_platform))

    def placed(world_H_bodies: Array) -> Array:
        platform = (world_H_bodies[..., -1, :, :] @ base_H_platform)[..., None, :, :]
        return np.concatenate([world_H_bodies[..., :-1, :, :], platform], axis=-3)

    return BodyConstraint(
        "suspension",
        (hook, 0) if suspension.bodies == 2 else (0,),
        tuple(f"row {k}" for k in range(suspension.rows)),
        lambda H: suspension.constraint(placed(H)) @ X,
        lambda H, V: suspension.constraint_rate(placed(H), apply_matrix(X, V)) @ X,
        lambda H: suspension.deviation(placed(H)),
    )
