"""Machine code that serves all programs: compiled once per kind of machine, cached, loaded once per process."""

from __future__ import annotations

from floatbase.compiler.cache import Cache, cache_key
from floatbase.compiler.machine import LoadedCode, compile_object, load_object
from floatbase.compiler.target import Target
from floatbase.errors import CompilationError


def load_module(name: str, ir: str, cache: Cache | None) -> LoadedCode:
    """A module of LLVM IR in this process, taken from the cache if that has it."""
    from llvmlite import binding

    target = Target.host()
    key = cache_key(name, ir, target, binding.llvm_version_info)
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
