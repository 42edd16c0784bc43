"""The error tree of floatbase, and warnings that point at the user's code.

Every message says what was wrong, what came in, and what would be right.
"""

from __future__ import annotations

import difflib
import importlib
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path


class FloatbaseError(Exception):
    """Base class of every error floatbase raises on purpose."""


class ArgumentError(FloatbaseError, ValueError):
    """An argument has a wrong value, shape, type or name."""


class ShapeError(ArgumentError):
    """An array does not have the shape a function needs."""


class StateError(ArgumentError):
    """A state is not one a robot can be in: NaN, infinite, or a quaternion that is not of unit length."""


class UnknownNameError(ArgumentError, KeyError):
    """A frame, joint, link, sensor, robot or function name is not known."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0]) if self.args else ""


class ModelError(FloatbaseError, ValueError):
    """A robot description contradicts itself or cannot be a physical robot."""


class RobotFileError(ModelError):
    """A robot file cannot be read: malformed, hostile, or using features that are not supported."""


class LogError(FloatbaseError, ValueError):
    """A recording cannot be read or written: malformed, hostile, or of a kind that is not supported."""


class TraceError(FloatbaseError, TypeError):
    """An algorithm did something with a symbol that has no meaning while tracing."""


class ProgramError(FloatbaseError, ValueError):
    """A program, or the file it was read from, is damaged or inconsistent."""


class CompilationError(FloatbaseError, RuntimeError):
    """LLVM refused a program. This is a defect of floatbase: please report it with the program file."""


class GpuError(FloatbaseError, RuntimeError):
    """There is no GPU that can be used, or it refuses what it was asked for."""


class SimulationError(FloatbaseError, RuntimeError):
    """A simulated motion cannot go on: it diverges, or what holds it contradicts itself."""


class MissingDependencyError(FloatbaseError, ImportError):
    """An optional package is needed and not installed."""


def unknown_name(kind: str, name: object, known: Iterable[str], limit: int = 12) -> UnknownNameError:
    """The error for a misspelt name: lists near matches, or else the first few valid names."""
    return UnknownNameError(f"unknown {kind} {name!r}; {name_hint(name, known, limit)}")


def name_hint(name: object, known: Iterable[str], limit: int = 12) -> str:
    """What to say of a misspelt name: near matches, or else the first few valid names."""
    choices = sorted(known)
    near = difflib.get_close_matches(str(name), choices, n=5, cutoff=0.5)
    if near:
        return "did you mean " + " or ".join(repr(match) for match in near) + "?"
    if len(choices) <= limit:
        return "the valid choices are: " + ", ".join(choices) if choices else "there is none to choose from"
    return f"the {len(choices)} valid choices begin with: " + ", ".join(choices[:limit]) + ", ..."


def missing_dependency(package: str, extra: str, purpose: str) -> MissingDependencyError:
    """The error for an optional package that is not installed."""
    return MissingDependencyError(
        f"{purpose} needs the package {package!r}, which is not installed: pip install 'floatbase[{extra}]'"
    )


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning that points at the code that called floatbase."""
    import numpy as np

    # code in these places is not whom a warning concerns; `warnings` does not count frames of the last
    importing = "<frozen importlib"
    inside = (*(str(Path(file).parent) for file in (__file__, np.__file__, importlib.__file__)), importing)
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        level += not frame.f_code.co_filename.startswith(importing)
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)
