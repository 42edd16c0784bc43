"""Frames that are held fast, and what wrenches at frames do to a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore
from floatbase.robot.requests import listed

if TYPE_CHECKING:
    from floatbase.results import BaseBalance, ContactMotion


class Contacts(RobotCore):
    """Contacts are frames by their names; twists and wrenches are written in the robot's representation.

    `parameters`: see `Dynamics`.
    """

    def contact_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        contacts: Sequence[str],
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> ContactMotion:
        """Accelerations, and the wrenches that hold the frames `contacts` fast ((3.3.3), (3.3.7) of Romualdi 2022).

        Where contacts are redundant, the wrenches are those of least norm. `out` is a tuple of arrays: accelerations,
        and the wrench at each frame.
        """
        request = ("contact_dynamics", *listed("contacts", contacts))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau), out=out, threads=threads, parameters=parameters
        )

    def centroidal_wrench_matrix(
        self, q: Any, frames: Sequence[str], *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Any:
        """Matrix (..., 6, 6 k) from wrenches at k frames to the rate of the momentum about the centre of mass."""
        request = ("centroidal_wrench_matrix", *listed("frames", frames))
        return self._evaluate(request, (q,), out=out, threads=threads, parameters=parameters)

    def generalized_forces(
        self, q: Any, wrenches: Mapping[str, Any], *, out: Any = None, threads: int | None = None
    ) -> Any:
        r"""Generalised forces $\sum_k J_k^T f_k$ (..., nv) of wrenches (..., 6) at frames."""
        return self._evaluate(("generalized_forces",), (q,), wrenches, out=out, threads=threads)

    def base_balance(
        self,
        q: Any,
        v: Any,
        a: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> BaseBalance:
        """The wrench (..., 6) that a motion would need at the base, and the size (...) of the terms it is the sum of.

        `out` is a tuple of two arrays.
        """
        request = ("base_balance",)
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, a), wrenches, out=out, threads=threads, parameters=parameters
        )
