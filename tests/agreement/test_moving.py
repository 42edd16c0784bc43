"""Moving on the manifold of configurations, its inverse and their Jacobians against Pinocchio.

For the kinds of joints whose velocities both libraries hold constant in the same way: all but planar ones, which move
along straight lines here and along screws there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.agreement.random_models import EVERY_KIND, random_model
from tests.random_trees import random_state

from floatbase import algorithms, spatial
from floatbase.model import build_tree

pin = pytest.importorskip("pinocchio")

from tests.agreement.pinocchio_reference import PinocchioPeer

KINDS = tuple(kind for kind in EVERY_KIND if kind != "planar")


@pytest.fixture(params=range(20))
def example(request, rng):
    model = random_model(request.param, KINDS)
    tree = build_tree(model, floating=True, representation="body")
    q, v = random_state(rng, tree)
    end = algorithms.integrate(tree, q, v)
    peer = PinocchioPeer(model)
    P = peer.state(q, v)[1]
    return tree, peer, q, v, end, P, [peer.state(item, v)[0] for item in (q, end)]


def same(ours, theirs):
    return np.linalg.norm(ours - theirs) <= 1e-11 * np.linalg.norm(theirs)


def test_integrate_and_difference(example):
    tree, peer, q, v, end, P, (start_there, end_there) = example
    reached = pin.integrate(peer.model, start_there, P @ v)
    # the same point of the manifold: quaternions of either sign, angles of any number of turns
    assert np.linalg.norm(pin.difference(peer.model, reached, end_there)) < 1e-12 * max(1.0, np.linalg.norm(v))
    assert same(P @ algorithms.difference(tree, q, end), pin.difference(peer.model, start_there, end_there))


def test_jacobians(example):
    tree, peer, q, v, end, P, (start_there, end_there) = example
    dq, dv = algorithms.integrate_derivatives(tree, q, v)
    for ours, which in ((dq, pin.ARG0), (dv, pin.ARG1)):
        assert same(P @ ours, pin.dIntegrate(peer.model, start_there, P @ v, which) @ P)
    dq, dend = algorithms.difference_derivatives(tree, q, end)
    for ours, which in ((dq, pin.ARG0), (dend, pin.ARG1)):
        assert same(P @ ours, pin.dDifference(peer.model, start_there, end_there, which) @ P)


@pytest.mark.parametrize("form", ["inertial", "mixed"])
def test_other_representations_reach_the_same_place(example, form):
    """A constant twist in fixed axes is a constant body twist; in mixed axes translation and rotation are apart."""
    tree, _, q, v, _, _, _ = example
    other = replace(tree, representation=form)
    H = algorithms.pose(tree, q, tree.base)
    written = np.r_[spatial.change_twist(v[:6], "body", form, H), v[6:]]
    end = algorithms.integrate(other, q, written)
    if form == "inertial":
        np.testing.assert_allclose(end, algorithms.integrate(tree, q, v), atol=1e-12)
    else:
        np.testing.assert_allclose(end[:3], q[:3] + written[:3], atol=1e-13)
    np.testing.assert_allclose(algorithms.difference(other, q, end), written, atol=1e-11)
