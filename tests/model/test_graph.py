"""Parents, children, subtrees and paths."""

import pytest
from tests.model.kinematics import load
from tests.model.test_joint_kinds import everything

from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.model import build_tree, graph


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
