"""Robots that move in the page of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import floatbase as fb
from floatbase.experiments import run
from floatbase.experiments.criteria import at_most
from floatbase.experiments.plan import Experiment, Motion, Outcome, Plan, Step
from floatbase.experiments.results import compare
from floatbase.experiments.settings import option
from floatbase.viewer import Trajectory


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    samples: int = option(5, "how many <samples> are shown", minimum=2)


def swing(samples: int) -> Mapping[str, Any]:
    return {"q": np.linspace(0.0, 1.0, samples)[:, None], "time": np.linspace(0.0, 2.0, samples)}


def plan(settings: Settings, seed: int) -> Plan:
    (data,) = yield [Step("swing", swing, (settings.samples,))]
    motion = Motion("It swings.", lambda: fb.load("pendulum"), Trajectory(data["time"], data["q"]))
    return Outcome([compare("angle", data["q"][-1, 0], at_most(2.0), unit="rad")], motions=[motion])


def test_a_motion_is_shown_in_the_page(tmp_path) -> None:
    result = run(Experiment("swings", "Swings", "A pendulum.", Settings, plan), out=tmp_path / "run", samples=7)
    page = (result.folder / "report.html").read_text(encoding="utf-8")
    assert page.count('class="robot-view"') == 1
    assert "It swings." in page
    for cell in ("<td>samples</td><td>7</td><td>5</td>", "how many &lt;samples&gt; are shown"):
        assert cell in page
