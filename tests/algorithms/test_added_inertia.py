"""Forces against accelerations: the same as forces that are known afterwards, for every kind of tree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.every_kind import COUNT, robot_of_every_kind
from tests.random_trees import random_state

from floatbase.algorithms.acceleration import acceleration
from floatbase.algorithms.added_inertia import AddedInertia
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.errors import ArgumentError, ShapeError, UnknownNameError


@pytest.mark.parametrize("number", range(COUNT))
def test_added_inertias_are_wrenches_against_the_acceleration(number: int) -> None:
    tree = robot_of_every_kind(number, "mixed")
    rng = np.random.default_rng(number)
    q, v = random_state(rng, tree)
    tau = rng.standard_normal(tree.nv)
    frames = rng.choice([name for name in tree.frames if name.startswith("link")], 2, replace=False)
    roots = rng.standard_normal((2, 6, 6))
    added = AddedInertia(
        {name: root @ root.T for name, root in zip(frames, roots, strict=True)}, rng.uniform(0.1, 1.0, tree.joint_nv)
    )
    a = forward_dynamics(tree, q, v, tau, added=added)
    wrenches = {name: -W @ acceleration(tree, q, v, a, name) for name, W in added.frames.items()}
    tau[tree.nv - tree.joint_nv :] -= added.joints * a[tree.nv - tree.joint_nv :]
    expected = forward_dynamics(tree, q, v, tau, wrenches)
    assert np.linalg.norm(a - expected) < 1e-8 * np.linalg.norm(a)


def test_batches_are_rows() -> None:
    tree = robot_of_every_kind(1, "mixed")
    rng = np.random.default_rng(0)
    states = [random_state(rng, tree) for _ in range(3)]
    q, v = (np.stack(parts) for parts in zip(*states, strict=True))
    tau, root = rng.standard_normal((3, tree.nv)), rng.standard_normal((3, 6, 6))
    W = root @ np.swapaxes(root, -1, -2)
    together = forward_dynamics(tree, q, v, tau, added=AddedInertia({"link1": W}))
    for k in range(3):
        alone = forward_dynamics(tree, q[k], v[k], tau[k], added=AddedInertia({"link1": W[k]}))
        np.testing.assert_allclose(together[k], alone, rtol=1e-11)


def test_bad_input() -> None:
    tree = robot_of_every_kind(0, "mixed")
    q, v = random_state(np.random.default_rng(0), tree)
    with pytest.raises(UnknownNameError, match="lonk1"):
        forward_dynamics(tree, q, v, v, added=AddedInertia({"lonk1": np.eye(6)}))
    with pytest.raises(ShapeError, match="6, 6"):
        forward_dynamics(tree, q, v, v, added=AddedInertia({"link1": np.eye(5)}))
    with pytest.raises(ShapeError, match="added inertia of joints"):
        forward_dynamics(tree, q, v, v, added=AddedInertia({}, np.ones(1)))
    body = robot_of_every_kind(0, "body")
    if any(joint.kind == "helical" for joint in (item.joint for item in body.bodies[1:]) if joint is not None):
        with pytest.raises(ArgumentError, match="mixed"):
            forward_dynamics(body, q, v, v, added=AddedInertia({"link1": np.eye(6)}))
