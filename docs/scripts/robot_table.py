"""Writes `docs/robots.md`: every robot that can be loaded by name, or why it cannot, measured on this machine.

Run `python docs/scripts/robot_table.py` after a change of the loaders or of the packages that bring robots.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from floatbase.errors import FloatbaseError
from floatbase.model import Model, Tree, build_tree, load_named, load_settings, robots
from floatbase.model.catalog import LIBRARY, NOT_ROBOTS, REFUSED

PAGE = Path(__file__).parents[1] / "robots.md"
REPEATS = 3

HEAD = """# Robots

Every name that `fb.load` knows with the extra `robots` installed ({packages}), and what
it is. Names in *italics* are described in Python by floatbase itself (`floatbase.model.library`), where functions of
the same names take masses and lengths.

* base: whether it floats when loaded by name; `floating=` in `fb.load` says otherwise
* bodies: rigid bodies once fixed joints are merged, the base included; links: as the file has them
* velocities: 6 for a floating base, and those of the joints (those that mimic others not counted)
* mass in kg; time to read the file and build the tree in ms, best of {repeats}, on the machine that wrote this

{summary}

{refused}

| robot | base | links | bodies | velocities | sensors | mass | time | remarks |
|---|---|---|---|---|---|---|---|---|
"""


REFUSED_HEAD = """The packages also have robots that cannot be loaded by name, and files that are no robots:

"""


def main() -> None:
    """Write the page."""
    rows, refused = [], 0
    for name in robots():
        try:
            rows.append(row(name))
        except FloatbaseError as error:
            refused += 1
            rows.append(f"| {name} | | | | | | | | refused: {error} |")
    count = len(rows)
    outcome = f"{count - refused} load, {refused} are refused for the reason given." if refused else "all of them load."
    summary = f"{count} robots; {outcome}"
    packages = ", ".join(f"{package} {version(package)}" for package in ("icub-models", "example-robot-data"))
    head = HEAD.format(packages=packages, repeats=REPEATS, summary=summary, refused=REFUSED_HEAD + left_out())
    PAGE.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    print(f"{PAGE}: {summary}")


def left_out() -> str:
    """What the packages have that is not in the table, and why."""
    found = {**REFUSED, **{f"`{file}`": reason for file, reason in NOT_ROBOTS.items()}}
    return "\n".join(f"* {name}: {reason}" for name, reason in found.items())


def row(name: str) -> str:
    """The row of one robot."""
    best, model, tree, doubts = float("inf"), None, None, []
    for _ in range(REPEATS):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = time.perf_counter()
            model = load_named(name)
            tree = build_tree(model, **load_settings(name))
            best = min(best, time.perf_counter() - start)
        doubts = [str(item.message) for item in caught]
    assert model is not None and tree is not None
    cells = (
        f"*{name}*" if name in LIBRARY else name,
        "floating" if tree.floating else "fixed",
        len(model.links),
        len(tree.bodies),
        tree.nv,
        sensors(model),
        f"{tree.mass:.2f}",
        f"{1e3 * best:.1f}",
        remarks(name, model, tree, doubts),
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def sensors(model: Model) -> str:
    """How many sensors of each kind."""
    counts = Counter(sensor.kind.replace("_", " ") for sensor in model.sensors)
    found = [f"{count} {kind}" for kind, count in sorted(counts.items())]
    if model.skin:
        found.append(f"{sum(len(patch.positions) for patch in model.skin)} skin cells")
    return ", ".join(found)


def remarks(name: str, model: Model, tree: Tree, doubts: list[str]) -> str:
    """Settings with which a robot is loaded, mimic joints, and warnings."""
    found = [f"`{setting}=True`" for setting, value in load_settings(name).items() if value and setting != "floating"]
    mimics = sum(joint.mimic is not None for joint in model.joints)
    if mimics:
        found.append(f"{mimics} mimic joint{'s' * (mimics > 1)}")
    kinds = sorted({body.joint.kind for body in tree.bodies if body.joint} - {"revolute", "prismatic"})
    if kinds:
        found.append(", ".join(kinds) + " joints")
    return "; ".join(found + [doubt.rpartition(": ")[2].replace("|", "/") for doubt in doubts])


if __name__ == "__main__":
    main()
