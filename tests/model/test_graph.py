"""Parents, children, subtrees and paths."""

import numpy as np
import pytest
from tests.model.kinematics import load
from tests.model.test_joint_kinds import everything

from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.model import Inertia, Joint, Link, Model, build_tree, graph


@pytest.mark.parametrize("base", [None, "l_sole", "head"])
def test_the_identities_of_a_tree(base):
    model, _ = load("icub")
    tree = build_tree(model, base)
    everyone = set(range(len(tree.bodies)))
    assert set(graph.subtree(tree, 0)) == everyone
    for body in sorted(everyone - {0}):
        up = graph.parent(tree, body)
        assert up < body and body in graph.children(tree, up)
        assert set(graph.neighbours(tree, body)) == {up, *graph.children(tree, body)}
        assert graph.ancestors(tree, body) == (body, *graph.ancestors(tree, up))
        assert graph.path(tree, 0, body) == graph.ancestors(tree, body)[::-1]
        # cutting a joint leaves two sides: what is beyond it, and what is beyond it seen from there
        other = build_tree(model, tree.bodies[body].name)
        beyond = {tree.bodies[number].name for number in graph.subtree(tree, body)}
        assert len(beyond) + len(graph.subtree(other, tree.bodies[up].name)) == len(tree.bodies)


def test_paths_do_not_depend_on_the_base():
    model, tree = load("icub")
    expected = graph.velocities_between(tree, "l_hand", "r_sole")
    names = {tree.velocity_names[entry] for entry in expected}
    assert {"l_elbow", "torso_yaw", "r_knee"} <= names and "l_knee" not in names and len(names) == 7 + 3 + 6
    for base in ("l_sole", "r_hand", "head"):
        assert graph.velocities_between(build_tree(model, base), "r_sole", "l_hand") == expected
    assert graph.velocities_between(tree, "l_hand", "l_hand") == ()
    assert graph.path(tree, "l_hand", "l_hand") == (tree.frames["l_hand"][0],)


def test_joints_of_several_velocities_count_with_all():
    tree = build_tree(everything())
    assert graph.velocities_between(tree, "l0", "l8")[-6:] == tuple(range(18, 24))


def test_bad_questions_are_named():
    tree = build_tree(everything())
    with pytest.raises(UnknownNameError, match="unknown frame 'l99'"):
        graph.children(tree, "l99")
    with pytest.raises(ArgumentError, match=r"body is 40; the robot has bodies 0 .. "):
        graph.subtree(tree, 40)
    with pytest.raises(ArgumentError, match="'l0' is the base and has no parent"):
        graph.parent(tree, "l0")


def test_a_published_tree_has_its_published_sets():
    """Eight joints on a base with four branches: support, child and subtree sets (Romualdi 2022, (3.1.5))."""
    parents = [0, 1, 0, 3, 4, 0, 6, 0]
    ball = Inertia(1.0, np.zeros(3), np.eye(3))
    links = tuple(Link(f"body{k}", ball) for k in range(9))
    joints = tuple(
        Joint(f"joint{k}", "revolute", f"body{up}", f"body{k}", np.eye(4)) for k, up in enumerate(parents, 1)
    )
    tree = build_tree(Model("published", links, joints, root="body0"))
    number = {body.name: k for k, body in enumerate(tree.bodies)}
    names = {k: name for name, k in number.items()}

    def bodies(found):
        return {int(names[k].removeprefix("body")) for k in found}

    support = [set(), {1}, {1, 2}, {3}, {3, 4}, {3, 4, 5}, {6}, {6, 7}, {8}]
    child = [{1, 3, 6, 8}, {2}, set(), {4}, {5}, set(), {7}, set(), set()]
    subtree = [set(range(9)), {1, 2}, {2}, {3, 4, 5}, {4, 5}, {5}, {6, 7}, {7}, {8}]
    for k in range(9):
        body = f"body{k}"
        assert bodies(graph.ancestors(tree, body)) - {0} == support[k]
        assert bodies(graph.children(tree, body)) == child[k]
        assert bodies(graph.subtree(tree, body)) == subtree[k]
        assert graph.velocities_between(tree, "body0", body) == tuple(5 + joint for joint in sorted(support[k]))
