"""A small experiment for tests of the framework; `python -m tests.experiments.toys OUT JOBS` runs it."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from floatbase.experiments import (
    Experiment,
    Outcome,
    Plot,
    Step,
    at_least,
    at_most,
    compare,
    folder,
    option,
    run,
    within,
)


@dataclass(frozen=True)
class Settings:
    draws: int = option(6, "number of draws", minimum=1, maximum=100)
    scale: float = option(1.0, "factor of every draw")
    kind: Literal["normal", "uniform"] = option("normal", "distribution")
    loud: bool = option(False, "nothing")
    note: str = option("", "a note")
    trouble: str = option("none", "what goes wrong, and where")


def draw(seed: int, k: int, scale: float, kind: str, trouble: str) -> dict[str, object]:
    if trouble == f"error-{k}":
        raise ZeroDivisionError("a toy broke")
    if trouble == f"objects-{k}":
        return {"value": object()}
    if trouble == f"interrupt-{k}":
        raise KeyboardInterrupt
    if trouble == f"slow-{k}":
        time.sleep(60.0)
    if trouble == f"kill-{k}":
        os.kill(os.getpid(), signal.SIGKILL)
    rng = np.random.default_rng([seed, k])
    value = rng.standard_normal(3) if kind == "normal" else rng.uniform(size=3)
    return {"value": scale * value, "kind": kind}


def total(values: list[np.ndarray]) -> dict[str, float]:
    return {"total": float(sum(value.sum() for value in values))}


def plan(settings: Settings, seed: int):
    arguments = (settings.scale, settings.kind, trouble(settings))
    found = yield [Step(f"draw-{k}", draw, (seed, k, *arguments)) for k in range(settings.draws)]
    values = [data["value"] for data in found]
    (summed,) = yield [Step("sum", total, (values,))]
    sketch = Plot("sketch", "the draws <sorted>", lambda figure: figure.subplots().plot(np.sort(np.ravel(values))))
    rows = [
        compare("total", summed["total"], at_most(1e9), unit="m", section="Numbers"),
        compare("draws & more", values, within(0.5), np.array(values) * 1.01, source="Toy 2020, (1)", section="Tables"),
        compare("first", values[0], section="Tables"),
        compare("impossible", np.nan, at_least(0.0), section="Numbers"),
    ]
    return Outcome(rows, [sketch])


def trouble(settings: Settings) -> str:
    """From the environment, so that a run with trouble and one without are the same run."""
    return os.environ.get("TOY_TROUBLE", settings.trouble)


TOY = Experiment("toy", "A toy <experiment>", "It draws & sums.", Settings, plan)


def same_code() -> str:
    """Instead of the digest of the package, which changes if somebody edits a file while tests run."""
    return "the code of the tests"


if __name__ == "__main__":
    folder._code_digest = same_code
    run(TOY, seed=3, out=Path(sys.argv[1]), jobs=int(sys.argv[2]))
