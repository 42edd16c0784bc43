"""Models of a suspended robot: the experiment's parts, and all of it in a quick setting."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from floatbase import experiments, spatial
from floatbase.errors import ArgumentError
from floatbase.experiments.suspended import published
from floatbase.experiments.suspended.comparison import cost, curvature, errors, fit
from floatbase.experiments.suspended.logs import LOGS, make_log
from floatbase.experiments.suspended.models import IDENTIFIED, MODELS
from floatbase.experiments.suspended.trajectories import ROW, simulate, state_of

BY_NAME = {model.name: model for model in MODELS}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("suspended") / "run"
    return experiments.run("suspended-models", out=out, duration=20, points=3, draws=20)


def test_everything_holds(run):
    assert run.failures == ()
    assert sum(row.holds is True for row in run.rows) == 31


def test_published_costs_are_beside_ours(run):
    rows = {(row.section, row.quantity): row for row in run.rows}
    row = rows["Costs, log 'drop'", "compliant, fitted mass and length"]
    assert row.published == 0.0222 and row.source == "Rothammer 2021, table 4.1, on recorded motion"
    assert sum(row.published is not None for row in run.rows) == 2 * len(LOGS) + 4


def test_it_is_known_by_name_and_draws_its_plots(run):
    assert "suspended-models" in experiments.names()
    assert {path.stem for path in run.folder.glob("*.png")} == {"costs", "energy", "motions", "sensitivity"}
    assert (run.folder / "report.html").exists()


def test_a_model_follows_itself():
    """With its own parameters and without noise, whatever is remembered at the start."""
    times = np.arange(100)
    rows = np.zeros((100, ROW))
    rows[:, 0] = 50.0 * np.sin(0.1 * times)
    model = BY_NAME["rigid"]
    H = spatial.pose_from(np.eye(3), np.array([0, 0, -published.LENGTH]))
    start = state_of(model.start(published.LENGTH, H))[None]
    (poses,), torques = simulate("rigid", IDENTIFIED[None], start, rows)
    assert_allclose(np.linalg.norm(poses[:, :3, 3], axis=-1), published.LENGTH, atol=1e-9)
    assert not torques.any()
    log = replace(make_log("passive", 5, 0), poses=poses, wrenches=rows[:, :6])
    assert cost(errors(model, IDENTIFIED[None], log))[0] < 1e-20
    other = IDENTIFIED * [1.03, 0.99, 1.0]
    (moved,), _ = simulate("rigid", other[None], state_of(model.start(other[1], H))[None], rows)
    found = fit(model, [replace(log, poses=moved)])
    assert_allclose(found, other, rtol=1e-8)


@pytest.mark.parametrize("name", list(BY_NAME))
def test_models_hang_still_where_they_start(name):
    """From the pose at rest of the platform that was identified; models that are stiffer settle a little."""
    stretch = 0.0 if name.startswith("rigid") else published.MASS * 9.81 / published.STIFFNESS
    H = spatial.pose_from(np.eye(3), np.array([0, 0, -published.LENGTH - stretch]))
    start = state_of(BY_NAME[name].start(published.LENGTH, H))[None]
    (poses,), _ = simulate(name, IDENTIFIED[None], start, np.zeros((100, ROW)))
    assert np.abs(poses[:, :3, 3] - poses[0, :3, 3]).max() < 3e-3


def test_logs_are_as_they_are_said_to_be():
    log = make_log("drop", 2, 3)
    height = log.poses[:, 2, 3]
    assert height[0] == pytest.approx(0.1 - published.LENGTH, abs=0.02) and height.min() < -published.LENGTH
    again, other = make_log("drop", 2, 3), make_log("drop", 2, 4)
    assert_allclose(log.poses, again.poses)
    assert np.abs(log.poses - other.poses).max() > 1e-4
    varying = make_log("varying", 20, 0)
    yaw = np.arctan2(varying.poses[:, 1, 0], varying.poses[:, 0, 0])
    assert yaw[95] == pytest.approx(-1.0, abs=0.15) and varying.wrenches[:, 5].any()
    with pytest.raises(ArgumentError, match="log is 'dropp'; the valid choices are passive"):
        make_log("dropp", 2, 0)


def test_curvatures_are_those_of_parabolas():
    changes = np.linspace(-0.1, 0.1, 5)
    assert_allclose(curvature(changes, np.array([3.0 * changes**2 + changes, 0 * changes])), [6.0, 0.0], atol=1e-12)
