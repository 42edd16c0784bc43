"""Writes the gallery: every script of `examples/`, what it shows, what it prints and its source.

The text that a script printed is kept in `docs/assets/gallery/`, so that the site is built without running anything;
a test compares it with what the script prints now.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_INTRODUCTION = """# Gallery

Each example is a page of Python, runs in seconds, and prints what is shown here (times and rounding errors differ from
machine to machine). They are in `examples/`; `make examples` runs them all.
"""


def _section(script: Path, printed: Path) -> str:
    source = script.read_text(encoding="utf-8")
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    if not printed.exists():
        raise PluginError(f"the gallery needs what the example prints: python {script} > {printed}")
    output = printed.read_text(encoding="utf-8").strip("\n")
    indented = "\n".join(f"    {line}".rstrip() for line in source.splitlines())
    return "\n".join(
        [
            f"## {script.stem.replace('_', ' ').capitalize()}",
            "",
            f"**{title.strip()}**",
            text,
            "",
            f"```text\n{output}\n```",
            "",
            f'??? example "examples/{script.name}"',
            "",
            f"    ```python\n{indented}\n    ```",
            "",
        ]
    )


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    root = Path(config.config_file_path).parent
    kept = root / "docs" / "assets" / "gallery"
    sections = [_section(path, kept / f"{path.stem}.txt") for path in sorted((root / "examples").glob("*.py"))]
    files.append(File.generated(config, "gallery.md", content="\n".join([_INTRODUCTION, *sections])))
    return files
