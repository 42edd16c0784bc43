"""Arrays of numbers in the caller's library and number type: what is shared by all states goes to where they are."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from floatbase.compiler.gpu.libraries import library_of
from floatbase.errors import ArgumentError


def alike(like: Any, values: Any) -> Any:
    """`values`, an array of NumPy's, as an array of the type and in the place of `like`."""
    library = library_of(like)
    if library is None:
        return np.asarray(values, order="C", dtype=np.float32 if np.asarray(like).dtype == np.float32 else np.float64)
    view = library.view(like)
    values = np.asarray(values, dtype=view.dtype, order="C")
    if library.name == "CuPy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(view.device):
            return cupy.asarray(values)
    if library.name == "PyTorch":
        return sys.modules["torch"].as_tensor(values, device=like.device)
    if library.name == "JAX":
        jax = sys.modules["jax"]
        return jax.device_put(values, next(iter(like.devices())))
    if library.name == "Numba":
        return sys.modules["numba.cuda"].to_device(values)
    raise ArgumentError(f"a simulator does not know how arrays of {library.name} are made; use CuPy, PyTorch or JAX")


def place_of(array: Any) -> Any:
    """Stands for type and place of an array: equal where `alike` gives the same."""
    library = library_of(array)
    if library is None:
        return array.dtype
    view = library.view(array)
    return library.name, view.dtype, view.device


def on_host(array: Any) -> Any:
    """A copy as an array of NumPy's, from wherever it is."""
    library = library_of(array)
    if library is None:
        return np.asarray(array)
    if library.name == "CuPy":
        return array.get()
    if library.name == "Numba":
        return array.copy_to_host()
    return array.cpu().numpy() if library.name == "PyTorch" else np.asarray(array)
