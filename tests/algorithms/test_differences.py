"""Difference quotients on vector spaces and on the manifold of configurations, and how far arrays are apart."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import REPRESENTATIONS
from tests.algorithms.test_identities import EVERY_KIND
from tests.random_trees import random_state, random_tree

from floatbase import algorithms
from floatbase.algorithms.derivatives.differences import deviation, finite_difference
from floatbase.errors import ArgumentError, ShapeError

ACCURACY = {"forward": 1e-5, "central": 1e-8, "complex": 1e-13}


@pytest.mark.parametrize("method", ACCURACY)
@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_vectors(method, batched, shape, rng):
    x = rng.standard_normal((*shape, 4))

    def function(x):
        return np.stack([np.sin(x[..., 0]) * x[..., 1], np.exp(x[..., 2]) + x[..., 3] ** 3], axis=-1)

    expected = np.zeros((*shape, 2, 4))
    expected[..., 0, 0], expected[..., 0, 1] = np.cos(x[..., 0]) * x[..., 1], np.sin(x[..., 0])
    expected[..., 1, 2], expected[..., 1, 3] = np.exp(x[..., 2]), 3.0 * x[..., 3] ** 2
    found = finite_difference(function, x, method=method, batched=batched)
    assert found.dtype == np.float64
    assert_allclose(found, expected, atol=10 * ACCURACY[method])


@pytest.mark.parametrize("method", ACCURACY)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_configurations(method, representation, rng):
    """The centre of mass moves by its Jacobian, whatever the joints are, and matrices have derivatives, too."""
    tree = random_tree(rng, 7, True, representation, kinds=EVERY_KIND)
    q, _ = random_state(rng, tree, (2,))
    found = finite_difference(lambda q: algorithms.com(tree, q), q, tree=tree, method=method, batched=True)
    assert_allclose(found, algorithms.com_jacobian(tree, q), atol=ACCURACY[method])
    rates = finite_difference(lambda q: algorithms.mass_matrix(tree, q), q[0], tree=tree, method=method)
    assert rates.shape == (tree.nv, tree.nv, tree.nv)
    if representation == "body":
        assert_allclose(rates[..., :6], 0.0, atol=ACCURACY[method])


def test_whole_numbers_are_disturbed_as_well():
    assert_allclose(finite_difference(lambda x: x**2, [1, 2]), np.diag([2.0, 4.0]), atol=1e-9)


def test_deviation_is_relative_to_the_mean_magnitude():
    """As in the example of the thesis: structural zeros make no infinite errors."""
    found = deviation([[2.0, 0.0], [-1.0, 1.0]], [[2.5, 1e-10], [-1.0, 1.0]])
    assert found.largest == pytest.approx(0.5)
    assert found.mean == pytest.approx((0.5 + 1e-10) / 4)
    assert deviation([0.0], [0.0]) == (0.0, 0.0)
    assert deviation([0.0], [1.0]).largest == np.inf


@pytest.mark.parametrize(
    "arguments",
    [{"method": "sideways"}, {"step": 0.0}, {"step": np.nan}, {"method": "complex", "x": np.array([1j])}],
)
def test_bad_arguments_are_named(arguments):
    with pytest.raises(ArgumentError):
        finite_difference(lambda x: x, **{"x": [1.0], **arguments})
    with pytest.raises(ShapeError):
        finite_difference(lambda x: x, 1.0)
    with pytest.raises(ShapeError):
        deviation([1.0], [1.0, 2.0])
