"""Matrices between tangent spaces that go along a step of time, combined by loops: code that does not grow with them.

Derivatives of `integrate` are the identity but for the velocities that turn something: `turning_velocities`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from floatbase.algorithms.configuration import turning_velocities
from floatbase.compiler.dense import dense_matmul
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, apply_matrix, components, transpose, vector

Factor = Any  # a number, or an array (..., 1)


def combination(factors: Sequence[Factor], matrices: Sequence[Array]) -> Array:
    """The sum (..., n, m) of multiples of matrices."""
    n, m = matrices[0].shape[-2:]
    rows = np.stack([A.reshape(*A.shape[:-2], n * m) for A in matrices], axis=-2)
    arrays = [factor for factor in factors if not isinstance(factor, float)]
    numbers = [factor if isinstance(factor, float) else factor[..., 0][()] for factor in factors]
    total = dense_matmul(vector(numbers, *arrays, rows[..., 0, :])[..., None, :], rows)
    return total.reshape(*total.shape[:-2], n, m)


def turn_columns(tree: Tree, A: Array, turns: Array) -> Array:
    """`A` (..., n, nv) times derivatives of `integrate`."""
    result = A.copy()
    for block in turning_velocities(tree):
        result[..., block] = dense_matmul(A[..., block], turns[..., block, block])
    return result


def turn(tree: Tree, turns: Array, x: Array) -> Array:
    """Derivatives of `integrate` times a vector (..., nv)."""
    return _turned(tree, turns, x, lambda block: block)


def turn_back(tree: Tree, turns: Array, x: Array) -> Array:
    """The same, transposed."""
    return _turned(tree, turns, x, transpose)


def _turned(tree: Tree, turns: Array, x: Array, form: Callable[[Array], Array]) -> Array:
    result = vector(components(x), x, turns[..., 0])
    for block in turning_velocities(tree):
        result[..., block] = apply_matrix(form(turns[..., block, block]), x[..., block])
    return result


def turned_combinations(
    tree: Tree, matrices: Sequence[Array], terms: Sequence[tuple[Array, Sequence[Factor]]]
) -> Array:
    """The sum (..., nv, m) over terms, products of derivatives of `integrate` and combinations of the matrices."""
    result = combination([sum(column[1:], column[0]) for column in zip(*(c for _, c in terms), strict=True)], matrices)
    for block in turning_velocities(tree):
        turns = np.concatenate([turn[..., block, block] for turn, _ in terms], axis=-1)
        rows = [combination(factors, [A[..., block, :] for A in matrices]) for _, factors in terms]
        result[..., block, :] = dense_matmul(turns, np.concatenate(rows, axis=-2))
    return result
