"""Keys that change whenever the code behind a kernel changes.

The fingerprint of a function covers its byte code and constants, defaults, closure, and, transitively, the functions,
classes, objects and values that its code names, as they are in memory; modules of libraries count by name, version,
size and time of their file. What cannot be fingerprinted gives None: such a kernel is traced in every process (its
machine code is still found by the program's own hash). The same holds for code that looks things up by computed names
or reads files or the environment.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import marshal
import pickle
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_PACKAGE = Path(__file__).parent
_PRIMITIVE = (str, bytes, int, float, complex, bool, type(None), type(...), slice, range)
_WRAPPERS = (staticmethod, classmethod, property, functools.cached_property)
# of a class: what Python puts there itself
_OWN = frozenset(("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__"))
# what these give cannot be told from the code that calls them
_UNFORESEEABLE = frozenset(
    (
        "getattr",
        "open",
        "eval",
        "exec",
        "compile",
        "globals",
        "locals",
        "vars",
        "__import__",
        "input",
        "environ",
        "getenv",
    )
)


class _UnknownError(Exception):
    """Something that has no lasting fingerprint."""


def fingerprint(function: Callable[..., Any], settings: dict[str, Any] | None = None) -> str | None:
    """SHA-256 of everything a function's result depends on besides its arrays, or None if that cannot be told.

    settings: values of static arguments.
    """
    walk = _Walk()
    try:
        walk.feed(function)
        walk.feed(sorted((settings or {}).items()))
    except (_UnknownError, RecursionError):
        return None
    return walk.hasher.hexdigest()


class _Walk:
    """Visits everything a function refers to, each object once."""

    def __init__(self) -> None:
        self.hasher = hashlib.sha256()
        self.seen: dict[int, tuple[int, Any]] = {}  # with the objects themselves, so that no other takes an id

    def say(self, *words: object) -> None:
        """Add some text."""
        self.hasher.update(repr(words).encode())

    def feed(self, value: Any, names: frozenset[str] = frozenset()) -> None:
        """Add a value. Of a user's module only the members called `names` count: those that the code may look up."""
        self.say(type(value).__module__, type(value).__qualname__)
        if isinstance(value, _PRIMITIVE):
            self.say(value)
            return
        if id(value) in self.seen:
            self.say("again", self.seen[id(value)][0])
            return
        self.seen[id(value)] = (len(self.seen), value)
        if isinstance(value, types.ModuleType):
            self._module(value, names)
        elif inspect.isfunction(value):
            self._function(value)
        elif inspect.ismethod(value):
            self._all((value.__func__, value.__self__), names)
        elif isinstance(value, functools.partial):
            self._all((value.func, value.args, sorted(value.keywords.items())), names)
        elif isinstance(value, _WRAPPERS):
            self._all((getattr(value, name, None) for name in ("__func__", "fget", "fset", "fdel", "func")), names)
        elif isinstance(value, type):
            self._class(value, names)
        elif inspect.isbuiltin(value) or isinstance(value, np.ufunc):
            module = getattr(value, "__module__", None) or ""
            self.say(_library_version(sys.modules.get(module)), module, getattr(value, "__qualname__", value.__name__))
        elif isinstance(value, np.ndarray) and value.dtype != object:
            self.say(value.dtype.str, value.shape, value.tobytes())
        elif isinstance(value, list | tuple | dict):
            self.say(len(value))
            self._all(value.items() if isinstance(value, dict) else value, names)
        elif isinstance(value, set | frozenset):
            self._all(sorted(value, key=repr), names)
        else:
            self._object(value, names)

    def _all(self, values: Iterable[Any], names: frozenset[str]) -> None:
        for value in values:
            self.feed(value, names)

    def _module(self, module: types.ModuleType, names: frozenset[str]) -> None:
        version = _library_version(module)
        self.say(module.__name__, version)
        if version is None:
            for name in sorted(names & vars(module).keys()):
                self.say(name)
                self.feed(getattr(module, name), names)

    def _function(self, function: types.FunctionType) -> None:
        version = _library_version(sys.modules.get(function.__module__ or ""))
        if version is not None:
            self.say(version, function.__qualname__)
            if function.__closure__ is None:
                return
        names = frozenset(_names(function.__code__))
        if version is None and names & _UNFORESEEABLE:
            raise _UnknownError
        self._code(function.__code__)
        self._all((function.__defaults__, function.__kwdefaults__, function.__dict__), names)
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                content = None
            self.feed(content, names)
        if version is None:
            for name in sorted(names & function.__globals__.keys()):
                self.say(name)
                self.feed(function.__globals__[name], names)

    def _code(self, code: types.CodeType) -> None:
        """Byte code and constants, without file names and line numbers."""
        self.say(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant)
            else:
                try:
                    self.hasher.update(marshal.dumps(constant))
                except ValueError:
                    raise _UnknownError from None

    def _class(self, kind: type, names: frozenset[str]) -> None:
        version = _library_version(sys.modules.get(kind.__module__))
        self.say(version, kind.__module__, kind.__qualname__)
        if version is None:
            self._all(kind.__bases__, names)
            for name, member in sorted(vars(kind).items()):
                if name not in _OWN and not isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType):
                    self.say(name)
                    self.feed(member, names)

    def _object(self, value: Any, names: frozenset[str]) -> None:
        """An instance: its class, and its attributes or, for those of libraries, its pickled form."""
        kind = type(value)
        self.feed(kind, names)
        own = getattr(kind, "__fingerprint__", None)
        if own is not None:
            self.feed(own(value), names)
        elif _library_version(sys.modules.get(kind.__module__)) is None:
            slots = (name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))
            self.feed(sorted(getattr(value, "__dict__", {}).items()), names)
            self._all(((name, getattr(value, name, None)) for name in slots), names)
        else:
            try:
                self.hasher.update(pickle.dumps(value, protocol=4))
            except Exception:  # whatever an object raises when it is pickled
                raise _UnknownError from None


@cache
def _library_folders() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple(Path(paths[name]).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _library_version(module: types.ModuleType | None) -> str | None:
    """Stands for the code of a library's module; None for a user's own module."""
    if module is None or module.__name__ == "__main__":
        return None
    file = getattr(module, "__file__", None)
    if file is None:
        return f"{module.__name__} {getattr(module, '__version__', '')}" if _is_frozen(module) else None
    path = Path(file).resolve()
    if path.is_relative_to(_PACKAGE):
        return module.__name__  # its sources are part of every key, see `cache_key`
    if not any(path.is_relative_to(folder) for folder in _library_folders()):
        return None
    root = sys.modules.get(module.__name__.partition(".")[0], module)
    try:
        status = path.stat()
    except OSError:
        return None
    return f"{module.__name__} {getattr(root, '__version__', '')} {status.st_size} {status.st_mtime_ns}"


def _is_frozen(module: types.ModuleType) -> bool:
    """Whether a module without a file is part of the interpreter."""
    return module.__name__ in sys.builtin_module_names or module.__name__ in sys.stdlib_module_names


def _names(code: types.CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*(_names(item) for item in inner))
