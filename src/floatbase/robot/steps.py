"""Steps of time, what changes of a state become in one, and along a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.results import Step, TrajectorySensitivities
from floatbase.robot.core import RobotCore
from floatbase.robot.states import check_state

if TYPE_CHECKING:
    from floatbase.results import StepDerivatives


class Steps(RobotCore):
    r"""One step of time `dt`, a number or one for each state, with joint forces and external wrenches held constant.

    | method | order | |
    |---|---|---|
    | "semi-implicit" | 1 | the new velocity moves the configuration; energies stay bounded if the inertia is constant |
    | "explicit" | 1 | the old velocity moves the configuration |
    | "rk4" | 4 | Runge and Kutta's stages, composed on the group without commutators |
    | "midpoint" | 2 | implicit; undoes itself in reversed time, energies stay bounded; an error if not solved |

    Configurations move as `integrate` does. The components of wrenches are constant during a step as the representation
    writes them: they move with their links in "body" representation, stand in the world in "inertial". Changes of a
    state $z = (\delta, \epsilon)$ are as in `linearize`.
    """

    def step(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        method: str = "semi-implicit",
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Step:
        """The state `.q` (..., nq), `.v` (..., nv) after a step; `out` is a tuple of two arrays."""
        return self._evaluate(  # type: ignore[no-any-return]
            ("step", method), (q, v, tau, dt), wrenches, out=out, threads=threads, parameters=parameters
        )

    def step_derivatives(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        method: str = "semi-implicit",
        inputs: str = "joints",
        chart: str | None = None,
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> StepDerivatives:
        r"""What changes become in a step, exactly: `.A` (..., 2 nv, 2 nv), `.B` (..., 2 nv, number of joint rates).

        $z_{k+1} = A z_k + B w_k$ with changes z of the states before and after, in the `chart` (see `linearize`) at
        each of them, and w of the joint forces or, with `inputs="all"`, of all generalised forces: `.B` is
        (..., 2 nv, nv), and `.B @ S` for a constant map S of inputs to them. The components of wrenches are held fixed,
        during the step as well. `out` is a tuple of two arrays.
        """
        request: tuple[str, ...] = ("step_derivatives", method)
        if inputs != "joints" or chart is not None:
            request = (*request, *self._options(("inputs", inputs), ("chart", chart)))
        return self._evaluate(  # type: ignore[no-any-return]
            request, (q, v, tau, dt), wrenches, out=out, threads=threads, parameters=parameters
        )

    def step_parameter_derivatives(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        method: str = "semi-implicit",
        parameters: Any = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Any:
        """The derivative (..., 2 nv, 10 n_bodies) of the state after a step by inertial parameters."""
        request = ("step_parameter_derivatives", method)
        return self._evaluate(request, (q, v, tau, dt), wrenches, out=out, threads=threads, parameters=parameters)

    def trajectory_sensitivities(
        self,
        q: Any,
        v: Any,
        tau: Any,
        dt: Any,
        wrenches: Mapping[str, Any] | None = None,
        *,
        method: str = "semi-implicit",
        parameters: Any = None,
    ) -> TrajectorySensitivities:
        r"""States `.q`, `.v` in K steps under `tau` (..., K, nv), and their derivatives `.by_start`, `.by_parameters`.

        With $A_k$ and $P_k$ the derivatives of step k by the state before it and by the inertial parameters,
        $S_{k+1} = A_k S_k + P_k$ from zero, or without $P_k$ from one. Wrenches are (6,) for all steps, or
        (..., K, 6); their components are held fixed. What is identified by comparing a measured motion with a
        simulated one changes the last by `by_parameters` times the change of the parameters:

        ```python
        motion = robot.trajectory_sensitivities(q, v, tau, dt)
        error = np.concatenate([robot.difference(motion.q, q_measured), v_measured - motion.v], axis=-1)
        S = motion.by_parameters.reshape(-1, 10 * robot.n_bodies)
        correction = np.linalg.lstsq(S, error.ravel(), rcond=1e-9)[0]
        ```
        """
        tau = np.asanyarray(tau)
        if tau.ndim < 2 or tau.shape[-1] != self.nv or tau.shape[-2] < 1:
            raise ShapeError(f"tau has shape {tau.shape}; robot {self.name!r} needs (..., K, {self.nv}), K steps")
        q, v = check_state(self.tree, "trajectory_sensitivities", q=q, v=v)
        count = tau.shape[-2]
        loads = None if wrenches is None else _by_step(wrenches, count)
        states = [Step(q, v)]
        for k in range(count):
            now = None if loads is None else {frame: load[..., k, :] for frame, load in loads.items()}
            states.append(self.step(*states[-1], tau[..., k, :], dt, now, method=method, parameters=parameters))
        batch = states[-1].q.shape[:-1]
        q_path = np.stack([np.broadcast_to(x, (*batch, self.nq)) for x, _ in states], axis=-2)
        v_path = np.stack([np.broadcast_to(x, (*batch, self.nv)) for _, x in states], axis=-2)
        arguments = q_path[..., :-1, :], v_path[..., :-1, :], tau, np.asanyarray(dt)[..., None], loads
        phi = None if parameters is None else np.asanyarray(parameters)[..., None, :]
        A = self.step_derivatives(*arguments, method=method, parameters=phi).A
        P = self.step_parameter_derivatives(*arguments, method=method, parameters=phi)
        by_start = [np.broadcast_to(np.eye(2 * self.nv, dtype=A.dtype), (*batch, *A.shape[-2:]))]
        by_parameters = [np.zeros((*batch, *P.shape[-2:]), P.dtype)]
        for k in range(count):
            by_start.append(A[..., k, :, :] @ by_start[-1])
            by_parameters.append(A[..., k, :, :] @ by_parameters[-1] + P[..., k, :, :])
        return TrajectorySensitivities(q_path, v_path, np.stack(by_start, axis=-3), np.stack(by_parameters, axis=-3))


def _by_step(wrenches: Any, count: int) -> dict[str, Any]:
    """Wrenches (..., count, 6), checked."""
    if not isinstance(wrenches, Mapping):
        raise ArgumentError(
            f"trajectory_sensitivities: wrenches must be a mapping of frames to wrenches, got {wrenches!r}"
        )
    found = {}
    for frame, wrench in wrenches.items():
        array = np.asanyarray(wrench)
        if array.shape != (6,) and (array.ndim < 2 or array.shape[-2:] != (count, 6)):
            raise ShapeError(f"the wrench at {frame!r} has shape {array.shape}; it must be (6,) or (..., {count}, 6)")
        found[frame] = np.broadcast_to(array, (count, 6)) if array.ndim == 1 else array
    return found
