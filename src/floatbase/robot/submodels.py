"""The parts that force/torque sensors cut a robot into: their inertial parameters, regressors and wrenches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore
from floatbase.robot.requests import listed
from floatbase.robot.states import check_state

if TYPE_CHECKING:
    from floatbase.results import LocalTorqueRegressor


class Submodels(RobotCore):
    """Parts of a robot that is loaded with `keep_force_sensors=True`: see `floatbase.algorithms.submodel_regressors`.

    Regressors are linear in the inertial parameters and do not depend on them.
    """

    def submodel_parameters(self, submodel: int) -> Any:
        """Inertial parameters (10 k,) of a part, constants of the description: nothing to compile."""
        from floatbase.algorithms import submodel_parameters

        return submodel_parameters(self.tree, submodel)

    def submodel_regressor(
        self, q: Any, v: Any, a: Any, submodel: int, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Any:
        """Matrix (..., 6, 10 k) from a part's inertial parameters to the wrench that moves it, at a frame."""
        return self._evaluate(("submodel_regressor", submodel, frame), (q, v, a), out=out, threads=threads)

    def stacked_submodel_regressor(
        self, q: Any, v: Any, a: Any, frames: Sequence[str], *, out: Any = None, threads: int | None = None
    ) -> Any:
        """The matrices of all parts, about a frame each, as the blocks of one (..., 6 (n + 1), 10 k)."""
        request = ("stacked_submodel_regressor", *listed("frames", frames, distinct=False))
        return self._evaluate(request, (q, v, a), out=out, threads=threads)

    def submodel_wrench(self, q: Any, submodel: int, frame: str, sensors: Mapping[str, Any]) -> Any:
        """What the sensors at its cuts, by the name of their joints, apply on a part (..., 6), at a frame.

        This is not compiled, as it moves a few wrenches that may come from anywhere: poses are, and `pose` has them.
        """
        from floatbase.algorithms import submodel_wrench

        (q,) = check_state(self.tree, "submodel_wrench", q=q)
        return submodel_wrench(self.tree, q, submodel, frame, sensors)

    def local_torque_regressor(
        self, q: Any, v: Any, a: Any, joint: str, sensor: str, *, out: Any = None, threads: int | None = None
    ) -> LocalTorqueRegressor:
        """Rows from the parameters of a part, and from the wrench of the nearest sensor, to the torque of a joint.

        `.by_parameters` (..., 10 k) and `.by_wrench` (..., 6); `out` is a tuple of two arrays.
        """
        request = ("local_torque_regressor", joint, sensor)
        return self._evaluate(request, (q, v, a), out=out, threads=threads)  # type: ignore[no-any-return]
