"""What the demo prints as tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from rich import box
from rich.table import Table

from floatbase.demo.pinocchio_peer import Peer
from floatbase.demo.timing import Timing
from floatbase.demo.verification import Check
from floatbase.model import Tree
from floatbase.model.description import Joint
from floatbase.robot import Robot


def tree_table(robot: Robot) -> Table:
    """Bodies below their parents, with their joints."""
    table = _table(f"{robot.name}: bodies and joints")
    for title in ("body", "joint", "kind"):
        table.add_column(title, no_wrap=True)
    table.add_column("deg or m", justify="right", no_wrap=True)
    table.add_column("kg", justify="right", no_wrap=True)
    joints = {joint.name: joint for joint in robot.model.joints}
    for index, prefix in _branches(robot.tree):
        body = robot.tree.bodies[index]
        joint = joints[body.joint.name] if body.joint is not None else None
        kind = joint.kind if joint is not None else ("floating" if robot.floating else "fixed")
        cells = ("", kind, "") if joint is None else (joint.name, kind, _limits(joint))
        table.add_row(f"[dim]{prefix}[/]{body.name}", *cells, f"{body.parameters[0]:.3f}")
    return table


def _branches(tree: Tree) -> Iterator[tuple[int, str]]:
    """Bodies in depth-first order, each with the lines that show what it hangs on."""
    children: dict[int, list[int]] = defaultdict(list)
    for index, body in enumerate(tree.bodies):
        children[body.parent].append(index)
    waiting = [(0, "", "")]
    while waiting:
        index, prefix, below = waiting.pop()
        yield index, prefix
        siblings = children[index]
        last = siblings[-1:]
        waiting += [
            (child, below + ("└ " if [child] == last else "├ "), below + ("  " if [child] == last else "│ "))
            for child in reversed(siblings)
        ]


def _limits(joint: Joint) -> str:
    """The range of a joint, in degrees or metres."""
    lower, upper = joint.limits.lower, joint.limits.upper
    if joint.kind == "continuous" or not np.isfinite([lower, upper]).all():
        return "none"
    if joint.kind == "prismatic":
        return f"{lower:.3f} .. {upper:6.3f}"
    return f"{np.rad2deg(lower):.0f} .. {np.rad2deg(upper):4.0f}"


def sensors_table(robot: Robot) -> Table:
    """Sensors by kind and place, with the first name of many."""
    table = _table(f"{robot.name}: {len(robot.model.sensors)} sensors")
    for title in ("kind", "where", "name"):
        table.add_column(title, no_wrap=title != "name")
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for sensor in robot.model.sensors:
        where = f"joint {sensor.joint}" if sensor.joint is not None else f"link {sensor.link}"
        groups[sensor.kind, where].append(sensor.name)
    for (kind, where), names in sorted(groups.items()):
        table.add_row(kind, where, names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else ""))
    return table


def checks_table(checks: list[Check], states: int) -> Table:
    """Identities with their residuals."""
    table = _table(f"identities on {states} random states: largest relative residual")
    table.add_column("identity", no_wrap=True)
    for title in ("residual", "tolerated", ""):
        table.add_column(title, justify="right", no_wrap=True)
    for check in checks:
        verdict = "[green]holds[/]" if check.passed else "[bold red]FAILS[/]"
        table.add_row(check.name.replace("[", r"\["), f"{check.residual:.1e}", f"{check.tolerance:.0e}", verdict)
    return table


def timings_table(timings: list[Timing], batch: int, peer: Peer | None) -> Table:
    """Time per state, ours and the peer's, and the ratios."""
    table = _table(f"time per state, one thread: one state; a batch of {batch}")
    table.add_column("", no_wrap=True)
    for mode in ("one state", "batch"):
        table.add_column(f"{mode} [us]".replace("[", r"\["), justify="right")
        if peer is not None:
            table.add_column(f"{peer.name} [us]".replace("[", r"\["), justify="right")
            table.add_column("ratio", justify="right")
    for timing in timings:
        cells = [timing.function.name.replace("_", " ")]
        for ours, theirs in ((timing.single, timing.peer_single), (timing.batch, timing.peer_batch)):
            cells.append(f"{1e6 * ours:.2f}")
            if theirs is not None:
                cells += [f"{1e6 * theirs:.2f}", f"[bold]{theirs / ours:.1f}x[/]"]
        table.add_row(*cells)
    return table


def agreement_table(timings: list[Timing], peer: Peer) -> Table:
    """How far the results are from the peer's."""
    table = _table(f"same results as {peer.name}: largest relative difference")
    for title in ("", "difference", "tolerated", ""):
        table.add_column(title, justify="right" if title else "left", no_wrap=True)
    for timing in timings:
        verdict = "[green]agrees[/]" if timing.agrees else "[bold red]DIFFERS[/]"
        name = timing.function.name.replace("_", " ")
        table.add_row(name, f"{timing.difference:.1e}", f"{timing.function.tolerance:.0e}", verdict)
    return table


def _table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        collapse_padding=True,
        pad_edge=False,
    )
