"""Robots of different inertial parameters in one batch equal a loop over them, for every method that depends on them.

Public methods are sorted: those that take `parameters=`, those that give the same for a robot of any inertia, and a few
that are no functions of a state.
"""

from __future__ import annotations

import inspect
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
from floatbase.robot.requests import evaluate, input_ports, parse

ROBOTS = 3
NAMES = [name for name, quantity in QUANTITIES.items() if quantity.parameters]
MASSLESS = [name for name, quantity in QUANTITIES.items() if not quantity.parameters]
STATIC = {"frame": "link7", "reference": "link2", "link": "link5", "origin": "link1", "axes": "link6"}
OTHERS = {  # no quantities
    "neutral", "random", "configuration", "function", "prepare", "program", "with_representation", "with_base",
    "with_gravity", "with_joints", "with_inertial_parameters",
    "loaded_second_derivative_pattern",  # says where numbers stand
    "submodel_parameters",  # are the inertial parameters themselves
    "submodel_wrench",  # moves measured wrenches
    "trajectory_sensitivities",  # a loop over quantities
}  # fmt: skip
OF_SENSORS = {"submodel_regressor", "stacked_submodel_regressor", "local_torque_regressor"}


def with_parameters(tree: Tree, phi: np.ndarray) -> Tree:
    """The tree whose bodies have `phi` (10 per body, about the frames of their links)."""
    rows = phi.reshape(-1, 10)
    bodies = list(tree.bodies)
    for number, row in zip(tree.order, rows, strict=True):
        own = spatial.transform_parameters(tree.frames[bodies[number].name][1], row)
        bodies[number] = replace(bodies[number], parameters=own)
    return replace(tree, bodies=tuple(bodies))


def values(tree: Tree, names: Any, rng: np.random.Generator, n: int) -> list[Any]:
    q, v = random_state(rng, tree, (n,))
    known = {"q": q, "v": v, "s": q[:, 7:], "s_dot": v[:, 6:], "omega": v[:, :3], "proper_acceleration": v[:, :6]}
    known |= {"a": rng.standard_normal(v.shape), "tau": rng.standard_normal(v.shape)}
    known |= {"s_ddot": known["a"][:, 6:], "dt": rng.uniform(1e-3, 2e-3, n), "u": known["a"][:, 6:]}
    known |= {"w": rng.standard_normal(v.shape)} | {key: rng.standard_normal((n, 2 * tree.nv)) for key in "zp"}
    known |= {"wrench": rng.standard_normal((n, 6)), "q_end": random_state(rng, tree, (n,))[0]}
    known |= {"wrench_link7": known["wrench"]}
    return [known[name] for name in names]


def asked(tree: Tree, name: str, **choices: Any) -> Any:
    kinds = QUANTITIES[name].static
    static = [choices.get(kind, STATIC.get(kind)) for kind in kinds if kind not in ("chart", "method")]
    return parse(tree, (name, *(["link7", "link2"] if kinds == ("frames",) else static)))


def flat(result: Any, n: int) -> Any:
    """What `evaluate` finds for n robots, as rows of numbers."""
    return np.concatenate([np.reshape(part, (n, -1)) for part in result], axis=1)


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_robots_equals_the_loop(name, representation, rng):
    if name in ("change_to_center_of_mass", "change_to_average_velocity") and representation != "mixed":
        pytest.skip("needs the mixed representation")
    tree = build_tree(random_model(2), "link3", True, representation=representation)
    phis = np.array([[random_parameters(rng) for _ in tree.bodies] for _ in range(ROBOTS)]).reshape(ROBOTS, -1)
    request = asked(tree, name)
    given = request.with_parameters()
    ports = input_ports(tree, [request], ())
    state = values(tree, [port.name for port in ports], rng, ROBOTS)

    def function(*arguments: Any) -> Any:
        return tuple(evaluate(tree, [given], (), arguments).values())

    batch = flat(function(*state, phis), ROBOTS)
    sizes: dict[str, Any] = {port.name: port.shape for port in input_ports(tree, [given], ())}
    interpreted = flat(interpret(trace(function, sizes), *state, phis), ROBOTS)
    robots = 1 if name == "inverse_dynamics_second_derivatives" else ROBOTS  # takes long without a compiled program
    for k in range(robots):
        arguments = [value[k] for value in state]
        (expected,) = flat(evaluate(with_parameters(tree, phis[k]), [request], (), arguments).values(), 1)
        size = np.linalg.norm(expected)
        assert np.linalg.norm(batch[k] - expected) <= 1e-9 * size
        assert np.linalg.norm(interpreted[k] - expected) <= 1e-9 * size


@pytest.mark.parametrize("name", [name for name in MASSLESS if name not in OF_SENSORS])
def test_what_takes_no_parameters_is_the_same_for_any(name, rng):
    tree = build_tree(random_model(2), "link3", True, representation="mixed")
    others = with_parameters(tree, np.concatenate([random_parameters(rng) for _ in tree.bodies]))
    request, wrenches = asked(tree, name, representation="body"), ("link7",) if name == "generalized_forces" else ()
    state = values(tree, [port.name for port in input_ports(tree, [request], wrenches)], rng, 1)
    one, other = (evaluate(it, [request], wrenches, state) for it in (tree, others))
    assert all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize("name", sorted(OF_SENSORS))
def test_regressors_of_parts_are_the_same_for_any_parameters(name, rng):
    pytest.importorskip("icub_models")
    tree = fb.load("icub", keep_force_sensors=True).tree
    others = with_parameters(tree, np.concatenate([random_parameters(rng) for _ in tree.bodies]))
    selected = {
        "submodel_regressor": (1, "l_foot"),
        "stacked_submodel_regressor": [part.links[0] for part in tree.submodels],
        "local_torque_regressor": ("l_hip_pitch", "l_leg_ft_sensor"),
    }[name]
    request, state = parse(tree, (name, *selected)), values(tree, ("q", "v", "a"), rng, 1)
    one, other = (evaluate(it, [request], (), state) for it in (tree, others))
    assert all(np.array_equal(one[key], other[key]) for key in one)


def test_every_method_is_sorted():
    public = {name: item for name, item in inspect.getmembers(fb.Robot, inspect.isfunction) if name[0] != "_"}
    assert set(public) == {*QUANTITIES, *OTHERS}
    for name, quantity in QUANTITIES.items():
        assert ("parameters" in inspect.signature(public[name]).parameters) == quantity.parameters, name
        assert {"out", "threads"} <= set(inspect.signature(public[name]).parameters), name


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
