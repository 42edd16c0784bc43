"""The experiments that come with the package, by name."""

from __future__ import annotations

import importlib

from floatbase.errors import unknown_name
from floatbase.experiments.plan import Experiment

# where `EXPERIMENT` is; imported when it is asked for
_PLACES = {
    "conservation": "floatbase.experiments.simulation.conservation",
    "drop-test": "floatbase.experiments.laboratory.drop_test",
    "geometric-linearization": "floatbase.experiments.geometric.experiment",
    "optimal-control": "floatbase.experiments.optimal_control.experiment",
    "soft-contact": "floatbase.experiments.simulation.soft_contact",
    "squat": "floatbase.experiments.laboratory.squat",
    "suspended-models": "floatbase.experiments.suspended.experiment",
}


def names() -> list[str]:
    """The names of all experiments."""
    return sorted(_PLACES)


def experiment(name: str) -> Experiment:
    """The experiment of a name."""
    if name not in _PLACES:
        raise unknown_name("experiment", name, _PLACES)
    found = importlib.import_module(_PLACES[name]).EXPERIMENT
    assert isinstance(found, Experiment)
    return found
