r"""Serial robots from tables of Denavit and Hartenberg's parameters, in the two conventions in use.

* proximal (Khalil and Kleinfinger; Craig): ${}^{j-1}T_j = R_x(\alpha)\, T_x(a)\, R_z(q + \theta)\, T_z(d)$;
* distal (Denavit and Hartenberg; Paul): ${}^{j-1}T_j = R_z(q + \theta)\, T_z(d)\, T_x(a)\, R_x(\alpha)$;

with q added to d instead where the joint is prismatic. Inertias are given in the frames of the table, j = 1 .. n, which
are frames of the model: link "link3" and frame "dh3" belong to row 3. (They coincide in the proximal convention.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from floatbase.errors import ModelError
from floatbase.model.description import Frame, Inertia, Joint, Limits, Link, Model
from floatbase.model.inertia import inertia_from_parameters, link_parameters
from floatbase.model.poses import Array, axis_rotation, shift, tidy, turn

Convention = Literal["proximal", "distal"]
_X = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Row:
    """A row of the table and what is known of the joint's drive; lengths in m, angles in rad."""

    theta: float
    d: float
    a: float
    alpha: float
    kind: Literal["revolute", "prismatic"] = "revolute"
    limits: Limits = field(default_factory=Limits)
    armature: float = 0.0  # inertia of the drive seen at the joint, kg m^2
    damping: float = 0.0
    friction: float = 0.0


def serial_robot(
    name: str,
    rows: Sequence[Row],
    inertias: Sequence[Inertia],
    convention: Convention,
    base_H_first: Array | None = None,
) -> Model:
    """A serial robot; `inertias` are those of the links in the frames of the table, `base_H_first` is frame 0."""
    _check(name, rows, inertias, convention)
    links, joints, frames = [Link("base")], [], []
    before = np.eye(4) if base_H_first is None else np.array(base_H_first, dtype=np.float64)
    for number, (row, inertia) in enumerate(zip(rows, inertias, strict=True), 1):
        to_axis, to_frame = _split(row, convention)
        link = f"link{number}"
        joints.append(
            Joint(
                f"joint{number}",
                row.kind,
                links[-1].name,
                link,
                tidy(before @ to_axis),
                limits=row.limits,
                damping=row.damping,
                friction=row.friction,
                rotor_inertia=row.armature,
            )
        )
        links.append(Link(link, inertia_from_parameters(link_parameters(inertia, to_frame))))
        frames.append(Frame(f"dh{number}", link, to_frame))
        before = to_frame
    return Model(name, tuple(links), tuple(joints), tuple(frames), root="base")


def _split(row: Row, convention: Convention) -> tuple[Array, Array]:
    """The constant poses before and after the motion about or along z."""
    twist = axis_rotation(_X, row.alpha) @ shift((row.a, 0.0, 0.0))
    screw = turn(row.theta) @ shift((0.0, 0.0, row.d))
    if convention == "proximal":
        return tidy(twist @ screw), np.eye(4)
    return np.eye(4), tidy(screw @ twist)


def _check(name: str, rows: Sequence[Row], inertias: Sequence[Inertia], convention: str) -> None:
    if convention not in get_args(Convention):
        raise ModelError(f"robot {name!r}: convention is {convention!r}; it must be one of {get_args(Convention)}")
    if len(rows) != len(inertias):
        raise ModelError(f"robot {name!r}: {len(rows)} rows and {len(inertias)} inertias; each joint moves one link")
    for number, row in enumerate(rows, 1):
        where = f"robot {name!r}, joint{number}"
        if row.kind not in ("revolute", "prismatic"):
            raise ModelError(f"{where}: kind is {row.kind!r}; it must be 'revolute' or 'prismatic'")
        for entry in ("theta", "d", "a", "alpha"):
            if not math.isfinite(getattr(row, entry)):
                raise ModelError(f"{where}: {entry} is {getattr(row, entry)}; it must be finite")
        for entry in ("armature", "damping", "friction"):
            if not 0.0 <= getattr(row, entry) < math.inf:
                raise ModelError(f"{where}: {entry} is {getattr(row, entry)}; it must be finite and not negative")
        if row.limits.lower > row.limits.upper:
            raise ModelError(f"{where}: the limits {row.limits.lower:g} .. {row.limits.upper:g} are in the wrong order")
