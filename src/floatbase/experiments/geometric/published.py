"""The numbers of Bos 2019, chapter 5 and appendix D, as printed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from floatbase.spatial.arrays import Array

SOURCE = "Bos 2019, "

STEP = 1e-6  # of its forward differences

ROTATION = np.array([[-0.2248, 0.9024, -0.3676], [-0.3502, -0.4269, -0.8337], [-0.9093, -0.0587, 0.4120]])
BASE_ACCELERATION = np.array([5657.9, -4306.7, -3855.9, 77.6085, 301.2763, -26.6843])
TORQUES = np.array([-0.0951, 1.4390, 0.0297, -0.6413, 0.2144, 0.0062, 0.8426, -0.0026, 0.0317])  # 1e8 N or N m


class Errors(NamedTuple):
    """Largest and mean error of a quantity on the example, and the worst of both over 100 random systems."""

    largest: float
    mean: float
    random_largest: float
    random_mean: float
    source: str


# against forward differences with a step of 1e-6
DERIVATIVE_ERRORS = {
    "D1 ID": Errors(6.4985e-6, 4.9484e-7, 8.0093e-6, 7.1026e-7, "(5.9)-(5.11)"),
    "D2 ID": Errors(1.2275e-5, 6.6522e-7, 5.6673e-5, 1.7340e-6, "(5.12)-(5.14)"),
    "D3 ID": Errors(2.6282e-7, 2.0523e-8, 8.7923e-6, 5.9019e-7, "(5.15)-(5.17)"),
    "D4 ID": Errors(4.2731e-7, 3.2837e-8, 2.1186e-5, 6.5810e-7, "(5.18)-(5.20)"),
    "D1 FD": Errors(3.8931e-5, 1.2438e-6, 4.1023e-5, 2.3560e-6, "(5.33)-(5.35)"),
    "D2 FD": Errors(4.8305e-4, 7.4819e-6, 4.6853e-3, 1.3604e-4, "(5.36)-(5.38)"),
    "D3 FD": Errors(3.1249e-6, 6.7316e-8, 1.8230e-5, 1.3021e-6, "(5.39)-(5.41)"),
    "D4 FD": Errors(1.9549e-6, 2.5640e-8, 1.5693e-4, 1.3766e-6, "(5.42)-(5.44)"),
}
# against the inverted mass matrix
INVERSE_ERRORS = {
    "M_fb^-1": Errors(1.7594e-14, 2.2347e-16, 1.2826e-12, 3.0318e-14, "(5.23)-(5.25)"),
    "M^-1": Errors(3.0712e-14, 7.4086e-16, 6.5914e-12, 9.0604e-13, "(5.26)-(5.28)"),
}
FAULTY_LARGEST, FAULTY_MEAN = 0.3109, 0.0074
FAULTY_SOURCE = "(5.21)-(5.22)"


@cache
def matrices() -> dict[str, tuple[Array, str]]:
    """The printed matrices with where they stand; entries that our copy does not show are NaN."""
    text = Path(__file__).with_name("published_matrices.txt").read_text(encoding="utf-8")
    found = {}
    for block in text.split("\n\n")[1:]:
        head, *lines = block.strip().splitlines()
        name, place = re.fullmatch(r"\[(.+)\] (.+)", head).groups()  # type: ignore[union-attr]
        rows = [[float("nan" if entry == "?" else entry) for entry in line.split()] for line in lines]
        found[name] = np.array(rows), SOURCE + place
    return found
