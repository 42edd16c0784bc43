"""The code that the README and the guide show runs as it stands, page by page, from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run(document: str) -> dict[str, Any]:
    """What the code of a document leaves behind."""
    names: dict[str, Any] = {"__name__": "document"}
    for number, code in enumerate(BLOCK.findall((ROOT / document).read_text(encoding="utf-8"))):
        exec(compile(code, f"{document}, block {number}", "exec"), names)
    return names


@pytest.mark.parametrize("document", ["README.md", "docs/index.md", "docs/getting-started.md"])
def test_the_code_of_a_page_runs(document: str) -> None:
    names = run(document)
    assert names["a"].shape == names["v"].shape
    assert np.isfinite(names["a"]).all()


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
