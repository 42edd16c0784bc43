"""Moving on the manifold of configurations and back, for every kind of joint."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import REPRESENTATIONS
from tests.algorithms.test_identities import EVERY_KIND
from tests.random_trees import quaternions, random_state, random_tree

from floatbase import algorithms, spatial

STEP = 1e-7


@pytest.fixture(params=REPRESENTATIONS)
def tree(request):
    return random_tree(np.random.default_rng(8), 7, True, request.param, kinds=EVERY_KIND, backwards=0.3)


def test_difference_inverts_integrate(tree, rng):
    q, v = random_state(rng, tree, (3,))
    end = algorithms.integrate(tree, q, v)
    for start in quaternions(tree):
        assert_allclose(np.linalg.norm(end[..., start : start + 4], axis=-1), 1.0, atol=1e-15)
    assert_allclose(algorithms.difference(tree, q, end), v, atol=1e-12)
    assert_allclose(algorithms.difference(tree, q, q), 0.0, atol=1e-15)


def test_two_halves_make_a_whole(tree, rng):
    """What is held constant is a group's one-parameter motion; in mixed representation, too."""
    q, v = random_state(rng, tree)
    halfway = algorithms.integrate(tree, q, 0.5 * v)
    assert_allclose(algorithms.integrate(tree, halfway, 0.5 * v), algorithms.integrate(tree, q, v), atol=1e-13)


def test_base_moves_by_the_exponential_of_its_twist(tree, rng):
    q, v = random_state(rng, tree)
    H = algorithms.pose(tree, q, "link0")
    after = algorithms.pose(tree, algorithms.integrate(tree, q, v), "link0")
    if tree.representation == "mixed":
        assert_allclose(after[:3, 3], H[:3, 3] + v[:3], atol=1e-13)
        assert_allclose(after[:3, :3], spatial.rotation_exponential(v[3:6]) @ H[:3, :3], atol=1e-13)
    else:
        motion = spatial.pose_exponential(v[:6])
        assert_allclose(after, H @ motion if tree.representation == "body" else motion @ H, atol=1e-13)


def change(tree, q, columns, function):
    """Central differences: the velocity by which a result moves when `columns` do."""
    sides = [function(sign * STEP * columns) for sign in (1.0, -1.0)]
    return (algorithms.difference(tree, q, sides[0]) - algorithms.difference(tree, q, sides[1])) / (2 * STEP)


def test_derivatives_of_integrate(tree, rng):
    q, v = random_state(rng, tree)
    dq, dv = algorithms.integrate_derivatives(tree, q, v)
    end, units = algorithms.integrate(tree, q, v), np.eye(tree.nv)
    by_q = change(tree, end, units, lambda d: algorithms.integrate(tree, algorithms.integrate(tree, q, d), v))
    by_v = change(tree, end, units, lambda d: algorithms.integrate(tree, q, v + d))
    assert_allclose(dq, by_q.T, atol=1e-7)
    assert_allclose(dv, by_v.T, atol=1e-7)


def test_derivatives_of_difference(tree, rng):
    q, v = random_state(rng, tree)
    end, units = algorithms.integrate(tree, q, v), np.eye(tree.nv)
    dq, dend = algorithms.difference_derivatives(tree, q, end)
    for derivative, moved in (
        (dq, lambda d: algorithms.difference(tree, algorithms.integrate(tree, q, d), end)),
        (dend, lambda d: algorithms.difference(tree, q, algorithms.integrate(tree, end, d))),
    ):
        slopes = (moved(STEP * units) - moved(-STEP * units)) / (2 * STEP)
        assert_allclose(derivative, slopes.T, atol=1e-6)
