"""What distorts samples: settings, a memory, and random numbers that come in from outside.

A `Distortion` makes a sample out of what a perfect sensor would read. It remembers things from sample to sample, such
as a bias that wanders, in a vector whose size is known ahead. Random numbers are inputs, so that a program that samples
needs no generator: standard normal ones, and ones that are uniform between 0 and 1. Everything works on numbers with
batch axes and on symbols.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

from floatbase.spatial.arrays import Array


class Counts(NamedTuple):
    """How many random numbers are needed, of each kind."""

    normals: int = 0
    uniforms: int = 0


@dataclass(frozen=True, eq=False)
class Distortion(ABC):
    """Base of what distorts a sample of `size` channels."""

    @abstractmethod
    def check(self, what: str, size: int) -> None:
        """Raise unless the settings fit so many channels; `what` begins the message."""

    @abstractmethod
    def memory_size(self, size: int) -> int:
        """How many numbers are remembered."""

    @abstractmethod
    def at_start(self, size: int) -> Counts:
        """Random numbers that `begin` needs."""

    @abstractmethod
    def per_sample(self, size: int) -> Counts:
        """Random numbers that `sample` needs."""

    @abstractmethod
    def begin(self, size: int, normals: Array, uniforms: Array) -> Array:
        """The memory (..., memory_size) before the first sample; random numbers (..., n) of each kind."""

    @abstractmethod
    def sample(
        self, ideal: Array, memory: Array, normals: Array, uniforms: Array, period: float, first: Any
    ) -> tuple[Array, Array]:
        """A sample (..., size) and the memory after it.

        ideal: (..., size); period: s between samples; first: (...), whether this is the first sample.
        """
