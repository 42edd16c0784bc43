"""The page of the libraries that were measured on the same GPU as floatbase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.gpu_report import machine

Record = dict[str, Any]

_SAME = ("robot", "function", "dtype", "batch")
_INTRODUCTION = (
    "Times of one batch on arrays that stay on the GPU, in microseconds. `call` waits for the result, for floatbase "
    "with all checks of the public method; `in a row` is the time of one of several calls that are asked for before "
    "waiting (for floatbase, of one of several kernels). Libraries are called through `jax.jit(jax.vmap(...))`, in "
    "float32 with JAX's 64-bit numbers switched off, matrix products in full precision. Errors are norm-wise for each "
    "state against float64 on the CPU, before and after timing. A ratio is the library's time over floatbase's."
)


def markdown(about: Record, records: Sequence[Record]) -> str:
    """The results as a page."""
    ours = {tuple(record[key] for key in _SAME): record for record in records if record["peer"] == "floatbase"}
    theirs = [record for record in records if record["peer"] != "floatbase"]
    timed = [record for record in theirs if "reason" not in record]
    lines = ["# Libraries on JAX, on the same GPU in the same run", "", _INTRODUCTION, ""]
    shown = {key: value for key, value in about.items() if key != "libraries"}
    lines += ["## Machine", "", *machine(shown), ""]
    for library in about.get("libraries", ()):
        lines.append(f"* {library['name']} {library['version']}: {'; '.join(library['calls'])}")
    lines += ["", "## The fastest library", "", *_fastest(ours, timed), ""]
    for robot in dict.fromkeys(record["robot"] for record in timed):
        lines += [f"## {robot}", "", *_table(ours, [record for record in timed if record["robot"] == robot]), ""]
    lines += ["## Not measured", ""]
    reasons = _reasons([record for record in theirs if "reason" in record])
    return "\n".join([*lines, *(reasons or ["Everything was."]), ""])


def _fastest(ours: dict[tuple[Any, ...], Record], timed: Sequence[Record]) -> list[str]:
    lines = ["| robot | function | type | batch | library | ratio of calls | ratio in a row |"]
    lines += ["|---|---|---|---:|---|---:|---:|"]
    for key, own in ours.items():
        group = [record for record in timed if tuple(record[name] for name in _SAME) == key and record["agrees"]]
        if group:
            best = min(group, key=lambda record: record["call"])
            queued = min(record["kernel"] for record in group)
            names = f"{key[0]} | {key[1]} | {key[2]} | {key[3]}"
            ratios = f"{best['call'] / own['call']:.3g} | {queued / own['kernel']:.3g}"
            lines.append(f"| {names} | {best['peer']} | {ratios} |")
    return lines


def _table(ours: dict[tuple[Any, ...], Record], timed: Sequence[Record]) -> list[str]:
    columns = ("call", "in a row", "ratio of calls", "ratio in a row", "error", "compile, s")
    lines = [f"| function | type | batch | library | {' | '.join(columns)} |"]
    lines += ["|---|---|---:|---|" + "---:|" * len(columns)]
    for record in timed:
        own = ours.get(tuple(record[name] for name in _SAME))
        ratios = [f"{record[name] / own[name]:.3g}" if own else "" for name in ("call", "kernel")]
        lines.append(
            f"| {record['function']} | {record['dtype']} | {record['batch']} | {record['peer']} | "
            f"{1e6 * record['call']:.0f} | {1e6 * record['kernel']:.0f} | {' | '.join(ratios)} | "
            f"{record['error']:.0e}{'' if record['agrees'] else ' (disagrees)'} | "
            f"{record['trace'] + record['compile']:.1f} |"
        )
    return lines


def _reasons(missing: Sequence[Record]) -> list[str]:
    """A line for each reason."""
    groups: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for record in missing:
        key = (record["peer"], record["robot"], record["function"], record["reason"])
        groups.setdefault(key, {}).setdefault(record["dtype"], []).append(str(record["batch"]))
    lines = []
    for (peer, robot, function, reason), which in groups.items():
        batches = "; ".join(f"{dtype}: {', '.join(sizes)}" for dtype, sizes in which.items())
        lines.append(f"* {peer}, {robot}, {function} ({batches}): {reason}")
    return lines
