"""Packages whose public names are imported when they are first asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any


def imported_when_asked(package: str, places: Mapping[str, str], modules: Collection[str] = ()) -> Callable[[str], Any]:
    """A package's `__getattr__`.

    places: module, below the package, that each public name comes from; modules: those that are public themselves.
    """

    def get(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        place = places.get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        value = getattr(importlib.import_module(f"{package}.{place}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
