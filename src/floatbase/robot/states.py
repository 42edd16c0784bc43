"""What a state must be: finite, with quaternions of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.compiler.gpu.libraries import on_device
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.errors import ArgumentError, GpuError, StateError
from floatbase.model import Tree
from floatbase.model.tree import position_index

UNIT_TOLERANCE = 1e-6


def check_configuration(tree: Tree, q: Any, name: str = "q") -> None:
    """Guard that the quaternions of a configuration, of the base and of joints, have unit length."""
    from floatbase.compiler.control import guard

    places = [("base quaternion", 3)] if tree.floating else []
    for body in tree.bodies:
        if body.joint is not None and body.joint.kind in ("spherical", "floating"):
            first = 7 * tree.floating + position_index(body.joint) + 3 * (body.joint.kind == "floating")
            places.append((f"quaternion of joint {body.joint.name!r},", first))
    for what, first in places:
        w, x, y, z = (q[..., first + k] for k in range(4))
        guard(
            np.abs(w * w + x * x + y * y + z * z - 1.0) <= UNIT_TOLERANCE,
            f"the {what} {name}[{first}:{first + 4}] (w, x, y, z) must have unit length, "
            f"to {UNIT_TOLERANCE:g} in its square",
            {"q": q},
        )


def check_state(tree: Tree, name: str, **arrays: Any) -> tuple[Any, ...]:
    """The arrays that an algorithm called `name` is evaluated with directly, checked as compiled functions check them.

    Those whose names begin with q are configurations. Symbols pass.
    """
    checked = []
    for key, value in arrays.items():
        if on_device((value,)):
            raise GpuError(
                f"{name}: argument {key!r} is on a GPU; this method computes on the CPU: copy it there first"
            )
        array = value if is_symbolic(value) else np.asanyarray(value)
        if not is_symbolic(array):
            if array.dtype.kind not in "fiubc":
                raise ArgumentError(f"{name}: argument {key!r} must be an array of numbers, got dtype {array.dtype}")
            if not np.isfinite(array).all():
                raise StateError(f"{name}: argument {key!r} must be finite, but contains NaN or infinity")
        if key.startswith("q") and array.ndim and array.shape[-1] == tree.nq:
            check_configuration(tree, array, key)
        checked.append(array)
    return tuple(checked)
