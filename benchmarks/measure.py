"""Timing that survives a noisy machine: all contenders of a table take turns, round after round.

In each round every contender runs once for a few milliseconds, after one repetition that is not timed, so that caches
are as in a loop of its own. The order turns by one from round to round. What is reported is the shortest time of all
rounds (what the code costs when nothing disturbs it) and the median (what was met here).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from benchmarks.contender import Array, Contender, Function

TOLERANCE: dict[Function, float] = {
    "inverse dynamics": 1e-11,
    "forward dynamics": 1e-9,
    "mass matrix": 1e-11,
    "inverse mass matrix": 1e-9,
    "bias": 1e-11,
    "centre of mass": 1e-11,
    "jacobian": 1e-11,
    "centroidal momentum matrix": 1e-11,
    "torque regressor": 1e-11,
    "inverse dynamics derivatives": 1e-10,
    "forward dynamics derivatives": 1e-9,
    "control tick": 1e-11,
}


@dataclass(frozen=True)
class Outcome:
    """Seconds per state of one contender, or why there are none."""

    contender: Contender
    status: str  # "ok", or what went wrong
    first: float = float("nan")  # seconds of the first evaluation: compilation, where a library compiles
    error_before: float = float("nan")  # norm-wise, the worst state, relative to the reference
    error_after: float = float("nan")
    shortest: float = float("nan")
    median: float = float("nan")

    @property
    def ok(self) -> bool:
        """Whether there is a time, and the results are right."""
        return self.status == "ok"


def error(result: Array, reference: Array) -> float:
    """The largest norm-wise relative difference over the states."""
    if result.shape != reference.shape:
        return float("inf")
    flat, expected = result.reshape(len(result), -1), reference.reshape(len(reference), -1)
    difference = np.linalg.norm(flat - expected, axis=1) / np.linalg.norm(expected, axis=1)
    return float(np.max(difference)) if np.isfinite(difference).all() else float("inf")


def measure(
    contenders: Sequence[Contender],
    references: dict[int, Array],
    rounds: int,
    burst: float,
    progress: Callable[[str], None],
) -> list[Outcome]:
    """Time contenders of one robot and function side by side.

    references: results to compare with, by number of states. rounds, burst: how often, and for how long at least, in
    seconds, each contender runs.
    """
    outcomes: list[Outcome] = []
    for contender in contenders:
        progress(f"{contender.label}: first call")
        outcomes.append(_check_before(contender, references[contender.count]))
    running = [index for index, outcome in enumerate(outcomes) if outcome.ok]
    timers = {index: outcomes[index].contender.timer() for index in running}
    loops = {index: max(1, int(np.ceil(burst / max(timer.timeit(1), 1e-7)))) for index, timer in timers.items()}
    times: dict[int, list[float]] = {index: [] for index in running}
    for number in range(rounds):
        progress(f"round {number + 1} of {rounds}")
        turn = number % max(len(running), 1)
        for index in running[turn:] + running[:turn]:
            timers[index].timeit(1)
            seconds = timers[index].timeit(loops[index])
            times[index].append(seconds / loops[index] / outcomes[index].contender.count)
    return [
        _finish(outcome, times[index], references[outcome.contender.count]) if outcome.ok else outcome
        for index, outcome in enumerate(outcomes)
    ]


def _check_before(contender: Contender, reference: Array) -> Outcome:
    start = perf_counter()
    try:
        result = contender.evaluate()
    except Exception as reason:  # whatever a library raises, the comparison goes on without it
        return Outcome(contender, f"failed: {type(reason).__name__}: {reason}".splitlines()[0][:200])
    first = perf_counter() - start
    before = error(result, reference)
    status = "ok" if before <= TOLERANCE[contender.function] else f"disagrees with the reference by {before:.1e}"
    return Outcome(contender, status, first, before)


def _finish(outcome: Outcome, times: list[float], reference: Array) -> Outcome:
    after = error(outcome.contender.evaluate(), reference)
    good = after <= TOLERANCE[outcome.contender.function]
    return Outcome(
        contender=outcome.contender,
        status="ok" if good else f"disagrees with the reference after timing by {after:.1e}",
        first=outcome.first,
        error_before=outcome.error_before,
        error_after=after,
        shortest=min(times),
        median=statistics.median(times),
    )
