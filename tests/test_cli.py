"""The command `floatbase`, as a user calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import floatbase
from floatbase.cli import app

NAME = "geometric-linearization"
QUICK = [part for pair in ("draws=1", "systems=1", "flows=1", "lengths=2", "flow_steps=1") for part in ("--set", pair)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def failure(*arguments):
    """The message of a command that fails with status 2 and no traceback."""
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def test_version():
    assert call("--version").stdout.strip() == f"floatbase {floatbase.__version__}"


def test_list_names_experiments_and_their_settings():
    listed = call("list")
    assert listed.exit_code == 0
    assert NAME in listed.stdout
    shown = call("list", NAME).stdout
    for setting in ("draws", "100", "random systems", "step", "1e-06"):
        assert setting in shown


def test_run_prints_numbers_and_writes_a_folder(tmp_path):
    result = call("run", NAME, *QUICK, "--seed", 4, "--out", "here")
    assert result.exit_code == 0, result.output
    assert "rows with a criterion hold" in result.stdout
    assert "report: here/report.html" in result.stdout
    content = json.loads((tmp_path / "here" / "result.json").read_text())
    assert content["seed"] == 4
    assert content["settings"]["draws"] == 1
    assert {row["holds"] for row in content["rows"]} == {True, None}
    assert call("run", "--resume", "here").stdout == result.stdout
    assert "draws=1, not 100" in failure("run", NAME, "--out", "here", "--seed", 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "which experiment"),
        (["run", "geometric-linearisation"], "did you mean 'geometric-linearization'"),
        (["list", "nothing"], "unknown experiment 'nothing'"),
        (["run", NAME, "--set", "draws"], "not of the form key=value"),
        (["run", NAME, "--set", "draw=3"], "did you mean 'draws'"),
        (["run", NAME, "--set", "draws=few"], "setting draws is 'few'; it must be a whole number"),
        (["run", NAME, "--jobs", "0"], "--jobs"),
        (["run", NAME, "--seed", "-1"], "--seed"),
        (["run", "--resume", "nowhere"], "nowhere holds no run"),
        (["run", "--resume", "nowhere", "--seed", "1"], "leave them"),
        (["fly"], "fly"),
    ],
)
def test_errors_say_what_is_wrong(arguments, message, tmp_path):
    assert message in failure(*arguments)
    assert not (tmp_path / "runs").exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log.csv").touch()
    assert "holds other things than a run" in failure("run", NAME, "--out", "data")


def test_debug_shows_where_an_error_comes_from():
    for arguments in (["run", "nothing", "--debug"], ["--debug", "run", "nothing"]):
        assert isinstance(call(*arguments).exception, floatbase.errors.UnknownNameError)


def test_numbers_that_do_not_hold_give_status_1(monkeypatch, tmp_path):
    from tests.experiments.toys import TOY

    monkeypatch.setattr("floatbase.experiments.experiment", lambda name: TOY)
    result = call("run", "toy", "--out", "toy")
    assert result.exit_code == 1
    assert "does not hold: impossible" in result.stdout


def test_an_unexpected_error_is_one_line(monkeypatch):
    from tests.experiments.toys import TOY

    monkeypatch.setattr("floatbase.experiments.experiment", lambda name: TOY)
    monkeypatch.setenv("TOY_TROUBLE", "error-2")
    assert "ZeroDivisionError: a toy broke (--debug shows where)" in failure("run", "toy", "--out", "toy")


def test_an_interrupt_says_how_to_go_on(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "floatbase.cli", "run", NAME, "--out", "out", "--set", "draws=100000"],
        cwd=tmp_path,
        env={**os.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60.0
    while not (tmp_path / "out" / "steps" / "example.npz").exists():
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "go on with: floatbase run --resume out" in errors
    assert "Traceback" not in errors
