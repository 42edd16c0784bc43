"""Pinocchio on the same robot and the same states, if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.robot import Robot

Array = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Peer:
    """Pinocchio's model and how its joint coordinates are ordered: position in our order of each of its joints."""

    name: str
    module: Any
    model: Any
    data: Any
    order: npt.NDArray[np.int64]

    def configuration(self, q: Array) -> Array:
        """Our configurations (..., nq) in its convention: quaternions x y z w, its order of joints."""
        return np.concatenate([q[..., [0, 1, 2, 4, 5, 6, 3]], q[..., 7 + self.order]], axis=-1)

    def velocity(self, v: Array) -> Array:
        """Our velocities, accelerations or forces (..., nv) in its order."""
        return v[..., self._indices]

    def velocity_back(self, v: Array) -> Array:
        """Its velocities, accelerations or forces (..., nv) in our order."""
        return v[..., np.argsort(self._indices)]

    def matrix_back(self, M: Array) -> Array:
        """Its mass matrices (..., nv, nv), of which the upper triangle counts, in our order."""
        full = np.triu(M) + np.swapaxes(np.triu(M, 1), -1, -2)
        back = np.argsort(self._indices)
        return full[..., back[:, None], back]

    def function(self, name: str) -> Callable[..., Any]:
        """Its function for one of ours, taking model, data and the state."""
        known = {"inverse_dynamics": "rnea", "forward_dynamics": "aba", "mass_matrix": "crba"}
        return getattr(self.module, known[name])  # type: ignore[no-any-return]

    @property
    def _indices(self) -> npt.NDArray[np.int64]:
        return np.concatenate([np.arange(6), 6 + self.order])


def comparable(robot: Robot) -> bool:
    """Whether it has the same coordinates there: a floating base, and joints with limits that all move on their own."""
    joints = [joint for joint in robot.model.joints if joint.kind != "fixed"]
    alike = all(joint.kind in ("revolute", "prismatic") and joint.mimic is None for joint in joints)
    from_urdf = robot.model.source is not None and robot.model.source.lower().endswith(".urdf")
    return robot.floating and alike and from_urdf and {joint.name for joint in joints} == set(robot.joint_names)


def load_peer(robot: Robot) -> Peer | None:
    """Pinocchio with the robot's file and a floating base, or None if it is not installed."""
    try:
        import pinocchio
    except ImportError:
        return None
    model = pinocchio.buildModelFromUrdf(robot.model.source, pinocchio.JointModelFreeFlyer())
    order = np.array([robot.joint_names.index(name) for name in list(model.names)[2:]])
    return Peer(f"Pinocchio {pinocchio.__version__}", pinocchio, model, model.createData(), order)
