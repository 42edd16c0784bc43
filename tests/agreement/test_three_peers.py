"""Every quantity against Pinocchio, MuJoCo and iDynTree: in three representations, from three bases, all joints.

The peers' numbers are theirs alone: a change of base or representation multiplies them by their own Jacobians
(`tests.agreement.reference`), except for iDynTree, which has both. MuJoCo and iDynTree have fewer kinds of joints and
get the others as several of their own. Rates of Jacobians are those of Pinocchio and MuJoCo (iDynTree gives their
products with velocities), regressors and energies those of Pinocchio. Numbers are taken from the functions themselves,
without compiling; compiled code is compared with the interpreter elsewhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.random_trees import random_state

import floatbase as fb
from floatbase import algorithms
from floatbase.model import Model, ModelWarning, build_tree
from floatbase.model.tree import Tree

for library in ("pinocchio", "mujoco", "idyntree.bindings"):
    pytest.importorskip(library)

from tests.agreement.comparison import (
    configuration,
    disagreements,
    disagreements_of_solutions,
    our_quantities,
)
from tests.agreement.idyntree_reference import IdyntreePeer
from tests.agreement.mujoco_reference import MujocoPeer
from tests.agreement.pinocchio_reference import PinocchioPeer
from tests.agreement.random_models import EVERY_KIND, random_model
from tests.agreement.reference import Reference, held, seen_from

ROBOTS = ("panda", "anymal_c", "solo12", "g1", "talos", "icub2.5", "icub")
REPRESENTATIONS = ("mixed", "body", "inertial")
STATES = 2
TILTED = (0.3, -0.2, -9.6)


@dataclass(frozen=True, eq=False)
class Case:
    """A robot, two states of it, what two peers say of them from its root, and the third peer."""

    tree: Callable[[str, Any], Tree]
    bases: tuple[str, ...]
    frame: str
    joints: np.ndarray
    references: dict[str, list[Reference]]
    idyntree: IdyntreePeer


def make_case(model: Model, tree: Any, bases: Any, frame: str, file: str | None, gravity: Any, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    root = tree(bases[0], "body")
    q, v = random_state(rng, root, (STATES,))
    states = list(zip(q, v, rng.standard_normal(v.shape), strict=True))
    peers = {"Pinocchio": PinocchioPeer(model, file, gravity), "MuJoCo": MujocoPeer(model, gravity)}
    references = {name: [peer.at(*state) for state in states] for name, peer in peers.items()}
    return Case(tree, bases, frame, q[:, 7:], references, IdyntreePeer(model, file, gravity))


@cache
def random_case(seed: int) -> Case:
    model = random_model(seed)

    def tree(base: str, representation: Any) -> Tree:
        return build_tree(model, base, True, representation=representation, gravity=TILTED)

    return make_case(model, tree, ("link0", "link4", model.links[-1].name), "link7", None, TILTED, seed)


@cache
def named_case(name: str) -> Case:
    def tree(base: str, representation: Any) -> Tree:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            return fb.load(name, base=base, floating=True, representation=representation).tree

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = fb.load(name).model
    bodies = tree(model.root or model.links[0].name, "body").bodies
    tips = [body.name for k, body in enumerate(bodies) if k not in {other.parent for other in bodies}]
    bases = (bodies[0].name, tips[0], bodies[len(bodies) // 2].name)
    return make_case(model, tree, bases, tips[-1], str(fb.model.find(name)), (0.0, 0.0, -9.81), 5)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("seed", range(20))
def test_solutions_of_pinocchios_own_algorithms(seed, representation):
    """Its articulated bodies and its inverse of the mass matrix; joints that follow others are free in these."""
    model = random_model(seed, tuple(kind for kind in EVERY_KIND if kind != "mimic"))
    rng, peer = np.random.default_rng(seed), PinocchioPeer(model, None, TILTED)
    root = build_tree(model, "link0", True, representation="body", gravity=TILTED)
    q, v = random_state(rng, root, (STATES,))
    references = [peer.at(*state) for state in zip(q, v, rng.standard_normal(v.shape), strict=True)]
    for base in ("link0", "link4", model.links[-1].name):
        tree = build_tree(model, base, True, representation=representation, gravity=TILTED)
        theirs = [seen_from(item, base, representation) for item in references]
        assert all(item.solved is not None for item in theirs)
        here = np.array([configuration(item.poses[base], s) for item, s in zip(theirs, q[:, 7:], strict=True)])
        v_here, tau = np.array([item.v for item in theirs]), np.array([item.forces for item in theirs])
        accelerations = algorithms.forward_dynamics(tree, here, v_here, tau)
        inverses = algorithms.inverse_mass_matrix(tree, here)
        assert disagreements_of_solutions(accelerations, inverses, theirs) == {}


def check(case: Case, representation: Any) -> None:
    for base in case.bases:
        tree = case.tree(base, representation)
        there = {
            name: [seen_from(item, base, representation) for item in items] for name, items in case.references.items()
        }
        main = there["Pinocchio"]
        q = np.array([configuration(item.poses[base], s) for item, s in zip(main, case.joints, strict=True)])
        v, a, tau = (np.array([getattr(item, name) for item in main]) for name in ("v", "a", "forces"))
        there["iDynTree"] = [
            case.idyntree.at(base, representation, *state, [case.frame]) for state in zip(q, v, a, strict=True)
        ]
        ours = our_quantities(tree, q, v, a, tau, case.frame)
        found = {name: disagreements(tree, ours, items, case.frame) for name, items in there.items()}
        assert found == {"Pinocchio": {}, "MuJoCo": {}, "iDynTree": {}}, f"from base {base}"


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("seed", range(20))
def test_random_trees_with_every_kind_of_joint(seed, representation):
    check(random_case(seed), representation)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("seed", range(20))
def test_random_trees_on_a_fixed_base(seed, representation):
    """The peers' robots float, at rest at the world's origin."""
    model = random_model(seed)
    tree = build_tree(model, floating=False, representation=representation, gravity=TILTED)
    floating = build_tree(model, floating=True, representation=representation, gravity=TILTED)
    rng = np.random.default_rng(seed)
    q, v = random_state(rng, floating, (STATES,))
    a = rng.standard_normal(v.shape)
    q[:, :7], v[:, :6], a[:, :6] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.0, 0.0
    states = list(zip(q, v, a, strict=True))
    there = {
        name: [held(seen_from(peer.at(*state), "link0", representation)) for state in states]
        for name, peer in {"Pinocchio": PinocchioPeer(model, None, TILTED), "MuJoCo": MujocoPeer(model, TILTED)}.items()
    }
    idyntree = IdyntreePeer(model, None, TILTED)
    there["iDynTree"] = [held(idyntree.at("link0", representation, *state, ["link0", "link7"])) for state in states]
    tau = np.array([item.forces for item in there["Pinocchio"]])
    ours = our_quantities(tree, q[:, 7:], v[:, 6:], a[:, 6:], tau, "link7")
    found = {name: disagreements(tree, ours, items, "link7") for name, items in there.items()}
    assert found == {"Pinocchio": {}, "MuJoCo": {}, "iDynTree": {}}


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("name", ROBOTS)
def test_robots(name, representation):
    check(named_case(name), representation)
