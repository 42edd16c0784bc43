r"""The ten inertial parameters of a link, and whether a rigid body can have them.

With mass $m$, centre of mass $c$ and tensor $I_C$ about the centre of mass, the parameters about the origin of a frame
are $(m, m c, \mathrm{vech}\, I)$ with $I = I_C - m\, c^\wedge c^\wedge$. The parameters of rigidly connected links,
written in one frame, add.

A link is *consistent* if $m \ge 0$ and $I_C \succeq 0$; a density that is nowhere negative exists if, moreover, the
principal moments satisfy the triangle inequality $J_{max} \le J_{mid} + J_{min}$ (equivalently, the pseudo-inertia
$\begin{bmatrix} \tfrac12 \mathrm{tr}(I) 1 - I & m c \\ m c^\top & m \end{bmatrix}$ is positive semidefinite).

Robot files in use are not always consistent: of the 84 that the `robots` extra installs, 14 have links that break the
triangle inequality (thin plates with two moments of zero, moments about the wrong point), and in three a link of a
milligram has a negative moment. What matters to the equations of motion is the body that links form through fixed
joints. So the rules are:

* a negative mass, a tensor that is not symmetric, one that is indefinite and stays so when the link is merged with
  those fixed to it, and numbers that are not finite are errors of the description (`check_inertias`);
* a merged body that no density gives is an error of the tree (`check_bodies`). Its central second moments
  $\Lambda = \tfrac12 \mathrm{tr}(I_C) 1 - I_C$ may be below zero by 1 % of their sum, since drawings are rounded;
* moments of inertia without a mass are those of no density, but the limit of densities (the pseudo-inertia is
  semidefinite), and move as bodies do: files of three iCubs have them in the torso. They are a warning;
* masses and moments whose products would overflow or vanish are errors of the tree (`check_range`);
* everything else is a `ModelWarning`, one for each file.

Silvio Traversaro, 2017, section 6.2 (full physical consistency); P. Wensing, S. Kim and J.-J. Slotine, "Linear matrix
inequalities for physically consistent inertial parameter identification", 2018 (the pseudo-inertia).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from floatbase.errors import ModelError
from floatbase.model.description import Inertia, Joint, Link, Model
from floatbase.model.doubts import doubt, listed
from floatbase.model.poses import inverse

Array = npt.NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-6  # of the largest principal moment: files are written with about six digits
ABSOLUTE_TOLERANCE = 1e-15  # kg m^2: files contain moments of 1e-20 that stand for zero
RELATIVE_ROUNDING = 1e-12  # of the moments about the frame's origin, where the centre of mass is far from it
LEAST_MASS, LEAST_MOMENT, LARGEST = 1e-30, 1e-100, 1e30  # in kg and kg m^2
SECOND_MOMENT_MARGIN = 0.01  # of the sum of the central second moments of a body


def link_parameters(inertia: Inertia, frame_H_link: Array) -> Array:
    """The ten parameters of a link about the origin of a frame it is fixed to, in that frame's axes."""
    rotation = frame_H_link[:3, :3]
    center = rotation @ inertia.center + frame_H_link[:3, 3]
    tensor = rotation @ inertia.tensor @ rotation.T
    tensor = tensor + inertia.mass * (float(center @ center) * np.eye(3) - np.outer(center, center))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return np.array([inertia.mass, *(inertia.mass * center), xx, xy, xz, yy, yz, zz])


def inertia_from_parameters(parameters: Array) -> Inertia:
    """Mass, centre of mass and tensor about it, from the ten parameters about the frame's origin."""
    mass, moment = float(parameters[0]), parameters[1:4]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0.0:
        if np.any(moment):
            raise ModelError(f"a mass of zero with a first moment of {moment} kg m has no centre of mass")
        return Inertia(0.0, np.zeros(3), tensor)
    center = moment / mass
    tensor = tensor - mass * (float(center @ center) * np.eye(3) - np.outer(center, center))
    return Inertia(mass, center, tensor)


