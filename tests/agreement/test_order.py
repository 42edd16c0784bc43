"""Orders of links and joints, chosen orders of coordinates and reversed joints change nothing physical."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.agreement.layout import SIZES
from tests.agreement.random_models import EVERY_KIND, random_model
from tests.random_trees import random_state

from floatbase import algorithms, spatial
from floatbase.model import Joint, Link, Model, build_tree
from floatbase.model.tree import Tree

REPRESENTATIONS = ("mixed", "body", "inertial")


def entries(tree: Tree, model: Model) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Where each joint has its coordinates and velocities in q and v."""
    kinds = {joint.name: joint.kind for joint in model.joints}
    at, to = {}, {}
    q, v = 7, 6
    for name in tree.joint_names:
        nq, nv = SIZES.get(kinds.get(name, ""), (1, 1))
        at[name], to[name] = list(range(q, q + nq)), list(range(v, v + nv))
        q, v = q + nq, v + nv
    return at, to


def order_of(first: dict[str, list[int]], second: dict[str, list[int]], head: int) -> list[int]:
    """`x_second = x_first[order]`."""
    return [*range(head), *(entry for name in second for entry in first[name])]


def assert_same(tree: Tree, other: Tree, q_order, v_order, state, frame: str) -> None:
    q, v, a = state
    there = q[q_order], v[v_order], a[v_order]
    grid = np.ix_(v_order, v_order)
    for name, use, pick in (
        ("inverse_dynamics", 3, v_order),
        ("bias", 2, v_order),
        ("mass_matrix", 1, grid),
        ("inverse_mass_matrix", 1, grid),
        ("coriolis_matrix", 2, grid),
        ("centroidal_momentum_matrix", 1, np.ix_(range(6), v_order)),
        ("centroidal_momentum_rate", 3, slice(None)),
        ("potential_energy", 1, ()),
    ):
        function = getattr(algorithms, name)
        expected = function(tree, *state[:use])[pick]
        found = function(other, *there[:use])
        assert np.linalg.norm(found - expected) <= 1e-10 * np.linalg.norm(expected), name
    expected = algorithms.forward_dynamics(tree, q, v, a)[v_order]
    assert np.linalg.norm(algorithms.forward_dynamics(other, *there) - expected) <= 1e-9 * np.linalg.norm(expected)
    J = algorithms.jacobian(tree, q, frame)[:, v_order]
    np.testing.assert_allclose(algorithms.jacobian(other, there[0], frame), J, atol=1e-12)
    Y, Y_there = algorithms.regressor(tree, q, v, a), algorithms.regressor(other, *there)
    names = {body.name: k for k, body in enumerate(other.bodies)}
    for k, body in enumerate(tree.bodies):
        columns = Y_there[:, 10 * names[body.name] :][:, :10]
        np.testing.assert_allclose(columns, Y[v_order, 10 * k : 10 * k + 10], atol=1e-11)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_description(seed, representation, rng):
    model = random_model(seed)
    shuffled = replace(
        model,
        links=tuple(model.links[k] for k in rng.permutation(len(model.links))),
        joints=tuple(model.joints[k] for k in rng.permutation(len(model.joints))),
    )
    tree, other = (build_tree(item, "link3", True, representation=representation) for item in (model, shuffled))
    (at, to), (at_there, to_there) = entries(tree, model), entries(other, shuffled)
    q, v = random_state(rng, tree)
    state = q, v, rng.standard_normal(tree.nv)
    assert_same(tree, other, order_of(at, at_there, 7), order_of(to, to_there, 6), state, "link5")


@pytest.mark.parametrize("seed", range(5))
def test_a_chosen_order_of_coordinates(seed, rng):
    model = random_model(seed)
    tree = build_tree(model, floating=True)
    other = build_tree(model, floating=True, joints=[tree.joint_names[k] for k in rng.permutation(tree.n_joints)])
    (at, to), (at_there, to_there) = entries(tree, model), entries(other, model)
    q, v = random_state(rng, tree)
    state = q, v, rng.standard_normal(tree.nv)
    assert_same(tree, other, order_of(at, at_there, 7), order_of(to, to_there, 6), state, "link5")


def described_from_the_other_side(model: Model, joint: Joint) -> Model:
    """A joint at the root, its parent and child exchanged: what comes after the motion is a fixed joint."""
    back = replace(joint, parent=joint.child, child="between", parent_H_joint=np.eye(4), axis=-joint.axis)
    fixed = Joint("rest", "fixed", "between", joint.parent, spatial.invert_pose(joint.parent_H_joint))
    joints = tuple(back if item is joint else item for item in model.joints)
    return replace(model, links=(*model.links, Link("between")), joints=(*joints, fixed), root=joint.child)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "helical"])
def test_a_joint_described_from_its_other_side(kind, rng):
    kinds = tuple(item for item in EVERY_KIND if item not in (kind, "mimic"))
    model = random_model(3, kinds, more=0)
    first = Joint("first", kind, "link0", "link1", model.joints[0].parent_H_joint, pitch=0.2 * (kind == "helical"))
    model = replace(model, joints=(first, *model.joints[1:]))
    reverse = described_from_the_other_side(model, first)
    tree, other = (build_tree(item, "link0", True) for item in (model, reverse))
    q, v = random_state(rng, tree)
    state = q, v, rng.standard_normal(tree.nv)
    assert_same(tree, other, list(range(tree.nq)), list(range(tree.nv)), state, "link5")
