"""The pages about models: their code runs, and the table has every robot."""

import re
from pathlib import Path

from tests.test_documents import run

from floatbase.model import robots
from floatbase.model.catalog import NOT_ROBOTS, REFUSED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "robots.md"


def test_the_table_has_every_robot():
    listed = re.findall(r"^\| \*?([a-z0-9_.]+)\*? \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in listed if name != "robot"] == list(robots())


def test_the_table_says_what_is_left_out():
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"* {name}: {reason}\n" in page for name, reason in REFUSED.items())
    assert all(f"* `{file}`: {reason}\n" in page for file, reason in NOT_ROBOTS.items())


def test_the_code_about_describing_robots_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the page writes a file
    names = run("docs/describing-robots.md")
    assert names["robot"].n_bodies == 26 and (tmp_path / "one_armed.urdf").exists()
