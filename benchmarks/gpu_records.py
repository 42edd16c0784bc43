"""Records of a part of `python -m benchmarks.gpu`, on disk as soon as they are there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import gpu_report

Record = dict[str, Any]


class Records:
    """What was measured so far, kept in a file of JSON and as a page."""

    def __init__(
        self, path: Path, about: Record, page: Callable[[Record, Sequence[Record]], str], console: Console
    ) -> None:
        self.found: list[Record] = []
        self._path, self._about, self._page, self._console = path, about, page, console

    def add(self, records: Sequence[Record]) -> None:
        """Print some, and write all."""
        self.found += records
        gpu_report.show(self._console, records)
        content = json.dumps({"machine": self._about, "records": self.found}, indent=1)
        self._path.with_suffix(".json").write_text(content + "\n")
        self._path.with_suffix(".md").write_text(self._page(self._about, self.found))
