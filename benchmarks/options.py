"""What to run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """Settings that adapters look at."""

    long_compilations: bool = False  # libraries that compile for a minute per function and robot
