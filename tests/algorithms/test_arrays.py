"""The same functions on batches, other dtypes and symbols; and what they say to bad input."""

import numpy as np
import pytest
from tests.algorithms.cases import TOLERANCE, error
from tests.random_trees import random_state, random_tree

from floatbase import algorithms
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace
from floatbase.errors import ArgumentError, ShapeError, UnknownNameError


def functions(tree):
    frame = list(tree.frames)[-1]
    return {
        "inverse_dynamics": (lambda q, v, a: algorithms.inverse_dynamics(tree, q, v, a, {frame: a[..., :6]}), "qva"),
        "forward_dynamics": (lambda q, v, a: algorithms.forward_dynamics(tree, q, v, a, {frame: v[..., :6]}), "qva"),
        "mass_matrix": (lambda q: algorithms.mass_matrix(tree, q), "q"),
        "bias": (lambda q, v: algorithms.bias(tree, q, v), "qv"),
        "gravity": (lambda q: algorithms.gravity(tree, q), "q"),
        "pose": (lambda q: algorithms.pose(tree, q, frame), "q"),
        "velocity": (lambda q, v: algorithms.velocity(tree, q, v, frame), "qv"),
        "acceleration": (lambda q, v, a: algorithms.acceleration(tree, q, v, a, frame), "qva"),
        "drift": (lambda q, v: algorithms.drift(tree, q, v, frame), "qv"),
        "jacobian": (lambda q: algorithms.jacobian(tree, q, frame), "q"),
        "com": (lambda q: algorithms.com(tree, q), "q"),
        "com_jacobian": (lambda q: algorithms.com_jacobian(tree, q), "q"),
        "com_velocity": (lambda q, v: algorithms.com_velocity(tree, q, v), "qv"),
        "kinetic_energy": (lambda q, v: algorithms.kinetic_energy(tree, q, v), "qv"),
        "potential_energy": (lambda q: algorithms.potential_energy(tree, q), "q"),
        "jacobian_rate": (lambda q, v: algorithms.jacobian_rate(tree, q, v, frame), "qv"),
        "inverse_mass_matrix": (lambda q: algorithms.inverse_mass_matrix(tree, q), "q"),
        "operational_space_mobility": (lambda q: algorithms.operational_space_mobility(tree, q, frame), "q"),
        "coriolis_matrix": (lambda q, v: algorithms.coriolis_matrix(tree, q, v), "qv"),
        "centroidal_momentum": (lambda q, v: algorithms.centroidal_momentum(tree, q, v), "qv"),
        "centroidal_momentum_matrix": (lambda q: algorithms.centroidal_momentum_matrix(tree, q), "q"),
        "centroidal_momentum_rate": (lambda q, v, a: algorithms.centroidal_momentum_rate(tree, q, v, a), "qva"),
        "centroidal_momentum_drift": (lambda q, v: algorithms.centroidal_momentum_drift(tree, q, v), "qv"),
        "locked_inertia": (lambda q: algorithms.locked_inertia(tree, q), "q"),
        "average_velocity": (lambda q, v: algorithms.average_velocity(tree, q, v), "qv"),
        "regressor": (lambda q, v, a: algorithms.regressor(tree, q, v, a), "qva"),
        "momentum_regressor": (lambda q, v: algorithms.momentum_regressor(tree, q, v), "qv"),
        "kinetic_energy_regressor": (lambda q, v: algorithms.kinetic_energy_regressor(tree, q, v), "qv"),
        "potential_energy_regressor": (lambda q: algorithms.potential_energy_regressor(tree, q), "q"),
        "integrate": (lambda q, v: algorithms.integrate(tree, q, v), "qv"),
        "difference": (lambda q, v: algorithms.difference(tree, q, algorithms.integrate(tree, q, v)), "qv"),
        "relative_jacobian": (lambda q: algorithms.relative_jacobian(tree, q, "link2", frame), "q"),
        "relative_velocity": (lambda q, v: algorithms.relative_velocity(tree, q, v, "link2", frame), "qv"),
        "relative_pose": (lambda q: algorithms.relative_pose(tree, q, "link2", frame), "q"),
    }


TREE = random_tree(np.random.default_rng(5), 9, True, "mixed")
MIMIC = random_tree(np.random.default_rng(6), 9, True, "inertial", mimic=True)
EVERY = random_tree(
    np.random.default_rng(7),
    9,
    True,
    "body",
    kinds=("spherical", "planar", "helical", "floating"),
    backwards=0.5,
)
NAMES = list(functions(TREE))
TREES = pytest.mark.parametrize("tree", [TREE, MIMIC, EVERY], ids=["plain", "mimic", "every kind"])


def arguments(tree, letters, shape=(), dtype=np.float64):
    rng = np.random.default_rng(3)
    q, v = random_state(rng, tree, shape)
    a = rng.standard_normal((*shape, tree.nv))
    return [{"q": q, "v": v, "a": a}[letter].astype(dtype) for letter in letters]


@pytest.mark.parametrize("name", NAMES)
@TREES
def test_batches_equal_single_states(name, tree):
    function, letters = functions(tree)[name]
    batch = arguments(tree, letters, (2, 3))
    result = function(*batch)
    assert result.shape[:2] == (2, 3)
    for index in np.ndindex(2, 3):
        assert error(result[index], function(*(x[index] for x in batch))) < 1e-13
    if len(batch) > 1:  # one configuration shared by a batch of velocities
        shared = function(batch[0][0, 0], *batch[1:])
        assert error(shared[0, 0], result[0, 0]) < 1e-13
        assert shared.shape == result.shape


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: dtype.__name__)
def test_dtypes(name, dtype):
    function, letters = functions(TREE)[name]
    result = function(*arguments(TREE, letters, (), dtype))
    assert result.dtype == dtype
    assert error(result, function(*arguments(TREE, letters))) < TOLERANCE[dtype]
    batch = function(*arguments(TREE, letters, (2,), dtype))
    assert batch.dtype == dtype


@pytest.mark.parametrize("name", NAMES)
@TREES
def test_symbols_give_the_same_numbers(name, tree):
    function, letters = functions(tree)[name]
    values = arguments(tree, letters, (4,))
    program = trace(function, {letter: value.shape[-1] for letter, value in zip(letters, values, strict=True)})
    (result,) = interpret(program, *values)
    assert error(result, function(*values)) < 1e-12


def test_bad_input():
    (q, v) = arguments(TREE, "qv")
    with pytest.raises(UnknownNameError, match="did you mean 'link8'"):
        algorithms.pose(TREE, q, "lnk8")
    with pytest.raises(ArgumentError, match="given by its name"):
        algorithms.pose(TREE, q, 8)
    with pytest.raises(ShapeError, match=r"q has shape \(3,\); robot 'random' needs \(..., 15\)"):
        algorithms.mass_matrix(TREE, q[:3])
    with pytest.raises(ShapeError, match="the wrench at 'link1'"):
        algorithms.inverse_dynamics(TREE, q, v, v, {"link1": np.zeros(3)})
    with pytest.raises(ShapeError, match="parameters"):
        algorithms.mass_matrix(TREE, q, np.zeros(10))


def test_whole_numbers():
    q = np.zeros(TREE.nq, dtype=int)
    q[3] = 1
    result = algorithms.mass_matrix(TREE, q)
    assert result.dtype == np.float64
    assert error(result, algorithms.mass_matrix(TREE, q.astype(float))) == 0.0
