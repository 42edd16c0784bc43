"""Random robots and the tolerances, for all tests of algorithms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from tests.random_trees import random_tree

from floatbase.model.tree import Tree

TOLERANCE = {np.float32: 1e-4, np.float64: 1e-11, np.complex128: 1e-11, np.longdouble: 1e-11}
REPRESENTATIONS = ("mixed", "body", "inertial")


def trees(count: int = 6, seed: int = 0, **settings: object) -> Iterator[Tree]:
    """Robots of one to ten bodies (seven to ten if kinds of joints are asked for), floating and fixed in turn."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        floating = bool(settings.get("floating", k % 2 == 0))
        smallest = 7 if "kinds" in settings else 1 if floating else 2
        others = {key: value for key, value in settings.items() if key != "floating"}
        yield random_tree(rng, int(rng.integers(smallest, 11)), floating, **others)


ROUNDING = 1e-15  # errors of solutions of systems of equations, over the condition of the matrix


def residual(M: np.ndarray, x: np.ndarray, b: np.ndarray) -> float:
    """The backward error of `M x = b`, of a vector or a matrix: within `TOLERANCE`, however badly conditioned M is."""
    return float(np.linalg.norm(M @ x - b) / (np.linalg.norm(M, 2) * np.linalg.norm(x)))


def error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Norm-wise relative error."""
    return float(np.linalg.norm(actual - expected) / max(np.linalg.norm(expected), 1e-300))
