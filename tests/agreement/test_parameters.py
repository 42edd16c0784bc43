"""Robots of different inertial parameters in one batch equal a loop over them, for every quantity that has any."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.agreement.random_models import random_model
from tests.random_trees import random_parameters, random_state

import floatbase as fb
from floatbase import spatial
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace
from floatbase.model import build_tree
from floatbase.model.tree import Tree
from floatbase.robot.quantities import QUANTITIES

ROBOTS = 3
NAMES = [name for name, quantity in QUANTITIES.items() if quantity.parameters]


def with_parameters(tree: Tree, phi: np.ndarray) -> Tree:
    """The tree whose bodies have `phi` (10 per body, about the frames of their links)."""
    rows = phi.reshape(-1, 10)
    bodies = list(tree.bodies)
    for number, row in zip(tree.order, rows, strict=True):
        own = spatial.transform_parameters(tree.frames[bodies[number].name][1], row)
        bodies[number] = replace(bodies[number], parameters=own)
    return replace(tree, bodies=tuple(bodies))


def values(tree: Tree, name: str, rng: np.random.Generator, n: int) -> dict[str, Any]:
    q, v = random_state(rng, tree, (n,))
    known = {"q": q, "v": v, "s": q[:, 7:], "s_dot": v[:, 6:], "omega": v[:, :3], "proper_acceleration": v[:, :6]}
    known |= {"a": rng.standard_normal(v.shape), "tau": rng.standard_normal(v.shape)}
    known |= {"s_ddot": known["a"][:, 6:], "dt": rng.uniform(1e-3, 2e-3, n), "u": known["a"][:, 6:]}
    known |= {"w": rng.standard_normal(v.shape)} | {key: rng.standard_normal((n, 2 * tree.nv)) for key in "zp"}
    return {key: known[key] for key in QUANTITIES[name].state}


def flat(result: Any, n: int) -> Any:
    """A quantity of n robots, or a tuple of several, as rows of numbers."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.reshape(part, (n, -1)) for part in parts], axis=1)


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_robots_equals_the_loop(name, representation, rng):
    tree = build_tree(random_model(2), "link3", True, representation=representation)
    phis = np.array([[random_parameters(rng) for _ in tree.bodies] for _ in range(ROBOTS)]).reshape(ROBOTS, -1)
    state = values(tree, name, rng, ROBOTS)
    quantity = QUANTITIES[name]
    static = {"frame": "link7"} if "frame" in quantity.static else {}

    def function(*arguments: Any) -> Any:
        return quantity.algorithm(tree, *arguments[:-1], **static, parameters=arguments[-1])

    batch = flat(function(*state.values(), phis), ROBOTS)
    sizes: dict[str, Any] = {key: value.shape[1:] for key, value in state.items()} | {"parameters": phis.shape[1:]}
    interpreted = flat(tuple(interpret(trace(function, sizes), *state.values(), phis)), ROBOTS)
    for k in range(ROBOTS):
        arguments = [value[k] for value in state.values()]
        (expected,) = flat(quantity.algorithm(with_parameters(tree, phis[k]), *arguments, **static), 1)
        size = np.linalg.norm(expected)
        assert np.linalg.norm(batch[k] - expected) <= 1e-9 * size
        assert np.linalg.norm(interpreted[k] - expected) <= 1e-9 * size


def test_compiled_functions_of_a_batch_of_robots(rng):
    robot = fb.load("quadrotor_with_arm")
    names = ["inverse_dynamics", "mass_matrix", "centroidal_momentum_matrix", "coriolis_matrix", "com"]
    phis = robot.inertial_parameters * rng.uniform(0.8, 1.2, (5, robot.n_bodies)).repeat(10, axis=1)
    q, v = robot.random(rng, n=5)
    a = rng.standard_normal((5, robot.nv))
    together = robot.function(names, parameters=True)(q, v, a, phis)
    for k in range(5):
        alone = robot.with_inertial_parameters(phis[k]).function(names)(q[k], v[k], a[k])
        for one, other in zip(together, alone, strict=True):
            assert np.linalg.norm(one[k] - other) <= 1e-11 * np.linalg.norm(other)
