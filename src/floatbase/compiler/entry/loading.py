"""The entry's machine code in this process."""

from __future__ import annotations

from floatbase.compiler.cache import Cache
from floatbase.compiler.entry.code import entry_ir
from floatbase.compiler.entry.interpreter import probe
from floatbase.compiler.locking import making_code
from floatbase.compiler.machine import LoadedCode
from floatbase.compiler.native import load_module

_loaded: list[LoadedCode] = []  # the code in use; it is never freed, since built-in functions may outlive everything


def entry_address(cache: Cache | None) -> int | None:
    """Address of the entry, or None in an interpreter that it does not know."""
    return _address("fb_entry", cache)


def select_address(cache: Cache | None) -> int | None:
    """Address of the function that selects an entry; as `entry_address`."""
    return _address("fb_select", cache)


def _address(name: str, cache: Cache | None) -> int | None:
    found = probe()
    if found is None:
        return None
    with making_code:
        if not _loaded:
            _loaded.append(load_module("entry", entry_ir(found[1]), cache))
        return _loaded[0].address(name)
