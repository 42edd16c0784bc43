"""Chains, stars, one joint, no joint, massless bodies between joints: every shape of tree, and how the effort grows."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.test_closed_forms import ALONG_X, body, neutral
from tests.algorithms.test_closed_forms import tree as small_tree
from tests.random_trees import random_parameters, random_pose, random_state, random_tree

from floatbase import algorithms
from floatbase.compiler.tracing import trace
from floatbase.model import build_tree, library
from floatbase.model.tree import Body, Tree, TreeJoint
from floatbase.spatial import invert_pose, transform_parameters


def tree_of(rng, parents, kinds=("revolute", "prismatic"), massless=(), floating=True):
    bodies = [Body("link0", -1, None, random_parameters(rng))]
    for k, parent in enumerate(parents, 1):
        joint = TreeJoint(f"joint{k}", kinds[k % len(kinds)], random_pose(rng), k - 1)
        phi = np.zeros(10) if k in massless else random_parameters(rng)
        bodies.append(Body(f"link{k}", parent, joint, phi))
    frames = {body.name: (k, np.eye(4)) for k, body in enumerate(bodies)}
    names = tuple(f"joint{k}" for k in range(1, len(bodies)))
    return Tree("shape", tuple(bodies), frames, names, floating, "body")


SHAPES = {
    "no joint": [],
    "one joint": [0],
    "chain": [0, 1, 2, 3, 4, 5],
    "star": [0, 0, 0, 0, 0, 0],
    "broom": [0, 1, 2, 2, 2, 2],
}


CASES = [(shape, floating) for shape, joints in SHAPES.items() for floating in (True, False) if floating or joints]


@pytest.mark.parametrize(("shape", "floating"), CASES)
def test_every_shape(shape, floating, rng):
    tree = tree_of(rng, SHAPES[shape], floating=floating)
    q, v = random_state(rng, tree)
    tau = rng.standard_normal(tree.nv)
    a = algorithms.forward_dynamics(tree, q, v, tau)
    assert_allclose(algorithms.inverse_dynamics(tree, q, v, a), tau, atol=1e-10)
    M, inverse = algorithms.mass_matrix(tree, q), algorithms.inverse_mass_matrix(tree, q)
    assert_allclose(inverse @ M, np.eye(tree.nv), atol=1e-10)
    assert algorithms.regressor(tree, q, v, a).shape == (tree.nv, 10 * len(tree.bodies))
    assert algorithms.coriolis_matrix(tree, q, v).shape == M.shape
    assert algorithms.centroidal_momentum_matrix(tree, q).shape == (6, tree.nv)
    off_ways = [
        (i, j) for i in range(len(tree.bodies)) for j in range(i) if i > 0 and j > 0 and not related(tree, i, j)
    ]
    head = 6 if floating else 0
    for i, j in off_ways:  # zero by structure, not by rounding
        assert M[head + i - 1, head + j - 1] == 0.0


def related(tree, i, j):
    """Whether body j is on the way from the base to body i."""
    while i > j:
        i = tree.bodies[i].parent
    return i == j


def test_a_planar_joint_of_massless_bodies(rng):
    """Two slides and a turn: the bodies between have no mass."""
    tree = tree_of(rng, [0, 1, 2], ("revolute", "prismatic", "prismatic"), massless=(1, 2))
    q, _ = random_state(rng, tree)
    inverse = algorithms.inverse_mass_matrix(tree, q)
    assert_allclose(inverse @ algorithms.mass_matrix(tree, q), np.eye(tree.nv), atol=1e-11)


def test_closed_forms_of_the_inverse():
    """A slider along a line through both centres of mass, and a hinge at that of the base."""
    slide = TreeJoint("slide", "prismatic", ALONG_X, 0)
    robot = small_tree(body(3.0, [0, 0, 0], [1, 1, 1]), body(1.5, [0, 0, 0], [1, 1, 1], "slider", slide, 0))
    inverse = algorithms.inverse_mass_matrix(robot, neutral(robot))
    assert_allclose([inverse[6, 6], inverse[0, 6]], [1.0, -1.0 / 3.0], atol=1e-13)
    hinge = TreeJoint("hinge", "revolute", np.eye(4), 0)
    robot = small_tree(body(4.0, [0, 0, 0], [1, 1, 0.3]), body(1.2, [0.6, 0, 0], [1, 1, 0.05], "arm", hinge, 0))
    inverse = algorithms.inverse_mass_matrix(robot, neutral(robot))
    assert_allclose([inverse[6, 6], inverse[5, 6]], [5.949027498, -1.0 / 0.3], rtol=1e-9)


def test_a_screw_without_pitch_is_a_hinge(rng):
    """To rounding."""
    tree = tree_of(rng, [0, 1, 1, 2], ("revolute",))
    bodies = tuple(
        replace(item, joint=replace(item.joint, kind="helical")) if item.joint else item for item in tree.bodies
    )
    screws = Tree("screws", bodies, tree.frames, tree.joint_names, True, "body")
    q, v = random_state(rng, tree)
    for name, arguments in (("inverse_dynamics", (q, v, v)), ("mass_matrix", (q,)), ("pose", (q, "link4"))):
        one, other = (getattr(algorithms, name)(item, *arguments) for item in (tree, screws))
        assert_allclose(one, other, rtol=0.0, atol=4e-15 * np.abs(one).max())


@pytest.mark.parametrize(
    ("name", "arguments", "most"), [("inverse_dynamics", "qva", 1.1), ("forward_dynamics", "qva", 1.1)]
)
def test_the_effort_of_recursions_is_linear(name, arguments, most, rng):
    """From a chain of twenty joints to one of a hundred and sixty."""
    counts = []
    for n in (20, 160):
        tree = tree_of(np.random.default_rng(1), list(range(n)), ("revolute",))
        sizes = {letter: tree.nq if letter == "q" else tree.nv for letter in "qva"}
        program = trace(lambda *x, tree=tree: getattr(algorithms, name)(tree, *x), sizes)
        counts.append(program.operation_count)
    assert np.log(counts[1] / counts[0]) / np.log(8.0) < 1.1


def test_base_rows_tell_as_much_as_all_rows(rng):
    """Thirty revolute joints on a floating base: 10 + 7 * 30 combinations of parameters show in either."""
    tree = build_tree(library.humanoid_31_links())
    assert len(tree.bodies) == 31 and tree.nv == 36
    q, v = random_state(rng, tree, (60,))
    Y = algorithms.regressor(tree, q, v, rng.standard_normal(v.shape))
    for rows in (Y[:, :6], Y):
        assert np.linalg.matrix_rank(rows.reshape(-1, 310), tol=1e-7 * np.sqrt(len(rows))) == 220


def test_wrenches_on_the_feet_are_what_the_base_rows_need(rng):
    tree = random_tree(rng, 7, True, "mixed")
    q, v = random_state(rng, tree)
    wrenches = {"link3": rng.standard_normal(6), "link5": rng.standard_normal(6)}
    a = algorithms.forward_dynamics(tree, q, v, np.r_[np.zeros(6), rng.standard_normal(tree.nv - 6)], wrenches)
    phi = [transform_parameters(invert_pose(tree.frames[item.name][1]), item.parameters) for item in tree.bodies]
    left = algorithms.base_regressor(tree, q, v, a) @ np.concatenate(phi)
    right = algorithms.generalized_forces(tree, q, wrenches)[:6]
    assert_allclose(left, right, atol=1e-9 * np.linalg.norm(a))


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical"])
@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-8])
@pytest.mark.parametrize("axis", range(3))
def test_joints_askew_by_an_angle_whose_cosine_is_one(kind, angle, axis, rng):
    """Robot files have such angles, where pi is rounded."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    H = np.eye(4)
    H[:3, 3], H[i, j], H[j, i] = rng.standard_normal(3), -math.sin(angle), math.sin(angle)
    joint = TreeJoint("joint1", kind, H, 0)
    bodies = Body("link0", -1, None, random_parameters(rng)), Body("link1", 0, joint, random_parameters(rng))
    frames = {item.name: (k, np.eye(4)) for k, item in enumerate(bodies)}
    tree = Tree("askew", bodies, frames, ("joint1",), False, "body")
    q = np.array([1.0, 0.0, 0.0, 0.0]) if kind == "spherical" else np.zeros(1)
    assert_allclose(algorithms.pose(tree, q, "link1"), H, rtol=0.0, atol=1e-16)
