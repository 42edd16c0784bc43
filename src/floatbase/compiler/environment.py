"""Settings from environment variables."""

from __future__ import annotations

import os

from floatbase.errors import warn


def whole_number(name: str, default: int) -> int:
    """An environment variable that is a whole number, or the default with a warning if it is something else."""
    text = os.environ.get(name, "").strip()
    if text and not (text.isascii() and text.isdigit()):
        warn(f"the environment variable {name} is {text!r}; it must be a whole number; {default} is used", UserWarning)
        return default
    return int(text[:18]) if text else default
