"""Arguments of algorithms: shapes checked, taken apart into components, base and joints separated."""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, unknown_name
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, components


def as_array(name: str, value: Any, size: int, tree: Tree) -> Array:
    """An array whose last axis has `size` entries."""
    x = np.asanyarray(value)
    if x.ndim == 0 or x.shape[-1] != size:
        raise ShapeError(f"{name} has shape {x.shape}; robot {tree.name!r} needs (..., {size})")
    return x


def configuration(tree: Tree, q: Any) -> Array:
    """`q: (..., nq)` as an array."""
    return as_array("q", q, tree.nq, tree)


def rates(tree: Tree, name: str, v: Any) -> Array:
    """`v: (..., nv)`, or an acceleration or generalised force, as an array."""
    return as_array(name, v, tree.nv, tree)


def optional_parameters(tree: Tree, parameters: Any) -> Array | None:
    """`parameters: (..., 10 n_bodies)` as an array, or None."""
    return None if parameters is None else as_array("parameters", parameters, 10 * len(tree.bodies), tree)


def split(tree: Tree, x: Array, base_size: int) -> tuple[list[Component], list[Component]]:
    """Components of the base part (none for a fixed base) and of the joints."""
    parts = components(x)
    n = base_size if tree.floating else 0
    return parts[:n], parts[n:]


def frame_of(tree: Tree, frame: str) -> tuple[int, Any]:
    """The body a frame is fixed to, and `body_H_frame` (4, 4)."""
    try:
        return tree.frames[frame]
    except (KeyError, TypeError):
        if not isinstance(frame, str):
            raise ArgumentError(f"a frame is given by its name, got {frame!r}") from None
        raise unknown_name("frame", frame, tree.frames) from None
