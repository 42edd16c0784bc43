"""The demo from beginning to end, small."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from floatbase.demo import pinocchio_peer, tour, verification
from floatbase.demo.__main__ import INTERRUPTED, main
from floatbase.demo.pictures import waving
from floatbase.progress import compile_with_progress


@pytest.fixture(autouse=True)
def needs_icub() -> None:
    pytest.importorskip("icub_models")
    pytest.importorskip("matplotlib")


def test_the_demo_agrees_with_itself_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick", "--out", str(tmp_path / "made")]) == 0
    printed = capsys.readouterr().out
    for part in ("l_hip_pitch", "force_torque", "33.062 kg", "holds", "everything agrees"):
        assert part in printed
    for name in ("icub.png", "timing.png"):
        assert (tmp_path / "made" / name).read_bytes()[:4] == b"\x89PNG"


def test_the_demo_says_when_pinocchio_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "load_peer", lambda robot: None)
    assert main(["--quick", "--out", str(tmp_path)]) == 0
    assert "Pinocchio is not installed" in capsys.readouterr().out


def test_a_failed_identity_makes_the_demo_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "EXACT", -1.0)
    assert main(["--quick", "--out", str(tmp_path)]) == 1
    assert "FAILS" in capsys.readouterr().out


def test_an_interrupt_ends_the_demo_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(tour, "tour", interrupted)
    assert main(["--out", str(tmp_path)]) == INTERRUPTED


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["--quick", "--out", str(tmp_path / "file")]) == 1
    assert "cannot go on" in capsys.readouterr().out


def test_a_residual_that_is_not_a_number_fails() -> None:
    assert not verification.Check("", float("nan"), 1.0).passed


def test_icub_waves_within_its_limits_with_its_foot_on_the_ground(load_robot) -> None:
    robot = load_robot("icub", "mixed")
    q = waving(robot)
    lower, upper = robot.position_limits
    assert (q[7:] >= lower).all() and (q[7:] <= upper).all()
    assert np.allclose(robot.pose(q, "r_sole"), np.eye(4), atol=1e-9)


def test_orders_of_joints_go_back_and_forth(load_robot, rng: np.random.Generator) -> None:
    pytest.importorskip("pinocchio")
    robot = load_robot("icub", "body")
    peer = pinocchio_peer.load_peer(robot)
    v = rng.standard_normal((3, robot.nv))
    assert np.array_equal(peer.velocity_back(peer.velocity(v)), v)


def test_a_bar_is_shown_on_terminals_only(load_robot) -> None:
    function = load_robot("icub", "mixed").function("com")
    for terminal in (True, False):
        console = Console(file=StringIO(), force_terminal=terminal, width=100)
        compile_with_progress([function], console=console)
        assert ("compiling" in console.file.getvalue()) == terminal
    console = Console(file=StringIO(), force_terminal=True)
    compile_with_progress([function], console=console, show=False)
    assert not console.file.getvalue()
