"""What laws of joints that have others in them have in common: the parameters of all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import JointLaw, join
from floatbase.spatial.arrays import Array, require_shape


class CompositeLaw(JointLaw):
    """Base of laws that have others in them: after their own parameters come those of the parts, `law.viscous[0]`."""

    @property
    @abstractmethod
    def parts(self) -> dict[str, JointLaw]:
        """The laws in it, by the names that their parameters get."""

    @abstractmethod
    def with_parts(self, parts: Sequence[JointLaw]) -> Self:
        """The same law with other parts."""

    def check_joints(self, joints: int) -> None:
        """Raise unless the parameters of all parts fit so many joints."""
        super().check_joints(joints)
        for part in self.parts.values():
            part.check_joints(joints)

    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters; those of the parts are behind the name of the part."""
        names = list(super().parameter_names())
        for name, part in self.parts.items():
            names += [f"{name}.{own}" for own in part.parameter_names()]
        return tuple(names)

    @property
    def parameters(self) -> Array:
        """All parameters (n,), or (..., n) if they differ from state to state."""
        return join([super().parameters, *(part.parameters for part in self.parts.values())])

    def with_parameters(self, values: Array) -> Self:
        """The same law with other parameters: numbers (..., n), or symbols (n,)."""
        sizes = [len(part.parameter_names()) for part in self.parts.values()]
        own = len(super().parameter_names())
        require_shape(values, own + sum(sizes))
        mine, *others = split(values, [own, *sizes])
        parts = [part.with_parameters(other) for part, other in zip(self.parts.values(), others, strict=True)]
        return super().with_parameters(mine).with_parts(parts)


@dataclass(frozen=True, eq=False)
class WrappedLaw(CompositeLaw):
    """Base of laws around another one."""

    law: JointLaw

    def __post_init__(self) -> None:
        super().__post_init__()
        require_laws((self.law,))

    @property
    def parts(self) -> dict[str, JointLaw]:
        """The law inside."""
        return {"law": self.law}

    def with_parts(self, parts: Sequence[JointLaw]) -> Self:
        """The same around another law."""
        return replace(self, law=parts[0])

    def command_size(self, joints: int) -> int:
        """That of the law inside."""
        return self.law.command_size(joints)


def split(x: Array, sizes: Sequence[int]) -> list[Array]:
    """The inverse of `join`: vectors of some sizes."""
    ends = np.cumsum(sizes)
    return [x[..., end - size : end] for end, size in zip(ends, sizes, strict=True)]


def require_laws(laws: Any) -> None:
    """Raise unless these are laws of joints, one at least."""
    if not isinstance(laws, tuple) or not laws or not all(isinstance(law, JointLaw) for law in laws):
        raise ArgumentError(f"a tuple of one law of joints or more is needed, got {laws!r}")
