"""Regressors times the inertial parameters, on robots with every kind of joint and with link frames of their own."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import error
from tests.algorithms.test_identities import case  # noqa: F401
from tests.random_trees import random_pose, random_tree

from floatbase import algorithms, spatial
from floatbase.errors import ArgumentError


@pytest.fixture
def example(case):  # noqa: F811
    """A robot without rotors, its links placed at random in the frames of the recursions, and their parameters."""
    tree, q, v, _ = case
    rng = np.random.default_rng(2)
    bodies = tuple(
        replace(body, joint=replace(body.joint, armature=0.0) if body.joint else None) for body in tree.bodies
    )
    frames = dict(tree.frames) | {body.name: (k, random_pose(rng)) for k, body in enumerate(bodies)}
    tree = replace(tree, bodies=bodies, frames=frames)
    parts = [spatial.transform_parameters(spatial.invert_pose(frames[x.name][1]), x.parameters) for x in bodies]
    return tree, q, v, rng.standard_normal(tree.nv), np.concatenate(parts)


def test_inverse_dynamics(example):
    tree, q, v, a, parameters = example
    Y, tau = algorithms.regressor(tree, q, v, a), algorithms.inverse_dynamics(tree, q, v, a)
    assert error(Y @ parameters, tau) < 1e-11
    assert error(algorithms.inverse_dynamics(tree, q, v, a, parameters=parameters), tau) < 1e-11
    if tree.floating:
        assert_allclose(algorithms.base_regressor(tree, q, v, a), Y[:6], atol=1e-12)


def test_momentum(example):
    tree, q, v, _, parameters = example
    assert error(algorithms.momentum_regressor(tree, q, v) @ parameters, algorithms.mass_matrix(tree, q) @ v) < 1e-11


def test_energies(example):
    tree, q, v, _, parameters = example
    kinetic = algorithms.kinetic_energy_regressor(tree, q, v) @ parameters
    assert kinetic == pytest.approx(algorithms.kinetic_energy(tree, q, v), rel=1e-11)
    potential = algorithms.potential_energy_regressor(tree, q) @ parameters
    assert potential == pytest.approx(algorithms.potential_energy(tree, q), rel=1e-11, abs=1e-11)


def test_every_quantity_takes_parameters(example):
    tree, q, v, a, parameters = example
    frame = list(tree.frames)[-1]
    for name, arguments in {
        "mass_matrix": (q,),
        "inverse_mass_matrix": (q,),
        "coriolis_matrix": (q, v),
        "forward_dynamics": (q, v, a),
        "centroidal_momentum": (q, v),
        "centroidal_momentum_matrix": (q,),
        "centroidal_momentum_rate": (q, v, a),
        "average_velocity": (q, v),
        "operational_space_mobility": (q, frame),
        "com_jacobian": (q,),
    }.items():
        function = getattr(algorithms, name)
        assert_allclose(
            function(tree, *arguments, parameters=parameters), function(tree, *arguments), atol=1e-9, rtol=1e-9
        )


def test_fixed_bases_have_no_rows(rng):
    tree = random_tree(rng, 3, floating=False)
    nothing = np.zeros(tree.nv)
    with pytest.raises(ArgumentError, match="fixed base"):
        algorithms.base_regressor(tree, nothing, nothing, nothing)
