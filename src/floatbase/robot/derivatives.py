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
    with the base, in "inertial" what stands in the world, in "mixed" the directions alone. Both can be chosen.

    `chart`: coordinates of changes of the state, which say what is held when the base's pose changes.

    | chart | change of the base's pose | of its twist | held fixed where the pose alone changes |
    |---|---|---|---|
    | "body" | $\delta$, in the base's axes | $\epsilon$, as well | the twist as the base sees it |
    | "mixed" | in world axes | in world axes | velocity of the base's origin, angular velocity |
    | "inertial" | in the world | in the world | the twist in the world |
    | "tangent" | $\delta$ | $\epsilon - v \times \delta$ | the twist in the world |
    | "world" | $\delta$ | that, written in the world | the twist in the world |

    The first three are those of the representations, the default is one's own. A fixed base has one chart.

    `wrenches_fixed`: what external wrenches are held fixed in while the configuration changes: "link" (all of a wrench
    moves with its link, as the components in "body" representation do), "directions" (it moves along with the frame it
    acts at, and keeps its directions: "mixed") or "world" (it stays where it is: "inertial").
    """

    def inverse_dynamics_derivatives(
        self,
        q: Any,
        v: Any,
        a: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        chart: str | None = None,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> InverseDynamicsDerivatives:
        """Derivatives `.dq`, `.dv`, `.da` (..., nv, nv) of `inverse_dynamics`; `da` is the mass matrix.

        `dq` and `dv` are by the changes of configuration and velocity in the `chart`; the components of acceleration
        are held fixed, wrenches in what `wrenches_fixed` says. `out` is a tuple of three arrays. An analytic recursion:
        Bos 2019, tables 4.2-4.5 with errata, where the derivative by the pose is that of the chart "tangent".
        """
        request: tuple[str, ...] = ("inverse_dynamics_derivatives",)
        if chart is not None or wrenches_fixed is not None:
            request = (*request, *self._options(("chart", chart), ("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, a), wrenches, out=out, threads=threads, parameters=parameters
        )

    def forward_dynamics_derivatives(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        chart: str | None = None,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> ForwardDynamicsDerivatives:
        r"""Derivatives `.dq`, `.dv`, `.dtau` (..., nv, nv) of `forward_dynamics`; `dtau` is the inverse mass matrix.

        `dq` and `dv` are by the changes of configuration and velocity in the `chart`, of the acceleration's components
        in the representation; those of the forces are held fixed, wrenches in what `wrenches_fixed` says. `out` is a
        tuple of three arrays. They are $-M^{-1}$ times those of inverse dynamics: Bos 2019, (4.45)-(4.50) with errata.
        """
        request: tuple[str, ...] = ("forward_dynamics_derivatives",)
        if chart is not None or wrenches_fixed is not None:
            request = (*request, *self._options(("chart", chart), ("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau), wrenches, out=out, threads=threads, parameters=parameters
        )

    def linearize(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        chart: str | None = None,
        inputs: str = "joints",
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Linearization:
        r"""The linearised motion $\dot z = A z + B w$: `.A` (..., 2 nv, 2 nv), `.B` (..., 2 nv, number of joint rates).

        $z = (\delta, \epsilon)$ changes a state to $(\mathrm{integrate}(q, \delta), \nu + \epsilon)$, or has the
        coordinates of another `chart`; $w$ changes the forces of the joints. Held fixed are the components of forces,
        wrenches in what `wrenches_fixed` says and, where $\delta$ alone acts, of the velocity: in "body" representation
        the base's twist as the base sees it, in "inertial" the one in the world, in "mixed" the velocity of the origin
        and the angular velocity in the directions of the world.

        With `inputs="all"`, $w$ changes all generalised forces and `.B` is (..., 2 nv, nv). What acts on the robot by a
        constant map, such as thrusts $f$ with $\tau = S f$ in "body" representation, has the input matrix $B S$:

        ```python
        A, B = robot.linearize(q, v, S @ thrusts, inputs="all")
        B_thrusts = B @ S
        ```

        `out` is a tuple of two arrays. Bos 2019, (3.20) and (3.42) with errata.
        """
        request: tuple[str, ...] = ("linearize", self.representation if chart is None else chart)
        if inputs != "joints" or wrenches_fixed is not None:
            request = (*request, *self._options(("inputs", inputs), ("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau), wrenches, out=out, threads=threads, parameters=parameters
        )

    def chart_matrix(
        self, q: Any, v: Any, chart: str | None = None, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """`T` (..., 2 nv, 2 nv): `T z` is a change of the state in a `chart`, `z` in that of the representation.

        To compare two states in a chart, or to take matrix-free products there:

        ```python
        z = np.concatenate([robot.difference(q0, q1), v1 - v0])
        z_world = robot.chart_matrix(q0, v0, "world") @ z
        ```
        """
        request = ("chart_matrix", self.representation if chart is None else chart)
        return self._evaluate(request, (q, v), out=out, threads=threads)

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
