"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = (
    "numpy", "llvmlite", "pin", "mujoco", "idyntree", "casadi", "drake", "jax", "adam-robotics", "frax", "jaxsim",
    "mujoco-mjx",
)  # fmt: skip
_FLAGS = ("sse4_2", "avx", "fma", "avx2", "avx512f", "avx512dq", "avx512vl", "neon", "asimd", "sve")


def describe() -> dict[str, object]:
    """Processor, cores, instruction sets, operating system and versions."""
    information = _processor()
    flags = set(information.get("flags", information.get("Features", "")).split())
    packages = {}
    for package in _PACKAGES:
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = "not installed"
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "processor": information.get("model name", platform.processor() or platform.machine()),
        "family and model": f"{information.get('cpu family', '?')}/{information.get('model', '?')}",
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "instruction sets": [flag for flag in _FLAGS if flag in flags],
        "virtual": "hypervisor" in flags,
        "load before": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": packages,
    }


def _processor() -> dict[str, str]:
    path = Path("/proc/cpuinfo")
    if not path.is_file():
        return {}
    first = path.read_text().split("\n\n")[0]
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first.splitlines())}