def consistency(inertias: Sequence[Inertia]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each inertia, whether it is consistent, and whether some density gives it; within tolerance."""
    masses = np.array([inertia.mass for inertia in inertias])
    tensors = np.array([inertia.tensor for inertia in inertias])
    moments = np.linalg.eigvalsh(tensors)
    tolerance = RELATIVE_TOLERANCE * np.abs(moments).max(axis=1) + ABSOLUTE_TOLERANCE
    symmetric = np.abs(tensors - tensors.swapaxes(1, 2)).max(axis=(1, 2)) <= tolerance
    consistent = (masses >= 0.0) & symmetric & (moments[:, 0] >= -tolerance)
    heavy = (masses > 0.0) | (np.abs(moments).max(axis=1) <= ABSOLUTE_TOLERANCE)
    return consistent, consistent & heavy & (moments[:, 0] + moments[:, 1] - moments[:, 2] >= -tolerance)


def check_inertias(model: Model, where: str, allow_nonphysical: bool = False, warn: bool = True) -> None:
    """Raise `ModelError` for links that no rigid body can be, warn of doubtful ones (module's rules).

    `allow_nonphysical` accepts everything that is finite, with a warning.
    """
    carriers = [(link, link.inertia) for link in model.links if link.inertia is not None]
    for link, inertia in carriers:
        if not _is_finite(inertia):
            raise ModelError(
                f"{where}: the inertia of link {link.name!r} is not finite: {_describe(inertia)}, centre of mass at "
                f"{inertia.center.tolist()} m"
            )
    if not carriers:
        return
    consistent, realisable = consistency([inertia for _, inertia in carriers])
    for number in np.flatnonzero(~consistent) if not allow_nonphysical else ():
        link, inertia = carriers[number]
        asymmetry = np.abs(inertia.tensor - inertia.tensor.T).max()
        if (
            inertia.mass < 0.0
            or asymmetry > RELATIVE_TOLERANCE * np.abs(inertia.tensor).max()
            or not consistency([_merged(model, link)])[0].all()
        ):
            raise ModelError(
                f"{where}: no rigid body has the inertia of link {link.name!r}: {_describe(inertia)}; the mass must "
                "not be negative and the tensor symmetric and positive semidefinite (allow_nonphysical=True accepts it)"
            )
    if warn and not realisable.all():
        doubtful = [carriers[number][0].name for number in np.flatnonzero(~realisable)]
        doubt(f"{where}: no density gives the inertia of {listed(doubtful)}")


def check_bodies(parameters: Array, links: Sequence[Sequence[tuple[str, Array]]], where: str) -> None:
    """Raise `ModelError` for a body of merged links that no density gives, by more than the margin.

    parameters: (n, 10), of each body; links: for each body, the names and shares (10,) of its links with inertia.
    """
    bad = ~_has_density(parameters)
    if not bad.any():
        return
    number = int(np.argmax(bad))
    shares = np.array([share for _, share in links[number]])
    culprits = [name for (name, _), fine in zip(links[number], _has_density(shares), strict=True) if not fine]
    moments, _ = _second_moments(parameters[number : number + 1])
    raise ModelError(
        f"{where}: no mass density gives the inertia of the body that contains {_links(culprits or links[number])}: "
        f"its central second moments are {' '.join(f'{moment:.3g}' for moment in moments[0])} kg m^2, and each must be "
        f"at least -{SECOND_MOMENT_MARGIN:.0%} of their sum (allow_nonphysical=True accepts it)"
    )


def check_range(parameters: Array, names: Sequence[str], where: str) -> None:
    """Raise `ModelError` for a body whose numbers are so extreme that dynamics could not be computed with them."""
    masses, moments = np.abs(parameters[:, 0]), np.abs(parameters[:, 4:]).max(axis=1)
    for what, values, unit, least in (
        ("mass", masses, "kg", LEAST_MASS), ("largest moment of inertia", moments, "kg m^2", LEAST_MOMENT),
    ):  # fmt: skip
        bad = (values != 0.0) & ~((values >= least) & (values <= LARGEST))
        if bad.any():
            number = int(np.argmax(bad))
            raise ModelError(
                f"{where}: the {what} of body {names[number]!r} is {values[number]:g} {unit}; it must be zero, or from "
                f"{least:g} to {LARGEST:g}, for products of such numbers to exist"
            )


def _links(names: Sequence[str | tuple[str, Array]]) -> str:
    plain = [repr(name if isinstance(name, str) else name[0]) for name in names]
    return f"link{'s' * (len(plain) > 1)} {listed(plain)}"


def _has_density(parameters: Array) -> npt.NDArray[np.bool_]:
    """Whether some density gives the ten parameters (n, 10), within the margin."""
    moments, size = _second_moments(parameters)
    tolerance = SECOND_MOMENT_MARGIN * np.abs(moments.sum(axis=1)) + RELATIVE_ROUNDING * size + ABSOLUTE_TOLERANCE
    heavy = np.isfinite(moments[:, 0]) & (parameters[:, 0] >= 0.0)
    fine: npt.NDArray[np.bool_] = heavy & (moments[:, 0] >= -tolerance)
    return fine


def _second_moments(parameters: Array) -> tuple[Array, Array]:
    """Central second moments (n, 3), ascending, and the size (n,) of the numbers they are differences of."""
    xx, xy, xz, yy, yz, zz = parameters[:, 4:].T
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    second = 0.5 * (xx + yy + zz)[:, None, None] * np.eye(3) - tensor
    moment, mass = parameters[:, 1:4], parameters[:, 0]
    square = moment[:, :, None] * (moment / np.where(mass == 0.0, 1.0, mass)[:, None])[:, None, :]
    central, size = second - square, np.abs(tensor).max(axis=(1, 2)) + np.abs(square).max(axis=(1, 2))
    finite = np.isfinite(central).all(axis=(1, 2))
    moments = np.full((len(central), 3), -np.inf)  # what overflows has no density
    moments[finite] = np.linalg.eigvalsh(central[finite])
    return moments, size


def _is_finite(inertia: Inertia) -> bool:
    return all(map(math.isfinite, (inertia.mass, *inertia.center.tolist(), *inertia.tensor.ravel().tolist())))


def _merged(model: Model, start: Link) -> Inertia:
    """The inertia of a link and all those fixed to it, in the frame of the link."""
    neighbours: dict[str, list[tuple[Joint, str]]] = {}
    for joint in model.joints:
        if joint.kind == "fixed":
            neighbours.setdefault(joint.parent, []).append((joint, joint.child))
            neighbours.setdefault(joint.child, []).append((joint, joint.parent))
    poses = {start.name: np.eye(4)}
    waiting = [start.name]
    while waiting:
        name = waiting.pop()
        for joint, other in neighbours.get(name, ()):
            if other not in poses:
                step = joint.parent_H_joint if other == joint.child else inverse(joint.parent_H_joint)
                poses[other] = poses[name] @ step
                waiting.append(other)
    total = np.zeros(10)
    for link in model.links:
        if link.name in poses and link.inertia is not None:
            total += link_parameters(link.inertia, poses[link.name])
    return inertia_from_parameters(total)


def _describe(inertia: Inertia) -> str:
    entries = " ".join(f"{entry:.6g}" for entry in inertia.tensor.flat)
    return f"mass {inertia.mass:.6g} kg, tensor by rows {entries} kg m^2"
