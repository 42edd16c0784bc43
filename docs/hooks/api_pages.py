"""Writes the page of each package of the API: its own docstring, then that of every public module in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_INTRODUCTIONS = {
    "floatbase": "Loading robots, calling them, and compiling your own functions.",
    "spatial": "The vocabulary: rotations, poses, twists, wrenches, accelerations and inertias. "
    "See [notation](../notation.md).",
    "model": "What a robot is, and how its description is read. See [loading robots](../loading-robots.md).",
    "algorithms": "The mathematics of a tree, one algorithm per module, each beside its equations. "
    "A user calls these through the methods of a robot.",
    "compiler": "From symbols to machine code; knows nothing of robots. See [the one idea](../the-one-idea.md).",
}


def _modules(package: Path, name: str) -> list[str]:
    modules = []
    for path in sorted(package.iterdir()):
        if path.name.startswith("_"):
            continue
        if path.suffix == ".py":
            modules.append(f"{name}.{path.stem}")
        elif (path / "__init__.py").exists() and name != "floatbase":
            modules += [f"{name}.{path.name}", *_modules(path, f"{name}.{path.name}")]
    return modules


def _page(source: Path, package: str) -> str:
    name = "floatbase" if package == "floatbase" else f"floatbase.{package}"
    modules = _modules(source if package == "floatbase" else source / package, name)
    sections = [f"::: {module}\n" for module in modules]
    own = f"::: {name}\n    options:\n      members: []\n      show_root_heading: false\n"
    return "\n".join([f"# {name}\n", _INTRODUCTIONS[package] + "\n", own, *sections])


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    source = Path(config.config_file_path).parent / "src" / "floatbase"
    for package in _INTRODUCTIONS:
        files.append(File.generated(config, f"api/{package}.md", content=_page(source, package)))
    return files
