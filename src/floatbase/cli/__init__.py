"""The command `floatbase`: experiments, robots and logs from a terminal."""

from floatbase.cli.application import app, main
from floatbase.cli.reporting import DOES_NOT_HOLD, FAILED, INTERRUPTED

__all__ = ["DOES_NOT_HOLD", "FAILED", "INTERRUPTED", "app", "main"]
