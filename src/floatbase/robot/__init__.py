"""A robot: a model and the functions compiled for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from floatbase.robot.centroidal import Centroidal
from floatbase.robot.changes import Changes
from floatbase.robot.configuration import Configuration
from floatbase.robot.contacts import Contacts
from floatbase.robot.derivatives import Derivatives
from floatbase.robot.dynamics import Dynamics
from floatbase.robot.kinematic_derivatives import KinematicDerivatives
from floatbase.robot.kinematics import Kinematics
from floatbase.robot.products import Products
from floatbase.robot.regressors import Regressors
from floatbase.robot.steps import Steps
from floatbase.robot.submodels import Submodels

__all__ = ["Robot"]


class Robot(
    Configuration,
    Kinematics,
    Dynamics,
    Centroidal,
    Derivatives,
    KinematicDerivatives,
    Steps,
    Products,
    Regressors,
    Submodels,
    Contacts,
    Changes,
):
    """A robot as a user holds it: `floatbase.load` makes one.

    Its methods take one state or a batch of states, in NumPy arrays of float64 or float32, and run code compiled for
    this robot when first called (and kept on disk). Called with symbols they return expressions, with CasADi's
    expressions CasADi's. A robot never changes: `with_base` and the like return another one.
    """

    def with_representation(self, representation: str) -> Self:
        """The same robot with twists and wrenches written as "mixed", "body" or "inertial"."""
        return self._with(representation=representation)

    def with_base(self, link: str) -> Self:
        """The same robot with another link as its base. Orders of joints and bodies, and inertial parameters, stay."""
        return self._with(base=link)

    def with_gravity(self, gravity: Sequence[float]) -> Self:
        """The same robot under another gravitational acceleration (3,), in m/s^2."""
        return self._with(gravity=gravity)

    def with_joints(self, joints: Sequence[str], locked: Mapping[str, float] | None = None) -> Self:
        """The same robot with only the named joints free, the others locked at zero or at the positions given."""
        return self._with(joints=joints, locked=locked)
