"""Running a loop for a while, recorded, and so that it can be taken up again after it was killed."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatbase.errors import ArgumentError, unknown_name
from floatbase.progress import counting
from floatbase.simulation.loop.checkpoints import load_state, save_state
from floatbase.simulation.loop.loop import Loop, LoopState
from floatbase.simulation.loop.recording import LARGEST, Arrays, File, groups_of, state_batch
from floatbase.spatial.arrays import Array

SUFFIX = ".state"
KEPT_EVERY = 0.5  # s on the wall between two stored states


@dataclass(frozen=True)
class Run:
    """What was recorded: `signals` by names such as "plant.q", (n, ..., size), and `times` by block, s.

    With a file, that has the signals. `state` is the last one; `interrupted` tells whether the keyboard ended the run.
    """

    state: LoopState
    signals: dict[str, Array]
    times: dict[str, Array]
    log: Path | None = None
    interrupted: bool = False

    def __getitem__(self, name: str) -> Array:
        if name not in self.signals:
            raise unknown_name("signal", name, self.signals)
        return self.signals[name]


def run(
    loop: Loop,
    q: Any = None,
    v: Any = None,
    duration: float = 1.0,
    *,
    seed: int = 0,
    state: LoopState | None = None,
    record: Sequence[str] | None = None,
    every: int = 1,
    log: Any = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool = False,
    largest: int = LARGEST,
) -> Run:
    """Run for a `duration` [s] from a configuration q (..., nq) and a velocity v, or from a `state`.

    record: signals such as "plant.q", "controller.command", "sensors.*"; q, v and all that blocks give if not said.
    every: so many samples of each. log: a file to record to, of which nothing stays in memory; beside it, the state is
    stored twice a second, in `NAME.state`. resume: go on from there with a run of the same settings that was killed, or
    begin if there is none: the log in the end has the same bytes as that of a run that was not. progress: show a bar.

    Samples are of the beginnings of ticks, 0, dt, 2 dt, ...; the state after the last tick is in the result.
    """
    if not (isinstance(duration, float | int) and math.isfinite(duration) and duration >= 0.0):
        raise ArgumentError(f"duration is {duration!r}; it must be a finite number of seconds, not negative")
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise ArgumentError(f"every is {every!r}; it must be a whole number, at least 1")
    if resume and log is None:
        raise ArgumentError("resume goes on with a log: give its file, run(..., log=...)")
    if state is not None and log is not None:
        raise ArgumentError("a run that is recorded to a file begins at its beginning: give q and v, not a state")
    groups = groups_of(loop, record, every)
    now = loop.init(q, v, seed=seed) if state is None else state
    first, ticks = now.tick, round(duration / loop.plant.dt)
    batch = state_batch(loop, now)
    if log is None:
        arrays = Arrays(groups, first, first + ticks, loop.plant.dt, batch, largest)
        now, interrupted = _advance(loop, now, first + ticks, arrays, None, {}, progress)
        return Run(now, arrays.found(), arrays.times(), None, interrupted)
    path = Path(log)
    kept = path.with_name(path.name + SUFFIX)
    about = _about(loop, seed, batch, groups, ticks)
    until = None
    if resume and kept.exists():
        now = load_state(kept, now, about)
        until = (now.tick - 0.5) * loop.plant.dt
        if path.exists() and now.tick == ticks:
            path.with_name(path.name + ".journal").unlink(missing_ok=True)
            return Run(now, {}, {}, path)
    elif resume and not path.exists():
        until = -1.0  # killed before the first state was stored
    elif kept.exists() and not overwrite:
        raise ArgumentError(f"{kept} exists: go on with resume=True, or begin anew with overwrite=True")
    metadata = {"robot": loop.plant.robot.name, "seed": seed, "dt": loop.plant.dt}
    file = File(path, loop, groups, batch, metadata, overwrite=overwrite, until=until)
    now, interrupted = _advance(loop, now, ticks, file, kept, about, progress)
    return Run(now, {}, {}, path, interrupted)


def _advance(
    loop: Loop,
    state: LoopState,
    last: int,
    recorder: Arrays | File,
    kept: Path | None,
    about: dict[str, Any],
    progress: bool,
) -> tuple[LoopState, bool]:
    """The state at tick `last`, and whether the keyboard ended the run before; stored on the way if `kept` is given."""
    first = state.tick
    sense, move, add, now = loop.sense, loop.move, recorder.add, clock.monotonic
    done, stored = state, now()
    if kept is not None:
        _store(recorder, kept, done, about)
    try:
        with counting(last - first, "running", progress) as report:
            for tick in range(first, last):
                sensed, signals = sense(state)
                after = move(sensed, signals)
                add(tick, signals)
                done = state = after
                if kept is not None and now() - stored >= KEPT_EVERY:
                    _store(recorder, kept, done, about)
                    stored = now()
                report(tick + 1 - first)
    except KeyboardInterrupt:
        if kept is not None:
            recorder.close()
        return done, True
    except BaseException:
        recorder.close()
        raise
    if kept is not None:
        _store(recorder, kept, done, about)
    recorder.finish()
    return done, False


def _store(recorder: Arrays | File, kept: Path, state: LoopState, about: dict[str, Any]) -> None:
    recorder.flush()  # the log is never behind the state
    save_state(kept, state, about)


def _about(loop: Loop, seed: int, batch: tuple[int, ...], groups: Any, ticks: int) -> dict[str, Any]:
    """What tells a run from another one."""
    return {
        "robot": loop.plant.robot.tree.digest,
        "plant": type(loop.plant).__name__,
        "dt": loop.plant.dt,
        "seed": seed,
        "batch": list(batch),
        "ticks": ticks,
        "blocks": [[turn.name, turn.period, [[n, s] for n, s in turn.sizes.items()]] for turn in loop.turns],
        "recorded": [[group.owner, group.period, list(group.sources)] for group in groups],
    }
