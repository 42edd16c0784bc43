"""The experiments of the theses, run by name, each ending in rows of our numbers beside the published ones."""

from floatbase.experiments.catalog import experiment, names
from floatbase.experiments.criteria import (
    Criterion,
    at_least,
    at_most,
    no_more_than,
    within,
    within_absolute,
    within_factor,
)
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Plot, Step
from floatbase.experiments.results import Result, Row, compare, read_result
from floatbase.experiments.running import resume, run
from floatbase.experiments.settings import option

__all__ = [
    "Criterion",
    "Data",
    "Experiment",
    "Outcome",
    "Plan",
    "Plot",
    "Result",
    "Row",
    "Step",
    "at_least",
    "at_most",
    "compare",
    "experiment",
    "names",
    "no_more_than",
    "option",
    "read_result",
    "resume",
    "run",
    "within",
    "within_absolute",
    "within_factor",
]
