"""Robots of URDF files through MuJoCo's own reader and writer of files, back as MJCF."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.random_trees import random_state

import floatbase as fb
from floatbase import algorithms
from floatbase.model import ModelWarning, build_tree, load_mjcf, parse_mjcf, to_urdf

mujoco = pytest.importorskip("mujoco")

ROBOTS = ("panda", "solo12", "g1", "talos", "icub", "ur5", "iris_simple", "xarm7")
KEEP = '<mujoco><compiler fusestatic="false" discardvisual="false" boundmass="0" boundinertia="0"/></mujoco>'
LEFT_OUT = ("rotors", "skin", "constraints", "configurations", "sensor settings")
DIGITS = 1e-5  # MuJoCo writes six digits


@pytest.mark.parametrize("name", ROBOTS)
def test_what_mujoco_writes_is_the_same_robot(name, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = fb.load(name).model
    bare = replace(
        model,
        links=tuple(replace(link, visuals=(), collisions=()) for link in model.links),
        joints=tuple(replace(joint, mimic=None) for joint in model.joints),
        sensors=(),
    )
    text = to_urdf(bare, LEFT_OUT)
    start = text.index(">", text.index("<robot")) + 1
    spec = mujoco.MjSpec.from_string(text[:start] + KEEP + text[start:])
    spec.compile()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        back = parse_mjcf(spec.to_xml())
        tree = build_tree(bare, floating=False)
        there = build_tree(back, floating=False, joints=list(tree.joint_names))
    assert (there.nq, there.nv) == (tree.nq, tree.nv)
    assert there.mass == pytest.approx(tree.mass, rel=DIGITS)
    if tree.nv == 0:
        return
    q, v = random_state(rng, tree)
    a = rng.standard_normal(tree.nv)
    expected = algorithms.inverse_dynamics(tree, q, v, a)
    found = algorithms.inverse_dynamics(there, q, v, a)
    assert np.linalg.norm(found - expected) < DIGITS * np.linalg.norm(expected)
    tip = tree.bodies[-1].name
    np.testing.assert_allclose(algorithms.pose(there, q, tip), algorithms.pose(tree, q, tip), atol=DIGITS)


def test_a_model_that_mujoco_ships(rng):
    """Five free bodies, a ball, slides and hinges; what a tree has not is listed."""
    file = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    if not file.exists():
        pytest.skip("this version of MuJoCo ships no such file")
    with pytest.warns(ModelWarning, match=r"10 actuators; 2 tendons; .*6 springs in joints; 1 gravity compensations"):
        model = load_mjcf(file)
    with pytest.warns(ModelWarning, match="1 constraint .* ignored by the dynamics of the tree"):
        tree = build_tree(model, free_mimic=True)
    theirs = mujoco.MjModel.from_xml_path(str(file))
    assert (tree.nq, tree.nv) == (theirs.nq, theirs.nv) == (49, 43)
    data = mujoco.MjData(theirs)
    mujoco.mj_integratePos(theirs, data.qpos, rng.normal(size=theirs.nv), 1.0)
    mujoco.mj_forward(theirs, data)
    M, P = np.zeros((theirs.nv, theirs.nv)), np.eye(theirs.nv)
    for number in range(theirs.nv):
        mujoco.mj_mulM(theirs, data, M[number], np.eye(theirs.nv)[number])
    for joint in np.flatnonzero(theirs.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        first = theirs.jnt_dofadr[joint]  # linear velocity in world axes there, in those of the body here
        P[first : first + 3, first : first + 3] = data.xmat[theirs.jnt_bodyid[joint]].reshape(3, 3)
    expected = P.T @ M @ P
    found = algorithms.mass_matrix(tree, data.qpos)
    assert np.linalg.norm(found - expected) < 1e-13 * np.linalg.norm(expected)
