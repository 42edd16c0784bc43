"""Robots of URDF files through MuJoCo's own reader and writer of files, back as MJCF."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.random_trees import random_state

import floatbase as fb
from floatbase import algorithms
from floatbase.model import ModelWarning, build_tree, parse_mjcf, to_urdf

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
