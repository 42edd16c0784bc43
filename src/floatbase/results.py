"""What functions with several results return: named tuples, whose fields say with respect to what.

`dq` is along the robot's velocities, as `integrate` moves the configuration; the components of everything else are held
fixed. All fields have leading batch axes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from floatbase.spatial.arrays import apply_matrix, transpose


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives (..., nv, nv) of the generalised force; that by `a` is the mass matrix."""

    dq: Any
    dv: Any
    da: Any


class InverseDynamicsHessian(NamedTuple):
    """Second derivatives (..., nv, nv) of `w . tau`; rows: the first one, columns: the second one.

    Those by `v` and `a`, by `a` and `a`, vanish.
    """

    dqdq: Any
    dqdv: Any
    dvdv: Any
    dqda: Any


class SecondDerivatives(NamedTuple):
    """Tensors (..., nv, nv, nv) of second derivatives of the generalised force.

    That of force `i` by `q[j]` and `v[k]` is at `(i, j, k)` of `dqdv`; `dqda` holds the derivative of the mass matrix's
    entry `(i, k)` by `q[j]`.
    """

    dqdq: Any
    dqdv: Any
    dvdv: Any
    dqda: Any


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives (..., nv, nv) of the acceleration; that by `tau` is the inverse of the mass matrix."""

    dq: Any
    dv: Any
    dtau: Any


class VelocityDerivatives(NamedTuple):
    """Derivatives (..., 6, nv) of a frame's twist; that by `v` is its Jacobian."""

    dq: Any
    dv: Any


class AccelerationDerivatives(NamedTuple):
    """Derivatives (..., 6, nv) of a frame's acceleration; that by `a` is its Jacobian."""

    dq: Any
    dv: Any
    da: Any


class ComVelocityDerivatives(NamedTuple):
    """Derivatives (..., 3, nv) of the velocity of the centre of mass; that by `v` is its Jacobian."""

    dq: Any
    dv: Any


class CentroidalMomentumDerivatives(NamedTuple):
    """Derivatives (..., 6, nv) of the centroidal momentum; that by `v` is its matrix."""

    dq: Any
    dv: Any


class CentroidalMomentumRateDerivatives(NamedTuple):
    """Derivatives (..., 6, nv) of the rate of the centroidal momentum; that by `a` is the matrix of the momentum."""

    dq: Any
    dv: Any
    da: Any


class InverseDynamicsGradient(NamedTuple):
    """A vector times the derivatives of inverse dynamics, (..., nv) each."""

    dq: Any
    dv: Any
    da: Any


class ForwardDynamicsGradient(NamedTuple):
    """A vector times the derivatives of forward dynamics, (..., nv) each."""

    dq: Any
    dv: Any
    dtau: Any


class StateGradient(NamedTuple):
    """A vector `p` times the matrices of a change of state: `state` (..., 2 nv) is `A^T p`, `forces` is `B^T p`."""

    state: Any
    forces: Any


class Linearization(NamedTuple):
    r"""`A` (..., 2 nv, 2 nv) and `B` (..., 2 nv, n) of $\dot z = A z + B w$, with changes z of the state in its tangent
    space and w of the n inputs, joint forces or all generalised ones.
    """

    A: Any
    B: Any


class Step(NamedTuple):
    """The state after a step of time: configuration (..., nq) and velocity (..., nv)."""

    q: Any
    v: Any


class StepDerivatives(NamedTuple):
    r"""`A` (..., 2 nv, 2 nv) and `B` (..., 2 nv, n) of $z_{k+1} = A z_k + B w_k$, with changes z of the states in their
    tangent spaces and w of the n inputs, joint forces or all generalised ones.
    """

    A: Any
    B: Any


class TrajectorySensitivities(NamedTuple):
    """States at K + 1 times, and the derivatives of each, as a change in its tangent space (..., K + 1, 2 nv, n).

    `by_start` is with respect to the first state (n = 2 nv), `by_parameters` to inertial parameters (10 n_bodies).
    """

    q: Any
    v: Any
    by_start: Any
    by_parameters: Any


