"""Shows files that stand elsewhere in the repository as pages: changelog, contributing guide, benchmark results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_PAGES = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
_LINK = re.compile(r"\]\(docs/")
_HEADING = re.compile(r"^#(?=#* )", re.MULTILINE)
_RESULTS = "benchmarks/results/latest.md"
_GPU_RESULTS = "benchmarks/results/gpu.md"
_GPU_MORE = ("benchmarks/results/gpu-peers.md", "benchmarks/results/gpu-functions.md")
_GPU_COMMAND = "python -m benchmarks.gpu"
_GPU_PLOT = "assets/gpu-batch.svg"
_PLOTS = {
    "assets/benchmark-size.svg": "Time of one call against the number of velocities",
    "assets/benchmark-batch.svg": "Time for each state against the size of the batch",
}


def _results(root: Path) -> str:
    """The tables of the last recorded run of the benchmarks, its plots first."""
    source = root / _RESULTS
    if not source.exists():
        return "# Results\n\nNo run has been recorded in this checkout; `make bench` records one.\n"
    plots = [f"![{text}]({place})" for place, text in _PLOTS.items() if (root / "docs" / place).exists()]
    title, _, rest = source.read_text(encoding="utf-8").partition("\n")
    return "\n\n".join([title, *plots, rest])


def _gpu_results(root: Path, plot: bool) -> str:
    """The tables of the last recorded runs on a GPU, their plot first."""
    source = root / _GPU_RESULTS
    if not source.exists():
        return f"# Results on a GPU\n\nNo run has been recorded in this checkout; `{_GPU_COMMAND}` records one.\n"
    title, _, rest = source.read_text(encoding="utf-8").partition("\n")
    picture = [f"![States per second against the size of the batch]({_GPU_PLOT})"] if plot else []
    more = [(root / name).read_text(encoding="utf-8") for name in _GPU_MORE if (root / name).exists()]
    return "\n\n".join([title, *picture, rest, *(_HEADING.sub("##", text) for text in more)])


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    root = Path(config.config_file_path).parent
    for page, source in _PAGES.items():
        text = (root / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_LINK.sub("](", text)))
    files.append(File.generated(config, "results.md", content=_results(root)))
    plot = root / _GPU_RESULTS.replace(".md", "-batch.svg")
    if plot.exists():
        files.append(File.generated(config, _GPU_PLOT, content=plot.read_bytes()))
    files.append(File.generated(config, "gpu-results.md", content=_gpu_results(root, plot.exists())))
    return files
