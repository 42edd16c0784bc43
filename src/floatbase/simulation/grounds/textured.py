"""Grounds whose softness is a part of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from floatbase.errors import ArgumentError
from floatbase.simulation.grounds.softness import Softness, Uniform
from floatbase.simulation.laws import Ground


@dataclass(frozen=True)
class TexturedGround(Ground):
    """Base of grounds of one shape or another; `texture` says how soft they are from place to place."""

    texture: Softness = field(default=Uniform(), kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.texture, Softness):
            raise ArgumentError(f"texture is {self.texture!r}; it must be a Softness, such as Stripes(0.5, 0.4)")

    def softness(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The texture's factors of stiffness and damping at a place."""
        return self.texture.factors(x, y)
