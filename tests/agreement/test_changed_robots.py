"""Robots changed by editing, written as URDF, and read by Pinocchio and by ourselves: the same dynamics."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.agreement.comparison import configuration, disagreements, our_quantities
from tests.agreement.reference import seen_from
from tests.random_trees import random_state

import floatbase as fb
from floatbase.model import (
    Inertia,
    Joint,
    Link,
    ModelWarning,
    add_frame,
    add_link,
    attach_payload,
    build_tree,
    parse_urdf,
    remove_branch,
    replace_joint,
    save_urdf,
    scale,
    set_inertia,
)

pytest.importorskip("pinocchio")
from tests.agreement.pinocchio_reference import PinocchioPeer

ROBOTS = {"solo12": ("FL_KFE", "FR_LOWER_LEG"), "g1": ("left_knee_joint", "right_wrist_yaw_link")}
HEAVY = Inertia(1.7, np.array([0.01, 0.02, 0.03]), 0.01 * np.eye(3))


def changed(model, branch, link):
    """Every kind of edit that URDF has words for."""
    shift = np.eye(4)
    shift[:3, 3] = 0.1, -0.2, 0.3
    model = scale(model, length=1.2, density=0.8)
    model = remove_branch(model, branch)
    model = attach_payload(model, link, 0.4, (0.0, 0.1, -0.05), 0.002 * np.eye(3))
    model = add_link(
        model, Link("tool", HEAVY), Joint("wrist", "revolute", link, "tool", shift, np.array([0.0, 0.6, 0.8]))
    )
    model = add_link(model, Link("slider", HEAVY), Joint("slide", "prismatic", "tool", "slider", shift))
    model = add_frame(model, "tip", "slider", shift)
    model = set_inertia(model, "slider", Inertia(0.3, np.zeros(3), 0.001 * np.eye(3)))
    return replace_joint(model, "wrist", damping=0.1)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_written_file_is_the_changed_robot(name, tmp_path, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        original = fb.load(name).model
    digest = original.digest
    model = changed(original, *ROBOTS[name])
    assert original.digest == digest and model.digest != digest
    file = tmp_path / "changed.urdf"
    save_urdf(model, file, leave_out=["sensor settings"])
    text = file.read_text()
    tree = build_tree(model, floating=True, representation="body")
    again = build_tree(parse_urdf(text), floating=True, representation="body")
    assert "tip" in again.frames and again.joint_names == tree.joint_names
    q, v = random_state(rng, tree, (2,))
    a = rng.standard_normal(v.shape)
    peer = PinocchioPeer(parse_urdf(text), str(file))
    theirs = [seen_from(peer.at(*state), tree.base, "body") for state in zip(q, v, a, strict=True)]
    tau = np.array([item.forces for item in theirs])
    there = np.array([configuration(item.poses[tree.base], s) for item, s in zip(theirs, q[:, 7:], strict=True)])
    for robot in (tree, again):
        ours = our_quantities(robot, there, v, a, tau, "tip")
        assert disagreements(robot, ours, theirs, "tip") == {}
