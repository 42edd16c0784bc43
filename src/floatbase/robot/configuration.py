"""Configurations on their manifold: moving along a velocity, and the velocity between two of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.compiler.symbol_arrays import as_symbols, casadi_arrays, is_symbolic
from floatbase.errors import ArgumentError, StateError
from floatbase.robot.core import RobotCore
from floatbase.robot.states import check_state


class IntegrationDerivatives(NamedTuple):
    """Derivatives (..., nv, nv) of a configuration reached, as a velocity, with respect to the start and to `v`."""

    dq: Any
    dv: Any


class DifferenceDerivatives(NamedTuple):
    """Derivatives (..., nv, nv) of a difference with respect to the configuration it starts at and that it ends at."""

    dq: Any
    dq_end: Any


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

    def integrate_derivatives(self, q: Any, v: Any, dt: Any = 1.0) -> IntegrationDerivatives:
        """Derivatives of `integrate`. Changes of configurations are velocities that make them in unit time."""
        from floatbase.algorithms import integrate_derivatives

        try:
            q, step = check_state(self.tree, "integrate_derivatives", q=q, v=_step(v, dt))
        except StateError:
            _check_time("integrate_derivatives", v, dt)
            raise
        by_q, by_step = integrate_derivatives(self.tree, q, step)
        return IntegrationDerivatives(by_q, by_step * np.asanyarray(dt)[..., None, None])

    def difference_derivatives(self, q: Any, q_end: Any) -> DifferenceDerivatives:
        """Derivatives of `difference`. Changes of configurations are velocities that make them in unit time."""
        from floatbase.algorithms import difference_derivatives

        q, q_end = check_state(self.tree, "difference_derivatives", q=q, q_end=q_end)
        return DifferenceDerivatives(*difference_derivatives(self.tree, q, q_end))


def _step(v: Any, dt: Any) -> Any:
    """`v dt`, in single precision if `v` is and `dt` is a plain number."""
    if isinstance(dt, float) and dt == 1.0:
        return v
    if casadi_arrays(v, dt):
        return v * dt
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
    if not np.isfinite(np.asarray(dt, dtype=np.float64)).all():
        raise StateError(f"{name}: argument 'dt' must be finite, got {dt}") from None
    if np.isfinite(v).all() and not np.isfinite(_step(v, dt)).all():
        raise StateError(f"{name}: the product of v and dt={dt} overflows") from None
