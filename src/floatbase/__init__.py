"""Floating-base robots: algorithms written once in NumPy, compiled for the robot in hand."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from floatbase import errors
from floatbase.errors import FloatbaseError

if TYPE_CHECKING:
    from floatbase.compiler import Program, gather, guard, interpret, scan, subprogram, symbols, trace, while_loop
    from floatbase.compiler.threads import get_threads, set_threads
    from floatbase.kernels import Kernel, kernel
    from floatbase.loading import load
    from floatbase.model import Model, robots
    from floatbase.robot import Robot

# what is imported when it is first asked for: name -> module
_PLACES = {
    "Kernel": "kernels",
    "Model": "model",
    "Program": "compiler",
    "Robot": "robot",
    "gather": "compiler",
    "get_threads": "compiler.threads",
    "guard": "compiler",
    "interpret": "compiler",
    "kernel": "kernels",
    "load": "loading",
    "robots": "model",
    "scan": "compiler",
    "set_threads": "compiler.threads",
    "subprogram": "compiler",
    "symbols": "compiler",
    "trace": "compiler",
    "while_loop": "compiler",
}

__version__ = "0.1.0"
__all__ = [
    "FloatbaseError",
    "Kernel",
    "Model",
    "Program",
    "Robot",
    "errors",
    "gather",
    "get_threads",
    "guard",
    "interpret",
    "kernel",
    "load",
    "robots",
    "scan",
    "set_threads",
    "subprogram",
    "symbols",
    "trace",
    "while_loop",
]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'floatbase' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"floatbase.{place}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
