"""Changes of the variables a robot's motion is written in, contacts, and regressors of its parts.

These methods run the algorithms on arrays of numbers as they are, without compiling them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from floatbase.model.tree import Representation
from floatbase.robot.core import RobotCore
from floatbase.robot.states import check_state

if TYPE_CHECKING:
    from floatbase.algorithms import BaseBalance, Change, ContactMotion


class Changes(RobotCore):
    r"""Changes $\tilde\nu = T \nu$ of the base's part of the velocity: see `floatbase.algorithms.changes`.

    A change takes velocities, accelerations, generalised forces, Jacobians, mass and Coriolis matrices along.
    """

    def change_of_base(self, q: Any, v: Any, link: str) -> Change:
        """To the twist of another link, in the robot's representation (theorem 3.3 of Traversaro 2017)."""
        from floatbase.algorithms import change_of_base

        q, v = check_state(self.tree, "change_of_base", q=q, v=v)
        return change_of_base(self.tree, q, v, link)

    def change_of_representation(self, q: Any, v: Any, representation: Representation) -> Change:
        """To the base's twist in another representation."""
        from floatbase.algorithms import change_of_representation

        q, v = check_state(self.tree, "change_of_representation", q=q, v=v)
        return change_of_representation(self.tree, q, v, representation)

    def change_to_compound_frame(self, q: Any, v: Any, origin: str, axes: str) -> Change:
        """To the velocity of the origin of one frame and the angular velocity of another ("mixed")."""
        from floatbase.algorithms import change_to_compound_frame

        q, v = check_state(self.tree, "change_to_compound_frame", q=q, v=v)
        return change_to_compound_frame(self.tree, q, v, origin, axes)

    def change_to_center_of_mass(self, q: Any, v: Any) -> Change:
        """To the velocity of the centre of mass and the angular velocity of the base ("mixed")."""
        from floatbase.algorithms import change_to_center_of_mass

        q, v = check_state(self.tree, "change_to_center_of_mass", q=q, v=v)
        return change_to_center_of_mass(self.tree, q, v)

    def change_to_average_velocity(self, q: Any, v: Any) -> Change:
        """To the average velocity, in which the mass matrix is block diagonal ("mixed")."""
        from floatbase.algorithms import change_to_average_velocity

        q, v = check_state(self.tree, "change_to_average_velocity", q=q, v=v)
        return change_to_average_velocity(self.tree, q, v)

    def centroidal_momentum_matrix_rate(self, q: Any, v: Any) -> Any:
        r"""Derivative $\dot A_G$ (..., 6, nv) of the centroidal momentum matrix ("mixed")."""
        from floatbase.algorithms import centroidal_momentum_matrix_rate

        q, v = check_state(self.tree, "centroidal_momentum_matrix_rate", q=q, v=v)
        return centroidal_momentum_matrix_rate(self.tree, q, v)

    def contact_dynamics(
        self, q: Any, v: Any, tau: Any, contacts: Sequence[str], *, parameters: Any = None
    ) -> ContactMotion:
        """Accelerations, and the wrenches that hold the frames `contacts` fast ((3.3.3), (3.3.7) of Romualdi 2022)."""
        from floatbase.algorithms import contact_dynamics

        q, v, tau = check_state(self.tree, "contact_dynamics", q=q, v=v, tau=tau)
        return contact_dynamics(self.tree, q, v, tau, contacts, parameters)

    def centroidal_wrench_matrix(self, q: Any, frames: Sequence[str], *, parameters: Any = None) -> Any:
        """Matrix (..., 6, 6 k) from wrenches at k frames to the rate of the momentum about the centre of mass."""
        from floatbase.algorithms import centroidal_wrench_matrix

        (q,) = check_state(self.tree, "centroidal_wrench_matrix", q=q)
        return centroidal_wrench_matrix(self.tree, q, frames, parameters)

    def generalized_forces(self, q: Any, wrenches: Mapping[str, Any]) -> Any:
        r"""Generalised forces $\sum_k J_k^T f_k$ (..., nv) of wrenches (..., 6) at frames."""
        from floatbase.algorithms import generalized_forces

        (q,) = check_state(self.tree, "generalized_forces", q=q)
        return generalized_forces(self.tree, q, wrenches)

    def base_balance(
        self, q: Any, v: Any, a: Any, wrenches: Mapping[str, Any] | None = None, *, parameters: Any = None
    ) -> BaseBalance:
        """The wrench (..., 6) that a motion would need at the base, and the size of the terms it is the sum of."""
        from floatbase.algorithms import base_balance

        q, v, a = check_state(self.tree, "base_balance", q=q, v=v, a=a)
        return base_balance(self.tree, q, v, a, wrenches, parameters)

    def submodel_parameters(self, submodel: int) -> Any:
        """Inertial parameters of one of the parts that force/torque sensors cut the robot into."""
        from floatbase.algorithms import submodel_parameters

        return submodel_parameters(self.tree, submodel)

    def submodel_regressor(self, q: Any, v: Any, a: Any, submodel: int, frame: str) -> Any:
        """Matrix (..., 6, 10 k) from a part's inertial parameters to the wrench that moves it, at a frame."""
        from floatbase.algorithms import submodel_regressor

        q, v, a = check_state(self.tree, "submodel_regressor", q=q, v=v, a=a)
        return submodel_regressor(self.tree, q, v, a, submodel, frame)

    def stacked_submodel_regressor(self, q: Any, v: Any, a: Any, frames: Sequence[str]) -> Any:
        """The matrices of all parts, about a frame each, as the blocks of one (..., 6 (n + 1), 10 k)."""
        from floatbase.algorithms import stacked_submodel_regressor

        q, v, a = check_state(self.tree, "stacked_submodel_regressor", q=q, v=v, a=a)
        return stacked_submodel_regressor(self.tree, q, v, a, frames)

    def submodel_wrench(self, q: Any, submodel: int, frame: str, sensors: Mapping[str, Any]) -> Any:
        """What the sensors at its cuts, by the name of their joints, apply on a part (..., 6), at a frame."""
        from floatbase.algorithms import submodel_wrench

        (q,) = check_state(self.tree, "submodel_wrench", q=q)
        return submodel_wrench(self.tree, q, submodel, frame, sensors)

    def local_torque_regressor(self, q: Any, v: Any, a: Any, joint: str, sensor: str) -> tuple[Any, Any]:
        """Rows from the parameters of a part, and from the wrench of the nearest sensor, to the torque of a joint."""
        from floatbase.algorithms import local_torque_regressor

        q, v, a = check_state(self.tree, "local_torque_regressor", q=q, v=v, a=a)
        return local_torque_regressor(self.tree, q, v, a, joint, sensor)
