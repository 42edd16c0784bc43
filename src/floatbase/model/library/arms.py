"""Industrial arms from published tables.

Staubli TX40 and Mitsubishi RV-2SQ: Denavit and Hartenberg's parameters (proximal), inertias and drives as published
with the BIRDy benchmark of identification algorithms (Q. Leboutet, J. Roux, A. Janot, J. R. Guadarrama-Olvera and
G. Cheng, "Inertial parameter identification in robotics: a survey", Applied Sciences, 2021). UR5: the manufacturer's
table (distal), masses and centres of mass; its moments of inertia are not published, so those here are of cylinders of
the links' size.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from floatbase.model.description import Configuration, Inertia, Limits, Model
from floatbase.model.inertia import inertia_from_parameters
from floatbase.model.library.denavit_hartenberg import Row, serial_robot
from floatbase.model.library.shapes import cylinder
from floatbase.model.poses import shift

_RIGHT = math.pi / 2.0


def _limits(lower: float, upper: float, velocity: float) -> Limits:
    return Limits(math.radians(lower), math.radians(upper), math.radians(velocity))


def staubli_tx40() -> Model:
    """Staubli TX40: six revolute joints. The wrist's coupling between joints 5 and 6 is not part of the model."""
    rows = [
        Row(0.0, 0.0, 0.0, 0.0, "revolute", _limits(-180, 180, 287), 0.362, 7.9379, 6.9822),
        Row(-_RIGHT, 0.0, 0.0, -_RIGHT, "revolute", _limits(-125, 125, 287), 0.507, 5.6948, 7.8301),
        Row(_RIGHT, 0.035, 0.225, 0.0, "revolute", _limits(-138, 138, 430), 8.29e-2, 1.9804, 6.1939),
        Row(0.0, 0.225, 0.0, _RIGHT, "revolute", _limits(-270, 270, 410), 3.41e-2, 1.1141, 2.4063),
        Row(0.0, 0.0, 0.0, -_RIGHT, "revolute", _limits(-120, 133.5, 320), 3.61e-2, 1.60, 3.4092),
        Row(math.pi, 0.0, 0.0, _RIGHT, "revolute", _limits(-270, 270, 700), 1.14e-2, 0.6894, 1.8313),
    ]
    # mass, first moments, second moments about the frame's origin
    parameters = [
        (8.61, 0.0, 0.0, -0.4305, 0.424, 0.0, 0.0, 0.424, 0.0, 0.352),
        (4.85, 0.392, -7.2e-3, 0.162, 1.63e-2, 7.85e-4, -1.57e-2, 8.81e-2, 3.24e-4, 8.28e-2),
        (4.07, 3.26e-2, 2.44e-2, 0.265, 2.23e-2, -1.95e-4, -1.16e-3, 2.24e-2, -2.22e-3, 4.41e-3),
        (3.62, 1.45e-2, -7.24e-3, -0.586, 0.109, 2.9e-5, 1.35e-3, 0.108, -1.17e-3, 4.07e-3),
        (1.02, 0.0, -3.06e-3, -1.02e-3, 1.01e-3, 0.0, 0.0, 1.00e-3, -3.06e-6, 1.01e-3),
        (0.2, 0.0, 0.0, 8.4e-3, 3.53e-3, 0.0, 0.0, 3.53e-3, 0.0, 3.53e-4),
    ]
    inertias = [inertia_from_parameters(np.array(row)) for row in parameters]
    return serial_robot("staubli_tx40", rows, inertias, "proximal", shift((0.0, 0.0, 0.32)))


def mitsubishi_rv2sq() -> Model:
    """Mitsubishi RV-2SQ: six revolute joints; the configuration "start" is where published experiments begin."""
    rows = [
        Row(0.0, 0.295, 0.0, 0.0, "revolute", _limits(-240, 240, 225), 0.01, 4.7618, 2.8503),
        Row(-_RIGHT, 0.0, 0.0, -_RIGHT, "revolute", _limits(-120, 120, 150), 0.5, 13.4593, 7.7407),
        Row(_RIGHT, 0.0, 0.23, 0.0, "revolute", _limits(0, 160, 275), 0.3253, 4.1019, 3.3459),
        Row(0.0, 0.27, -0.05, _RIGHT, "revolute", _limits(-200, 200, 412), 0.0416, 1.3165, 1.6581),
        Row(0.0, 0.0, 0.0, -_RIGHT, "revolute", _limits(-90, 90, 450), 0.0939, 1.4242, 2.7170),
        Row(0.0, 0.07, 0.0, _RIGHT, "revolute", _limits(-360, 360, 720), 0.0317, 0.9244, 2.0284),
    ]
    # mass, centre of mass, moments about it
    links = [
        (4.0, (0.0, 0.0, -0.05), (0.0424, 0.0, 0.0, 0.0424, 0.0, 0.0152)),
        (5.3, (0.06, -0.0076, 0.0), (0.45, 2.03e-3, -2.03e-4, 0.5, -5.56e-3, 0.85)),
        (4.1, (0.0, -0.045, 0.0), (0.177, -0.017, 0.001, 0.105, 0.006, 0.239)),
        (2.8, (0.01, 0.0, -0.13), (0.0492, -0.0013, 0.0042, 0.0424, 0.0003, 0.0457)),
        (0.8, (-0.001, -0.001, 0.001), (0.0676, 0.0001, 0.0, 0.0274, 0.0, 0.0718)),
        (0.7, (0.001, 0.0, 0.0005), (0.0076, 0.0, 0.0, 0.0074, 0.0, 0.0018)),
    ]
    inertias = [Inertia(mass, np.array(center), _tensor(*moments)) for mass, center, moments in links]
    model = serial_robot("mitsubishi_rv2sq", rows, inertias, "proximal")
    start = {f"joint{number}": (math.pi / 4 if number == 3 else 0.0,) for number in range(1, 7)}
    return replace(model, configurations=(Configuration("start", start),))


def ur5_dh() -> Model:
    """Universal Robots UR5: six revolute joints, moments of inertia of cylinders of the links' size."""
    table = [
        (0.089159, 0.0, _RIGHT),
        (0.0, -0.425, 0.0),
        (0.0, -0.39225, 0.0),
        (0.10915, 0.0, _RIGHT),
        (0.09465, 0.0, -_RIGHT),
        (0.0823, 0.0, 0.0),
    ]
    rows = [Row(0.0, d, a, alpha, "revolute", _limits(-360, 360, 180)) for d, a, alpha in table]
    # mass, centre of mass, radius, half of the cylinder's axis
    links = [
        (3.7, (0.0, -0.02561, 0.00193), 0.06, (0.0, 0.08, 0.0)),
        (8.393, (0.2125, 0.0, 0.11336), 0.054, (0.28, 0.0, 0.0)),
        (2.33, (0.15, 0.0, 0.0265), 0.042, (0.24, 0.0, 0.0)),
        (1.219, (0.0, -0.0018, 0.01634), 0.045, (0.0, 0.0, 0.06)),
        (1.219, (0.0, 0.0018, 0.01634), 0.045, (0.0, 0.0, 0.06)),
        (0.1879, (0.0, 0.0, -0.001159), 0.0375, (0.0, 0.0, 0.02)),
    ]
    inertias = []
    for mass, center, radius, half in links:
        start, end = np.subtract(center, half), np.add(center, half)
        inertias.append(cylinder(mass, radius, start.tolist(), end.tolist())[0])
    return serial_robot("ur5_dh", rows, inertias, "distal")


def _tensor(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> np.ndarray:
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
