r"""The ten inertial parameters of a link, and whether a rigid body can have them.

With mass $m$, centre of mass $c$ and tensor $I_C$ about the centre of mass, the parameters about the origin of a frame
are $(m, m c, \mathrm{vech}\, I)$ with $I = I_C - m\, c^\wedge c^\wedge$. The parameters of rigidly connected links,
written in one frame, add.

A link is *consistent* if $m \ge 0$ and $I_C \succeq 0$; a density that is nowhere negative exists if, moreover, the
principal moments satisfy the triangle inequality $J_{max} \le J_{mid} + J_{min}$ (equivalently, the pseudo-inertia
$\begin{bmatrix} \tfrac12 \mathrm{tr}(I) 1 - I & m c \\ m c^\top & m \end{bmatrix}$ is positive semidefinite).

Robot files in use are not always consistent: of the 80 or so files of the `robots` extra, a dozen have links that
break the triangle inequality (thin plates with two moments of zero, moments about the wrong point), and some have
massless links with a tensor. Such a link still gives a positive definite mass matrix. So a negative mass, an indefinite
tensor and numbers that are not finite are errors, and a broken triangle inequality is a `ModelWarning`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from floatbase.errors import ModelError
from floatbase.model.description import Inertia, Link

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


def check_inertias(links: Sequence[Link], where: str, allow_nonphysical: bool = False, warn: bool = True) -> None:
    """Raise `ModelError` for links that no rigid body can be, warn of those that break the triangle inequality.

    `allow_nonphysical` accepts everything that is finite, silently.
    """
    carriers = [(link, link.inertia) for link in links if link.inertia is not None]
    if not carriers:
        return
    masses = np.array([inertia.mass for _, inertia in carriers])
    centers = np.array([inertia.center for _, inertia in carriers])
    tensors = np.array([inertia.tensor for _, inertia in carriers])
    finite = np.isfinite(masses) & np.isfinite(centers).all(1) & np.isfinite(tensors).all((1, 2))
    if not finite.all():
        link = carriers[int(np.argmin(finite))][0]
        raise ModelError(f"{where}: the inertia of link {link.name!r} is not finite: {_describe(link)}")
    if allow_nonphysical:
        return
    moments = np.linalg.eigvalsh(tensors)
    tolerance = RELATIVE_TOLERANCE * np.abs(moments).max(axis=1) + ABSOLUTE_TOLERANCE
    asymmetry = np.abs(tensors - tensors.swapaxes(1, 2)).max((1, 2)) > tolerance
    negative = (masses < 0.0) | (moments[:, 0] < -tolerance) | asymmetry
    if negative.any():
        number = int(np.argmax(negative))
        link = carriers[number][0]
        raise ModelError(
            f"{where}: no rigid body has the inertia of link {link.name!r}: {_describe(link)}, principal moments "
            f"{', '.join(f'{moment:.6g}' for moment in moments[number])}; the mass must not be negative and the tensor "
            "symmetric and positive semidefinite (allow_nonphysical=True accepts it)"
        )
    doubtful = moments[:, 0] + moments[:, 1] - moments[:, 2] < -tolerance
    if warn and doubtful.any():
        names = [carriers[number][0].name for number in np.flatnonzero(doubtful)]
        listed = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        warnings.warn(
            f"{where}: no density gives the inertia of {listed}: one principal moment exceeds the sum of the others",
            ModelWarning,
            stacklevel=3,
        )


def _describe(link: Link) -> str:
    inertia = link.inertia
    assert inertia is not None
    entries = " ".join(f"{entry:.6g}" for entry in inertia.tensor[np.triu_indices(3)])
    return f"mass {inertia.mass:.6g} kg, tensor (xx xy xz yy yz zz) {entries} kg m^2"
