"""What the demo runs on, in one line."""

from __future__ import annotations

import os
import platform

import llvmlite
import numpy as np

import floatbase


def machine() -> str:
    """Processor, system and versions."""
    import llvmlite.binding as llvm

    version = ".".join(str(part) for part in llvm.llvm_version_info)
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}, "
        f"NumPy {np.__version__}, llvmlite {llvmlite.__version__} (LLVM {version}), floatbase {floatbase.__version__}"
    )


def _processor() -> str:
    """The name that Linux has for the processor, or what Python knows."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
