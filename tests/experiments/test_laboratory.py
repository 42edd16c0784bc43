"""Experiments of the laboratory: everything with a criterion holds, and the logs are there."""

import numpy as np
import pytest

from floatbase import experiments, logs
from floatbase.errors import ArgumentError
from floatbase.experiments.laboratory import runs
from floatbase.experiments.laboratory.rows import difference

QUICK = {"drop-test": {"duration": 1.5}, "squat": {"squats": 1}}


@pytest.mark.parametrize("name", list(QUICK))
def test_an_experiment_holds_and_keeps_its_logs(name, tmp_path):
    result = experiments.run(name, out=tmp_path / name, logs=str(tmp_path), **QUICK[name])
    assert [row for row in result.rows if row.holds is False] == []
    assert sum(row.holds is True for row in result.rows) > 10
    for kind in runs.PLANTS:
        log = logs.load(tmp_path / f"{name}-{kind}.parquet")
        assert log.check() == ()
        assert log["sensors/l_leg_ft"].units[0] == "N"
    page = (tmp_path / name / "report.html").read_text()
    assert "MuJoCo" in page and "data:image/png" in page


def test_folders_for_logs_must_exist(tmp_path):
    with pytest.raises(ArgumentError, match="does not exist"):
        runs.drop("ours", 0.01, 0.01, str(tmp_path / "nowhere"), 0)


def test_the_difference_of_curves_is_a_root_mean_square():
    assert difference(np.zeros((4, 2)), np.tile([3.0, 4.0], (4, 1))) == pytest.approx(5.0)
