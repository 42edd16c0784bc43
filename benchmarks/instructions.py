"""Instructions in machine code, counted in the disassembly of binutils' `objdump`."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

_LINE = re.compile(r"^\s+[0-9a-f]+:\t(?:(?:data16|cs|rep|repz|notrack|bnd) )*(\S+)\s*(.*?)\s*(?:#.*)?$", re.MULTILINE)
_COMPUTES = re.compile(r"^v?(add|sub|mul|div|sqrt|min|max|and|or|xor|fn?m(?:add|sub)\d{3})(s|p)d$")
_LANES = {"zmm": 8, "ymm": 4, "xmm": 2}


class Instructions(NamedTuple):
    """All of a function's, those among them that compute with doubles, and these once for each lane of a vector.

    A product that is added in the same instruction counts once, a change of sign counts.
    """

    total: int
    computing: int
    computing_lanes: int


def available() -> bool:
    return shutil.which("objdump") is not None


def count_instructions(code: bytes | Path, functions: str = ".*") -> Instructions:
    """Of the functions, whose names match a pattern, of an object or a library for x86-64."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(code, bytes):
            (Path(folder) / "code.o").write_bytes(code)
            code = Path(folder) / "code.o"
        command = ["objdump", "--disassemble", "--no-show-raw-insn", "-j", ".text", str(code)]
        listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    total = computing = lanes = 0
    for title, body in re.findall(r"^[0-9a-f]+ <(.+)>:\n((?:[ \t].*\n?)+)", listing, re.MULTILINE):
        if not re.fullmatch(functions, title):
            continue
        for mnemonic, operands in _LINE.findall(body):
            if mnemonic.startswith("nop"):
                continue
            total += 1
            match = _COMPUTES.match(mnemonic)
            if match and len(set(operands.split(","))) > 1:  # x ^ x makes a zero
                computing += 1
                scalar = match[2] == "s" or (match[1] in ("and", "or", "xor") and "xmm" in operands)
                lanes += 1 if scalar else _LANES[re.findall("[xyz]mm", operands)[-1]]
    return Instructions(total, computing, lanes)
