"""Changes of the variables a robot's motion is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floatbase.robot.core import RobotCore

if TYPE_CHECKING:
    from floatbase.model.tree import Representation
    from floatbase.results import Change


class Changes(RobotCore):
    r"""Changes $\tilde\nu = T \nu$ of the base's part of the velocity: see `floatbase.algorithms.changes`.

    A change takes velocities, accelerations, generalised forces, Jacobians, mass and Coriolis matrices along. Matrices
    `.matrix`, `.inverse`, `.inverse_rate` (..., nv, nv) come from one compiled function, to which `out` is a tuple of
    three arrays; their products with what is taken along are NumPy's. `parameters`: see `Dynamics`.
    """

    def change_of_base(self, q: Any, v: Any, link: str, *, out: Any = None, threads: int | None = None) -> Change:
        """To the twist of another link, in the robot's representation (theorem 3.3 of Traversaro 2017)."""
        return self._evaluate(("change_of_base", link), (q, v), out=out, threads=threads)  # type: ignore[no-any-return]

    def change_of_representation(
        self, q: Any, v: Any, representation: Representation, *, out: Any = None, threads: int | None = None
    ) -> Change:
        """To the base's twist in another representation."""
        request = ("change_of_representation", representation)
        return self._evaluate(request, (q, v), out=out, threads=threads)  # type: ignore[no-any-return]

    def change_to_compound_frame(
        self, q: Any, v: Any, origin: str, axes: str, *, out: Any = None, threads: int | None = None
    ) -> Change:
        """To the velocity of the origin of one frame and the angular velocity of another ("mixed")."""
        request = ("change_to_compound_frame", origin, axes)
        return self._evaluate(request, (q, v), out=out, threads=threads)  # type: ignore[no-any-return]

    def change_to_center_of_mass(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Change:
        """To the velocity of the centre of mass and the angular velocity of the base ("mixed")."""
        request = ("change_to_center_of_mass",)
        return self._evaluate(request, (q, v), out=out, threads=threads, parameters=parameters)  # type: ignore[no-any-return]

    def change_to_average_velocity(
        self, q: Any, v: Any, *, parameters: Any = None, out: Any = None, threads: int | None = None
    ) -> Change:
        """To the average velocity, in which the mass matrix is block diagonal ("mixed")."""
        request = ("change_to_average_velocity",)
        return self._evaluate(request, (q, v), out=out, threads=threads, parameters=parameters)  # type: ignore[no-any-return]
