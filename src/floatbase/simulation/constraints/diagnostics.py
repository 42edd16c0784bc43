r"""How many freedoms constraints leave, which rows are redundant, and how near the rows are to being so.

The rank is that of the rows of $A \Lambda^{-1/2}$ (or $J M^{-1/2}$), each scaled to unit length: singular values below
1e-9 of the largest count as zero. A row is redundant if, to the same tolerance, it is a combination of those before it.
Rothammer 2021, chapter 2: $|\mathrm{DoF}| = 6 n - c$ for independent rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.arguments import configuration
from floatbase.algorithms.mass_matrix import mass_matrix
from floatbase.errors import ShapeError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.bodies.motion import RANK_TOLERANCE, row_scales
from floatbase.simulation.constraints.bodies.pfaffian import BodySystem
from floatbase.simulation.constraints.constraint import (
    Constraint,
    checked_constraints,
    stacked_jacobian,
    stacked_names,
    tree_of,
)
from floatbase.spatial.arrays import Array


class Diagnosis(NamedTuple):
    """What constraints do at one state.

    rows: how many there are; rank: how many of them are independent; freedoms: velocities that remain; redundant: the
    names of rows that follow from those before; smallest: the smallest singular value of A Lambda^(-1/2) (of J
    M^(-1/2)), zero for redundant rows; condition: the largest over the smallest one that is not zero, of rows of unit
    length.
    """

    rows: int
    rank: int
    freedoms: int
    redundant: tuple[str, ...]
    smallest: float
    condition: float


def diagnose(system: BodySystem, world_H_bodies: Array) -> Diagnosis:
    """Of bodies at poses (n, 4, 4)."""
    return diagnose_rows(system.matrix(world_H_bodies) @ system.inverse_root, system.row_names)


def diagnose_constraints(robot: Robot | Tree, q: Any, constraints: Sequence[Constraint]) -> Diagnosis:
    """Of a robot at a configuration q (nq,)."""
    tree, items = tree_of(robot), checked_constraints(constraints)
    q = configuration(tree, q)
    root = np.linalg.inv(np.linalg.cholesky(mass_matrix(tree, q)))
    return diagnose_rows(stacked_jacobian(tree, q, items) @ np.swapaxes(root, -1, -2), stacked_names(items))


def diagnose_rows(rows: Array, names: Sequence[str]) -> Diagnosis:
    """Of rows (c, m) on velocities whose kinetic energy is half their square."""
    if rows.ndim != 2:
        raise ShapeError(f"a diagnosis is of one state; the rows have shape {rows.shape}")
    c, m = rows.shape
    if not c:
        return Diagnosis(0, 0, m, (), 0.0, 1.0)
    scaled = row_scales(rows)[:, None] * rows
    s = np.linalg.svd(scaled, compute_uv=False)
    rank = int(np.count_nonzero(s > RANK_TOLERANCE * s[0]))
    found: list[Array] = []
    redundant = []
    for row, name in zip(scaled, names, strict=True):
        rest = row
        for _ in range(2):  # the second time for rounding
            for unit in found:
                rest = rest - (unit @ rest) * unit
        size = float(np.linalg.norm(rest))
        if size > RANK_TOLERANCE and len(found) < rank:
            found.append(rest / size)
        else:
            redundant.append(name)
    all_values = np.linalg.svd(rows, compute_uv=False)
    smallest = 0.0 if rank < c else float(all_values[-1])
    return Diagnosis(c, rank, m - rank, tuple(redundant), smallest, float(s[0] / s[rank - 1]) if rank else 1.0)
