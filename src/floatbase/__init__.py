"""Floating-base robots: algorithms written once in NumPy, compiled for the robot in hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from floatbase import errors
from floatbase.compiler.importing import imported_when_asked
from floatbase.errors import FloatbaseError

if TYPE_CHECKING:
    from floatbase import gpu, logs, simulation
    from floatbase.compiler import (
        Program,
        compile_program,
        gather,
        guard,
        interpret,
        scan,
        subprogram,
        symbols,
        trace,
        while_loop,
    )
    from floatbase.compiler.differentiate import gradient, hessian, jacobian, jvp, vjp
    from floatbase.compiler.threads import get_threads, set_threads
    from floatbase.kernels import Kernel, kernel
    from floatbase.loading import load
    from floatbase.model import Model, ModelWarning, robots
    from floatbase.robot import Robot

# what is imported when it is first asked for: name -> module
_PLACES = {
    "Kernel": "kernels",
    "Model": "model",
    "ModelWarning": "model",
    "Program": "compiler",
    "Robot": "robot",
    "compile_program": "compiler",
    "gather": "compiler",
    "get_threads": "compiler.threads",
    "gradient": "compiler.differentiate",
    "guard": "compiler",
    "hessian": "compiler.differentiate",
    "interpret": "compiler",
    "jacobian": "compiler.differentiate",
    "jvp": "compiler.differentiate",
    "kernel": "kernels",
    "load": "loading",
    "robots": "model",
    "scan": "compiler",
    "set_threads": "compiler.threads",
    "subprogram": "compiler",
    "symbols": "compiler",
    "trace": "compiler",
    "vjp": "compiler.differentiate",
    "while_loop": "compiler",
}

_MODULES = ("gpu", "logs", "simulation")

__version__ = "0.1.0"
__all__ = [
    "FloatbaseError",
    "Kernel",
    "Model",
    "ModelWarning",
    "Program",
    "Robot",
    "compile_program",
    "errors",
    "gather",
    "get_threads",
    "gpu",
    "gradient",
    "guard",
    "hessian",
    "interpret",
    "jacobian",
    "jvp",
    "kernel",
    "load",
    "logs",
    "robots",
    "scan",
    "set_threads",
    "simulation",
    "subprogram",
    "symbols",
    "trace",
    "vjp",
    "while_loop",
]

__getattr__ = imported_when_asked(__name__, _PLACES, modules=_MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
