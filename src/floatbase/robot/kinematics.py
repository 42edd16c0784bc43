"""Where things are and how they move: the kinematic methods of a robot."""

from __future__ import annotations

from typing import Any

from floatbase.robot.core import RobotCore


class Kinematics(RobotCore):
    """Poses, velocities, accelerations and Jacobians of frames and of the centre of mass.

    Every method takes one state or a batch (leading axes), writes into `out=` if given, and computes on `threads=`
    threads if there are many states. `q` has shape (..., nq), `v` and `a` have shape (..., nv). The base twist, frame
    twists and Jacobians are written in the robot's representation: linear part first, and for

    * "mixed": velocity of the frame's origin and angular velocity, both in world axes;
    * "body": the same in the frame's own axes (left-trivialised);
    * "inertial": velocity of the body-fixed point at the world's origin, in world axes (right-trivialised).
    """

    def pose(self, q: Any, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Pose `world_H_frame` (..., 4, 4) of a frame: rotation, position in the world, last row 0 0 0 1."""
        return self._evaluate(("pose", frame), (q,), out=out, threads=threads)

    def velocity(self, q: Any, v: Any, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Twist (..., 6) of a frame with respect to the world, equal to `jacobian(q, frame) @ v`."""
        return self._evaluate(("velocity", frame), (q, v), out=out, threads=threads)

    def acceleration(self, q: Any, v: Any, a: Any, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Rate of change (..., 6) of the components of a frame's twist. `a` is the rate of change of `v`."""
        return self._evaluate(("acceleration", frame), (q, v, a), out=out, threads=threads)

    def drift(self, q: Any, v: Any, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Product (..., 6) of the rate of a frame's Jacobian with `v`: its `acceleration` at `a = 0`."""
        return self._evaluate(("drift", frame), (q, v), out=out, threads=threads)

    def jacobian(self, q: Any, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Jacobian (..., 6, nv) of a frame: its twist is `jacobian @ v` (spec. equation (3.50) of Traversaro 2017)."""
        return self._evaluate(("jacobian", frame), (q,), out=out, threads=threads)

    def jacobian_rate(self, q: Any, v: Any, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Derivative (..., 6, nv) of `jacobian` along the motion. `acceleration` at `a = 0` is the product with `v`."""
        return self._evaluate(("jacobian_rate", frame), (q, v), out=out, threads=threads)

    def relative_pose(self, q: Any, reference: str, frame: str, *, out: Any = None, threads: int | None = None) -> Any:
        """Pose `reference_H_frame` (..., 4, 4) of a frame relative to another."""
        return self._evaluate(("relative_pose", reference, frame), (q,), out=out, threads=threads)

    def relative_velocity(
        self, q: Any, v: Any, reference: str, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Twist (..., 6) of a frame relative to another, which takes the place of the world in the representation."""
        return self._evaluate(("relative_velocity", reference, frame), (q, v), out=out, threads=threads)

    def relative_jacobian(
        self, q: Any, reference: str, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Jacobian (..., 6, nv): `relative_velocity` is `relative_jacobian @ v`; a base's columns are zero."""
        return self._evaluate(("relative_jacobian", reference, frame), (q,), out=out, threads=threads)

    def relative_jacobian_rate(
        self, q: Any, v: Any, reference: str, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Derivative (..., 6, nv) of `relative_jacobian` along the motion."""
        return self._evaluate(("relative_jacobian_rate", reference, frame), (q, v), out=out, threads=threads)

    def com(self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None) -> Any:
        """Position (..., 3) of the centre of mass in the world."""
        return self._evaluate(("com",), (q,), out=out, threads=threads, parameters=parameters)

    def com_velocity(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        """Velocity (..., 3) of the centre of mass in the world."""
        return self._evaluate(("com_velocity",), (q, v), out=out, threads=threads, parameters=parameters)

    def com_jacobian(self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None) -> Any:
        """Jacobian (..., 3, nv) of the centre of mass: its velocity is `com_jacobian @ v`."""
        return self._evaluate(("com_jacobian",), (q,), out=out, threads=threads, parameters=parameters)
