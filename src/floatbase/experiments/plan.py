"""What an experiment is: settings, and a plan that asks for steps and turns what they find into rows and plots.

A plan is a generator. It yields groups of steps that do not depend on one another, is sent what they found, and
returns an outcome:

```python
@dataclass(frozen=True)
class Settings:
    draws: int = option(100, "number of random systems", minimum=1)

def plan(settings, seed):
    found = yield [Step(f"draw-{k}", draw, (seed, k)) for k in range(settings.draws)]
    return Outcome([compare("worst error", max(data["error"] for data in found), at_most(1e-12))])

EXPERIMENT = Experiment("my-experiment", "title", "what it shows", Settings, plan)
```

A step is a function at the top of a module (worker processes look it up there) which returns arrays by name. Results of
finished steps are kept in the run's folder, so that the plan must depend on nothing but its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError
from floatbase.experiments.results import Row
from floatbase.experiments.settings import check_class
from floatbase.robot import Robot
from floatbase.viewer.trajectory import Trajectory

Data: TypeAlias = Mapping[str, npt.NDArray[Any]]
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Step:
    """A piece of work that is done or not done: `function(*arguments)` gives arrays by name."""

    name: str
    function: Callable[..., Mapping[str, npt.ArrayLike]]
    arguments: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ArgumentError(f"a step is called {self.name!r}; it must be of small letters, digits and hyphens")

    def perform(self) -> dict[str, npt.NDArray[Any]]:
        """Do it."""
        found = {key: np.asarray(value) for key, value in self.function(*self.arguments).items()}
        for key, value in found.items():
            if value.dtype.hasobject:
                raise ArgumentError(f"step {self.name!r} returns {key!r} as Python objects; it must be numbers or text")
        return found


@dataclass(frozen=True)
class Plot:
    """A picture: `draw` gets an empty Matplotlib figure, whose colours suit a light or a dark page."""

    name: str
    caption: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (8.0, 4.0)  # inches


@dataclass(frozen=True, eq=False)
class Motion:
    """A robot that moves in the page of the run; `robot()` is called when the page is written."""

    caption: str
    robot: Callable[[], Robot]
    trajectory: Trajectory


@dataclass(frozen=True)
class Outcome:
    """What a plan returns."""

    rows: Sequence[Row]
    plots: Sequence[Plot] = ()
    motions: Sequence[Motion] = ()


Plan: TypeAlias = Generator[Sequence[Step], list[Data], Outcome]


@dataclass(frozen=True)
class Experiment:
    """An experiment, known by name. `plan(settings, seed)` begins a plan."""

    name: str
    title: str
    summary: str
    settings: type[Any]
    plan: Callable[[Any, int], Plan]

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ArgumentError(f"an experiment is called {self.name!r}; use small letters, digits and hyphens")
        check_class(self.settings)
