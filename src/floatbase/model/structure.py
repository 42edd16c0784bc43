"""Checks that links and joints form one tree, and that mimic relations make sense."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from floatbase.errors import RobotFileError
from floatbase.model.description import Joint, Link

LOOP_HINT = "a robot is a tree: leave one of the joints out, and close the loop by a Constraint (model.add_constraint)"


def check_structure(links: Sequence[Link], joints: Sequence[Joint], where: str) -> str:
    """The name of the root link, or an error that says why these links and joints are not one tree."""
    if not links:
        raise RobotFileError(f"{where}: there are no links; a robot has at least one")
    known = {link.name for link in links}
    _refuse_duplicates((link.name for link in links), "link", where)
    _refuse_duplicates((joint.name for joint in joints), "joint", where)
    parent_joint: dict[str, Joint] = {}
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in known:
                raise RobotFileError(f"{where}: joint {joint.name!r} names the link {link!r}, which does not exist")
        if joint.parent == joint.child:
            raise RobotFileError(f"{where}: joint {joint.name!r} connects the link {joint.parent!r} to itself")
        other = parent_joint.setdefault(joint.child, joint)
        if other is not joint:
            raise RobotFileError(
                f"{where}: link {joint.child!r} has two parents: {other.parent!r} through joint {other.name!r} and "
                f"{joint.parent!r} through joint {joint.name!r}; {LOOP_HINT}"
            )
    roots = [link.name for link in links if link.name not in parent_joint]
    if not roots:
        raise RobotFileError(
            f"{where}: there is no root link: every link is the child of a joint, so there is a loop; {LOOP_HINT}"
        )
    if len(roots) > 1:
        listed = ", ".join(repr(name) for name in roots[:4]) + (", ..." if len(roots) > 4 else "")
        raise RobotFileError(f"{where}: there are {len(roots)} links without a parent ({listed}); a robot has one root")
    _refuse_loops(links, parent_joint, where)
    return roots[0]


def _refuse_duplicates(names: Iterable[str], what: str, where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RobotFileError(f"{where}: there are two {what}s named {name!r}; names must be unique")
        seen.add(name)


def _refuse_loops(links: Sequence[Link], parent_joint: dict[str, Joint], where: str) -> None:
    """Every link must lead to the root; with one parent each, those that do not form loops."""
    settled: set[str] = set()
    for link in links:
        path: list[str] = []
        name = link.name
        walked: set[str] = set()
        while name not in settled and name in parent_joint:
            if name in walked:
                loop = [*path[path.index(name) :], name]
                listed = " <- ".join(loop[:6]) + (" <- ..." if len(loop) > 6 else "")
                raise RobotFileError(f"{where}: the links form a loop: {listed}; {LOOP_HINT}")
            walked.add(name)
            path.append(name)
            name = parent_joint[name].parent
        settled.add(name)
        settled.update(walked)
