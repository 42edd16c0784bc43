"""Orders of links and joints, chosen orders of coordinates and reversed joints change nothing physical.

What is computed directly agrees to 1e-11 (A39 of Traversaro 2017's list). Where a system of equations is solved, errors
grow with the condition of the mass matrix; there the equations of motion hold to 1e-11.
"""

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
BASES = ("link0", "link3", "link8")  # the root and others
TOLERANCE = 1e-11


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
        assert np.linalg.norm(found - expected) <= TOLERANCE * np.linalg.norm(expected), name
    tau, tau_there = a, there[2]
    acceleration = algorithms.forward_dynamics(tree, q, v, tau)[v_order]
    for found in (acceleration, algorithms.forward_dynamics(other, *there)):
        inertial, bias = algorithms.mass_matrix(other, there[0]) @ found, algorithms.bias(other, *there[:2])
        size = np.linalg.norm(inertial) + np.linalg.norm(bias) + np.linalg.norm(tau)
        assert np.linalg.norm(inertial + bias - tau_there) <= TOLERANCE * size
    J = algorithms.jacobian(tree, q, frame)[:, v_order]
    assert np.linalg.norm(algorithms.jacobian(other, there[0], frame) - J) <= TOLERANCE * np.linalg.norm(J)
    Y, Y_there = algorithms.regressor(tree, q, v, a), algorithms.regressor(other, *there)
    for k, name in enumerate(tree.body_names):
        number, body_H_link = other.frames[name]  # the same body may be named after another link there
        place = other.order.index(number)
        own_H_link = spatial.invert_pose(other.frames[other.body_names[place]][1]) @ body_H_link
        moved = spatial.transform_parameters(own_H_link, np.eye(10)).T
        columns, expected = Y_there[:, 10 * place : 10 * place + 10] @ moved, Y[v_order, 10 * k : 10 * k + 10]
        assert np.linalg.norm(columns - expected) <= TOLERANCE * np.linalg.norm(expected)


def shuffled(model: Model, rng: np.random.Generator) -> Model:
    return replace(
        model,
        links=tuple(model.links[k] for k in rng.permutation(len(model.links))),
        joints=tuple(model.joints[k] for k in rng.permutation(len(model.joints))),
    )


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_description(seed, base, representation, rng):
    model = random_model(seed)
    mixed = shuffled(model, rng)
    tree, other = (build_tree(item, base, True, representation=representation) for item in (model, mixed))
    assert sorted(tree.body_names) == sorted(other.body_names)
    (at, to), (at_there, to_there) = entries(tree, model), entries(other, mixed)
    q, v = random_state(rng, tree)
    state = q, v, rng.standard_normal(tree.nv)
    assert_same(tree, other, order_of(at, at_there, 7), order_of(to, to_there, 6), state, "link5")


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(5))
def test_a_chosen_order_of_coordinates(seed, base, rng):
    model = random_model(seed)
    tree = build_tree(model, base, True)
    other = build_tree(model, base, True, joints=[tree.joint_names[k] for k in rng.permutation(tree.n_joints)])
    (at, to), (at_there, to_there) = entries(tree, model), entries(other, model)
    q, v = random_state(rng, tree)
    state = q, v, rng.standard_normal(tree.nv)
    assert_same(tree, other, order_of(at, at_there, 7), order_of(to, to_there, 6), state, "link5")


def described_from_the_other_side(model: Model, joint: Joint) -> Model:
    """A joint with its parent and child exchanged: what comes after the motion is a fixed joint."""
    back = replace(joint, parent=joint.child, child="between", parent_H_joint=np.eye(4), axis=-joint.axis)
    fixed = Joint("rest", "fixed", "between", joint.parent, spatial.invert_pose(joint.parent_H_joint))
    joints = tuple(back if item is joint else item for item in model.joints)
    root = joint.child if joint.parent == model.root else model.root
    return replace(model, links=(*model.links, Link("between")), joints=(*joints, fixed), root=root)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("number", [0, 3, 6])
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "helical"])
def test_a_joint_described_from_its_other_side(kind, number, base, rng):
    """At the root and between other joints, in a description of another order."""
    kinds = tuple(item for item in EVERY_KIND if item not in (kind, "mimic"))
    model = random_model(3, kinds, more=0)
    old = model.joints[number]
    joint = Joint("turned", kind, old.parent, old.child, old.parent_H_joint, pitch=0.2 * (kind == "helical"))
    model = replace(model, joints=tuple(joint if item is old else item for item in model.joints))
    reverse = shuffled(described_from_the_other_side(model, joint), rng)
    tree, other = (build_tree(item, base, True) for item in (model, reverse))
    (at, to), (at_there, to_there) = entries(tree, model), entries(other, reverse)
    q, v = random_state(rng, tree)
    state = q, v, rng.standard_normal(tree.nv)
    assert_same(tree, other, order_of(at, at_there, 7), order_of(to, to_there, 6), state, "link5")
