"""Products of derivatives with vectors, which need no matrix, and second derivatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore

if TYPE_CHECKING:
    from floatbase.algorithms.derivatives.second_order_tensors import SecondDerivativePattern
    from floatbase.results import (
        ForwardDynamicsGradient,
        InverseDynamicsGradient,
        InverseDynamicsHessian,
        StateGradient,
    )


class Products(RobotCore):
    r"""Derivatives times one vector, at a few times the cost of the dynamics themselves, and second derivatives.

    Changes of a state `z` (..., 2 nv) and vectors `p` by which gradients begin are those of `linearize`, in the chart
    of the representation; `chart_matrix` leads to others. `u` are changes of the joint forces or, with `inputs="all"`,
    of all generalised forces (..., nv). For inputs $f$ with $\tau = S f$, take `u = S @ f` and `S.T @ gradient.forces`.
    `wrenches_fixed` says what external wrenches are held fixed in: the "link", their "directions" or the "world" (see
    `inverse_dynamics_derivatives`); by default as the components of the representation are. In steps of time these are
    held.
    """

    def inverse_dynamics_product(
        self,
        q: Any,
        v: Any,
        a: Any,
        z: Any,
        w: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        r"""The change (..., nv) of `inverse_dynamics` with changes `z` of the state and `w` of the acceleration.

        With $z = (\delta, \epsilon)$ and $w$ (..., nv) that is $\frac{\partial\tau}{\partial q} \delta
        + \frac{\partial\tau}{\partial\nu} \epsilon + M w$.
        """
        request: tuple[str, ...] = ("inverse_dynamics_product",)
        if wrenches_fixed is not None:
            request = (*request, *self._options(("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(request, (q, v, a, z, w), wrenches, out=out, threads=threads, parameters=parameters)

    def inverse_dynamics_gradient(
        self,
        q: Any,
        v: Any,
        a: Any,
        w: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> InverseDynamicsGradient:
        """`w` (..., nv) times the derivatives of `inverse_dynamics`: `.dq`, `.dv`, `.da` (..., nv).

        `out` is a tuple of three arrays.
        """
        request: tuple[str, ...] = ("inverse_dynamics_gradient",)
        if wrenches_fixed is not None:
            request = (*request, *self._options(("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, a, w), wrenches, out=out, threads=threads, parameters=parameters
        )

    def forward_dynamics_product(
        self,
        q: Any,
        v: Any,
        tau: Any,
        z: Any,
        u: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        inputs: str = "joints",
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """The change (..., nv) of `forward_dynamics` with changes `z` of the state and `u` of inputs."""
        request: tuple[str, ...] = ("forward_dynamics_product",)
        if inputs != "joints" or wrenches_fixed is not None:
            request = (*request, *self._options(("inputs", inputs), ("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(request, (q, v, tau, z, u), wrenches, out=out, threads=threads, parameters=parameters)

    def forward_dynamics_gradient(
        self,
        q: Any,
        v: Any,
        tau: Any,
        w: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> ForwardDynamicsGradient:
        """`w` (..., nv) times the derivatives of `forward_dynamics`: `.dq`, `.dv`, `.dtau` (..., nv).

        `out` is a tuple of three arrays.
        """
        request: tuple[str, ...] = ("forward_dynamics_gradient",)
        if wrenches_fixed is not None:
            request = (*request, *self._options(("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau, w), wrenches, out=out, threads=threads, parameters=parameters
        )

    def linearize_product(
        self,
        q: Any,
        v: Any,
        tau: Any,
        z: Any,
        u: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        inputs: str = "joints",
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """`A z + B u` (..., 2 nv) with the matrices of `linearize` in the representation's own chart."""
        request: tuple[str, ...] = ("linearize_product",)
        if inputs != "joints" or wrenches_fixed is not None:
            request = (*request, *self._options(("inputs", inputs), ("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(request, (q, v, tau, z, u), wrenches, out=out, threads=threads, parameters=parameters)

    def linearize_gradient(
        self,
        q: Any,
        v: Any,
        tau: Any,
        p: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        inputs: str = "joints",
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> StateGradient:
        """`A^T p` and `B^T p`, as `.state` (..., 2 nv) and `.forces`, of `linearize`, in the representation's chart."""
        request: tuple[str, ...] = ("linearize_gradient",)
        if inputs != "joints" or wrenches_fixed is not None:
            request = (*request, *self._options(("inputs", inputs), ("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau, p), wrenches, out=out, threads=threads, parameters=parameters
        )

    def step_product(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: Any,
        z: Any,
        u: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        method: str = "semi-implicit",
        inputs: str = "joints",
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """`A z + B u` (..., 2 nv) with the matrices of `step_derivatives`."""
        request: tuple[str, ...] = ("step_product", method)
        if inputs != "joints":
            request = (*request, *self._options(("inputs", inputs)))
        return self._evaluate(request, (q, v, tau, dt, z, u), wrenches, out=out, threads=threads, parameters=parameters)

    def step_gradient(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: Any,
        p: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        method: str = "semi-implicit",
        inputs: str = "joints",
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> StateGradient:
        """`A^T p` and `B^T p`, as `.state` (..., 2 nv) and `.forces`, with the matrices of `step_derivatives`.

        Backwards over a horizon, the gradient of what is at its end:

        ```python
        for k in reversed(range(steps)):
            p, gradient[k] = robot.step_gradient(q[k], v[k], tau[k], dt, p)
        ```
        """
        request: tuple[str, ...] = ("step_gradient", method)
        if inputs != "joints":
            request = (*request, *self._options(("inputs", inputs)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau, dt, p), wrenches, out=out, threads=threads, parameters=parameters
        )

    def inverse_dynamics_hessian(
        self,
        q: Any,
        v: Any,
        a: Any,
        w: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> InverseDynamicsHessian:
        """Second derivatives of `w^T inverse_dynamics`: `.dqdq`, `.dqdv`, `.dvdv`, `.dqda` (..., nv, nv).

        Column `j` of `dqdq` is the derivative along velocity `j` of the gradient `inverse_dynamics_gradient(...).dq`.
        `out` is a tuple of four arrays.
        """
        request: tuple[str, ...] = ("inverse_dynamics_hessian",)
        if wrenches_fixed is not None:
            request = (*request, *self._options(("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, a, w), wrenches, out=out, threads=threads, parameters=parameters
        )

    def inverse_dynamics_second_derivatives(
        self,
        q: Any,
        v: Any,
        a: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        wrenches_fixed: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """All second derivatives of `inverse_dynamics` that are not zero (..., size).

        `robot.second_derivative_pattern` says where each stands, and makes tensors of them; with wrenches
        `robot.loaded_second_derivative_pattern(wrenches)` does. The largest program of all: for a humanoid it is
        compiled in about 6 s when it is first called, the contracted one of `inverse_dynamics_hessian` in 3 s.
        """
        request: tuple[str, ...] = ("inverse_dynamics_second_derivatives",)
        if wrenches_fixed is not None:
            request = (*request, *self._options(("wrenches_fixed", wrenches_fixed)))
        return self._evaluate(request, (q, v, a), wrenches, out=out, threads=threads, parameters=parameters)

    @property
    def second_derivative_pattern(self) -> SecondDerivativePattern:
        """Where the values of `inverse_dynamics_second_derivatives` stand in the four tensors (nv, nv, nv)."""
        return self.loaded_second_derivative_pattern(())

    def loaded_second_derivative_pattern(
        self, wrenches: Iterable[str], wrenches_fixed: str | None = None
    ) -> SecondDerivativePattern:
        """The same with external wrenches, given the frames they act at, or the mapping of frames to wrenches itself.

        The order of the frames is that in which the wrenches are given.
        """
        from floatbase.algorithms import second_derivative_pattern

        return second_derivative_pattern(self.tree, tuple(wrenches), wrenches_fixed)
