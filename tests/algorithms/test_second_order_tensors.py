"""Sparse tensors of second derivatives: against the contraction, and their patterns."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS
from tests.algorithms.test_second_order import KINDS, cases
from tests.random_trees import random_state, random_tree, with_representation

from floatbase.algorithms import (
    inverse_dynamics_hessian,
    inverse_dynamics_second_derivatives,
    second_derivative_pattern,
)
from floatbase.compiler import compile_program, interpret, trace
from floatbase.errors import ShapeError

SIZES = {"q": "nq", "v": "nv", "a": "nv"}


def states(rng, tree, shape=()):
    q, v = random_state(rng, tree, shape)
    return q, v, rng.standard_normal(v.shape)


def program_of(tree, **more):
    sizes = {name: getattr(tree, size) for name, size in SIZES.items()}

    def values(q, v, a, parameters=None):
        return inverse_dynamics_second_derivatives(tree, q, v, a, parameters=parameters)

    return trace(values, sizes | more, "second_derivatives")


def cycled():
    """Fewer robots: tensors of joints with many velocities take long without a compiled program."""
    for k, case in enumerate(list(cases())[1:-1]):
        tree = with_representation(case.values[0], REPRESENTATIONS[k % 3])
        yield pytest.param(tree, id=f"{case.id}-{tree.representation}")


@pytest.mark.parametrize("tree", list(cycled()))
def test_against_contractions_with_unit_vectors(tree, rng):
    q, v, a = states(rng, tree)
    dense = second_derivative_pattern(tree).dense(inverse_dynamics_second_derivatives(tree, q, v, a))
    expected = inverse_dynamics_hessian(tree, q, v, a, np.eye(tree.nv))
    size = max(np.linalg.norm(part) for part in expected)
    for ours, theirs in zip(dense, expected):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_program_with_loops_gives_the_same_for_a_batch_of_robots(representation, rng):
    tree = random_tree(rng, 7, representation=representation, kinds=KINDS)
    q, v, a = states(rng, tree, (3,))
    parameters = np.stack([body.parameters for body in tree.bodies]).ravel() * rng.uniform(0.5, 1.5, (3, 1))
    expected = inverse_dynamics_second_derivatives(tree, q, v, a, parameters=parameters)
    (found,) = interpret(program_of(tree, parameters=parameters.shape[-1]), q, v, a, parameters)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_compiled_for_one_state_and_for_many(rng):
    tree = random_tree(rng, 4, kinds=("revolute", "spherical", "prismatic"))
    q, v, a = states(rng, tree, (11,))
    expected = inverse_dynamics_second_derivatives(tree, q, v, a)
    function = compile_program(program_of(tree))
    for found, wanted in ((function(q, v, a), expected), (function(q[0], v[0], a[0]), expected[0])):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_a_fifth_of_the_tensors_of_a_humanoid(load_robot, representation):
    tree = load_robot("icub", representation).tree
    pattern = second_derivative_pattern(tree)
    for part in (pattern.dqdq, pattern.dqdv, pattern.dvdv, pattern.dqda):
        assert len(part.sources) <= 0.2 * tree.nv**3
        assert len(np.unique(part.indices, axis=0)) == len(part.indices)
        assert part.sources.max() < pattern.size
    assert program_of(tree).operation_count < {"body": 25_000, "mixed": 27_500, "inertial": 28_500}[representation]


def test_no_number_of_a_pattern_is_idle(rng):
    tree = random_tree(rng, 7, kinds=KINDS)
    pattern = second_derivative_pattern(tree)
    used = np.concatenate([part.sources for part in (pattern.dqdq, pattern.dqdv, pattern.dvdv, pattern.dqda)])
    np.testing.assert_array_equal(np.unique(used), np.arange(pattern.size))
    assert second_derivative_pattern(tree) is pattern


def test_contraction_of_a_batch_of_tensors(rng):
    tree = random_tree(rng, 6)
    q, v, a = states(rng, tree, (2, 3))
    w = rng.standard_normal(v.shape)
    dense = second_derivative_pattern(tree).dense(inverse_dynamics_second_derivatives(tree, q, v, a))
    for tensor, hessian in zip(dense, inverse_dynamics_hessian(tree, q, v, a, w)):
        found = np.einsum("...i,...ijk->...jk", w, tensor)
        np.testing.assert_allclose(found, hessian, rtol=0, atol=1e-12 * np.abs(hessian).max())


def test_values_of_another_size_are_refused(rng):
    pattern = second_derivative_pattern(random_tree(rng, 3))
    with pytest.raises(ShapeError, match="needs"):
        pattern.dense(np.zeros(pattern.size + 1))
