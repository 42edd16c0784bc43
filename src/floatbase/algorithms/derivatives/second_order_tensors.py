r"""Second derivatives of inverse dynamics as sparse tensors.

A derivative of force $i$ by columns $j$ and $k$ vanishes unless the three joints are on one way from the base, and many
of those that are left are equal in pairs, so the tensors are given as the numbers that differ, one array for all four
tensors, and index arrays that say where each of them stands, which depend on the tree alone.

S. Singh, R. Russell, P. Wensing, "On second-order derivatives of rigid-body dynamics: theory and implementation",
IEEE Trans. Robotics 40, 2024.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.derivatives.columns import (
    Column,
    twist_from,
)
from floatbase.algorithms.derivatives.composites import placed
from floatbase.algorithms.derivatives.external import fixed_in
from floatbase.algorithms.derivatives.second_order_tensor_wrenches import wrench_terms
from floatbase.algorithms.derivatives.second_order_terms import Place, Term, terms
from floatbase.algorithms.derivatives.situation import situation
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import all_poses, representation_pose
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.compiler.graph import Graph
from floatbase.compiler.symbol_arrays import symbols
from floatbase.errors import ShapeError
from floatbase.model.tree import Tree
from floatbase.results import SecondDerivatives
from floatbase.spatial.arrays import Array, vector, zeros


@dataclass(frozen=True, eq=False)
class TensorPattern:
    """Entry `indices[n]` of a tensor is number `sources[n]` of the array of values; all others are zero."""

    indices: Array  # (entries, 3): force, first and second velocity
    sources: Array  # (entries,)


@dataclass(frozen=True, eq=False)
class SecondDerivativePattern:
    """Where the values of `inverse_dynamics_second_derivatives` stand in the four tensors."""

    nv: int
    size: int  # number of values
    sums: tuple[tuple[int, ...], ...] = field(repr=False)  # the terms that each value is the sum of
    dqdq: TensorPattern
    dqdv: TensorPattern
    dvdv: TensorPattern
    dqda: TensorPattern

    def dense(self, values: Any) -> SecondDerivatives:
        """The tensors with all their zeros. values: (..., size)."""
        values = np.asanyarray(values)
        if values.ndim == 0 or values.shape[-1] != self.size:
            raise ShapeError(f"values have shape {values.shape}; the pattern needs (..., {self.size})")
        return SecondDerivatives(*(self._filled(pattern, values) for pattern in self._patterns))

    @property
    def _patterns(self) -> tuple[TensorPattern, ...]:
        return self.dqdq, self.dqdv, self.dvdv, self.dqda

    def _filled(self, pattern: TensorPattern, values: Array) -> Array:
        tensor = zeros((self.nv,) * 3, values)
        i, j, k = pattern.indices.T
        tensor[..., i, j, k] = values[..., pattern.sources]
        return tensor


def inverse_dynamics_second_derivatives(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> Array:
    """The second derivatives of `inverse_dynamics`, to which the arguments belong, as values (..., size).

    `second_derivative_pattern`, of the frames at which wrenches act, says where they stand. Derivatives are taken as in
    `inverse_dynamics_hessian`: the last index of a tensor is the direction of the second one.
    """
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    external, parameters = wrench_arrays(tree, wrenches), optional_parameters(tree, parameters)
    like = [x for x in (q, v, a, parameters, *external.values()) if x is not None]
    found = [term.value for term in _all_terms(tree, q, v, a, external, parameters, wrenches_fixed)]
    values = []
    for numbers in second_derivative_pattern(tree, tuple(external), wrenches_fixed).sums:
        total = found[numbers[0]]
        for number in numbers[1:]:
            total = total + found[number]
        values.append(total)
    return vector(values, *like)


def second_derivative_pattern(
    tree: Tree, wrenches: Sequence[str] = (), wrenches_fixed: str | None = None
) -> SecondDerivativePattern:
    """Where second derivatives of inverse dynamics are not zero.

    wrenches: frames at which external wrenches act, in the order in which they are given.
    """
    return _pattern(tree, tuple(wrenches), fixed_in(tree, wrenches_fixed))


@lru_cache(maxsize=16)
def _pattern(tree: Tree, frames: tuple[str, ...], fixed: str) -> SecondDerivativePattern:
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv, "parameters": 10 * len(tree.bodies)}
    with Graph():
        q, v, a, parameters = (symbols(name, size) for name, size in sizes.items())
        external = wrench_arrays(tree, {frame: symbols(f"wrench_{frame}", 6) for frame in frames})
        found = _all_terms(tree, q, v, a, external, parameters, fixed)
    places: dict[Place, list[int]] = defaultdict(list)
    same: dict[int, int] = {}  # symbols that stand for several terms
    for number, term in enumerate(found):
        if type(term.value) is not float or term.value != 0.0:
            for place in term.places:
                places[place].append(same.setdefault(id(term.value), number))
    sums = sorted({tuple(sorted(numbers)) for numbers in places.values()})
    sources = {numbers: source for source, numbers in enumerate(sums)}
    rows = np.array([(*place, sources[tuple(sorted(numbers))]) for place, numbers in sorted(places.items())])
    parts = [rows[rows[:, 0] == tensor] for tensor in range(4)] if len(rows) else [np.zeros((0, 5), np.int64)] * 4
    for part in parts:
        part.setflags(write=False)  # all who ask share it
    patterns = (TensorPattern(part[:, 1:4], part[:, 4]) for part in parts)
    return SecondDerivativePattern(tree.nv, len(sums), tuple(sums), *patterns)


def _all_terms(
    tree: Tree,
    q: Array,
    v: Array,
    a: Array,
    external: Mapping[str, Array],
    parameters: Array | None,
    fixed: str | None,
) -> list[Term]:
    s = situation(tree, q, v, a, external, parameters, fixed, loaded=False)
    poses = all_poses(s.mechanism, representation_pose(tree, s.mechanism.base))
    columns = [*s.base, *(column.mapped(partial(twist_from, poses[column.carrier])) for column in s.joints)]
    there = [placed(part, pose) for part, pose in zip(s.carried, poses, strict=True)]
    found = list(terms(_ways(s.mechanism, columns), there, tree.nv, *s.like))
    return [*found, *wrench_terms(s, columns, poses)]


def _ways(m: Mechanism, columns: Sequence[Column]) -> list[list[Column]]:
    """The columns on the way from the base to each of the joints beyond which there is no other, short ways first."""
    carriers = sorted({column.carrier for column in columns})
    inner = {i for carrier in carriers for i in [0, *m.path_to(carrier)][:-1]}
    ends = [carrier for carrier in carriers if carrier not in inner]
    ways = [[column for column in columns if column.carrier in {0, *m.path_to(end)}] for end in ends]
    return sorted(ways, key=len)
