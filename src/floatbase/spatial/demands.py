r"""What is demanded of numbers of each kind, and what raises a doubt.

Rotations may be off by 1e-6, and by what rounding of their own precision makes of them. That a body's inertia can be
that of a density which is nowhere negative, $L \ge 0$ with the second moments of `consistency`, is doubted but not
demanded: estimates and rounded drawings often fall short of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, get_args

import numpy as np

from floatbase.spatial.arrays import Array, transpose
from floatbase.spatial.consistency import central_tensor
from floatbase.spatial.inertias import inertia_matrix, parameters_of_inertia_matrix
from floatbase.spatial.kinds import JointKind, Side
from floatbase.spatial.representations import AccelerationForm, TwistForm
from floatbase.spatial.rigid_body import EquationForm

TOLERANCE = 1e-6
ROUNDING = 64.0  # roundings of its precision that a number may be off by


class Fault(NamedTuple):
    """Which of a batch are faulty, what to say of one with its size, and whether that is a doubt only."""

    which: Array  # (...), of truth values
    text: str
    sizes: Array  # (...)
    doubt: bool = False


class Kind(NamedTuple):
    """A description, the shape of one, and the faults that numbers (float64) of that shape have."""

    description: str
    shape: tuple[int, ...] = ()
    faults: Callable[[Array, float], Iterator[Fault]] = lambda values, tolerance: iter(())


def _rotation(R: Array, tolerance: float) -> Iterator[Fault]:
    defect = np.abs(R @ transpose(R) - np.eye(3)).max(axis=(-2, -1))
    right = f"at most {tolerance:.3g} is allowed (nearest_rotation makes a rotation of it)"
    yield Fault(defect > tolerance, "is not orthonormal: R R^T differs from 1 by {:.3g}, " + right, defect)
    determinant = np.linalg.det(R)
    yield Fault(determinant < 0.0, "is a reflection: its determinant is {:.3g}, that of a rotation is 1", determinant)


def _pose(H: Array, tolerance: float) -> Iterator[Fault]:
    for fault in _rotation(H[..., :3, :3], tolerance):
        yield fault._replace(text=f"has a rotation that {fault.text}")
    defect = np.abs(H[..., 3, :] - np.eye(4)[3]).max(axis=-1)
    yield Fault(defect > tolerance, "has a last row that differs by {:.3g} from 0 0 0 1, which it must be", defect)


def _unit(x: Array, tolerance: float) -> Iterator[Fault]:
    length = np.sqrt(np.sum(x * x, axis=-1))
    yield Fault(np.abs(length - 1.0) > tolerance, "has the length {:.9g}; it must have unit length", length)


def _regular(w: Array, tolerance: float) -> Iterator[Fault]:
    angle = np.sqrt(np.sum(w * w, axis=-1))
    turns = np.maximum(np.round(angle / (2.0 * np.pi)), 1.0)
    near = np.abs(angle - 2.0 * np.pi * turns) <= tolerance
    yield Fault(near, "turns by {:.9g} rad; at whole turns, but for 0, the inverse does not exist", angle)


def _regular_twist(twist: Array, tolerance: float) -> Iterator[Fault]:
    return _regular(twist[..., 3:], tolerance)


def _skew(W: Array, tolerance: float) -> Iterator[Fault]:
    defect = np.abs(W + transpose(W)).max(axis=(-2, -1))
    limit = tolerance * np.maximum(1.0, np.abs(W).max(axis=(-2, -1)))
    yield Fault(defect > limit, "is not skew: W + W^T has an entry of size {:.3g}, it must vanish", defect)


def _twist(matrix: Array, tolerance: float) -> Iterator[Fault]:
    for fault in _skew(matrix[..., :3, :3], tolerance):
        yield fault._replace(text=f"has a rotational part that {fault.text}")
    size = np.abs(matrix[..., 3, :]).max(axis=-1)
    limit = tolerance * np.maximum(1.0, np.abs(matrix).max(axis=(-2, -1)))
    yield Fault(size > limit, "has a last row with an entry of size {:.3g}; it must be 0 0 0 0", size)


def _symmetric(S: Array, tolerance: float) -> Iterator[Fault]:
    defect = np.abs(S - transpose(S)).max(axis=(-2, -1))
    limit = tolerance * np.abs(S).max(axis=(-2, -1))
    yield Fault(defect > limit, "is not symmetric: opposite entries differ by {:.3g}", defect)


def _not_negative(x: Array, _tolerance: float) -> Iterator[Fault]:
    yield Fault(x < 0.0, "is negative, it must be 0 or more: {:.6g}", x)


def _positive(x: Array, _tolerance: float) -> Iterator[Fault]:
    yield Fault(x <= 0.0, "must be positive, and is {:.6g}", x)


def _increasing(x: Array, _tolerance: float) -> Iterator[Fault]:
    ahead = np.diff(x, prepend=-np.inf)
    yield Fault(ahead <= 0.0, "is {:.6g} s ahead of the one before it; times must increase", ahead)


def _tensor(tensor: Array, tolerance: float) -> Iterator[Fault]:
    yield from _symmetric(tensor, tolerance)
    moments = np.linalg.eigvalsh(tensor)
    yield _density(moments, tolerance * np.abs(moments).max(axis=-1))


def _parameters(phi: Array, tolerance: float) -> Iterator[Fault]:
    mass, moments, size = _central_moments(phi)
    yield Fault(mass < 0.0, "has the mass {:.6g} kg; it must not be negative", mass)
    arm = np.abs(phi[..., 1:4]).max(axis=-1)
    nowhere = (mass == 0.0) & (arm > 0.0)
    yield Fault(nowhere, "has no mass, but the first moment of mass {:.3g} kg m", arm, doubt=True)
    yield _density(moments, tolerance * size)


def _heavy(phi: Array, _tolerance: float) -> Iterator[Fault]:
    mass = phi[..., 0]
    yield Fault(mass <= 0.0, "has the mass {:.6g} kg; it must be positive", mass)


def _body(phi: Array, tolerance: float) -> Iterator[Fault]:
    yield from _heavy(phi, tolerance)
    _, moments, size = _central_moments(phi)
    least = moments[..., 0]
    text = "has the principal moment of inertia {:.3g} kg m^2 about its centre of mass; all three must be positive"
    yield Fault(least <= 1e-15 * size, text, least)
    yield _density(moments, tolerance * size)


def _inertia(M: Array, tolerance: float) -> Iterator[Fault]:
    yield from _symmetric(M, tolerance)
    phi = parameters_of_inertia_matrix(M)
    mass, size = phi[..., 0], np.abs(M).max(axis=(-2, -1))
    yield Fault(mass < 0.0, "has the mass {:.6g} kg; it must not be negative", mass)
    defect = np.abs(M - inertia_matrix(phi)).max(axis=(-2, -1))
    text = "is not the inertia of one rigid body: its blocks differ by {:.3g} from m 1, -(m c)^ and (m c)^"
    yield Fault(defect > tolerance * size, text, defect)
    least = np.linalg.eigvalsh(M)[..., 0]
    yield Fault(least < -tolerance * size, "has the eigenvalue {:.3g}; none may be negative", least)


def _central_moments(phi: Array) -> tuple[Array, Array, Array]:
    """Mass, principal moments (..., 3), ascending, about the centre of mass, and the size of what they are made of."""
    mass = phi[..., 0]
    safe = np.where((mass == 0.0)[..., None], np.eye(1, 10)[0] + phi * ([0.0] * 4 + [1.0] * 6), phi)
    size = np.maximum(np.abs(phi[..., 4:]).max(axis=-1), np.sum(safe[..., 1:4] ** 2, axis=-1) / np.abs(safe[..., 0]))
    return mass, np.linalg.eigvalsh(central_tensor(safe)), size


def _density(moments: Array, margin: Array) -> Fault:
    least = 0.5 * np.sum(moments, axis=-1) - moments[..., 2]  # of the second moments
    text = "describes an inertia that no density of mass gives: its least central second moment is {:.3g} kg m^2"
    return Fault(np.minimum(least, moments[..., 0]) < -margin, text, least, doubt=True)


DEMANDS: dict[str, Kind] = {  # by the names of `kinds`
    "Array": Kind("an array"),
    "float": Kind("a number"),
    "RotationMatrix": Kind("a rotation matrix", (3, 3), _rotation),
    "Pose": Kind("a pose", (4, 4), _pose),
    "Quaternion": Kind("a quaternion w x y z", (4,), _unit),
    "UnitVector": Kind("a unit vector", (3,), _unit),
    "RegularVector": Kind("a rotation vector", (3,), _regular),
    "RegularTwist": Kind("a twist", (6,), _regular_twist),
    "SkewMatrix": Kind("a skew matrix", (3, 3), _skew),
    "SymmetricMatrix": Kind("a symmetric matrix", (3, 3), _symmetric),
    "TwistMatrix": Kind("a matrix of a twist", (4, 4), _twist),
    "NotNegative": Kind("a number", (), _not_negative),
    "Positive": Kind("a number", (), _positive),
    "Times": Kind("times", (), _increasing),
    "CentralTensor": Kind("a tensor of inertia", (3, 3), _tensor),
    "Parameters": Kind("a set of inertial parameters", (10,), _parameters),
    "HeavyParameters": Kind("a set of inertial parameters", (10,), _heavy),
    "BodyParameters": Kind("a set of inertial parameters", (10,), _body),
    "InertiaMatrix": Kind("an inertia", (6, 6), _inertia),
}
CHOICES: dict[str, tuple[Any, ...]] = {
    "TwistForm": get_args(TwistForm),
    "AccelerationForm": get_args(AccelerationForm),
    "EquationForm": get_args(EquationForm),
    "JointKind": get_args(JointKind),
    "Side": get_args(Side),
}
