"""Writes the page of each package of the API, or module: what it exports, under the modules that define it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_INTRODUCTIONS = {
    "floatbase": "Loading robots, calling them, and compiling your own functions. `Model` and `robots` are described "
    "with the [model](model.md); `symbols`, `trace`, `Program` and their like with the [compiler](compiler.md).",
    "gpu": "What is needed of GPUs beside methods and functions, which take arrays that are there as they are. "
    "See [GPUs](../gpu.md).",
    "spatial": "The vocabulary: rotations, poses, twists, wrenches, accelerations and inertias. "
    "See [notation](../notation.md).",
    "model": "What a robot is, and how its description is read. See [loading robots](../loading-robots.md).",
    "algorithms": "The mathematics of a tree, one algorithm per module, each beside its equations. "
    "A user calls these through the methods of a robot.",
    "model.library": "Robots described in Python: all load by name, and the functions take masses and lengths. "
    "See [describing robots](../describing-robots.md).",
    "compiler": "From symbols to machine code; knows nothing of robots. See [the one idea](../the-one-idea.md).",
    "simulation": "Physics around a robot, and steps of time. See [simulation](../simulation.md).",
    "simulation.contacts": "Laws of contact, and hard contacts with exact friction. "
    "See [contacts](../theory/contacts.md).",
    "simulation.grounds": "What is stood on: its height, its normal, its softness. "
    "See [contacts](../theory/contacts.md).",
    "simulation.joints": "Friction, drives, delays, limits and springs of joints. "
    "See [physics of joints](../theory/joint-physics.md).",
    "simulation.constraints": "What holds a robot exactly: loops, contacts, rolling. "
    "See [constraints](../theory/constraints.md).",
    "simulation.constraints.bodies": "Free bodies held together by constraints, in maximal coordinates. "
    "See [constraints](../theory/constraints.md).",
    "simulation.suspensions": "Rods, springs and cables that robots hang on. "
    "See [suspensions](../theory/suspensions.md).",
    "simulation.sensors": "What sensors read, and how far it is from the truth. See [sensors](../sensors.md).",
    "simulation.loop": "A plant, sensors and controllers on one clock, in our physics or in MuJoCo's. "
    "See [the loop](../loop.md).",
    "simulation.integration": "Ways to step through time. See [simulation](../simulation.md).",
    "logs": "Named signals over time: recording, files of many kinds, filters, plots. See [logs](../logs.md).",
    "viewer": "Robots in a browser, in pictures, and in motion. See [looking at robots](../viewing.md).",
    "report": "Parts of pages that need nothing else: tables, plots, robots. See [looking at robots](../viewing.md).",
    "experiments": "Experiments by name, and what they are made of. See [experiments](../experiments.md).",
}


_ALL = "all public members"
_FRONT = ("floatbase.loading", "floatbase.robot", "floatbase.kernels", "floatbase.compiler.threads", "floatbase.errors")


def _exports(package: Path, name: str) -> dict[str, list[str]]:
    """Names that a package's `__init__.py`, or a module, imports from floatbase's modules, by module, in its order.

    Modules that it offers as they are have all their public members.
    """
    exports: dict[str, list[str]] = {}
    source = package / "__init__.py" if package.is_dir() else package.with_suffix(".py")
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("floatbase."):
            continue
        names = [alias.name for alias in node.names if not alias.name.startswith("_")]
        if node.module == name:
            exports.update({f"{name}.{module}": [_ALL] for module in names})
        else:
            exports.setdefault(str(node.module), []).extend(names)
    return exports


def _section(module: str, members: list[str]) -> str:
    options = "" if _ALL in members else f"    options:\n      members: [{', '.join(members)}]\n"
    return f"::: {module}\n{options}"


def _page(source: Path, package: str) -> str:
    name = "floatbase" if package == "floatbase" else f"floatbase.{package}"
    exports = _exports(source.joinpath(*name.split(".")[1:]), name)
    modules = _FRONT if package == "floatbase" else tuple(exports)
    sections = [_section(module, exports[module]) for module in modules]
    if package == "floatbase":
        sections[-1] = "::: floatbase.errors\n"  # all of them
    return "\n".join([f"# {name}\n", _INTRODUCTIONS[package] + "\n", *sections])


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    source = Path(config.config_file_path).parent / "src" / "floatbase"
    for package in _INTRODUCTIONS:
        files.append(File.generated(config, f"api/{package}.md", content=_page(source, package)))
    return files
