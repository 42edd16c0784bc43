"""The code that the README and the guide show runs as it stands, page by page, from top to bottom; so do examples."""

from __future__ import annotations

import doctest
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TIMED = {"humanoid_batch"}  # what these print depends on the machine
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run(document: str) -> dict[str, Any]:
    """What the code of a document leaves behind; sessions must show what they print."""
    names: dict[str, Any] = {"__name__": "document"}
    for number, (kind, code) in enumerate(BLOCK.findall((ROOT / document).read_text(encoding="utf-8"))):
        place = f"{document}, block {number}"
        if kind == "python":
            exec(compile(code, place, "exec", dont_inherit=True), names)
            continue
        session = doctest.DocTestParser().get_doctest(code, names, place, document, 0)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        said: list[str] = []
        assert runner.run(session, out=said.append, clear_globs=False).failed == 0, "".join(said)
        names = session.globs
    return names


@pytest.mark.parametrize("document", ["README.md", "docs/index.md", "docs/getting-started.md"])
def test_the_code_of_a_page_runs(document: str) -> None:
    names = run(document)
    assert names["a"].shape == names["v"].shape
    assert np.isfinite(names["a"]).all()


GUIDE = [
    "batches",
    "experiments",
    "frames-and-representations",
    "inertial-parameters",
    "joints",
    "loading-robots",
    "logs",
    "loop",
    "mjcf",
    "sensors",
    "simulation",
    "the-one-idea",
    "viewing",
    *sorted(f"theory/{path.stem}" for path in (ROOT / "docs" / "theory").glob("*.md")),
]


@pytest.mark.parametrize("page", GUIDE)
def test_the_code_of_the_guide_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some pages write files
    run(f"docs/{page}.md")


def test_the_kernels_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the page saves a program
    names = run("docs/writing-a-kernel.md")
    robot, q, target = names["robot"], names["q"], np.array([0.3, 0.1, 0.5])
    assert names["foot_height"](robot, q).shape == (1000,)
    task = names["reach"](robot, q, target, frame="r_hand")
    assert task.error.shape == (1000, 3)
    assert task.jacobian.shape == (1000, 3, robot.nv)
    error = names["reaching_error"](robot, q, target, frame="r_hand")
    np.testing.assert_array_equal(error, task.error)
    assert names["slope"].shape == (1000, robot.nq)
    assert names["path"].shape == (8, 200, 3)
    assert names["program"].digest == names["foot_height"].program(robot).digest


@pytest.mark.parametrize("example", sorted(path.stem for path in (ROOT / "examples").glob("*.py")))
def test_the_gallery_shows_what_examples_print(
    example: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script, kept = ROOT / "examples" / f"{example}.py", ROOT / "docs" / "assets" / "gallery" / f"{example}.txt"
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    printed, shown = capsys.readouterr().out, kept.read_text(encoding="utf-8")
    if example in TIMED:
        assert printed
        return
    again = f"to renew it: python {script.relative_to(ROOT)} > {kept.relative_to(ROOT)}"
    assert [NUMBER.sub("", line).split() for line in printed.splitlines()] == [
        NUMBER.sub("", line).split() for line in shown.splitlines()
    ], again
    for got, expected in zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True):
        assert same_number(got, expected), f"{got} instead of {expected}; {again}"


def same_number(got: str, expected: str) -> bool:
    """Equal but for two units of the last digit shown; what is below 1e-6 is rounding or a tolerance."""
    digits, _, exponent = expected.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(float(got) - float(expected)) <= max(2.1 * unit, 1e-6)
