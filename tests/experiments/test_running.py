"""Runs of experiments: what they leave behind, what happens to those that are killed, and what is refused."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.experiments.toys import TOY, same_code

from floatbase import experiments
from floatbase.errors import ArgumentError, FloatbaseError, UnknownNameError
from floatbase.experiments.folder import new_folder

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def unchanging_code(monkeypatch):
    monkeypatch.setattr("floatbase.experiments.folder._code_digest", same_code)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def trouble(monkeypatch):
    return lambda what: monkeypatch.setenv("TOY_TROUBLE", what)


def steps_done(out):
    return sorted(path.stem for path in (out / "steps").glob("[a-z]*.npz"))


def begin(out, jobs=1, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.experiments.toys", str(out), str(jobs)],
        cwd=ROOT,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
    )


def wait_for(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_run_leaves_result_report_log_and_plots(out):
    result = experiments.run(TOY, seed=3, out=out, draws=2, note="äö")
    content = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert content["experiment"] == "toy"
    assert content["seed"] == 3
    assert content["settings"]["draws"] == 2
    assert content["seconds"] >= 0.0
    for row in content["rows"]:
        assert {"quantity", "unit", "ours", "published", "source", "holds"} <= set(row)
        assert row["holds"] in (True, False, None)
    assert (out / "sketch.png").read_bytes().startswith(b"\x89PNG")
    assert "finished: 2 of 3" in (out / "log.txt").read_text(encoding="utf-8")
    assert experiments.read_result(out / "result.json") == result
    assert [row.holds for row in result.rows] == [True, True, None, False]
    assert not result.holds
    assert [row.quantity for row in result.failures] == ["impossible"]


def test_the_report_needs_nothing_else(out):
    experiments.run(TOY, out=out)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "A toy &lt;experiment&gt;" in page
    assert "draws &amp; more" in page
    assert "prefers-color-scheme: dark" in page
    sources = re.findall(r'(?:src|srcset|href)="([^"]*)"', page)
    assert sources
    assert all(source.startswith("data:image/png;base64,") or source == "data:," for source in sources)
    assert not re.search(r"https?:|url\(|@import|<script|<link(?! rel=\"icon\" href=\"data:,\")", page)


def test_settings_and_seed_decide_the_rows(tmp_path):
    def rows(name, **arguments):
        return experiments.run(TOY, out=tmp_path / name, **arguments).rows

    first = rows("a", seed=1)
    assert rows("b", seed=1) == first
    assert rows("c", seed=2) != first
    assert rows("d", seed=1, scale=2) != first
    assert rows("e", seed=1, jobs=2) == first


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_goes_on_where_it_was(tmp_path, out, jobs):
    expected = experiments.run(TOY, seed=3, out=tmp_path / "undisturbed").rows
    process = begin(out, jobs, TOY_TROUBLE="slow-4")
    wait_for(lambda: len(steps_done(out)) >= 4)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers = [int(child) for child in children.read_text().split()] if children.exists() else []
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert not (out / "result.json").exists()
    done = {name: (out / "steps" / f"{name}.npz").stat().st_mtime_ns for name in steps_done(out)}
    assert experiments.run(TOY, seed=3, out=out).rows == expected
    assert {name: (out / "steps" / f"{name}.npz").stat().st_mtime_ns for name in done} == done


def test_an_interrupt_ends_workers_and_keeps_what_is_done(out):
    process = begin(out, 2, TOY_TROUBLE="slow-4")
    wait_for(lambda: len(steps_done(out)) >= 5)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) != 0
    process.stderr.close()
    assert "interrupted" in (out / "log.txt").read_text(encoding="utf-8")
    assert experiments.run(TOY, seed=3, out=out).seconds < 60.0


def test_a_finished_run_is_read_and_not_repeated(out):
    result = experiments.run(TOY, out=out)
    before = (out / "report.html").stat().st_mtime_ns
    assert experiments.run(TOY, out=out) == result
    assert (out / "report.html").stat().st_mtime_ns == before


def test_a_damaged_step_is_made_again(out, trouble):
    trouble("error-5")
    with pytest.raises(ZeroDivisionError):
        experiments.run(TOY, out=out)
    assert "a toy broke" in (out / "log.txt").read_text(encoding="utf-8")
    path = out / "steps" / "draw-2.npz"
    path.write_bytes(path.read_bytes()[:-40])
    (out / "steps" / "draw-3.npz").write_bytes(b"")
    np.savez(out / "steps" / "draw-4.npz", value=np.array([print], dtype=object))  # pickled: never read
    trouble("none")
    assert experiments.run(TOY, out=out).rows == experiments.run(TOY, out=out.with_name("other")).rows
    assert "damaged" in (out / "log.txt").read_text(encoding="utf-8")


def test_a_folder_of_something_else_is_left_alone(out):
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    with pytest.raises(ArgumentError, match="other things than a run"):
        experiments.run(TOY, out=out)
    with pytest.raises(ArgumentError, match="not a folder"):
        experiments.run(TOY, out=out / "thesis.tex")
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]


def test_a_folder_belongs_to_one_run(out, monkeypatch):
    experiments.run(TOY, seed=1, out=out)
    before = (out / "result.json").read_bytes()
    with pytest.raises(ArgumentError, match="seed 1, not 2"):
        experiments.run(TOY, seed=2, out=out)
    with pytest.raises(ArgumentError, match="draws=6, not 7"):
        experiments.run(TOY, seed=1, out=out, draws=7)
    monkeypatch.setattr("floatbase.experiments.folder._code_digest", lambda: "of another version")
    with pytest.raises(ArgumentError, match="other code"):
        experiments.run(TOY, seed=1, out=out)
    assert (out / "result.json").read_bytes() == before


def test_two_processes_do_not_share_a_folder(out):
    process = begin(out, 1, TOY_TROUBLE="slow-1")
    try:
        wait_for(lambda: steps_done(out))
        with pytest.raises(ArgumentError, match="another process"):
            experiments.run(TOY, seed=3, out=out)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_new_folders_are_called_after_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second = experiments.run(TOY).folder, new_folder("toy")
    assert re.fullmatch(r"toy-\d{8}-\d{6}", first.name)
    assert first.parent == Path("runs")
    assert first != second


def test_a_killed_worker_is_reported(out, trouble):
    trouble("kill-1")
    with pytest.raises(FloatbaseError, match="worker process was killed"):
        experiments.run(TOY, out=out, jobs=2)


def test_objects_are_not_stored(out, trouble):
    trouble("objects-0")
    with pytest.raises(ArgumentError, match=r"draw-0.*'value' as Python objects"):
        experiments.run(TOY, out=out)


def test_without_matplotlib_plots_are_left_out(out, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = experiments.run(TOY, out=out)
    assert result.rows
    assert not (out / "sketch.png").exists()
    assert "<img" not in (out / "report.html").read_text(encoding="utf-8")
    assert "plots are left out" in (out / "log.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", ["", "{}", '{"experiment": "toy", "seed": "x", "settings": {}}', "[1]"])
def test_a_damaged_request_is_refused(out, content):
    out.mkdir()
    (out / "run.json").write_text(content)
    with pytest.raises(ArgumentError, match="damaged"):
        experiments.resume(out)
    with pytest.raises(ArgumentError, match="not the result of an experiment"):
        experiments.read_result(out / "run.json")


@pytest.mark.parametrize("arguments", [{"jobs": 0}, {"seed": -1}, {"seed": 1.5}, {"draws": 0}])
def test_bad_arguments_leave_no_folder(out, arguments):
    with pytest.raises(ArgumentError):
        experiments.run(TOY, out=out, **arguments)
    assert not out.exists()


def test_unknown_experiments_list_near_matches():
    assert "geometric-linearization" in experiments.names()
    with pytest.raises(UnknownNameError, match="did you mean 'geometric-linearization'"):
        experiments.run("geometric-linearisation")
