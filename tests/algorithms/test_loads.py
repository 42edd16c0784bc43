"""Derivatives with external wrenches that stay fixed in their links, in their directions or in the world."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, error, trees
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_state, random_tree, with_representation

from floatbase import spatial
from floatbase.algorithms import (
    finite_difference,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_dynamics_gradient,
    forward_dynamics_product,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_dynamics_gradient,
    inverse_dynamics_hessian,
    inverse_dynamics_product,
    inverse_dynamics_second_derivatives,
    linearize,
    linearize_gradient,
    linearize_product,
    pose,
    second_derivative_pattern,
)
from floatbase.errors import ArgumentError

FIXED = {"link": "body", "directions": "mixed", "world": "inertial"}  # where components are constant
CASES = [
    *trees(2, kinds=KINDS, backwards=0.5, armature=True),
    *trees(2, seed=1, mimic=True),
    *trees(1, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0),
]


class Loaded:
    """A tree in motion with wrenches on two of its frames."""

    def __init__(self, tree, rng):
        frames = [name for name in tree.frames if name.startswith("frame")]
        self.tree, self.rng = tree, rng
        self.q, self.v = random_state(rng, tree)
        self.a, self.tau, self.w = rng.standard_normal((3, tree.nv))
        self.z = rng.standard_normal(2 * tree.nv)
        self.u = rng.standard_normal(tree.joint_nv)
        self.wrenches = {name: 5.0 * rng.standard_normal(6) for name in (frames[0], frames[-1])}

    def moved(self, fixed, q):
        """The wrenches, fixed while the robot moves to q."""
        return {
            name: written(self.tree, q, name, self.constant(name, fixed), FIXED[fixed], self.tree.representation)
            for name in self.wrenches
        }

    def constant(self, name, fixed):
        wrench = self.wrenches[name]
        return written(self.tree, self.q, name, wrench, self.tree.representation, FIXED[fixed])


def written(tree, q, frame, wrench, before, after):
    """A wrench in another representation."""
    H = pose(tree, q, frame)
    axes = spatial.pose_from(H[..., :3, :3], np.zeros(3))
    into_body = {"body": np.eye(4), "mixed": spatial.invert_pose(axes), "inertial": spatial.invert_pose(H)}[before]
    out = {"body": np.eye(4), "mixed": axes, "inertial": H}[after]
    return spatial.transform_wrench(out, spatial.transform_wrench(into_body, wrench))


@pytest.fixture(params=CASES)
def tree(request):
    return request.param


@pytest.mark.parametrize("fixed", FIXED)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_against_wrenches_that_are_written_anew(tree, representation, fixed, rng):
    s = Loaded(with_representation(tree, representation), rng)

    def force(q):
        return inverse_dynamics(s.tree, q, s.v, s.a, s.moved(fixed, q))

    def acceleration(q):
        return forward_dynamics(s.tree, q, s.v, s.tau, s.moved(fixed, q))

    expected = finite_difference(force, s.q, tree=s.tree, method="complex")
    found = inverse_dynamics_derivatives(s.tree, s.q, s.v, s.a, s.wrenches, wrenches_fixed=fixed)
    assert error(found.dq, expected) < 1e-10
    expected = finite_difference(acceleration, s.q, tree=s.tree, method="complex")
    found = forward_dynamics_derivatives(s.tree, s.q, s.v, s.tau, s.wrenches, wrenches_fixed=fixed)
    assert error(found.dq, expected) < 1e-9  # the mass matrix is inverted in between
    A = linearize(s.tree, s.q, s.v, s.tau, s.wrenches, wrenches_fixed=fixed).A
    assert error(A[s.tree.nv :, : s.tree.nv], expected) < 1e-9


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_what_is_fixed_if_nothing_is_said(representation, rng):
    tree = random_tree(rng, 7, representation=representation, kinds=KINDS)
    s = Loaded(tree, rng)
    own = next(fixed for fixed, there in FIXED.items() if there == representation)
    ours = inverse_dynamics_derivatives(tree, s.q, s.v, s.a, s.wrenches)
    said = inverse_dynamics_derivatives(tree, s.q, s.v, s.a, s.wrenches, wrenches_fixed=own)
    np.testing.assert_array_equal(ours.dq, said.dq)


@pytest.mark.parametrize("fixed", FIXED)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_products(tree, representation, fixed, rng):
    s = Loaded(with_representation(tree, representation), rng)
    n, settings = s.tree.nv, {"wrenches": s.wrenches, "wrenches_fixed": fixed}
    D = inverse_dynamics_derivatives(s.tree, s.q, s.v, s.a, **settings)
    change = inverse_dynamics_product(s.tree, s.q, s.v, s.a, s.z, s.w, **settings)
    assert error(change, D.dq @ s.z[:n] + D.dv @ s.z[n:] + D.da @ s.w) < 1e-11
    gradient = inverse_dynamics_gradient(s.tree, s.q, s.v, s.a, s.w, **settings)
    for ours, matrix in zip(gradient, D, strict=True):
        assert error(ours, s.w @ matrix) < 1e-11
    state = s.tree, s.q, s.v, s.tau
    A, B = linearize(*state, **settings)
    assert error(linearize_product(*state, s.z, s.u, **settings), A @ s.z + B @ s.u) < 1e-9
    assert error(forward_dynamics_product(*state, s.z, s.u, **settings), (A @ s.z + B @ s.u)[n:]) < 1e-9
    assert error(linearize_gradient(*state, s.z, **settings).state, s.z @ A) < 1e-9
    assert error(forward_dynamics_gradient(*state, s.w, **settings).dq, s.w @ A[n:, :n]) < 1e-9


@pytest.mark.parametrize("fixed", FIXED)
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_hessian(tree, representation, fixed, rng):
    """Against differences of the gradient, with wrenches written anew where it is taken."""
    s = Loaded(with_representation(tree, representation), rng)

    def gradient(q):
        held = {"wrenches": s.moved(fixed, q), "wrenches_fixed": fixed}
        return inverse_dynamics_gradient(s.tree, q, s.v, s.a, s.w, **held).dq

    expected = finite_difference(gradient, s.q, tree=s.tree, method="complex")
    found = inverse_dynamics_hessian(s.tree, s.q, s.v, s.a, s.w, s.wrenches, wrenches_fixed=fixed)
    assert error(found.dqdq, expected) < 1e-10


@pytest.mark.parametrize(
    ("representation", "fixed"), [("mixed", "link"), ("body", "world"), ("inertial", "directions")]
)
@pytest.mark.parametrize("tree", CASES[::2])  # fewer, since tensors take long without a compiled program
def test_tensors(tree, representation, fixed, rng):
    s = Loaded(with_representation(tree, representation), rng)
    values = inverse_dynamics_second_derivatives(s.tree, s.q, s.v, s.a, s.wrenches, wrenches_fixed=fixed)
    pattern = second_derivative_pattern(s.tree, tuple(s.wrenches), fixed)
    dense = pattern.dense(values)
    units = np.eye(s.tree.nv)
    expected = inverse_dynamics_hessian(s.tree, s.q, s.v, s.a, units, s.wrenches, wrenches_fixed=fixed)
    size = max(np.linalg.norm(part) for part in expected)
    for ours, theirs in zip(dense, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * size)


def test_other_ways_to_hold_a_wrench(rng):
    tree = random_tree(rng, 3)
    q, v = random_state(rng, tree)
    with pytest.raises(ArgumentError, match=r"wrenches_fixed is 'base'; it must be one of \('link', 'directions'"):
        inverse_dynamics_derivatives(tree, q, v, v, wrenches_fixed="base")
