"""Changes of the variables a robot's motion is written in, and regressors of its parts.

These methods run the algorithms on arrays of numbers as they are, without compiling them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore

if TYPE_CHECKING:
    from floatbase.algorithms import Change


class Changes(RobotCore):
    r"""Changes $\tilde\nu = T \nu$ of the base's part of the velocity: see `floatbase.algorithms.changes`.

    A change takes velocities, accelerations, generalised forces, Jacobians, mass and Coriolis matrices along.
    """

    def change_of_base(self, q: Any, v: Any, link: str) -> Change:
        """To the twist of another link, in the robot's representation (theorem 3.3 of Traversaro 2017)."""
        from floatbase.algorithms import change_of_base

        return change_of_base(self.tree, q, v, link)

    def change_to_compound_frame(self, q: Any, v: Any, origin: str, axes: str) -> Change:
        """To the velocity of the origin of one frame and the angular velocity of another ("mixed")."""
        from floatbase.algorithms import change_to_compound_frame

        return change_to_compound_frame(self.tree, q, v, origin, axes)

    def change_to_center_of_mass(self, q: Any, v: Any) -> Change:
        """To the velocity of the centre of mass and the angular velocity of the base ("mixed")."""
        from floatbase.algorithms import change_to_center_of_mass

        return change_to_center_of_mass(self.tree, q, v)

    def change_to_average_velocity(self, q: Any, v: Any) -> Change:
        """To the average velocity, in which the mass matrix is block diagonal ("mixed")."""
        from floatbase.algorithms import change_to_average_velocity

        return change_to_average_velocity(self.tree, q, v)

    def centroidal_momentum_matrix_rate(self, q: Any, v: Any) -> Any:
        r"""Derivative $\dot A_G$ (..., 6, nv) of the centroidal momentum matrix ("mixed")."""
        from floatbase.algorithms import centroidal_momentum_matrix_rate

        return centroidal_momentum_matrix_rate(self.tree, q, v)

    def submodel_parameters(self, submodel: int) -> Any:
        """Inertial parameters of one of the parts that force/torque sensors cut the robot into."""
        from floatbase.algorithms import submodel_parameters

        return submodel_parameters(self.tree, submodel)

    def submodel_regressor(self, q: Any, v: Any, a: Any, submodel: int, frame: str) -> Any:
        """Matrix (..., 6, 10 k) from a part's inertial parameters to the wrench that moves it, at a frame."""
        from floatbase.algorithms import submodel_regressor

        return submodel_regressor(self.tree, q, v, a, submodel, frame)

    def local_torque_regressor(self, q: Any, v: Any, a: Any, joint: str, sensor: str) -> tuple[Any, Any]:
        """Rows from the parameters of a part, and from the wrench of the nearest sensor, to the torque of a joint."""
        from floatbase.algorithms import local_torque_regressor

        return local_torque_regressor(self.tree, q, v, a, joint, sensor)
