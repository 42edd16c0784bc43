r"""The graph of a tree: who is whose parent, what is on the way from one body to another.

Seen from the base, $\lambda(i)$ is the parent of body i, $\mu(i)$ are its children, $\gamma(i)$ is the subtree: i and
all its descendants; neighbours are $\{\lambda(i)\} \cup \mu(i)$. Bodies are numbered such that $\lambda(i) < i$, as in
`Tree.bodies`: these numbers depend on the base, names do not.
Traversaro 2017, section 3.3; Bos 2019, section 2.6.2.

Bodies are given by number, or by the name of a frame or link fixed to them.
"""

from __future__ import annotations

from itertools import pairwise

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.tree import Tree

BodyOrFrame = int | str


def body_of(tree: Tree, body: BodyOrFrame) -> int:
    """The number of a body, from a number or the name of a frame."""
    if isinstance(body, str):
        if body not in tree.frames:
            raise unknown_name("frame", body, tree.frames)
        return tree.frames[body][0]
    if not 0 <= body < len(tree.bodies):
        raise ArgumentError(f"body is {body}; the robot has bodies 0 .. {len(tree.bodies) - 1}")
    return body


def parent(tree: Tree, body: BodyOrFrame) -> int:
    """The parent of a body; the base has none."""
    number = body_of(tree, body)
    if number == 0:
        raise ArgumentError(f"{tree.base!r} is the base and has no parent")
    return tree.bodies[number].parent


def children(tree: Tree, body: BodyOrFrame) -> tuple[int, ...]:
    """The bodies whose parent a body is."""
    number = body_of(tree, body)
    return tuple(other for other, item in enumerate(tree.bodies) if item.parent == number)


def neighbours(tree: Tree, body: BodyOrFrame) -> tuple[int, ...]:
    """The bodies that a joint connects to a body: its parent, if it has one, and its children."""
    number = body_of(tree, body)
    above = () if number == 0 else (tree.bodies[number].parent,)
    return above + children(tree, number)


def ancestors(tree: Tree, body: BodyOrFrame) -> tuple[int, ...]:
    """A body, its parent, that one's parent, and so on to the base."""
    found = [body_of(tree, body)]
    while found[-1] != 0:
        found.append(tree.bodies[found[-1]].parent)
    return tuple(found)


def subtree(tree: Tree, body: BodyOrFrame) -> tuple[int, ...]:
    """A body and all its descendants."""
    number = body_of(tree, body)
    inside = {number}
    for other in range(number + 1, len(tree.bodies)):
        if tree.bodies[other].parent in inside:
            inside.add(other)
    return tuple(sorted(inside))


def path(tree: Tree, start: BodyOrFrame, end: BodyOrFrame) -> tuple[int, ...]:
    """The bodies on the way from one body to another, both included."""
    up, down = ancestors(tree, start), ancestors(tree, end)
    shared = set(up) & set(down)
    top = max(shared)  # numbers grow away from the base
    return up[: up.index(top) + 1] + down[: down.index(top)][::-1]


def velocities_between(tree: Tree, start: BodyOrFrame, end: BodyOrFrame) -> tuple[int, ...]:
    """The entries of `v`, sorted, that move one body relative to another: of the joints on the way between them."""
    bodies = path(tree, start, end)
    first = 6 * tree.floating
    found: set[int] = set()
    for one, other in pairwise(bodies):
        joint = tree.bodies[max(one, other)].joint
        assert joint is not None  # only the base has none
        found.update(range(first + joint.index, first + joint.index + joint.nv))
    return tuple(sorted(found))
