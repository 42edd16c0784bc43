"""JAX as the libraries built on it advise to run it on a CPU: float64, one thread, compiled functions kept on disk."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_cpu_multi_thread_eigen=false --xla_cpu_scheduler_type=CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED",
)

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_compilation_cache_dir", str(Path.home() / ".cache" / "floatbase-benchmarks" / "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0)

__all__ = ["jax"]
