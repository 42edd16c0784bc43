"""Momentum about the centre of mass: the centroidal methods of a robot."""

from __future__ import annotations

from typing import Any

from floatbase.robot.core import RobotCore


class Centroidal(RobotCore):
    r"""Linear and angular momentum about the centre of mass, in world axes in every representation.

    They are $h = A_G \nu$, with $\dot h = [m g; 0] + \sum f$ for the external wrenches f about the centre of mass.
    `parameters` (..., 10 n_bodies) are inertial parameters that stand for the robot's own in this call.
    """

    def centroidal_momentum(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        """Linear and angular momentum (..., 6) about the centre of mass (3.84 of Traversaro 2017)."""
        return self._evaluate(("centroidal_momentum",), (q, v), out=out, threads=threads, parameters=parameters)

    def centroidal_momentum_matrix(
        self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        """Matrix `A_G` (..., 6, nv): the centroidal momentum is `A_G @ v`."""
        return self._evaluate(("centroidal_momentum_matrix",), (q,), out=out, threads=threads, parameters=parameters)

    def centroidal_momentum_matrix_rate(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Derivative $\dot A_G$ (..., 6, nv) of the centroidal momentum matrix along the motion."""
        request = ("centroidal_momentum_matrix_rate",)
        return self._evaluate(request, (q, v), out=out, threads=threads, parameters=parameters)

    def centroidal_momentum_rate(
        self, q: Any, v: Any, a: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Rate $A_G \dot\nu + \dot A_G \nu$ (..., 6) of the centroidal momentum."""
        return self._evaluate(("centroidal_momentum_rate",), (q, v, a), out=out, threads=threads, parameters=parameters)

    def centroidal_momentum_drift(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Part $\dot A_G \nu$ (..., 6) of the rate of the centroidal momentum that velocities alone cause."""
        return self._evaluate(("centroidal_momentum_drift",), (q, v), out=out, threads=threads, parameters=parameters)

    def locked_inertia(self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None) -> Any:
        """Inertia (..., 6, 6) about the centre of mass, in world axes, of the robot with its joints locked."""
        return self._evaluate(("locked_inertia",), (q,), out=out, threads=threads, parameters=parameters)

    def average_velocity(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        """Twist (..., 6) of the robot if its joints locked at once: velocity of the centre of mass, average angular."""
        return self._evaluate(("average_velocity",), (q, v), out=out, threads=threads, parameters=parameters)
