"""The commands `floatbase view`, `info`, `bench` and `log`, as a user calls them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pytest
from typer.testing import CliRunner

from floatbase import logs
from floatbase.cli import app

ROBOT = "quadrotor_with_arm"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def log(tmp_path, load_robot):
    robot = load_robot(ROBOT, "mixed")
    moment = np.linspace(0.0, 1.0, 51)
    angles = np.stack([np.sin(moment)] * len(robot.joint_names), axis=1)
    position = logs.signal("arm/position", moment, angles, "rad", columns=robot.joint_names)
    logs.write_csv(logs.Log((position,)), tmp_path / "trial.csv")
    return "trial.csv"


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def failure(*arguments):
    """The message of a command that fails with status 2 and no traceback."""
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def test_info_tells_what_a_robot_is():
    result = call("info", ROBOT)
    assert result.exit_code == 0, result.output
    for part in ("platform", "1.800 kg", "3 bodies", "floating base 'platform'", "q has 9 entries"):
        assert part in result.stdout


def test_pictures_and_pages_are_written_without_a_browser(tmp_path, log):
    for name in ("robot.png", "robot.html"):
        assert call("view", ROBOT, "--out", name, "--size", "64x48").exit_code == 0
    assert (tmp_path / "robot.png").read_bytes().startswith(b"\x89PNG")
    assert "robot-view" in (tmp_path / "robot.html").read_text()
    assert "exists already" in failure("view", ROBOT, "--out", "robot.png")
    made = call("view", log, "--robot", ROBOT, "--out", "a.gif", "--rate", 4, "--stop", 0.5, "--size", "64x48")
    assert made.exit_code == 0, made.output
    assert (tmp_path / "a.gif").read_bytes().startswith(b"GIF8")


def test_logs_are_told_converted_and_plotted(tmp_path, log):
    told = call("log", "info", log)
    assert told.exit_code == 0, told.output
    assert "arm/position" in told.stdout
    assert call("log", "convert", log, "half.csv", "--stop", 0.5).exit_code == 0
    assert len(logs.load("half.csv").signals[0].time) == 25
    assert call("log", "plot", log).stdout.strip() == "trial.png"
    assert call("log", "plot", log, "-s", "arm/*", "--out", "arm.html").exit_code == 0
    assert "data:image/png" in (tmp_path / "arm.html").read_text()
    assert "exists already" in failure("log", "plot", log)


def test_bench_prints_times():
    result = call("bench", ROBOT, "--batch", 8, "--seconds", 0.001)
    assert result.exit_code == 0, result.output
    assert "inverse dynamics" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["view", "icup"], "neither the name of a robot"),
        (["view", ROBOT, "--out", "a.gif"], "does not move"),
        (["view", ROBOT, "--out", "a.bmp"], ".png, .gif, .mp4 or .html"),
        (["view", ROBOT, "--out", "a.png", "--size", "9"], "it must be like 640x480"),
        (["view", ROBOT, "--start", "1"], "belong to a log"),
        (["view", ROBOT, "--port", "70000"], "--port"),
        (["view", "missing.urdf"], "missing.urdf"),
        (["info", "nothing"], "unknown robot"),
        (["bench", "nothing"], "unknown robot"),
        (["log", "info", "missing.parquet"], "missing.parquet"),
        (["log", "convert", "trial.csv", "a.xls"], ".parquet or .csv"),
        (["log", "plot", "trial.csv", "-o", "a.svg"], ".png or .html"),
        (["log", "plot", "trial.csv", "-s", "nothing"], "nothing"),
        (["view", "trial.csv"], "--robot"),
        (["view", "trial.csv", "--robot", "pendulum"], "no motion of"),
    ],
)
def test_errors_are_one_line(arguments, message, log):
    assert message in failure(*arguments)


def test_debug_shows_where_an_error_comes_from(log):
    for arguments in (["info", "nothing", "--debug"], ["--debug", "log", "info", "nothing"]):
        assert call(*arguments).exception is not None
        assert not isinstance(call(*arguments).exception, SystemExit)


@pytest.mark.parametrize(
    "command", [[], ["list"], ["run"], ["view"], ["info"], ["bench"], ["log"], ["log", "info"], ["log", "convert"]]
)
def test_every_help_has_examples(command):
    text = call(*command, "--help").stdout
    assert "Examples:" in text
    assert "$ floatbase" in text


def test_shells_complete_names():
    from floatbase.cli.reporting import experiment_names, robot_names

    assert robot_names("quadrotor") == [ROBOT]
    assert "conservation" in experiment_names("con")
    environment = {
        **os.environ,
        "_FLOATBASE_COMPLETE": "complete_bash",
        "COMP_WORDS": "floatbase vi",
        "COMP_CWORD": "1",
    }
    code = "import sys; sys.argv[0] = 'floatbase'; from floatbase.cli import app; app(prog_name='floatbase')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["view"]


def test_view_serves_until_it_is_interrupted(tmp_path):
    pytest.importorskip("viser")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    arguments = [sys.executable, "-m", "floatbase.cli", "view", ROBOT, "--port", str(port), "--no-open"]
    process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(f"{ROBOT} at http://localhost:{port}")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=20) as answer:
        assert answer.status == 200
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert errors == ""
    assert time.monotonic() - begun < 10.0
