"""Forces and motion: the dynamic methods of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from floatbase.robot.core import RobotCore


class Dynamics(RobotCore):
    r"""The equations of motion $M(q)\dot\nu + C(q,\nu)\nu + G(q) = \tau + \sum_k J_k^T f_k$ and their parts.

    Generalised forces have shape (..., nv): for a floating base the first six are the wrench on the base (zero for a
    robot that nothing pushes), in the robot's representation. `wrenches={"frame": f}` are wrenches f (..., 6), force
    first, that the environment applies on the robot at a frame, written as that frame's twist is: "mixed" at its origin
    in world axes, "body" in its own axes, "inertial" at the world's origin.

    `parameters` (..., 10 n_bodies) are inertial parameters that stand for the robot's own in this call, one set for all
    states or one for each (see `Robot.inertial_parameters`).
    """

    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        a: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        r"""Generalised forces $\tau = M \dot\nu + C \nu + G - \sum_k J_k^T f_k$ (..., nv), by Newton-Euler recursion.

        `a` (..., nv) is the rate of change of the components of `v`. Spec. (3.52) of Traversaro 2017, table 4.1 of
        Bos 2019.
        """
        return self._evaluate(
            ("inverse_dynamics",), (q, v, a), wrenches, out=out, threads=threads, parameters=parameters
        )

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        r"""Accelerations $\dot\nu = M^{-1}(\tau + \sum_k J_k^T f_k - C \nu - G)$ (..., nv), by articulated bodies.

        `tau` (..., nv) includes the wrench on a floating base, normally zero. Table E.6 of Bos 2019, signs corrected.
        """
        return self._evaluate(
            ("forward_dynamics",), (q, v, tau), wrenches, out=out, threads=threads, parameters=parameters
        )

    def sensor_inverse_dynamics(
        self,
        s: Any,
        s_dot: Any,
        s_ddot: Any,
        proper_acceleration: Any,
        omega: Any,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """Base wrench and joint torques (..., 6 + joints) from joint motion and an inertial unit on the base.

        `proper_acceleration` (..., 6) is that of the base's origin relative to free fall, which an accelerometer
        measures, and the angular acceleration; `omega` (..., 3) the angular velocity; both in base axes, as the wrench
        is. Neither attitude nor velocity of the base is needed (3.64 of Traversaro 2017).
        """
        arrays = (s, s_dot, s_ddot, proper_acceleration, omega)
        return self._evaluate(("sensor_inverse_dynamics",), arrays, None, out, threads, parameters)

    def hybrid_dynamics(
        self,
        q: Any,
        v: Any,
        s_ddot: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """The base's acceleration and the joint torques (..., nv) of a floating robot whose joints accelerate as told.

        `s_ddot` (..., nv - 6); nothing but gravity and `wrenches` pushes the base. (2.61) of Bos 2019.
        """
        return self._evaluate(("hybrid_dynamics",), (q, v, s_ddot), wrenches, out, threads, parameters)

    def mass_matrix(self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None) -> Any:
        """Mass matrix $M$ (..., nv, nv), symmetric, by composite rigid bodies (3.54 of Traversaro 2017)."""
        return self._evaluate(("mass_matrix",), (q,), out=out, threads=threads, parameters=parameters)

    def inverse_mass_matrix(
        self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Inverse $M^{-1}$ (..., nv, nv) of the mass matrix, from its factors along the branches of the tree."""
        return self._evaluate(("inverse_mass_matrix",), (q,), out=out, threads=threads, parameters=parameters)

    def coriolis_matrix(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Matrix $C$ (..., nv, nv) with $C \nu + G$ the bias and $\dot M - 2C$ skew (3.58 of Traversaro 2017)."""
        return self._evaluate(("coriolis_matrix",), (q, v), out=out, threads=threads, parameters=parameters)

    def operational_space_inertia(
        self, q: Any, frame: str, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Inertia $(J M^{-1} J^T)^{-1}$ (..., 6, 6) that a frame shows to a wrench; it must be able to move freely."""
        request = ("operational_space_inertia", frame)
        return self._evaluate(request, (q,), out=out, threads=threads, parameters=parameters)

    def operational_space_mobility(
        self, q: Any, frame: str, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Mobility $J M^{-1} J^T$ (..., 6, 6): the acceleration of a frame for a unit of each component of wrench."""
        request = ("operational_space_mobility", frame)
        return self._evaluate(request, (q,), out=out, threads=threads, parameters=parameters)

    def bias(
        self,
        q: Any,
        v: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        r"""Bias forces $C \nu + G - \sum_k J_k^T f_k$ (..., nv): inverse dynamics at zero acceleration."""
        return self._evaluate(("bias",), (q, v), wrenches, out, threads, parameters)

    def gravity(self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None) -> Any:
        """Generalised gravity forces $G$ (..., nv), the gradient of the potential energy."""
        return self._evaluate(("gravity",), (q,), out=out, threads=threads, parameters=parameters)

    def kinetic_energy(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Kinetic energy $\frac12 \nu^T M \nu$ (...,) in J."""
        return self._evaluate(("kinetic_energy",), (q, v), out=out, threads=threads, parameters=parameters)

    def potential_energy(self, q: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None) -> Any:
        r"""Potential energy $-m\,g^T p_{com}$ (...,) in J, zero at the world's origin."""
        return self._evaluate(("potential_energy",), (q,), out=out, threads=threads, parameters=parameters)
