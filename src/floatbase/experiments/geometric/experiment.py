"""The experiment `geometric-linearization`: Bos 2019, chapter 5, as published and put right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from floatbase.experiments.geometric import published, steps
from floatbase.experiments.geometric.pictures import plots
from floatbase.experiments.geometric.rows import (
    chart_rows,
    corrected_rows,
    difference_rows,
    engine_rows,
    example_rows,
    existing_rows,
    identity_rows,
    inverse_rows,
    random_rows,
)
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Step
from floatbase.experiments.settings import option

BLOCK = 10  # draws in one step


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    draws: int = option(100, "random systems of the randomised test", minimum=1, maximum=100_000)
    step: float = option(published.STEP, "step of forward and central differences", minimum=1e-12, maximum=1e-2)
    systems: int = option(
        20, "random systems for identities and for the package's functions", minimum=1, maximum=10_000
    )
    flows: int = option(3, "random systems whose flow is compared", minimum=1, maximum=1_000)
    duration: float = option(1e-3, "how long they flow, s", minimum=1e-6, maximum=1e-1)
    lengths: int = option(25, "lengths of step in the plot of errors over the step", minimum=2, maximum=1_000)
    flow_steps: int = option(5, "integration steps of each flow", minimum=1, maximum=1_000)


def plan(settings: Settings, seed: int) -> Plan:
    """Every group of numbers is one step, or several for random systems."""
    lengths = list(np.logspace(-12.0, 0.0, settings.lengths))
    first = [Step("example", steps.example, (settings.step,)), Step("step-lengths", steps.step_lengths, (lengths,))]
    blocks = range(0, settings.draws, BLOCK)
    random = [
        Step(f"draws-{start}", steps.draws, (seed, start, min(start + BLOCK, settings.draws), settings.step))
        for start in blocks
    ]
    exact = [Step(f"identities-{k}", steps.identities, (seed, k)) for k in range(settings.systems)]
    flows = [
        Step(f"flow-{k}", steps.flows, (seed, k, settings.duration, settings.flow_steps)) for k in range(settings.flows)
    ]
    engine = [Step(f"engine-{k}", steps.engine, (seed, k)) for k in range(settings.systems + 1)]
    groups = (first, random, exact, flows, engine)
    found = yield [step for group in groups for step in group]
    data = iter(found)
    (example, by_step), drawn, identities, flowed, compared = ([next(data) for _ in group] for group in groups)
    errors, inverses = (
        np.concatenate([one[name] for one in drawn]).max(axis=0) for name in ("errors", "inverse errors")
    )
    charts = np.max([one["errors"] for one in flowed], axis=0)
    like_published = settings.step == published.STEP
    rows = [
        *example_rows(example),
        *difference_rows(example, like_published),
        *inverse_rows(example),
        *random_rows(errors, inverses, settings.draws, like_published),
        *corrected_rows(example["errors"], errors, inverses, settings.step),
        *existing_rows(example),
        *identity_rows(_largest(identities)),
        *chart_rows(charts, settings.duration),
        *engine_rows(_largest(compared), example["D1 FD"]),
    ]
    return Outcome(rows, plots(example, errors, charts, np.array(lengths), by_step["errors"]))


def _largest(parts: list[Data]) -> Mapping[str, float]:
    return {name: max(float(part[name]) for part in parts) for name in parts[0]}


EXPERIMENT = Experiment(
    "geometric-linearization",
    "Geometric linearisation of a moving-base robot",
    "Every readable table of chapter 5 of Bos 2019, computed again with the faults of its example left in, beside the "
    "printed numbers. Then the corrected result: derivatives that hold the state's own twist fixed, for systems that "
    "exist, checked by complex steps, identities and the flow itself, and the package's own functions against them.",
    Settings,
    plan,
)
