"""Programs as files.

A program file holds numbers and names, never code: a magic word, a version, the length and SHA-256 of the body, and a
body of one JSON header (names, shapes, sizes, sub-programs) followed by the arrays. Everything read is bounded by
the length of the file and checked by `Program.validate` before it is used.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from floatbase.compiler.files import read_regular
from floatbase.compiler.program import Block, Port, Program, check_program
from floatbase.errors import ArgumentError, ProgramError

MAGIC = b"FLOATBASE-PROGRAM\n"
VERSION = 1
MAX_BYTES = 1 << 30
_MAX_DEPTH = 32
_HEAD = struct.Struct("<IQ32s")


def save(program: Program, path: str | Path) -> None:
    """Write a program file."""
    data = dumps(program)
    try:
        Path(path).write_bytes(data)
    except (OSError, TypeError, ValueError) as error:
        raise ProgramError(f"cannot write program file {path}: {getattr(error, 'strerror', None) or error}") from None


def load(path: str | Path) -> Program:
    """Read a program file; a damaged or hostile one raises `ProgramError`."""
    try:
        data = read_regular(path, MAX_BYTES + 1)
    except (OSError, TypeError, ValueError) as error:  # no file, no path, or a null character in it
        raise ProgramError(f"cannot read program file {path}: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise ProgramError(f"program file {path} is larger than {MAX_BYTES} bytes")
    try:
        return loads(data)
    except ProgramError as error:
        raise ProgramError(f"program file {path}: {error}") from None


def dumps(program: Program) -> bytes:
    """A program as bytes."""
    check_program("dumps", program)
    programs: dict[int, Program] = {}
    _collect(program, programs)
    numbers = {key: number for number, key in enumerate(programs)}
    arrays: list[np.ndarray] = []
    header = [_describe(item, numbers, arrays) for item in programs.values()]
    text = json.dumps(header, separators=(",", ":")).encode()
    body = struct.pack("<Q", len(text)) + text + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    return MAGIC + _HEAD.pack(VERSION, len(body), hashlib.sha256(body).digest()) + body


def loads(data: bytes) -> Program:
    """A program from bytes, checked."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ArgumentError(f"loads takes the bytes of a program, got {type(data).__name__}")
    data = bytes(data)
    start = len(MAGIC) + _HEAD.size
    if not data.startswith(MAGIC) or len(data) < start + 8:
        raise ProgramError("not a floatbase program")
    version, length, digest = _HEAD.unpack_from(data, len(MAGIC))
    if version != VERSION:
        raise ProgramError(f"program format {version} is not supported; this version of floatbase reads {VERSION}")
    body = memoryview(data)[start:]
    if len(body) != length or hashlib.sha256(body).digest() != digest:
        raise ProgramError("the program is truncated or damaged")
    (size,) = struct.unpack_from("<Q", body)
    if size > len(body) - 8:
        raise ProgramError("the program's header is longer than the program")
    try:
        header = json.loads(bytes(body[8 : 8 + size]))
        programs = _Reader(body[8 + size :]).programs(header)
    except ProgramError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, AttributeError) as error:
        raise ProgramError(f"malformed program: {error}") from None
    return programs[-1].validate()


def _collect(program: Program, found: dict[int, Program], depth: int = 1) -> None:
    """Programs by identity, in an order in which each comes after those it uses."""
    if depth > _MAX_DEPTH:
        raise ProgramError(f"programs are nested more than {_MAX_DEPTH} deep")
    for sub in program.subprograms():
        if id(sub) not in found:
            _collect(sub, found, depth + 1)
    found[id(program)] = program


def _describe(program: Program, numbers: dict[int, int], arrays: list[np.ndarray]) -> dict[str, Any]:
    arrays += [program.code.astype("<i4"), program.constants.astype("<f8"), program.results.astype("<i4")]
    blocks = []
    for block in program.blocks:
        arrays.append(block.arguments.astype("<i4"))
        blocks.append(
            {
                "kind": block.kind,
                "arguments": len(block.arguments),
                "size": block.size,
                "programs": [numbers[id(sub)] for sub in block.programs],
                "settings": list(block.settings),
            }
        )
    return {
        "name": program.name,
        "inputs": [[port.name, list(port.shape)] for port in program.inputs],
        "outputs": [[port.name, list(port.shape)] for port in program.outputs],
        "code": len(program.code),
        "constants": len(program.constants),
        "results": len(program.results),
        "blocks": blocks,
        "guards": [[int(value), message] for value, message in program.guards],
    }


class _Reader:
    """Takes arrays off the end of a body, one after the other."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.position = 0

    def array(self, count: Any, dtype: str) -> np.ndarray:
        count = _whole(count)
        size = count * np.dtype(dtype).itemsize
        if size > len(self.data) - self.position:
            raise ProgramError("an array is longer than the program")
        array = np.frombuffer(self.data, dtype, count, self.position).astype(np.dtype(dtype).newbyteorder("="))
        self.position += size
        return array

    def programs(self, header: Any) -> list[Program]:
        if not isinstance(header, list) or not header:
            raise ProgramError("the program's header is empty")
        programs: list[Program] = []
        depths: dict[int, int] = {}
        for item in header:
            program = self.program(item, programs)
            depth = 1 + max((depths[id(sub)] for sub in program.subprograms()), default=0)
            if depth > _MAX_DEPTH:
                raise ProgramError(f"programs are nested more than {_MAX_DEPTH} deep")
            programs.append(program)
            depths[id(program)] = depth
        if self.position != len(self.data):
            raise ProgramError("there is more data than the program's header describes")
        return programs

    def program(self, item: Any, earlier: list[Program]) -> Program:
        code = self.array(_whole(item["code"]) * 4, "<i4").reshape(-1, 4)
        constants = self.array(item["constants"], "<f8")
        results = self.array(item["results"], "<i4")
        blocks = []
        for entry in item["blocks"]:
            arguments = self.array(entry["arguments"], "<i4")
            subs = tuple(earlier[_whole(number)] for number in entry["programs"])
            settings = tuple((_text(name), _whole(value)) for name, value in entry["settings"])
            blocks.append(Block(_text(entry["kind"]), arguments, _whole(entry["size"]), subs, settings))
        return Program(
            _text(item["name"]),
            _ports(item["inputs"]),
            _ports(item["outputs"]),
            code,
            constants,
            results,
            tuple(blocks),
            tuple((_whole(value), _text(message)) for value, message in item["guards"]),
        )


def _ports(items: Any) -> tuple[Port, ...]:
    return tuple(Port(_text(name), tuple(_whole(n) for n in shape)) for name, shape in items)


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise ProgramError(f"expected a count, got {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ProgramError(f"expected a name, got {value!r}")
    return value
