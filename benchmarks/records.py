"""Outcomes as plain records: what is written to JSON, and what tables and plots are made from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from benchmarks.measure import Outcome
from benchmarks.robots import Robot

OURS = "floatbase"
REFERENCE = "Pinocchio"


@dataclass(frozen=True)
class Record:
    """One line of the results. Times are microseconds per state; NaN where there is none."""

    robot: str
    nv: int
    function: str
    mode: str
    states: int
    output: str
    threads: int
    peer: str
    variant: str
    status: str
    shortest: float
    median: float
    relative_speed: float  # how many times faster than one call of Pinocchio per state; 1 is Pinocchio itself
    first_call: float  # seconds, compilation included
    error: float
    statement: str

    @property
    def ok(self) -> bool:
        """Whether there is a time, and the results are right."""
        return self.status == "ok"

    @property
    def label(self) -> str:
        """The peer, and which of its ways."""
        return f"{self.peer} {self.variant}".strip()

    def as_dictionary(self) -> dict[str, object]:
        """For JSON, which knows no NaN."""
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in asdict(self).items()
        }


def from_outcomes(robot: Robot, outcomes: Sequence[Outcome]) -> list[Record]:
    """Records of one robot and function, with speeds relative to Pinocchio's in the same mode."""
    baseline = {_cell(o): o.shortest for o in outcomes if o.ok and _is_reference(o)}
    records = []
    for outcome in outcomes:
        item = outcome.contender
        records.append(
            Record(
                robot=robot.name,
                nv=robot.nv,
                function=item.function,
                mode=item.mode,
                states=item.count if item.mode == "batch" else 1,
                output=item.output,
                threads=item.threads,
                peer=item.peer,
                variant=item.variant,
                status=outcome.status,
                shortest=1e6 * outcome.shortest,
                median=1e6 * outcome.median,
                relative_speed=baseline.get(_cell(outcome), math.nan) / outcome.shortest,
                first_call=outcome.first,
                error=max(outcome.error_before, outcome.error_after) if outcome.ok else outcome.error_before,
                statement=item.statement,
            )
        )
    return records


def _cell(outcome: Outcome) -> tuple[str, int]:
    return outcome.contender.mode, outcome.contender.count


def _is_reference(outcome: Outcome) -> bool:
    item = outcome.contender
    return item.peer == REFERENCE and item.threads == 1 and item.variant in ("", "in a loop")


def losses(records: Iterable[Record]) -> list[str]:
    """Sentences that say where a peer is faster, at the same number of states and threads.

    A freshly allocated result of ours counts as slower also where the peer reuses its memory.
    """
    groups: dict[tuple[str, str, str, int, int], list[Record]] = {}
    for record in records:
        if record.ok:
            key = (record.robot, record.function, record.mode, record.states, record.threads)
            groups.setdefault(key, []).append(record)
    sentences = []
    for group in groups.values():
        for ours in (record for record in group if record.peer == OURS):
            faster = [r for r in group if r.peer != OURS and r.shortest < ours.shortest]
            sentences += [_loss(ours, other) for other in sorted(faster, key=lambda r: r.shortest)]
    return sentences


def _loss(ours: Record, other: Record) -> str:
    mode = ours.mode if ours.mode == "one state" else f"batch of {ours.states}"
    threads = f", {ours.threads} threads" if ours.threads > 1 else ""
    return (
        f"{ours.robot}, {ours.function}, {mode}{threads}: {other.label} ({other.output}) takes "
        f"{other.shortest:.2f} us per state, floatbase ({ours.output}) {ours.shortest:.2f} us, "
        f"{ours.shortest / other.shortest:.2f} times as long."
    )
