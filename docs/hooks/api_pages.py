"""Writes the page of each package of the API: what its `__init__.py` exports, under the modules that define it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_INTRODUCTIONS = {
    "floatbase": "Loading robots, calling them, and compiling your own functions. `Model` and `robots` are described "
    "with the [model](model.md); `symbols`, `trace`, `Program` and their like with the [compiler](compiler.md).",
    "spatial": "The vocabulary: rotations, poses, twists, wrenches, accelerations and inertias. "
    "See [notation](../notation.md).",
    "model": "What a robot is, and how its description is read. See [loading robots](../loading-robots.md).",
    "algorithms": "The mathematics of a tree, one algorithm per module, each beside its equations. "
    "A user calls these through the methods of a robot.",
    "compiler": "From symbols to machine code; knows nothing of robots. See [the one idea](../the-one-idea.md).",
}


_FRONT = ("floatbase.loading", "floatbase.robot", "floatbase.kernels", "floatbase.compiler.threads", "floatbase.errors")


def _exports(package: Path) -> dict[str, list[str]]:
    """Names that a package's `__init__.py` imports from floatbase's modules, by module, in the order of the file."""
    exports: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("floatbase."):
            names = [alias.name for alias in node.names if not alias.name.startswith("_")]
            exports.setdefault(str(node.module), []).extend(names)
    return exports


def _page(source: Path, package: str) -> str:
    name = "floatbase" if package == "floatbase" else f"floatbase.{package}"
    exports = _exports(source if package == "floatbase" else source / package)
    modules = _FRONT if package == "floatbase" else tuple(exports)
    sections = [f"::: {module}\n    options:\n      members: [{', '.join(exports[module])}]\n" for module in modules]
    if package == "floatbase":
        sections[-1] = "::: floatbase.errors\n"  # all of them
    return "\n".join([f"# {name}\n", _INTRODUCTIONS[package] + "\n", *sections])


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    source = Path(config.config_file_path).parent / "src" / "floatbase"
    for package in _INTRODUCTIONS:
        files.append(File.generated(config, f"api/{package}.md", content=_page(source, package)))
    return files
