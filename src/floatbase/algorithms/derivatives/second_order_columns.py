"""Columns of derivatives together with how a virtual velocity moves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from floatbase.algorithms.derivatives.columns import Column
from floatbase.spatial.screws import NOTHING, Screw


@dataclass(frozen=True, eq=False)
class MovedColumn(Column):
    r"""A column with $\dot\Psi^w$: its $\dot\Psi$ for the motion at the virtual velocity."""

    virtual: Screw = NOTHING

    def mapped(self, change: Callable[[Screw], Screw]) -> Self:
        """The same with its twists seen from another frame."""
        return replace(super().mapped(change), virtual=change(self.virtual))


def moved(column: Column, virtual: Screw) -> MovedColumn:
    r"""A column and its $\dot\Psi^w$."""
    return MovedColumn(**{**vars(column), "virtual": virtual})


def moved_columns(columns: Sequence[Column], virtual: Sequence[Column]) -> list[MovedColumn]:
    """Columns of the motion, and the same ones of the motion at the virtual velocity."""
    return [moved(column, moving.rate) for column, moving in zip(columns, virtual, strict=True)]


def acts_first(outer: Column, inner: Column) -> bool:
    r"""Whether $\partial_{inner} \partial_{outer}$ turns by `outer` what `inner` has changed, not the other way."""
    if outer.carrier != inner.carrier:
        return outer.carrier < inner.carrier
    return outer.number not in inner.carries
