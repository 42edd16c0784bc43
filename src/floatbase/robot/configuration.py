"""Configurations on their manifold: moving along a velocity, and the velocity between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from floatbase.compiler.gpu.libraries import on_device
from floatbase.compiler.symbol_arrays import as_symbols, casadi_arrays, is_symbolic
from floatbase.errors import ArgumentError, StateError
from floatbase.robot.core import RobotCore

if TYPE_CHECKING:
    from floatbase.results import DifferenceDerivatives, IntegrationDerivatives


class Configuration(RobotCore):
    """What configurations have instead of addition and subtraction."""

    def integrate(self, q: Any, v: Any, dt: Any = 1.0, *, out: Any = None, threads: int | None = None) -> Any:
        r"""Configuration (..., nq) after moving from `q` at `v` for a time `dt`, a number or one for each state.

        The components of `v` are held constant in the robot's representation, exactly: the base's pose becomes
        $H \exp(v\,dt)$ ("body"), $\exp(v\,dt) H$ ("inertial"), or its position moves by $v\,dt$ while its attitude
        becomes $\exp(\omega\,dt) R$ ("mixed"). Spherical joints turn by the exponential of their velocity.
        """
        try:
            return self._evaluate(("integrate",), (q, _step(v, dt)), out=out, threads=threads)
        except StateError:
            _check_time("integrate", v, dt)
            raise

    def difference(self, q: Any, q_end: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """Velocity (..., nv) that leads from `q` to `q_end` in unit time: the inverse of `integrate`."""
        return self._evaluate(("difference",), (q, q_end), out=out, threads=threads)

    def integrate_derivatives(
        self, q: Any, v: Any, dt: Any = 1.0, *, out: Any = None, threads: int | None = None
    ) -> IntegrationDerivatives:
        """Derivatives `.dq`, `.dv` (..., nv, nv) of `integrate` with respect to `q` and to `v`.

        Changes of configurations are velocities that make them in unit time. `out` is a tuple of two arrays.
        """
        request = ("integrate_derivatives",)
        return self._evaluate(request, (q, v, dt), out=out, threads=threads)  # type: ignore[no-any-return]

    def difference_derivatives(
        self, q: Any, q_end: Any, *, out: Any = None, threads: int | None = None
    ) -> DifferenceDerivatives:
        """Derivatives `.dq`, `.dq_end` (..., nv, nv) of `difference` with respect to where it starts and ends.

        Changes of configurations are velocities that make them in unit time. `out` is a tuple of two arrays.
        """
        request = ("difference_derivatives",)
        return self._evaluate(request, (q, q_end), out=out, threads=threads)  # type: ignore[no-any-return]


def _step(v: Any, dt: Any) -> Any:
    """`v dt`, in single precision if `v` is and `dt` is a plain number."""
    if isinstance(dt, float) and dt == 1.0:
        return v
    if casadi_arrays(v, dt):
        return v * dt
    if on_device((v,)):
        return v * (dt[..., None] if on_device((dt,)) else dt)
    if is_symbolic(v, dt):
        return as_symbols(v) * as_symbols(dt)[..., None]
    try:
        return np.asanyarray(v) * (dt if isinstance(dt, float | int) else np.asanyarray(dt)[..., None])
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"integrate: v and dt must be numbers, one time or one for each state, got shapes {np.shape(v)} and "
            f"{np.shape(dt)} ({error})"
        ) from None


def _check_time(name: str, v: Any, dt: Any) -> None:
    """Raise the error that says that it was the time, not the state, that made the product with `v` infinite or NaN."""
    if on_device((v, dt)):
        return
    if not np.isfinite(np.asarray(dt, dtype=np.float64)).all():
        raise StateError(f"{name}: argument 'dt' must be finite, got {dt}") from None
    if np.isfinite(v).all() and not np.isfinite(_step(v, dt)).all():
        raise StateError(f"{name}: the product of v and dt={dt} overflows") from None
