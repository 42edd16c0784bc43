r"""Drives of joints in MuJoCo, commanded as those of a `Simulator`.

Each velocity of a joint has a motor; a joint with a drive has servos besides. Where MuJoCo's coordinate is
$s_m = r s + s_0$ with $r = \pm 1$, actuators have the gear $r$, and their lengths are $s + r s_0$:

| law | servos (with control c) | their controls | the motor's control |
|---|---|---|---|
| none | | | $\tau$ |
| `TorqueDrive` | | | $K_\tau u + offset$ |
| `VelocityDrive` | $K (c - \dot s)$ | $\dot s_d$ | $\tau_{ff}$ |
| `PositionDrive` | $K_p (c - s - r s_0) - K_d \dot s$ and $K_d c$ | $s_d + r s_0$ and $\dot s_d$ | $\tau_{ff}$ |

and all controls are a matrix times the command, and a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree, TreeJoint
from floatbase.simulation.joints import PositionDrive, TorqueDrive, VelocityDrive
from floatbase.simulation.physics import Physics
from floatbase.spatial.arrays import Array


class Actuators(NamedTuple):
    """Text in MJCF; controls are `matrix @ command + constant`; `servos` are the numbers of servos among them."""

    text: str
    matrix: Array
    constant: Array
    servos: tuple[int, ...]


def leaders(tree: Tree) -> dict[int, TreeJoint]:
    """The joint that a user moves, by the index of its velocity: those that mimic others are left out."""
    found: dict[int, TreeJoint] = {}
    for name in tree.joint_names:
        joint = next(body.joint for body in tree.bodies if body.joint is not None and body.joint.name == name)
        found[joint.index] = joint
    return found


@dataclass
class _Rows:
    size: int

    def __post_init__(self) -> None:
        self.text: list[str] = []
        self.rows: list[Array] = []
        self.constants: list[float] = []

    def add(self, text: str, entries: dict[int, float], constant: float = 0.0) -> int:
        row = np.zeros(self.size)
        for place, factor in entries.items():
            row[place] = factor
        self.text.append(text)
        self.rows.append(row)
        self.constants.append(constant)
        return len(self.rows) - 1


def actuators(physics: Physics) -> Actuators:
    """The actuators of all joints."""
    tree = physics.tree
    joints = leaders(tree)
    found, servos = _Rows(physics.command_size), []
    driven = {place: number for number, drive in enumerate(physics.drives) for place in drive.places}
    for index, joint in sorted(joints.items()):
        name, gear = quoteattr(joint.name), 1.0 / joint.ratio
        if joint.nv > 1:
            for k in range(joint.nv):
                axis = " ".join("1" if i == k else "0" for i in range(3))
                found.add(f'<motor joint={name} gear="{axis}"/>', {index + k: 1.0})
            continue
        motor = f'<motor joint={name} gear="{gear!r}"/>'
        if index not in driven:
            found.add(motor, {index: 1.0})
            continue
        drive = physics.drives[driven[index]]
        at, n = drive.places.index(index), len(drive.places)
        places = physics.command_places(driven[index])[at::n]
        law = drive.law
        if isinstance(law, TorqueDrive):
            found.add(motor, {places[0]: _of(law.drive_gain, at)}, _of(law.offset, at))
            continue
        if isinstance(law, VelocityDrive):
            K = _of(law.drive_gain, at) * _of(law.proportional, at)
            servos.append(found.add(_servo(name, gear, K, 0.0, K), {places[0]: 1.0}))
            found.add(motor, {places[1]: 1.0})
        elif isinstance(law, PositionDrive):
            gain = _of(law.drive_gain, at)
            K, D = gain * _of(law.proportional, at), gain * _of(law.derivative, at)
            servos.append(found.add(_servo(name, gear, K, K, D), {places[0]: 1.0}, gear * joint.offset))
            servos.append(found.add(_servo(name, gear, D, 0.0, 0.0), {places[1]: 1.0}))
            found.add(motor, {places[2]: 1.0})
    matrix = np.array(found.rows).reshape(len(found.rows), found.size)
    return Actuators("".join(found.text), matrix, np.array(found.constants), tuple(servos))


def check_drives(physics: Physics) -> None:
    """Raise unless MuJoCo can do what the laws of joints say."""
    for drive in physics.drives:
        if not isinstance(drive.law, TorqueDrive | VelocityDrive | PositionDrive):
            raise ArgumentError(
                f"the MuJoCo plant has TorqueDrive, VelocityDrive and PositionDrive for joints; got "
                f"{type(drive.law).__name__}"
            )
        if drive.law.parameters.ndim > 1:
            raise ArgumentError("the MuJoCo plant takes laws of joints with the same parameters in all rows")
    for joint in leaders(physics.tree).values():
        if abs(joint.ratio) != 1.0:
            raise ArgumentError(f"joint {joint.name!r} moves {joint.ratio} times its coordinate; MuJoCo needs 1 or -1")


def _servo(name: str, gear: float, gain: float, stiffness: float, damping: float) -> str:
    return (
        f'<general joint={name} gear="{gear!r}" gaintype="fixed" gainprm="{gain!r}" biastype="affine" '
        f'biasprm="0 {-stiffness!r} {-damping!r}"/>'
    )


def _of(value: object, number: int) -> float:
    """A parameter of one joint."""
    array = np.asarray(value, dtype=float)
    return float(array[number] if array.ndim and array.size > 1 else array.reshape(-1)[0])
