"""The code that the guide's page on sensors shows runs as it stands."""

from __future__ import annotations

from tests.test_documents import run


def test_the_code_of_the_page_runs() -> None:
    names = run("docs/sensors.md")
    assert names["wrench"].shape == (6,) and len(names["fresh"]) == 88
    assert names["push"].shape == (6,) and names["acceleration"].shape == (600, 2)
