"""What is doubtful about a clock: stamps that repeat or go back, gaps, jumps, a rate that is not the stated one.

The period is the stated one, or the median of the steps between stamps. A gap is a step longer than 1.5 periods; of
more than 100 periods, or more than 10 seconds where the period is longer than 0.1 s, it is called a jump of the clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floatbase.logs.signals import Array

GAP, JUMP, LONG = 1.5, 100.0, 10.0
RATE_TOLERANCE = 0.02


@dataclass(frozen=True)
class Finding:
    """Something doubtful.

    where: the group or signal.
    kind: "duplicate", "backwards", "gap", "jump", "rate", "NaN", "infinity" or "length".
    count: how often.
    time: of the first, seconds.
    text: all this as a sentence.
    """

    where: str
    kind: str
    count: int
    time: float
    text: str

    def __str__(self) -> str:
        return f"{self.where or '(no group)'}: {self.text}"


def check_clock(group: str, time: Array, rate: float | None = None) -> list[Finding]:
    """Findings about the stamps of a group."""
    steps = np.diff(time)
    if not steps.size:
        return []
    found = []
    forward = steps[steps > 0]
    period = 1.0 / rate if rate else float(np.median(forward)) if forward.size else 0.0
    jump = max(JUMP * period, GAP * period) if period <= 0.1 else max(LONG, GAP * period)
    for kind, which, text in (
        ("duplicate", steps == 0, "stamps are those of the sample before"),
        ("backwards", steps < 0, "stamps are earlier than the one before"),
        ("gap", (steps > GAP * period) & (steps <= jump), f"steps are longer than {GAP:g} periods of {period:.6g} s"),
        ("jump", steps > jump, f"steps are longer than {jump:.6g} s: the clock was set, or recording paused"),
    ):
        count = int(which.sum())
        if count:
            first = float(time[int(np.argmax(which)) + 1])
            longest = "" if kind in ("duplicate",) else f", the longest {float(np.abs(steps[which]).max()):.6g} s"
            text = f"{count} {text}, the first at {first:.6g} s{longest}"
            found.append(Finding(group, kind, count, first, text))
    if rate and forward.size:
        measured = 1.0 / float(np.median(forward))
        if abs(measured / rate - 1.0) > RATE_TOLERANCE:
            text = f"the rate is {measured:.6g} Hz by the median step, not {rate:.6g} Hz as stated"
            found.append(Finding(group, "rate", 1, float(time[0]), text))
    return found
