"""Derivatives of what a robot's frames and its momentum do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore

if TYPE_CHECKING:
    from floatbase.results import (
        AccelerationDerivatives,
        CentroidalMomentumDerivatives,
        CentroidalMomentumRateDerivatives,
        ComVelocityDerivatives,
        VelocityDerivatives,
    )


class KinematicDerivatives(RobotCore):
    """How velocities, accelerations and momenta change with the state.

    `dq` is along the robot's velocities, as `integrate` moves the configuration; components are held fixed. The
    derivative of a pose is a column of its Jacobian (a twist), that of the centre of mass one of `com_jacobian`.
    """

    def velocity_derivatives(
        self, q: Any, v: Any, frame: str, *, out: Any = None, threads: int | None = None
    ) -> VelocityDerivatives:
        """Derivatives `.dq`, `.dv` (..., 6, nv) of the twist of a frame; `dv` is its Jacobian."""
        return self._evaluate(("velocity_derivatives", frame), (q, v), out=out, threads=threads)  # type: ignore[no-any-return]

    def acceleration_derivatives(
        self, q: Any, v: Any, a: Any, frame: str, *, out: Any = None, threads: int | None = None
    ) -> AccelerationDerivatives:
        """Derivatives `.dq`, `.dv`, `.da` (..., 6, nv) of the acceleration of a frame; `da` is its Jacobian."""
        return self._evaluate(("acceleration_derivatives", frame), (q, v, a), out=out, threads=threads)  # type: ignore[no-any-return]

    def jacobian_transpose_derivative(
        self, q: Any, wrench: Any, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Derivative (..., nv, nv) by the configuration of `jacobian(q, frame).T @ wrench`, with `wrench` (..., 6)."""
        return self._evaluate(("jacobian_transpose_derivative", frame), (q, wrench), out=out, threads=threads)

    def com_velocity_derivatives(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> ComVelocityDerivatives:
        """Derivatives `.dq`, `.dv` (..., 3, nv) of the velocity of the centre of mass."""
        request = ("com_velocity_derivatives",)
        return self._evaluate(request, (q, v), out=out, threads=threads, parameters=parameters)  # type: ignore[no-any-return]

    def centroidal_momentum_derivatives(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> CentroidalMomentumDerivatives:
        """Derivatives `.dq`, `.dv` (..., 6, nv) of the momentum; `dv` is the centroidal momentum matrix."""
        request = ("centroidal_momentum_derivatives",)
        return self._evaluate(request, (q, v), out=out, threads=threads, parameters=parameters)  # type: ignore[no-any-return]

    def centroidal_momentum_rate_derivatives(
        self, q: Any, v: Any, a: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> CentroidalMomentumRateDerivatives:
        """Derivatives `.dq`, `.dv`, `.da` (..., 6, nv) of the rate of the momentum."""
        request = ("centroidal_momentum_rate_derivatives",)
        return self._evaluate(request, (q, v, a), out=out, threads=threads, parameters=parameters)  # type: ignore[no-any-return]
