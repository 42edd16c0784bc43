"""The machine code of sharing in this process."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from floatbase.compiler.cache import default_cache
from floatbase.compiler.locking import making_code
from floatbase.compiler.machine import LoadedCode
from floatbase.compiler.native import load_module
from floatbase.compiler.sharing.code import sharing_ir
from floatbase.compiler.target import Target

_JOB = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_SERVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_WAIT = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)

_loaded: list[SharingCode] = []  # never freed: helpers run it until the process ends


@dataclass(frozen=True, eq=False)
class SharingCode:
    """The functions of `sharing.code`; calling one releases the interpreter lock."""

    share: Callable[[int], int]
    finish: Callable[[int], int]
    serve: Callable[[int], None]
    turns_per_second: float  # of waiting
    cede_address: int  # of the operating system's function that lets other threads have the processor, or 0
    code: LoadedCode


def sharing_code() -> SharingCode:
    """The code in use, loaded or compiled when first asked for."""
    if not _loaded:
        with making_code:
            if not _loaded:
                _loaded.append(_load())
    return _loaded[0]


def _load() -> SharingCode:
    code = load_module("sharing", sharing_ir(Target.host().triple), default_cache())
    share, finish = (_JOB(code.address(name)) for name in ("fb_share", "fb_finish"))
    cede = _cede_address()
    turns = _turns_per_second(_WAIT(code.address("fb_wait")), cede)
    return SharingCode(share, finish, _SERVE(code.address("fb_serve")), turns, cede, code)


def _cede_address() -> int:
    if os.name != "posix":
        return 0
    return ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p).value or 0


def _turns_per_second(wait: Callable[[int, int, int], int], cede: int) -> float:
    """How fast threads wait; clocks that can be read in machine code differ from one processor to the next."""
    word = ctypes.c_int64(1)
    turns, best = 2000, float("inf")
    for _ in range(3):
        before = time.perf_counter()
        wait(ctypes.addressof(word), turns, cede)
        best = min(best, time.perf_counter() - before)
    return turns / max(best, 1e-7)
