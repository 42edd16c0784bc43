"""Which GPUs there are, and calls that do not wait for them. Methods and functions take arrays there as they are."""

from __future__ import annotations

from floatbase.compiler.gpu.checking import check, deferred
from floatbase.compiler.gpu.driver import devices

__all__ = ["check", "deferred", "devices"]
