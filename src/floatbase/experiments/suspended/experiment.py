"""The experiment `suspended-models`: five models of a robot on a crane beside its motion, and a rod in four forms."""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.experiments.plan import Experiment, Outcome, Plan, Step
from floatbase.experiments.settings import option
from floatbase.experiments.suspended import steps
from floatbase.experiments.suspended.models import MODELS
from floatbase.experiments.suspended.pictures import plots
from floatbase.experiments.suspended.rows import cost_rows, form_rows, law_rows, sensitivity_rows

SCANNED = ("rigid", "compliant")


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    duration: int = option(40, "of the logs, s; the drop has 2 s", minimum=20, maximum=600)
    draws: int = option(100, "random states of the pendulum in four forms", minimum=1, maximum=1_000_000)
    points: int = option(9, "values of a parameter in a scan", minimum=3, maximum=1_000)


def plan(settings: Settings, seed: int) -> Plan:
    """Each model is a step."""
    followed = [
        Step(f"follow-{m.name.replace(' ', '-')}", steps.follow, (m.name, seed, settings.duration)) for m in MODELS
    ]
    scanned = [
        Step(f"sensitivity-{name}", steps.sensitivity, (name, seed, settings.duration, settings.points))
        for name in SCANNED
    ]
    forms = Step("forms", steps.pendulum_forms, (seed, settings.draws))
    data = iter((yield [forms, Step("laws", steps.compliant_laws), *followed, *scanned]))
    four, laws = next(data), next(data)
    models = {model.name: next(data) for model in MODELS}
    sensitivities = {name: next(data) for name in SCANNED}
    rows = [
        *cost_rows(models),
        *sensitivity_rows(sensitivities),
        *law_rows(laws),
        *form_rows(four),
    ]
    return Outcome(rows, plots(models, sensitivities, laws))


EXPERIMENT = Experiment(
    "suspended-models",
    "Models of a robot that hangs from a crane",
    "Rothammer 2021 compares models of a cable's suspension by how well they follow recorded motion. Here motion is "
    "made: a platform on a compliant cable, with a torque that no model knows, a wrong attitude at the start, noise. "
    "Five models with fitted mass and length follow it, with the published costs of two of them beside: the rigid "
    "pendulum is good enough for everything but a fall into the cable, and the moment of inertia hardly matters. Then "
    "the law of the compliant pendulum as printed, whose swing grows by itself, and a platform on a rod in four forms.",
    Settings,
    plan,
)
