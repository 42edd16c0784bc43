"""Two pictures: time against degrees of freedom, and time per state against the size of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.records import Record

_COLORS = {
    "floatbase": "#c8401e",
    "Pinocchio": "#1f6f8b",
    "MuJoCo": "#5b8c5a",
    "iDynTree": "#8e6c8a",
    "Drake": "#a58a3f",
    "CasADi": "#6b7280",
    "frax": "#b07aa1",
    "adam": "#9c755f",
}
_SHOWN = ("inverse dynamics", "forward dynamics", "mass matrix")


def against_size(records: Sequence[Record], path: Path) -> None:
    """Time of one state against the number of velocities, one panel per function."""
    figure, axes = plt.subplots(1, len(_SHOWN), figsize=(12, 4), sharey=True)
    for axis, function in zip(axes, _SHOWN, strict=True):
        chosen = [r for r in records if r.ok and r.function == function and r.threads == 1]
        for label, style, rows in (
            *((peer, "o-", [r for r in chosen if r.peer == peer and r.mode == "one state"]) for peer in _COLORS),
            *(
                (f"{peer}, batch", "s--", [r for r in chosen if r.peer == peer and r.mode == "batch"])
                for peer in _COLORS
            ),
        ):
            best = {nv: min(r.shortest for r in rows if r.nv == nv) for nv in sorted({r.nv for r in rows})}
            if best:
                color = _COLORS[label.removesuffix(", batch")]
                axis.plot(list(best), list(best.values()), style, label=label, color=color, markersize=4)
        axis.set(title=function, xlabel="velocities", yscale="log")
        axis.grid(alpha=0.3, which="both")
    axes[0].set_ylabel("microseconds per state")
    handles = {label: handle for a in axes for handle, label in zip(*a.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside right center", fontsize=8, frameon=False)
    _save(figure, path)


def against_batch(records: Sequence[Record], path: Path) -> None:
    """Time per state against the size of the batch."""
    functions = [function for function in _SHOWN if any(r.function == function for r in records)]
    figure, axes = plt.subplots(1, len(functions), figsize=(4 * len(functions) + 2, 4), sharey=True, squeeze=False)
    for axis, function in zip(axes[0], functions, strict=True):
        chosen = [r for r in records if r.ok and r.function == function]
        chosen = [r for r in chosen if r.peer != "Pinocchio" or r.output == "reused"]  # nearly the same line twice
        for name in dict.fromkeys((r.label, r.output, r.threads) for r in chosen):
            rows = sorted((r for r in chosen if (r.label, r.output, r.threads) == name), key=lambda r: r.states)
            label, output, threads = name
            axis.plot(
                [r.states for r in rows],
                [r.shortest for r in rows],
                "-" if output == "reused" else "--",
                marker="x" if "loop" in label else "o" if threads == 1 else "^",
                markersize=4,
                color=_COLORS[rows[0].peer],
                alpha=1.0 if threads == 1 else 0.55,
                label=f"{label}, {output}" + (f", {threads} threads" if threads > 1 else ""),
            )
        axis.set(title=f"{chosen[0].robot}: {function}", xlabel="states in the batch", xscale="log", yscale="log")
        axis.grid(alpha=0.3, which="both")
    axes[0][0].set_ylabel("microseconds per state")
    handles = {label: handle for a in axes[0] for handle, label in zip(*a.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside right center", fontsize=8, frameon=False)
    _save(figure, path)


def _save(figure: plt.Figure, path: Path) -> None:
    figure.set_layout_engine("constrained")
    for suffix in (".svg", ".png"):
        figure.savefig(path.with_suffix(suffix), dpi=130, metadata={"Date": None} if suffix == ".svg" else None)
    plt.close(figure)
