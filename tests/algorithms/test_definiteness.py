"""Inertial parameters that no body has are refused where the mass matrix would be inverted."""

from dataclasses import replace

import numpy as np
import pytest
from tests.algorithms.cases import error
from tests.algorithms.test_identities import EVERY_KIND
from tests.random_trees import random_state, random_tree

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import StateError

TREES = {
    "articulated": random_tree(np.random.default_rng(3), 6, True, "mixed"),
    "every kind": random_tree(np.random.default_rng(4), 7, True, "body", kinds=EVERY_KIND, backwards=0.5),
    "fixed base": random_tree(np.random.default_rng(5), 5, False, "mixed"),
}


@pytest.mark.parametrize("factor", [0.0, -1.0])
@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_parameters_of_no_body_are_refused(tree, factor, rng):
    q, v = random_state(rng, tree)
    phi = np.concatenate([body.parameters for body in tree.bodies])
    frame = tree.bodies[-1].name
    for name, arguments in (
        ("forward_dynamics", (q, v, v)),
        ("inverse_mass_matrix", (q,)),
        ("operational_space_mobility", (q, frame)),
    ):
        function = getattr(algorithms, name)
        with pytest.raises(StateError, match="not positive definite for the inertial parameters"):
            function(tree, *arguments, parameters=factor * phi)
        assert error(function(tree, *arguments, parameters=phi), function(tree, *arguments)) < 1e-9


def test_one_bad_set_in_a_batch(rng):
    tree = TREES["articulated"]
    q, v = random_state(rng, tree, (3,))
    phis = np.stack([np.concatenate([body.parameters for body in tree.bodies])] * 3)
    phis[1] *= -1.0
    with pytest.raises(StateError, match="positive definite"):
        algorithms.forward_dynamics(tree, q, v, v, parameters=phis)


def test_compiled_functions_say_so_too(rng):
    robot = fb.load("double_pendulum")
    q, v = robot.random(rng)
    phi = robot.inertial_parameters
    assert np.allclose(robot.forward_dynamics(q, v, v, parameters=phi), robot.forward_dynamics(q, v, v))
    for wrong in (0.0 * phi, -phi):
        with pytest.raises(StateError, match="positive definite"):
            robot.forward_dynamics(q, v, v, parameters=wrong)
        with pytest.raises(StateError, match="positive definite"):
            robot.inverse_mass_matrix(q, parameters=wrong)


def test_rotors_can_make_up_for_links_without_mass(rng):
    """What counts is the mass matrix, not each body."""
    tree = TREES["fixed base"]
    bodies = tuple(
        replace(body, joint=replace(body.joint, armature=0.2)) if body.joint else body for body in tree.bodies
    )
    geared = replace(tree, bodies=bodies)
    q, v = random_state(rng, geared)
    a = algorithms.forward_dynamics(geared, q, v, v, parameters=np.zeros(10 * len(bodies)))
    np.testing.assert_allclose(a, v / 0.2, rtol=1e-12)
