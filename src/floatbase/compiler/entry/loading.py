"""The entry's machine code: compiled once per kind of machine, cached like any other, loaded once per process."""

from __future__ import annotations

import threading
from typing import Any

from floatbase.compiler.cache import Cache, cache_key
from floatbase.compiler.entry.code import entry_ir
from floatbase.compiler.entry.interpreter import probe
from floatbase.compiler.target import Target
from floatbase.errors import CompilationError

_lock = threading.Lock()
_loaded: list[Any] = []  # the code in use; it is never freed, since built-in functions may outlive everything


def entry_address(cache: Cache | None) -> int | None:
    """Address of the entry, or None in an interpreter that it does not know."""
    found = probe()
    if found is None:
        return None
    with _lock:
        if not _loaded:
            _loaded.append(_load(entry_ir(found[1]), cache))
        return int(_loaded[0].address("fb_entry"))


def _load(ir: str, cache: Cache | None) -> Any:
    from llvmlite import binding

    from floatbase.compiler.machine import compile_object, load_object

    target = Target.host()
    key = cache_key("entry", ir, target, binding.llvm_version_info)
    data = cache.get(key) if cache is not None else None
    if data is not None:
        try:
            return load_object(data)
        except CompilationError:
            pass  # compiled anew, and replaced
    data = compile_object(ir, target, 1)
    if cache is not None:
        cache.put(key, data)
    return load_object(data)