class Change(NamedTuple):
    r"""A change of variables $\tilde\nu = T \nu$: `T`, its inverse, the inverse's derivative, all (..., nv, nv).

    The derivative is along the motion.
    """

    matrix: Any
    inverse: Any
    inverse_rate: Any

    def velocity(self, v: Any) -> Any:
        """New velocities (..., nv)."""
        return apply_matrix(self.matrix, v)

    def velocity_back(self, v: Any) -> Any:
        """The old velocities (..., nv) of new ones."""
        return apply_matrix(self.inverse, v)

    def acceleration(self, v: Any, a: Any) -> Any:
        """The derivative (..., nv) of the new velocities, from old velocities and their derivative."""
        return apply_matrix(self.matrix, a - apply_matrix(self.inverse_rate, self.velocity(v)))

    def force(self, tau: Any) -> Any:
        """Generalised forces (..., nv) for the new velocities; gravity forces likewise."""
        return apply_matrix(transpose(self.inverse), tau)

    def mass_matrix(self, M: Any) -> Any:
        """The mass matrix (..., nv, nv) for the new velocities."""
        return transpose(self.inverse) @ M @ self.inverse

    def coriolis_matrix(self, M: Any, C: Any) -> Any:
        """A Coriolis matrix (..., nv, nv) for the new velocities, admissible if `C` is."""
        return transpose(self.inverse) @ (M @ self.inverse_rate + C @ self.inverse)

    def jacobian(self, J: Any) -> Any:
        """The Jacobian (..., k, nv) for the new velocities of something with Jacobian `J`."""
        return J @ self.inverse


class BaseBalance(NamedTuple):
    """The wrench (..., 6) missing at the base, and the size (...) of the terms whose sum it is."""

    residual: Any
    scale: Any

    def holds(self, tolerance: float = 1e-9) -> Any:
        """Whether the residual is within `tolerance` of the size of its terms."""
        return np.linalg.norm(self.residual, axis=-1) <= tolerance * self.scale


class ContactMotion(NamedTuple):
    """Accelerations (..., nv), and the wrench (..., 6) on the robot at each frame, in the robot's representation."""

    acceleration: Any
    wrenches: dict[str, Any]


class LocalTorqueRegressor(NamedTuple):
    """Rows (..., 10 k) by the parameters of a part, and (..., 6) by the wrench of a sensor, that give a torque."""

    by_parameters: Any
    by_wrench: Any


class IntegrationDerivatives(NamedTuple):
    """Derivatives (..., nv, nv) of a configuration reached, as a velocity, with respect to the start and to `v`."""

    dq: Any
    dv: Any


class DifferenceDerivatives(NamedTuple):
    """Derivatives (..., nv, nv) of a difference with respect to the configuration it starts at and that it ends at."""

    dq: Any
    dq_end: Any


INPUTS = ("joints", "all")  # forces that inputs change: of joints, or all generalised ones
STEPS = ("semi-implicit", "explicit", "rk4", "midpoint")  # methods of `Robot.step`


def charts(floating: bool, representation: str) -> tuple[str, ...]:
    """Coordinates of changes of a state: the representation's own first (see `Robot.linearize`)."""
    if not floating:
        return (representation,)
    all_charts = ("body", "mixed", "inertial", "tangent", "world")
    return (representation, *(chart for chart in all_charts if chart != representation))


def fixed_wrenches(representation: str) -> tuple[str, ...]:
    """What derivatives may take external wrenches to be fixed in: first that in which their components are."""
    own = {"body": "link", "mixed": "directions", "inertial": "world"}[representation]
    return (own, *(choice for choice in ("link", "directions", "world") if choice != own))


class ContactForm:
    """Makes a `ContactMotion` of an array of accelerations and one of the wrench at each of some frames."""

    def __init__(self, frames: tuple[str, ...]) -> None:
        self.frames = frames
        self._fields = ("acceleration", *(f"wrench_{frame}" for frame in frames))

    def __call__(self, acceleration: Any, *wrenches: Any) -> ContactMotion:
        """From the arrays in the order of the fields."""
        return ContactMotion(acceleration, dict(zip(self.frames, wrenches, strict=True)))


Form = type | ContactForm | None


def grouped(forms: tuple[Form, ...]) -> Callable[[tuple[Any, ...]], Any]:
    """What puts a flat tuple of arrays into the forms that several functions return, one after another.

    None stands for one array as it is. A single form is returned by itself, and made without a function of Python's.
    """
    if len(forms) == 1 and isinstance(forms[0], type):
        return partial(tuple.__new__, forms[0])
    return Grouped(forms)


class Grouped:
    """Puts a flat tuple of arrays into the forms that several functions return, one after another."""

    def __init__(self, forms: tuple[Form, ...]) -> None:
        self.forms = forms

    def __call__(self, arrays: tuple[Any, ...]) -> Any:
        """The forms; None stands for one array as it is. A single form is returned by itself."""
        found, rest = [], list(arrays)
        for form in self.forms:
            size = 1 if form is None else len(form._fields)  # type: ignore[union-attr]
            part, rest = rest[:size], rest[size:]
            found.append(part[0] if form is None else form(*part))
        return found[0] if len(found) == 1 else tuple(found)
