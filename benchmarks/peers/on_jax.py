"""What the libraries on JAX have in common: `jax.jit` for one state, `jax.jit(jax.vmap(...))` for a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.contender import Array, Contender, Function
from benchmarks.jax_settings import jax
from benchmarks.states import Layout, States


class Call(NamedTuple):
    """A function of one state: which arrays it takes (some of q, v, a, t), and the way to the reference convention."""

    function: Function
    letters: str
    call: Callable[..., Any]
    back: Callable[[States, Array], Array]


def entries(peer: str, layout: Layout, calls: Sequence[Call], one: States, batch: States) -> list[Contender]:
    """Compiled functions of one state and of a batch."""
    found = []
    for item in calls:
        for states, single in ((one, True), (batch, False)):
            if not len(states):
                continue
            arrays = _arrays(layout, states, item.letters)
            names = ", ".join({"t": "tau"}.get(letter, letter) for letter in item.letters)
            compiled = jax.jit(item.call if single else jax.vmap(item.call))
            rows = list(zip(*arrays, strict=True)) if len(arrays) > 1 else list(arrays[0])
            found.append(
                Contender(
                    peer, item.function, "one state" if single else "batch", "fresh",
                    f"r = f({names}).block_until_ready()", "r",
                    {"f": compiled, **({} if single else dict(zip(names.split(", "), arrays, strict=True)))},
                    lambda r, back=item.back, states=states: back(states, r),
                    len(states), names if single else "", rows if single else [],
                )
            )  # fmt: skip
    return found


def _arrays(layout: Layout, states: States, letters: str) -> list[Array]:
    all_of = {"q": layout.configuration, "v": layout.velocity, "a": layout.acceleration, "t": layout.force}
    return [all_of[letter](states) for letter in letters]
