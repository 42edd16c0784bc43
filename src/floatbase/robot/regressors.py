"""Inertial parameters, and what is linear in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, ShapeError
from floatbase.model.inertia import inertia_from_parameters
from floatbase.robot.core import RobotCore


class Regressors(RobotCore):
    r"""The inertial parameters of a robot, $\phi$ (10 n_bodies,), ten for each of `body_names`.

    They are $m,\ m c_x,\ m c_y,\ m c_z,\ I_{xx},\ I_{xy},\ I_{xz},\ I_{yy},\ I_{yz},\ I_{zz}$ about the origin and in
    the axes of the link that the body is named after, with all links fixed to it. Neither the order nor these links
    depend on the base, so one $\phi$ serves the robot from any base.
    """

    @property
    def inertial_parameters(self) -> npt.NDArray[np.float64]:
        """The robot's own parameters (10 n_bodies,)."""
        from floatbase.spatial.inertias import transform_parameters
        from floatbase.spatial.poses import invert_pose

        tree = self.tree
        bodies = [tree.bodies[number] for number in tree.order]
        parts = [transform_parameters(invert_pose(tree.frames[body.name][1]), body.parameters) for body in bodies]
        result: npt.NDArray[np.float64] = np.concatenate(parts)
        return result

    def with_inertial_parameters(self, parameters: Any) -> Self:
        """The same robot with other inertial parameters (10 n_bodies,).

        The link each body is named after gets the body's inertia; links fixed to it become massless.
        """
        try:
            phi = np.asarray(parameters, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"parameters are no array of numbers ({error})") from None
        if phi.shape != (10 * self.n_bodies,):
            raise ShapeError(f"parameters have shape {phi.shape}; robot {self.name!r} needs ({10 * self.n_bodies},)")
        if not np.isfinite(phi).all():
            raise ArgumentError("parameters contain NaN or infinity")
        own = {name: phi[10 * k : 10 * k + 10] for k, name in enumerate(self.body_names)}
        described = {link.name for link in self.model.links}
        for name, ten in own.items():
            if name not in described and ten.any():
                raise ArgumentError(
                    f"parameters give a mass to {name!r}, the cross of a universal joint, which is no link of the "
                    "description; they must be zero there"
                )
        links = tuple(
            replace(link, inertia=inertia_from_parameters(own[link.name]) if link.name in own else None)
            for link in self.model.links
        )
        return type(self)(replace(self.model, links=links), **self._settings)

    def regressor(self, q: Any, v: Any, a: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """Matrix `Y` (..., nv, 10 n_bodies) with `inverse_dynamics(q, v, a) = Y phi` (7.3 of Traversaro 2017).

        What accelerates rotors is no part of it.
        """
        return self._evaluate(("regressor",), (q, v, a), out=out, threads=threads)

    def base_regressor(self, q: Any, v: Any, a: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """The rows (..., 6, 10 n_bodies) of `regressor` for a floating base, which need no joint torques."""
        return self._evaluate(("base_regressor",), (q, v, a), out=out, threads=threads)

    def momentum_regressor(self, q: Any, v: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """Matrix (..., nv, 10 n_bodies) whose product with the parameters is `mass_matrix(q) @ v`."""
        return self._evaluate(("momentum_regressor",), (q, v), out=out, threads=threads)

    def kinetic_energy_regressor(self, q: Any, v: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """Vector (..., 10 n_bodies) whose product with the parameters is the kinetic energy."""
        return self._evaluate(("kinetic_energy_regressor",), (q, v), out=out, threads=threads)

    def potential_energy_regressor(self, q: Any, *, out: Any = None, threads: int | None = None) -> Any:
        """Vector (..., 10 n_bodies) whose product with the parameters is the potential energy."""
        return self._evaluate(("potential_energy_regressor",), (q,), out=out, threads=threads)
