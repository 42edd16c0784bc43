"""The settings with which a tree is made from a model, checked before they are used and kept."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.build import build_tree

_KNOWN = tuple(inspect.signature(build_tree).parameters)[1:]
_SWITCHES = ("free_mimic", "keep_force_sensors", "allow_nonphysical", "allow_massless")


def tree_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `build_tree`, copied, of the right kinds."""
    result = dict(settings)
    for name, value in settings.items():
        if name not in _KNOWN:
            raise unknown_name("setting of a robot", name, _KNOWN)
        if name in _SWITCHES or (name == "floating" and value is not None):
            if not isinstance(value, bool | np.bool_):
                raise ArgumentError(f"{name} must be True or False, got {value!r}")
        elif name == "joints" and value is not None:
            if isinstance(value, str) or not isinstance(value, Iterable):
                one = f", such as [{value!r}]" if isinstance(value, str) else ""
                raise ArgumentError(f"joints must be a list of joint names{one}, got {value!r}")
            result[name] = tuple(value)
        elif name == "locked" and value is not None:
            if not isinstance(value, Mapping):
                raise ArgumentError(f"locked must be a mapping of joint names to positions, got {value!r}")
            result[name] = dict(value)
        elif name == "gravity":
            result[name] = tuple(value) if isinstance(value, Iterable) else value
    return result
