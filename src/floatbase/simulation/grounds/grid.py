r"""Surfaces through values at the nodes of an evenly spaced grid, as polynomials cell by cell.

In the cell that begins at node $(i, j)$, with $u, v \in [0, 1]$ across it,

$$ s(x, y) = \sum_{a=0}^{d} \sum_{b=0}^{d} c^{ij}_{ab}\, u^a v^b , $$

bilinear for $d = 1$: continuous, with kinks along the lines of the grid; bicubic for $d = 3$: its slopes are
continuous too, those at the nodes being central differences (E. Catmull and R. Rom, 1974). The coefficients of all
cells are one table, of which a program reads a row. Beyond the grid, the surface goes on level from its edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from floatbase.compiler import gather, is_symbolic
from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial.rotations import real

_EVEN = 1e-6  # of the spacing

# values at 0 and 1, slopes there -> coefficients of the cubic
_HERMITE = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [-3, 3, -2, -1], [2, -2, 1, 1]], dtype=float)
_LINEAR = np.array([[1, 0], [-1, 1]], dtype=float)


@dataclass(frozen=True, eq=False)
class Grid:
    """Coefficients (cells, (degree + 1)^2) of the cells of a grid of (n, m) nodes."""

    origin: tuple[float, float]
    spacing: tuple[float, float]
    cells: tuple[int, int]
    degree: int
    coefficients: np.ndarray

    @classmethod
    def bilinear(cls, x: Any, y: Any, values: Any, name: str) -> Self:
        """The continuous surface through the values (n, m) at x (n,) and y (m,)."""
        x, y, z = _checked(x, y, values, name)
        corners = np.stack([np.stack([z[:-1, :-1], z[:-1, 1:]], -1), np.stack([z[1:, :-1], z[1:, 1:]], -1)], -2)
        return cls._of(x, y, 1, _LINEAR @ corners @ _LINEAR.T)

    @classmethod
    def bicubic(cls, x: Any, y: Any, values: Any, name: str) -> Self:
        """The surface with continuous slopes through the values (n, m) at x (n,) and y (m,)."""
        x, y, z = _checked(x, y, values, name)
        along_x, along_y = np.gradient(z, axis=0), np.gradient(z, axis=1)  # per cell
        twist = np.gradient(along_x, axis=1)
        ends = (slice(None, -1), slice(1, None))
        blocks = [
            [part[i, j] for part in (first, second) for j in ends]
            for first, second in ((z, along_y), (along_x, twist))
            for i in ends
        ]
        corners = np.stack([np.stack(row, -1) for row in blocks], -2)
        return cls._of(x, y, 3, _HERMITE @ corners @ _HERMITE.T)

    @classmethod
    def _of(cls, x: np.ndarray, y: np.ndarray, degree: int, coefficients: np.ndarray) -> Self:
        cells = (len(x) - 1, len(y) - 1)
        spacing = ((x[-1] - x[0]) / cells[0], (y[-1] - y[0]) / cells[1])
        table = coefficients.reshape(cells[0] * cells[1], (degree + 1) ** 2)
        return cls((float(x[0]), float(y[0])), (float(spacing[0]), float(spacing[1])), cells, degree, table)

    def value(self, x: Any, y: Any) -> Any:
        """The surface at a place."""
        return self.value_and_slopes(x, y)[0]

    def value_and_slopes(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        """The surface at a place, and its derivatives by x and by y there."""
        column, u, inside_x = self._place(x, 0)
        row, v, inside_y = self._place(y, 1)
        found = gather(self.coefficients, column * float(self.cells[1]) + row)
        size = self.degree + 1
        c = [[found[..., a * size + b][()] for b in range(size)] for a in range(size)]
        rows, slopes = zip(*(_polynomial(c[a], v) for a in range(size)), strict=True)
        value, by_u = _polynomial(rows, u)
        by_v, _ = _polynomial(slopes, u)
        along_x = np.where(inside_x, by_u, 0.0 * by_u)[()] * (1.0 / self.spacing[0])
        along_y = np.where(inside_y, by_v, 0.0 * by_v)[()] * (1.0 / self.spacing[1])
        return value, along_x, along_y

    def _place(self, x: Any, axis: int) -> tuple[Any, Any, Any]:
        """The number of the cell along an axis, the place in it from 0 to 1, and whether it is inside the grid."""
        count = float(self.cells[axis])
        where = (x - self.origin[axis]) * (1.0 / self.spacing[axis])
        inside = (real(where) >= 0.0) & (real(where) <= count)
        limited = np.where(inside, where, np.where(real(where) < 0.0, 0.0, count))[()]
        cell = np.minimum(np.floor(real(limited)), count - 1.0)
        return cell, limited - cell, inside


def _polynomial(coefficients: Any, u: Any) -> tuple[Any, Any]:
    """The value of a polynomial and its derivative, by Horner's rule."""
    value, slope = coefficients[-1], 0.0
    for c in reversed(coefficients[:-1]):
        slope = slope * u + value
        value = value * u + c
    return value, slope


def _checked(x: Any, y: Any, values: Any, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if is_symbolic(x, y, values):
        raise ArgumentError(f"the grid of {name} must be numbers: a table is fixed when a program is traced")
    x, y, values = (np.asarray(item, dtype=float) for item in (x, y, values))
    for axis, line in (("x", x), ("y", y)):
        if line.ndim != 1 or line.size < 2:
            raise ShapeError(f"{axis} of the grid has shape {line.shape}; it must be a line of at least two places")
        gaps = np.diff(line)
        if not np.all(np.isfinite(line)):
            raise ArgumentError(f"{axis} of the grid contains NaN or infinity; all places must be finite")
        if np.min(gaps) <= 0:
            k = int(np.argmin(gaps))
            raise ArgumentError(f"{axis} of the grid must increase, but {axis}[{k + 1}] - {axis}[{k}] = {gaps[k]:.6g}")
        if np.ptp(gaps) > _EVEN * np.mean(gaps):
            raise ArgumentError(
                f"{axis} of the grid must be evenly spaced, but its gaps go from {gaps.min():.6g} to {gaps.max():.6g}"
            )
    if values.shape != (x.size, y.size):
        raise ShapeError(
            f"{name} has shape {values.shape}; for {x.size} x and {y.size} y it must be {(x.size, y.size)}"
        )
    if not np.all(np.isfinite(values)):
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise ArgumentError(f"{name}[{i}, {j}] is {values[i, j]}; all values must be finite")
    return x, y, values
