"""Warnings about robot descriptions that are doubtful, but usable."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

# functions in these folders are not whom a warning concerns
_INSIDE = (str(Path(__file__).parents[1]), str(Path(np.__file__).parent))


class ModelWarning(UserWarning):
    """A robot description is doubtful, but usable."""


def doubt(message: str) -> None:
    """Issue a `ModelWarning` that points at the code that called floatbase."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ModelWarning, stacklevel=level)


def listed(names: list[str], limit: int = 6) -> str:
    """Names in prose, the first few of them if there are many."""
    rest = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + rest
