"""JAX as the libraries built on it advise to run it on a CPU: float64, one thread, compiled functions kept on disk.

Variables of the environment that are set stay as they are: `JAX_ENABLE_X64=0` asks for float32.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import Any


def _load() -> Any:
    """The module `jax`, which reads its settings from the environment when it is imported."""
    flags = ["--xla_cpu_multi_thread_eigen=false"]
    if tuple(int(part) for part in version("jax").split(".")[:3]) >= (0, 9, 1):  # older ones stop at unknown flags
        flags.append("--xla_cpu_scheduler_type=CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    os.environ.setdefault("XLA_FLAGS", " ".join(flags))
    import jax

    jax.config.update("jax_enable_x64", os.environ["JAX_ENABLE_X64"] != "0")
    jax.config.update("jax_compilation_cache_dir", str(Path.home() / ".cache" / "floatbase-benchmarks" / "jax"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0)
    return jax


jax = _load()
