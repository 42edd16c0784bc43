r"""Derivatives by difference quotients, on vector spaces and on the manifold of configurations, to check others with.

Column $k$ of the derivative of $f$ at $x$ with step $\delta$ is

| method  | column | accuracy |
|---|---|---|
| forward | $(f(x \oplus \delta e_k) - f(x)) / \delta$ | order $\delta$, at best about $10^{-8}$ |
| central | $(f(x \oplus \delta e_k) - f(x \ominus \delta e_k)) / 2 \delta$ | order $\delta^2$, at best $10^{-10}$ |
| complex | $\mathrm{Im}\, f(x \oplus i \delta e_k) / \delta$ | that of $f$, if it is analytic (no `abs`) |

where $x \oplus z$ is $x + z$, or moves a configuration along a velocity as `integrate` does: in body representation the
base's pose becomes $H \exp(z^\wedge)$, Bos 2019, (5.1)-(5.8) and (5.29)-(5.32). A derivative by a configuration holds
the components of everything else fixed, in the representation of the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from floatbase.algorithms.configuration import integrate
from floatbase.errors import ArgumentError, ShapeError
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array

Method = Literal["forward", "central", "complex"]
STEPS: dict[Method, float] = {"forward": 1e-6, "central": 1e-6, "complex": 1e-30}


class Deviation(NamedTuple):
    """How far two arrays are apart, relative to the mean magnitude of the entries."""

    largest: float
    mean: float


def finite_difference(
    function: Callable[[Array], Any],
    x: Any,
    *,
    tree: Tree | None = None,
    method: Method = "central",
    step: float | None = None,
    batched: bool = False,
) -> Array:
    """The derivative (..., n) of `function` at `x: (..., n)`; at a configuration `x: (..., nq)` if `tree` is given.

    The derivative has one axis more than the function's result, the last one: entries of `x`, or the nv velocities of
    the tree along which the configuration moves. `batched`: call the function once, with all disturbed arguments
    along a new first axis, which its result has too.
    """
    x = np.asarray(x, dtype=np.result_type(np.asanyarray(x), np.float32))
    if tree is None:
        if x.ndim == 0:
            raise ShapeError("x is a scalar; it must have at least one axis, whose entries are disturbed")
        return quotients(lambda z: function(x + z), x, x.shape[-1], method, step, batched)
    return quotients(lambda z: function(integrate(tree, x, z)), x, tree.nv, method, step, batched)


def quotients(
    function: Callable[[Array], Any],
    like: Array,
    size: int,
    method: Method = "central",
    step: float | None = None,
    batched: bool = False,
) -> Array:
    """The derivative at zero of a function of a tangent vector (..., size), with the batch axes of `like`."""
    if method not in get_args(Method):
        raise ArgumentError(f"method is {method!r}; it must be one of {get_args(Method)}")
    step = STEPS[method] if step is None else step
    if not (np.isfinite(step) and step > 0.0):
        raise ArgumentError(f"step is {step!r}; it must be positive and finite")
    if method == "complex" and np.iscomplexobj(like):
        raise ArgumentError("complex steps need a real argument")
    unit = np.eye(size, dtype=like.dtype).reshape(size, *(1,) * (like.ndim - 1), size)
    directions = step * np.broadcast_to(unit, (size, *like.shape[:-1], size))

    def values(at: Array) -> Array:
        return np.asarray(function(at)) if batched else np.stack([np.asarray(function(z)) for z in at])

    if method == "complex":
        found = np.imag(values(1j * directions)) / step
    elif method == "central":
        found = (values(directions) - values(-directions)) / (2.0 * step)
    else:
        *moved, still = values(np.concatenate([directions, np.zeros_like(directions[:1])]))
        found = (np.stack(moved) - still) / step
    return np.moveaxis(found, 0, -1)


def deviation(actual: Any, reference: Any) -> Deviation:
    r"""Largest and mean entry of $|A - B| / \mathrm{mean} |A|$: Bos 2019, (5.9)-(5.10).

    Not relative to each entry, of which some may be zero. Zero arrays deviate from equal ones by zero.
    """
    actual, reference = np.asarray(actual), np.asarray(reference)
    if actual.shape != reference.shape or actual.size == 0:
        raise ShapeError(f"arrays of shapes {actual.shape} and {reference.shape}; they must be equal and not empty")
    error, scale = np.abs(actual - reference), float(np.mean(np.abs(actual)))
    if not error.any():
        return Deviation(0.0, 0.0)
    if scale == 0.0:
        return Deviation(np.inf, np.inf)
    return Deviation(float(np.max(error)) / scale, float(np.mean(error)) / scale)
