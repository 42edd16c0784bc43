"""Derivatives of a robot's dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore

if TYPE_CHECKING:
    from floatbase.results import ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Linearization


class Derivatives(RobotCore):
    r"""What quantities change by when the state does.

    A derivative `dq` with respect to the configuration is along the robot's velocities, in its representation: column
    $j$ is $\tfrac{d}{d\epsilon} f(\mathrm{integrate}(q, \epsilon e_j), \dots)$. What is held fixed are the components
    of everything else: of the base's twist and its derivative, of wrenches. In "body" representation that is what moves
    with the base, in "inertial" what stands in the world, in "mixed" the directions alone.
    """

    def inverse_dynamics_derivatives(
        self,
        q: Any,
        v: Any,
        a: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> InverseDynamicsDerivatives:
        """Derivatives `.dq`, `.dv`, `.da` (..., nv, nv) of `inverse_dynamics`; `da` is the mass matrix.

        `out` is a tuple of three arrays. An analytic recursion: Bos 2019, tables 4.2-4.5 with errata.
        """
        return self._evaluate(  # type: ignore[no-any-return]
            ("inverse_dynamics_derivatives",), (q, v, a), wrenches, out=out, threads=threads, parameters=parameters
        )

    def forward_dynamics_derivatives(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> ForwardDynamicsDerivatives:
        r"""Derivatives `.dq`, `.dv`, `.dtau` (..., nv, nv) of `forward_dynamics`; `dtau` is the inverse mass matrix.

        `out` is a tuple of three arrays. They are $-M^{-1}$ times those of inverse dynamics: Bos 2019, (4.45)-(4.50)
        with errata.
        """
        return self._evaluate(  # type: ignore[no-any-return]
            ("forward_dynamics_derivatives",), (q, v, tau), wrenches, out=out, threads=threads, parameters=parameters
        )

    def linearize(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        chart: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Linearization:
        r"""The linearised motion $\dot z = A z + B w$: `.A` (..., 2 nv, 2 nv), `.B` (..., 2 nv, number of joint rates).

        $z = (\delta, \epsilon)$ changes a state to $(\mathrm{integrate}(q, \delta), \nu + \epsilon)$, $w$ changes the
        forces of the joints. Held fixed are the components of wrenches and, where $\delta$ alone acts, of the velocity:
        in "body" representation the base's twist as the base sees it, in "inertial" the one in the world, in "mixed"
        the velocity of the origin and the angular velocity in the directions of the world. For a robot in "body"
        representation `chart="tangent"` takes $b = \epsilon - v \times \delta$ for the base's part of $\epsilon$,
        zero where the twist in the world is held fixed, and `chart="world"` its components in the world, ${}^AX_0 b$.

        `out` is a tuple of two arrays. Bos 2019, (3.20) and (3.42) with errata.
        """
        return self._evaluate(  # type: ignore[no-any-return]
            ("linearize", self.representation if chart is None else chart),
            (q, v, tau),
            wrenches,
            out=out,
            threads=threads,
            parameters=parameters,
        )

    def forward_dynamics_parameter_derivatives(
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
        r"""The derivative $-M^{-1} Y$ (..., nv, 10 n_bodies) of `forward_dynamics` by inertial parameters.

        $Y$ is the `regressor` at the acceleration that belongs to `tau`.
        """
        request = ("forward_dynamics_parameter_derivatives",)
        return self._evaluate(request, (q, v, tau), wrenches, out=out, threads=threads, parameters=parameters)
