"""Equations of motion of arms with friction, and of random trees, at a hundred states each."""

import numpy as np
import pytest
from tests.algorithms.test_identities import EVERY_KIND, STEP, moved
from tests.random_trees import random_state, random_tree

from floatbase import algorithms
from floatbase.model import build_tree, library

STATES = 100
ROBOTS = {
    "staubli_tx40": lambda: build_tree(library.staubli_tx40(), floating=False),
    "mitsubishi_rv2sq": lambda: build_tree(library.mitsubishi_rv2sq(), floating=False),
    **{
        f"tree {seed}": lambda seed=seed: random_tree(
            np.random.default_rng(seed), 8, seed % 2 == 0, "mixed", kinds=EVERY_KIND if seed % 3 else ()
        )
        for seed in range(6)
    },
}


@pytest.fixture(params=ROBOTS)
def example(request, rng):
    tree = ROBOTS[request.param]()
    return tree, *random_state(rng, tree, (STATES,))


def rows(values):
    return np.linalg.norm(np.reshape(values, (STATES, -1)), axis=1)


def test_forces_are_the_sum_of_their_parts(example, rng):
    tree, q, v = example
    a = rng.standard_normal(v.shape)
    viscous, coulomb = rng.uniform(0.0, 2.0, (2, tree.nv))
    friction = viscous * v + coulomb * np.sign(v)
    M, C, G = algorithms.mass_matrix(tree, q), algorithms.coriolis_matrix(tree, q, v), algorithms.gravity(tree, q)
    parts = (M @ a[..., None] + C @ v[..., None])[..., 0] + G + friction
    forces = algorithms.inverse_dynamics(tree, q, v, a) + friction
    assert np.all(rows(parts - forces) < 1e-9 * rows(forces))


def test_mass_matrices(example):
    """Symmetric, positive definite, and their rates, by differences, the sum of Coriolis' matrix and its transpose."""
    tree, q, v = example
    M, C = algorithms.mass_matrix(tree, q), algorithms.coriolis_matrix(tree, q, v)
    assert np.array_equal(M, np.swapaxes(M, 1, 2)) and np.linalg.eigvalsh(M).min() > 0.0
    h = 1e-6
    ahead, behind = (algorithms.mass_matrix(tree, moved(tree, q, v, step)) for step in (h, -h))
    rate = (ahead - behind) / (2.0 * h)
    skew = rate - 2.0 * C
    assert np.all(rows(skew + np.swapaxes(skew, 1, 2)) < 1e-7 * rows(M))
    exact = algorithms.mass_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    assert np.all(rows(C + np.swapaxes(C, 1, 2) - exact) < 1e-12 * rows(M))
