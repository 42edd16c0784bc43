r"""Pendulums: small robots whose equations are known in closed form.

A rod of length l and mass m that turns about its end by q from hanging down obeys
$(I + m l^2 / 4)\, \ddot q + \tfrac12 m g l \sin q = \tau$, with I its moment about the centre of mass. A body that
hangs on a spherical joint at the distance l, $r = (0, 0, -l)$ in body axes, obeys

$$ \Theta_S \dot\omega + \omega \times \Theta_S\, \omega = \tau + r \times m R^\top g, \qquad
   \Theta_S = \Theta - m\, r^\wedge r^\wedge . $$
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from floatbase.model.description import Frame, Inertia, Joint, Link, Model
from floatbase.model.library.shapes import cylinder, positive, solid
from floatbase.model.poses import shift

_PLATFORM = ((43.95, -4.08, -6.47), (-4.08, 33.02, 1.93), (-6.47, 1.93, 29.08))


def pendulum(mass: float = 1.0, length: float = 1.0, radius: float = 0.02) -> Model:
    """A rod that turns about y at its upper end; it hangs down at zero."""
    positive(mass=mass, length=length, radius=radius)
    rod = solid("rod", cylinder(mass, radius, (0, 0, 0), (0, 0, -length)))
    return Model("pendulum", (Link("world"), rod), (_hinge("pivot", "world", "rod"),), root="world")


def planar_double_pendulum(
    masses: Sequence[float] = (1.0, 1.0), lengths: Sequence[float] = (1.0, 1.0), radius: float = 0.02
) -> Model:
    """Two rods in a vertical plane, turning about y; both hang down at zero."""
    (upper_mass, lower_mass), (upper_length, lower_length) = masses, lengths
    positive(upper_mass=upper_mass, lower_mass=lower_mass, upper_length=upper_length, lower_length=lower_length)
    positive(radius=radius)
    links = (
        Link("world"),
        solid("upper_rod", cylinder(upper_mass, radius, (0, 0, 0), (0, 0, -upper_length))),
        solid("lower_rod", cylinder(lower_mass, radius, (0, 0, 0), (0, 0, -lower_length))),
    )
    joints = (_hinge("shoulder", "world", "upper_rod"), _hinge("elbow", "upper_rod", "lower_rod", upper_length))
    return Model("planar_double_pendulum", links, joints, root="world")


def spherical_pendulum(mass: float = 35.75, length: float = 3.0, tensor: npt.ArrayLike = _PLATFORM) -> Model:
    """A body on a massless rod that swings about a point; the rod is along z of the body.

    tensor: (3, 3), about the centre of mass. The defaults are those of a suspended platform (Rothammer 2021,
    table 5.2). The frame "center" is at the centre of mass.
    """
    positive(mass=mass, length=length)
    body = Link("body", Inertia(mass, np.array([0.0, 0.0, -length]), np.asarray(tensor, dtype=np.float64)))
    joint = Joint("suspension", "spherical", "world", "body", np.eye(4))
    center = Frame("center", "body", shift((0.0, 0.0, -length)))
    return Model("spherical_pendulum", (Link("world"), body), (joint,), (center,), root="world")


def _hinge(name: str, parent: str, child: str, below: float = 0.0) -> Joint:
    return Joint(name, "continuous", parent, child, shift((0.0, 0.0, -below)), np.array([0.0, 1.0, 0.0]))
