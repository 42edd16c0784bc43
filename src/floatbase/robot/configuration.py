"""Configurations on their manifold: moving along a velocity, and the velocity between two of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
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
        return self._evaluate(("integrate",), (q, _step(v, dt)), out=out, threads=threads)

    def difference(self, q: Any, q_end: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """Velocity (..., nv) that leads from `q` to `q_end` in unit time: the inverse of `integrate`."""
        return self._evaluate(("difference",), (q, q_end), out=out, threads=threads)

    def integrate_derivatives(self, q: Any, v: Any, dt: Any = 1.0) -> IntegrationDerivatives:
        """Derivatives of `integrate`. Changes of configurations are velocities that make them in unit time."""
        from floatbase.algorithms import integrate_derivatives

        q, step = check_state(self.tree, "integrate_derivatives", q=q, step=_step(v, dt))
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
    try:
        return np.asanyarray(v) * (dt if isinstance(dt, float | int) else np.asanyarray(dt)[..., None])
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"integrate: v and dt must be numbers, one time or one for each state, got shapes {np.shape(v)} and "
            f"{np.shape(dt)} ({error})"
        ) from None
