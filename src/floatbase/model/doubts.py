"""Warnings about robot descriptions that are doubtful, but usable."""

from __future__ import annotations

from floatbase.errors import warn


class ModelWarning(UserWarning):
    """A robot description is doubtful, but usable."""


def doubt(message: str) -> None:
    """Issue a `ModelWarning` that points at the code that called floatbase."""
    warn(message, ModelWarning)


def listed(names: list[str], limit: int = 6) -> str:
    """Names in prose, the first few of them if there are many."""
    rest = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + rest
