"""Plots as PNG, drawn once for light and once for dark pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from floatbase.errors import missing_dependency

COLORS = ("#c8443c", "#3f7fbf", "#3d9a63", "#c98a1b", "#8a63b8", "#7d8790")  # readable on both
_LIGHT, _DARK = ("#ffffff", "#1d2329", "#dde2e7"), ("#14181c", "#e4e8ec", "#2c343c")  # paper, ink, lines


def draw_png(draw: Callable[[Any], None], size: tuple[float, float]) -> tuple[bytes, bytes]:
    """What `draw` draws on an empty Matplotlib figure of some inches: for light and for dark pages."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_dependency("matplotlib", "plot", "plotting") from None
    images = []
    for paper, ink, lines in (_LIGHT, _DARK):
        with rc_context(_style(paper, ink, lines)):
            figure = Figure(figsize=size, dpi=150, layout="constrained")
            draw(figure)
            data = io.BytesIO()
            figure.savefig(data, format="png", metadata={"Software": None})
            images.append(data.getvalue())
    return images[0], images[1]


def _style(paper: str, ink: str, lines: str) -> Any:
    from cycler import cycler

    return {
        "figure.facecolor": paper,
        "axes.facecolor": paper,
        "savefig.facecolor": paper,
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.edgecolor": ink,
        "xtick.color": ink,
        "ytick.color": ink,
        "grid.color": lines,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=list(COLORS)),
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "legend.frameon": False,
        "font.size": 10,
    }
