"""Matrix-free products against the matrices that they never form."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error, trees
from tests.algorithms.every_kind import robot_of_every_kind
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_parameters, random_state, random_tree, with_representation

from floatbase.algorithms import (
    forward_dynamics_derivatives,
    forward_dynamics_gradient,
    forward_dynamics_product,
    inverse_dynamics_change,
    inverse_dynamics_derivatives,
    inverse_dynamics_gradient,
    linearize,
    linearize_gradient,
    linearize_product,
    step_derivatives,
    step_gradient,
    step_product,
)
from floatbase.compiler import interpret, trace
from floatbase.errors import ArgumentError, ShapeError
from floatbase.results import STEPS

DT = 0.02
CASES = [
    *(robot_of_every_kind(number, "body") for number in (0, 3)),  # the base of the latter is fixed
    *trees(3, kinds=KINDS, backwards=0.5, armature=True),
    *trees(1, seed=1, mimic=True),
    *trees(1, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0),
]


class Situation:
    """A state of a tree with everything that products are made of."""

    def __init__(self, tree, rng, shape=()):
        n, frames = tree.nv, list(tree.frames)
        self.tree = tree
        self.q, self.v = random_state(rng, tree, shape)
        self.a, self.w, self.tau = rng.standard_normal((3, *shape, n))
        self.z, self.p = rng.standard_normal((2, *shape, 2 * n))
        self.u = rng.standard_normal((*shape, tree.joint_nv))
        self.wrenches = {name: rng.standard_normal((*shape, 6)) for name in (frames[1], frames[-1])}
        self.phi = np.concatenate([random_parameters(rng) for _ in tree.bodies])

    @property
    def parts(self):
        n = self.tree.nv
        return self.z[..., :n], self.z[..., n:]


def times(A, x):
    return (A @ x[..., None])[..., 0]


def back(A, x):
    return times(np.swapaxes(A, -1, -2), x)


@pytest.fixture(params=CASES)
def tree(request):
    return request.param


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_inverse_dynamics(tree, representation, rng):
    s = Situation(with_representation(tree, representation), rng, (3,))
    D = inverse_dynamics_derivatives(s.tree, s.q, s.v, s.a, s.wrenches, s.phi)
    gradient = inverse_dynamics_gradient(s.tree, s.q, s.v, s.a, s.w, s.wrenches, s.phi)
    for found, by in zip(gradient, D, strict=True):
        assert error(found, back(by, s.w)) < 1e-12
    change = inverse_dynamics_change(s.tree, s.q, s.v, s.a, *s.parts, s.wrenches, s.phi)
    assert error(change, times(D.dq, s.parts[0]) + times(D.dv, s.parts[1])) < 1e-12


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_forward_dynamics_and_linearisation(tree, representation, rng):
    s = Situation(with_representation(tree, representation), rng, (3,))
    state = s.tree, s.q, s.v, s.tau
    D = forward_dynamics_derivatives(*state, s.wrenches, s.phi)
    first = s.tree.nv - s.tree.joint_nv
    expected = times(D.dq, s.parts[0]) + times(D.dv, s.parts[1]) + times(D.dtau[..., first:], s.u)
    assert error(forward_dynamics_product(*state, s.z, s.u, s.wrenches, s.phi), expected) < 1e-10
    gradient = forward_dynamics_gradient(*state, s.w, s.wrenches, s.phi)
    for found, by in zip(gradient, D, strict=True):
        assert error(found, back(by, s.w)) < 1e-10
    A, B = linearize(*state, s.wrenches, s.phi)
    assert error(linearize_product(*state, s.z, s.u, s.wrenches, s.phi), times(A, s.z) + times(B, s.u)) < 1e-10
    by = linearize_gradient(*state, s.p, s.wrenches, s.phi)
    assert error(by.state, back(A, s.p)) < 1e-10
    assert error(by.forces, back(B, s.p)) < 1e-10


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("method", STEPS)
def test_steps(tree, method, representation, rng):
    s = Situation(with_representation(tree, representation), rng, (2,))
    state = s.tree, s.q, s.v, s.tau, np.array([DT, 0.5 * DT])
    A, B = step_derivatives(*state, s.wrenches, method=method)
    found = step_product(*state, s.z, s.u, s.wrenches, method=method)
    assert error(found, times(A, s.z) + times(B, s.u)) < 1e-10
    gradient = step_gradient(*state, s.p, s.wrenches, method=method)
    assert error(gradient.state, back(A, s.p)) < 1e-10
    assert error(gradient.forces, back(B, s.p)) < 1e-10


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("method", STEPS)
def test_symbols(method, floating, rng):
    tree = random_tree(rng, 5, floating, kinds=("revolute", "spherical"))
    s = Situation(tree, rng, (3,))

    def everything(q, v, tau, z, u, p, phi):
        state = (tree, q, v, tau, DT)
        product = step_product(*state, z, u, parameters=phi, method=method)
        gradient = step_gradient(*state, p, parameters=phi, method=method)
        return {"z": product, **gradient._asdict()}

    arrays = [s.q, s.v, s.tau, s.z, s.u, s.p, s.phi * np.ones((3, 1))]
    expected = everything(*arrays)
    names = ("q", "v", "tau", "z", "u", "p", "phi")
    program = trace(everything, {name: array.shape[-1] for name, array in zip(names, arrays, strict=True)})
    for ours, there in zip(interpret(program, *arrays), expected.values(), strict=True):
        assert error(ours, there) < TOLERANCE[np.float64]


def test_a_horizon_of_gradients_is_the_gradient_of_the_end(rng):
    """Backwards through K steps: the derivative of the end by the start, without a matrix."""
    tree = random_tree(rng, 6, kinds=KINDS)
    s = Situation(tree, rng)
    states, product = [(s.q, s.v)], np.eye(2 * tree.nv)
    from floatbase.algorithms import step

    for _ in range(10):
        product = step_derivatives(tree, *states[-1], s.tau, 1e-3).A @ product
        states.append(step(tree, *states[-1], s.tau, 1e-3))
    p = s.p
    for state in states[-2::-1]:
        p = step_gradient(tree, *state, s.tau, 1e-3, p).state
    assert error(p, s.p @ product) < 1e-10


def test_what_is_said_about_wrong_arguments(rng):
    tree = random_tree(rng, 4)
    s = Situation(tree, rng)
    with pytest.raises(ShapeError, match="z has shape"):
        step_product(tree, s.q, s.v, s.tau, DT, s.z[1:], s.u)
    with pytest.raises(ShapeError, match="u has shape"):
        step_product(tree, s.q, s.v, s.tau, DT, s.z, s.tau)
    with pytest.raises(ShapeError, match="p has shape"):
        step_gradient(tree, s.q, s.v, s.tau, DT, s.u)
    with pytest.raises(ArgumentError, match="must be one of"):
        step_gradient(tree, s.q, s.v, s.tau, DT, s.p, method="euler")
