"""Programs as code for GPUs: PTX for a compute capability, then machine code for a GPU and its driver, both cached."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.cache import Cache, cache_key
from floatbase.compiler.gpu.driver import Device
from floatbase.compiler.locking import making_code
from floatbase.compiler.lowering import lower_device
from floatbase.compiler.program import Program
from floatbase.compiler.target import CAPABILITIES, DType, Target
from floatbase.errors import CompilationError

Kind = tuple[DType, DType]
"""The type of numbers in arrays, and that of arithmetic."""


@dataclass(frozen=True)
class DeviceCode:
    """PTX of a program, the shared memory that each warp needs, and how many groups of threads compute its outputs."""

    ptx: bytes
    shared: int
    groups: int


def nearest_capability(capability: tuple[int, int]) -> tuple[int, int]:
    """The latest compute capability that is known here and that a GPU has."""
    return max(known for known in CAPABILITIES if known <= capability)


def compile_device(program: Program, kind: Kind, capability: tuple[int, int]) -> DeviceCode:
    """Lower a program and write it as PTX, which needs no GPU."""
    from llvmlite import binding

    lowered = lower_device(program, kind[1], capability, kind[0])
    target = Target.gpu(capability)
    with making_code:
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        machine = binding.Target.from_triple(target.triple).create_target_machine(
            cpu=target.cpu, features=target.features, opt=1, reloc="pic", codemodel="small"
        )
        try:
            text = machine.emit_assembly(binding.parse_assembly(lowered.ir))
        except RuntimeError as error:
            raise CompilationError(f"LLVM refuses the module floatbase wrote: {error}") from None
    return DeviceCode(text.encode(), lowered.shared, lowered.groups)


def load_code(cache: Cache | None, digest: str, kind: Kind, capability: tuple[int, int]) -> DeviceCode | None:
    """PTX of a program, by its digest."""
    data = cache.get(_key(digest, kind, capability)) if cache is not None else None
    if data is None:
        return None
    head, found, ptx = data.partition(b"\n")
    try:
        shared, groups = (int(number) for number in json.loads(head))
    except (ValueError, TypeError):
        return None
    return DeviceCode(ptx, shared, groups) if found else None


def store_code(cache: Cache | None, digest: str, kind: Kind, capability: tuple[int, int], code: DeviceCode) -> None:
    """Store PTX of a program."""
    if cache is not None:
        head = json.dumps([code.shared, code.groups]).encode()
        cache.put(_key(digest, kind, capability), head + b"\n" + code.ptx)


def _key(digest: str, kind: Kind, capability: tuple[int, int]) -> str:
    return cache_key("ptx", digest, kind, capability, _llvm())


def _llvm() -> Any:
    from llvmlite import binding

    return binding.llvm_version_info


def machine_code(
    cache: Cache | None, digest: str, kind: Kind, code: DeviceCode, device: Device, registers: int
) -> bytes:
    """Code for one kind of GPU and version of its driver."""
    key = cache_key("cubin", digest, kind, device.capability, device.driver_version, registers, _llvm())
    found = cache.get(key) if cache is not None else None
    if found is None:
        found = device.link(code.ptx, registers)
        if cache is not None:
            cache.put(key, found)
    return found
