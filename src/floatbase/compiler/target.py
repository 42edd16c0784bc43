"""What machine the code is for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from floatbase.errors import ArgumentError

DType = Literal["float64", "float32"]

DTYPES: tuple[DType, ...] = ("float64", "float32")

Arithmetic = Literal["float64"] | None
"""What numbers are computed in: None for the type that they have in arrays."""

CAPABILITIES = ((8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (12, 0))
"""Compute capabilities of NVIDIA GPUs that programs can be compiled for; later GPUs take code of earlier ones."""

GPU_TRIPLE = "nvptx64-nvidia-cuda"


@dataclass(frozen=True)
class Target:
    """A processor: LLVM's triple, CPU name and feature string, and the width of its vector registers."""

    triple: str
    cpu: str
    features: str
    native_vector_bits: int

    @staticmethod
    def host() -> Target:
        """The processor this process runs on."""
        from llvmlite import binding

        features = str(binding.get_host_cpu_features().flatten())
        triple = str(binding.get_process_triple())
        return Target(triple, str(binding.get_host_cpu_name()), features, _vector_bits(triple, features))

    @staticmethod
    def gpu(capability: tuple[int, int]) -> Target:
        """An NVIDIA GPU of a compute capability, such as (9, 0)."""
        major, minor = capability
        return Target(GPU_TRIPLE, f"sm_{major}{minor}", "+ptx80" if major < 10 else "+ptx87", 64)

    @property
    def is_gpu(self) -> bool:
        """Whether each state has a thread of its own."""
        return self.triple == GPU_TRIPLE

    @property
    def has_fma(self) -> bool:
        """Whether fused multiply-add is one instruction; if not, programs are compiled without it."""
        return self.is_gpu or self.triple.startswith(("aarch64", "arm64")) or "+fma" in self.features.split(",")


def _vector_bits(triple: str, features: str) -> int:
    available = set(features.split(","))
    if triple.startswith(("x86_64", "amd64")):
        if {"+avx512f", "+avx512dq", "+avx512vl"} <= available:
            return 512
        return 256 if "+avx" in available else 128
    return 128


def known_dtypes(names: Iterable[str]) -> list[DType]:
    """Types of numbers, by name, checked."""
    found = []
    for name in (names,) if isinstance(names, str) else names:
        dtype = next((known for known in DTYPES if known == name), None)
        if dtype is None:
            raise ArgumentError(f"unknown dtype {name!r}; the valid choices are: {', '.join(DTYPES)}")
        found.append(dtype)
    return found
