"""Keys that change whenever the code behind a kernel changes.

The fingerprint of a function covers its byte code and constants, defaults, closure, and, transitively, the functions,
classes and values that its code names, as they are in memory; libraries count by name and version. What cannot be
fingerprinted gives None: such a kernel is traced in every process (its machine code is still found by the program's own
hash).
"""

from __future__ import annotations

import hashlib
import inspect
import marshal
import pickle
import sys
import sysconfig
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_PACKAGE = Path(__file__).parent


class _UnknownError(Exception):
    """Something that has no lasting fingerprint."""


def fingerprint(function: Callable[..., Any]) -> str | None:
    """SHA-256 of everything a function's result depends on besides its arguments, or None if that cannot be told."""
    hasher = hashlib.sha256()
    try:
        _feed(hasher, function, set())
    except _UnknownError:
        return None
    return hasher.hexdigest()


@cache
def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(str(Path(paths[name]).resolve()) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _library_version(module: types.ModuleType | None) -> str | None:
    """Name and version of a module of a library, which cannot change under us; None for a user's own module."""
    if module is None:
        return None
    file = getattr(module, "__file__", None)
    if file is not None and module.__name__ != "__main__":
        path = Path(file).resolve()
        if path.is_relative_to(_PACKAGE):
            return module.__name__  # its sources are part of every key, see `cache_key`
        if not str(path).startswith(_library_folders()):
            return None
    elif module.__name__ == "__main__":
        return None
    root = sys.modules.get(module.__name__.partition(".")[0], module)
    return f"{module.__name__} {getattr(root, '__version__', '')}"


def _feed(hasher: hashlib._Hash, value: Any, seen: set[int], names: frozenset[str] = frozenset()) -> None:
    """Add a value. Of a user's module only the members called `names` count: those that the code may look up."""
    hasher.update(type(value).__qualname__.encode())
    if isinstance(value, str | bytes | int | float | complex | bool | type(None)):
        hasher.update(repr(value).encode())
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, types.ModuleType):
        version = _library_version(value)
        members = () if version is not None else sorted(names & vars(value).keys())
        hasher.update((version or "").encode())
        for name in members:
            hasher.update(name.encode())
            _feed(hasher, getattr(value, name), seen, names)
    elif inspect.isfunction(value):
        _feed_function(hasher, value, seen)
    elif inspect.ismethod(value):
        _feed(hasher, value.__func__, seen, names)
        _feed(hasher, value.__self__, seen, names)
    elif isinstance(value, type) or inspect.isbuiltin(value) or isinstance(value, np.ufunc):
        _feed_named(hasher, value, seen)
    elif isinstance(value, list | tuple | set | frozenset | dict):
        items = value.items() if isinstance(value, dict) else value
        ordered = sorted(items, key=repr) if isinstance(value, set | frozenset) else items
        hasher.update(str(len(value)).encode())
        for item in ordered:
            _feed(hasher, item, seen, names)
    elif callable(value) and hasattr(value, "__wrapped__"):
        _feed(hasher, value.__wrapped__, seen, names)
    else:
        try:
            hasher.update(pickle.dumps(value, protocol=4))
        except Exception:  # whatever a user's object raises when it is pickled
            raise _UnknownError from None


def _feed_named(hasher: hashlib._Hash, value: Any, seen: set[int]) -> None:
    """A class or built-in: its name, and the methods of a user's class."""
    name = getattr(value, "__qualname__", value.__name__)
    module = getattr(value, "__module__", None) or ""
    hasher.update(f"{module}.{name}".encode())
    if isinstance(value, type) and _library_version(sys.modules.get(module)) is None:
        hasher.update(repr(getattr(value, "__annotations__", None)).encode())
        for key, member in sorted(vars(value).items()):
            if inspect.isfunction(member) and member.__qualname__.startswith(name):
                hasher.update(key.encode())
                _feed(hasher, member, seen)


def _feed_code(hasher: hashlib._Hash, code: types.CodeType) -> None:
    """Byte code and constants, without file names and line numbers."""
    hasher.update(code.co_code)
    hasher.update(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _feed_code(hasher, constant)
        else:
            try:
                hasher.update(marshal.dumps(constant))
            except ValueError:
                raise _UnknownError from None


def _names(code: types.CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*(_names(item) for item in inner))


def _feed_function(hasher: hashlib._Hash, function: types.FunctionType, seen: set[int]) -> None:
    version = _library_version(sys.modules.get(function.__module__ or ""))
    if version is not None:
        hasher.update(f"{version} {function.__qualname__}".encode())
        if function.__closure__ is None:
            return
    names = frozenset(_names(function.__code__))
    _feed_code(hasher, function.__code__)
    _feed(hasher, function.__defaults__, seen, names)
    _feed(hasher, function.__kwdefaults__, seen, names)
    for cell in function.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:
            content = None
        _feed(hasher, content, seen, names)
    if version is None:
        for name in sorted(names & function.__globals__.keys()):
            hasher.update(name.encode())
            _feed(hasher, function.__globals__[name], seen, names)
