"""Shows the changelog and the contributing guide of the repository's root as pages of the site."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_PAGES = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
_LINK = re.compile(r"\]\(docs/")


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    root = Path(config.config_file_path).parent
    for page, source in _PAGES.items():
        text = (root / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_LINK.sub("](", text)))
    return files
