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
joints. So a negative mass, an indefinite tensor that stays indefinite when the link is merged with those fixed to it,
and numbers that are not finite are errors; everything else is a `ModelWarning`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from floatbase.errors import ModelError
from floatbase.model.description import Inertia, Joint, Link, Model
from floatbase.model.poses import inverse

Array = npt.NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-6  # of the largest principal moment: files are written with about six digits
ABSOLUTE_TOLERANCE = 1e-15  # kg m^2: files contain moments of 1e-20 that stand for zero


class ModelWarning(UserWarning):
    """A robot description is doubtful, but usable."""


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
    return consistent, consistent & (moments[:, 0] + moments[:, 1] - moments[:, 2] >= -tolerance)


def check_inertias(model: Model, where: str, allow_nonphysical: bool = False, warn: bool = True) -> None:
    """Raise `ModelError` for links that no rigid body can be, warn of doubtful ones (module's rules).

    `allow_nonphysical` accepts everything that is finite, silently.
    """
    carriers = [(link, link.inertia) for link in model.links if link.inertia is not None]
    for link, inertia in carriers:
        if not _is_finite(inertia):
            raise ModelError(f"{where}: the inertia of link {link.name!r} is not finite: {_describe(inertia)}")
    if allow_nonphysical or not carriers:
        return
    consistent, realisable = consistency([inertia for _, inertia in carriers])
    for number in np.flatnonzero(~consistent):
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
        listed = ", ".join(doubtful[:6]) + (f" and {len(doubtful) - 6} more" if len(doubtful) > 6 else "")
        warnings.warn(
            f"{where}: no density gives the inertia of {listed}: a principal moment is negative or exceeds the sum of "
            "the others",
            ModelWarning,
            stacklevel=3,
        )


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
