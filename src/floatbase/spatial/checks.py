"""Checks of numbers that claim to be rotations, poses and the like: they raise, they never repair.

The functions of this room do not look at values: recursions over robots call them, often with symbols. What the package
gives out are the same functions behind checks of their arguments (`guarded`), each of what its signature says it is.
Real numbers are checked; symbols and complex numbers, which are for derivatives, pass. `spatial.hat.__wrapped__`, which
is `spatial.skew.hat`, is the function without checks, for loops in which they would count.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, warn
from floatbase.spatial.arrays import Array
from floatbase.spatial.demands import CHOICES, DEMANDS, ROUNDING, TOLERANCE, Kind


class InertiaWarning(UserWarning):
    """An inertia is not one that a density of mass can have."""


def check_rotation(name: str, a_R_b: object) -> None:
    """Raise unless `a_R_b` (..., 3, 3) is a rotation matrix to within 1e-6."""
    require(name, _real(a_R_b), DEMANDS["RotationMatrix"])


def check_pose(name: str, a_H_b: object) -> None:
    """Raise unless `a_H_b` (..., 4, 4) is a pose: a rotation, a finite position and a last row of 0 0 0 1."""
    require(name, _real(a_H_b), DEMANDS["Pose"])


def check_skew(name: str, W: object) -> None:
    """Raise unless `W` (..., 3, 3) is skew to within 1e-6 of its size."""
    require(name, _real(W), DEMANDS["SkewMatrix"])


def check_inertia(name: str, M: object) -> None:
    """Raise unless `M` (..., 6, 6) is the inertia of a rigid body.

    It is symmetric and positive semidefinite, with m 1 and (m c)^ in their places and m >= 0.
    """
    require(name, _real(M), DEMANDS["InertiaMatrix"])


def check_array(name: str, x: object, shape: tuple[int, ...]) -> None:
    """Raise unless `x` has a shape and is finite."""
    array = np.asarray(x)
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}; it must be {shape}")
    if (numbers := _real_numbers(array)) is not None:
        require(name, numbers, DEMANDS["Array"])


def require(name: str, value: Array, kind: Kind) -> None:
    """Raise unless an array of real numbers is of a kind; `InertiaWarning` if that is doubtful."""
    core = len(kind.shape)
    if value.shape[value.ndim - core :] != kind.shape:
        shape = ", ".join(map(str, kind.shape))
        raise ShapeError(f"{name} has shape {value.shape} where {kind.description} (..., {shape}) is needed")
    finite = np.isfinite(value)
    if not finite.all():
        place = tuple(np.argwhere(~finite)[0])
        where = f"its entry {_label('', place)}" if place else "it"
        raise ArgumentError(f"{name} contains NaN or infinity: {where} is {value[place]}; all numbers must be finite")
    exact = value.dtype.kind != "f"
    tolerance = TOLERANCE if exact else max(TOLERANCE, ROUNDING * float(np.finfo(value.dtype).eps))
    for which, text, sizes, doubt in kind.faults(value.astype(np.float64), tolerance):
        if which.any():
            row = tuple(np.argwhere(which)[0])
            shown = " ".join(np.array2string(value[row], separator=", ").split())
            message = f"{_label(name, row)} {text.format(sizes[row])}" + (f"; it is {shown}" if core else "")
            if not doubt:
                raise ArgumentError(message)
            warn(message, InertiaWarning)


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function behind checks of its arguments, under the name by which the package gives it out."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    checks = []
    for position, name in enumerate(names):
        kind = str(function.__annotations__.get(name)).removesuffix(" | None")
        if kind in DEMANDS or kind in CHOICES or kind == "Element":
            place = position if position < code.co_argcount else len(names)
            checks.append((place, name, f"{function.__name__}: {name}", kind))
    if not checks:
        return function

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for position, name, label, kind in checks:
            if position < len(args):
                value = args[position]
            elif name in kwargs:
                value = kwargs[name]
            else:
                continue
            if kind in CHOICES:
                _require_choice(label, value, CHOICES[kind])
            elif kind == "Element":  # of the group that comes with it
                (args[0] if args else kwargs["group"]).check(label, value)
            elif (numbers := _real_numbers(value)) is not None:
                require(label, numbers, DEMANDS[kind])
        return function(*args, **kwargs)

    checked.__module__ = "floatbase.spatial"
    return checked


def guarded_names(namespace: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Those of the names that stand for functions, guarded."""
    return {name: guarded(namespace[name]) for name in names if isinstance(namespace[name], FunctionType)}


def _require_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        raise ArgumentError(f"{name} is {value!r}; the valid choices are {', '.join(map(str, choices))}")


def _real_numbers(value: Any) -> Array | None:
    """An array of what is real numbers; None for symbols, complex numbers, and what is no numbers."""
    if isinstance(value, list | tuple | float | int):
        try:
            value = np.asarray(value)
        except ValueError:  # of rows of several lengths
            return None
    if not isinstance(value, np.ndarray | np.generic):
        return None
    return value if value.dtype.kind in "fiu" else None


def _real(value: object) -> Array:
    return np.asarray(value).real


def _label(name: str, place: tuple[Any, ...]) -> str:
    return f"{name}[{', '.join(str(k) for k in place)}]" if place else name
