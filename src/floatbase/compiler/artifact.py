"""What is stored of a program: its signature, its bytes, and its machine code for one type and number of lanes.

Level 1 maps a function's key to its signature and its program's digest, so that a warm start neither traces nor
lowers. Level 2 maps a program's digest, number type, lanes and machine to object code.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any

from floatbase.compiler import format as program_format
from floatbase.compiler.cache import Cache, cache_key
from floatbase.compiler.effort import batch_operations
from floatbase.compiler.program import Port, Program
from floatbase.compiler.target import DType, Target
from floatbase.errors import ProgramError

_HEAD = struct.Struct("<q")


@dataclass(frozen=True)
class Signature:
    """How a compiled program is called: names and shapes of what goes in and out, and what its guards say."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    guards: tuple[str, ...] = ()

    @staticmethod
    def of(program: Program) -> Signature:
        """A program's signature."""
        return Signature(program.name, program.inputs, program.outputs, tuple(text for _, text in program.guards))


@dataclass(frozen=True)
class Record:
    """Level 1: what a function's key stands for."""

    signature: Signature
    digest: str  # of the program
    operations: int  # as long as one state of a batch takes, estimated

    @staticmethod
    def of(program: Program) -> Record:
        """A program's record."""
        return Record(Signature.of(program), program.digest, batch_operations(program))


@dataclass(frozen=True)
class Artifact:
    """Level 2: relocatable object code, and the bytes of scratch memory its functions need."""

    code: bytes
    scratch: int


def load_record(cache: Cache | None, key: str | None) -> Record | None:
    """The record stored under a function's key."""
    data = cache.get(f"record {key}") if cache is not None and key is not None else None
    if data is None:
        return None
    try:
        content = json.loads(data)
        signature = Signature(
            content["name"], _ports(content["inputs"]), _ports(content["outputs"]), tuple(content["guards"])
        )
        return Record(signature, str(content["digest"]), int(content["operations"]))
    except (ValueError, KeyError, TypeError):
        return None


def store_record(cache: Cache | None, key: str | None, record: Record) -> None:
    """Store what a function's key stands for."""
    if cache is None or key is None:
        return
    signature = record.signature
    content = {
        "name": signature.name,
        "inputs": [[port.name, port.shape] for port in signature.inputs],
        "outputs": [[port.name, port.shape] for port in signature.outputs],
        "guards": signature.guards,
        "digest": record.digest,
        "operations": record.operations,
    }
    cache.put(f"record {key}", json.dumps(content).encode())


def _ports(items: Any) -> tuple[Port, ...]:
    return tuple(Port(str(name), tuple(int(extent) for extent in shape)) for name, shape in items)


def load_program(cache: Cache | None, digest: str) -> Program | None:
    """The program of a digest."""
    data = cache.get(f"program {digest}") if cache is not None else None
    if data is None:
        return None
    try:
        return program_format.loads(data)
    except ProgramError:
        return None


def store_program(cache: Cache | None, program: Program) -> None:
    """Store a program under its digest."""
    if cache is not None:
        cache.put(f"program {program.digest}", program_format.dumps(program))


def load_artifact(cache: Cache | None, digest: str, dtype: DType, lanes: int, target: Target) -> Artifact | None:
    """Object code of a program."""
    data = cache.get(_artifact_key(digest, dtype, lanes, target)) if cache is not None else None
    if data is None or len(data) <= _HEAD.size:
        return None
    (scratch,) = _HEAD.unpack_from(data)
    return Artifact(data[_HEAD.size :], scratch) if scratch >= 0 else None


def store_artifact(
    cache: Cache | None, digest: str, dtype: DType, lanes: int, target: Target, artifact: Artifact
) -> None:
    """Store object code of a program."""
    if cache is not None:
        cache.put(_artifact_key(digest, dtype, lanes, target), _HEAD.pack(artifact.scratch) + artifact.code)


def _artifact_key(digest: str, dtype: DType, lanes: int, target: Target) -> str:
    from llvmlite import binding

    return cache_key("object", digest, dtype, lanes, target, binding.llvm_version_info)


def compile_artifact(program: Program, dtype: DType, lanes: int, target: Target) -> Artifact:
    """Lower a program and compile it to object code."""
    from floatbase.compiler.lowering import lower
    from floatbase.compiler.machine import compile_object

    lowered = lower(program, target, dtype, lanes)
    return Artifact(compile_object(lowered.ir, target, lanes), lowered.scratch)
