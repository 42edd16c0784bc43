"""Twenty random robots with joints of every kind, mimics and universal joints among them, and exact differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from tests.agreement.random_models import random_model
from tests.random_trees import random_state

from floatbase.algorithms import finite_difference
from floatbase.model import build_tree
from floatbase.model.tree import Tree

COUNT = 20
EXACT = 1e-10  # what derivatives must reach against complex steps, relative


@cache
def robot_of_every_kind(number: int, representation: Any) -> Tree:
    """The base of one in four is fixed."""
    return build_tree(random_model(number), floating=number % 4 != 3, representation=representation)


class Situation:
    """A state of a tree, with accelerations or forces, wrenches at two links and inputs of the joints."""

    def __init__(self, tree: Tree, rng: np.random.Generator) -> None:
        self.tree = tree
        self.q, self.v = random_state(rng, tree)
        self.a, self.tau = rng.standard_normal((2, tree.nv))
        links = [name for name in tree.frames if name.startswith("link")]
        self.wrenches = {name: 5.0 * rng.standard_normal(6) for name in rng.choice(links[1:], 2, replace=False)}


def along(function: Callable[[Any], Any], tree: Tree, q: Any) -> Any:
    """The derivative of a function of the configuration along every velocity."""
    return finite_difference(function, q, tree=tree, method="complex", batched=True)


def by_complex_step(function: Callable[[Any], Any], x: Any) -> Any:
    """The derivative of a function of a vector."""
    return finite_difference(function, x, method="complex", batched=True)
