"""Runs that are recorded to files, killed, and taken up again."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.simulation.loop.robots import hopper, loop_around, ours, start, theirs

from floatbase import logs
from floatbase.errors import ArgumentError, ShapeError, SimulationError, UnknownNameError
from floatbase.logs import LogWriter
from floatbase.simulation.loop import JointControl, Loop, block, run
from floatbase.simulation.loop.checkpoints import load_state
from floatbase.simulation.loop.running import SUFFIX

ROOT = Path(__file__).parents[3]
DEADLINE = 60.0  # s
KILLS = 5


def test_files_have_what_arrays_have(tmp_path):
    loop = loop_around(ours(), rates={"controller": 250.0})
    record = ["plant.q", "plant.sole", "sensors.*", "controller.command"]
    arrays = run(loop, start(), duration=0.4, seed=1, record=record)
    found = run(loop, start(), duration=0.4, seed=1, record=record, log=tmp_path / "a.parquet")
    log = logs.load(tmp_path / "a.parquet")
    assert found.log == tmp_path / "a.parquet" and not found.signals
    for name, values in arrays.signals.items():
        np.testing.assert_array_equal(log[name.replace(".", "/", 1)].values, values)
    assert log["sensors/ankle_ft"].columns == ("fx", "fy", "fz", "mx", "my", "mz")
    assert log["sensors/ankle_ft"].units == ("N", "N", "N", "N m", "N m", "N m")
    assert log["plant/q"].columns[-2:] == hopper().joint_names
    assert log.rates["controller"] == 250.0
    assert log.check() == ()
    np.testing.assert_allclose(log["controller/command"].time, arrays.times["controller"])


def test_rows_of_a_batch_are_columns(tmp_path):
    q = np.stack([start(), start(0.1)])
    found = run(Loop(ours()), q, duration=0.01, record="plant.q")
    run(Loop(ours()), q, duration=0.01, record="plant.q", log=tmp_path / "a.parquet")
    log = logs.load(tmp_path / "a.parquet")
    assert log["plant/q"].columns[9] == "1:base.x"
    np.testing.assert_array_equal(log["plant/q"].values, found["plant.q"].reshape(10, 18))


def test_fewer_samples_are_kept_if_asked():
    found = run(Loop(ours()), start(), duration=0.02, every=5)
    whole = run(Loop(ours()), start(), duration=0.02)
    np.testing.assert_array_equal(found["plant.q"], whole["plant.q"][::5])
    np.testing.assert_allclose(found.times["plant"], 0.005 * np.arange(4))


def test_an_interrupt_from_the_keyboard_gives_what_there_is(tmp_path):
    def interrupting(inputs):
        if inputs["time"] > 0.0295:
            raise KeyboardInterrupt
        return np.zeros(2)

    loop = Loop(ours(), {"controller": block(interrupting, {"time": 1}, {"command": 2})})
    found = run(loop, start(), duration=1.0)
    assert found.interrupted and found.state.tick == 30 and len(found["plant.q"]) == 30
    found = run(loop, start(), duration=1.0, log=tmp_path / "a.parquet")
    assert found.interrupted and not (tmp_path / "a.parquet").exists()
    assert len(logs.load(tmp_path / "a.parquet")["plant/q"].values) == 30
    loop = loop.with_settings(blocks={"controller": block(lambda x: np.zeros(2), {"time": 1}, {"command": 2})})
    run(loop, start(), duration=1.0, log=tmp_path / "a.parquet", resume=True)
    run(loop, start(), duration=1.0, log=tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


@pytest.mark.parametrize("plant", ["ours", "theirs"])
def test_a_run_that_is_killed_loses_less_than_a_second_and_ends_with_the_same_bytes(plant, tmp_path):
    seconds, kills = (5.0, KILLS - 2) if plant == "ours" else (3.0, 2)
    loop = loop_around({"ours": ours, "theirs": theirs}[plant](), rates={"controller": 500.0})
    loop = loop.with_settings(blocks={**loop.blocks, "teller": block(lambda x: np.zeros(1), {"time": 1}, {"told": 1})})
    whole = run(loop, start(0.02), duration=seconds, seed=5, log=tmp_path / "whole.parquet")
    path, told = tmp_path / "a.parquet", tmp_path / "told"
    kept = path.with_name(path.name + SUFFIX)
    pattern = loop.init(start(0.02), seed=5)
    reached = 0
    for _ in range(kills):
        process = begin(plant, path, told, seconds)
        wait_until_told(process, told)
        time.sleep(random.uniform(0.05, 0.8))
        process.send_signal(signal.SIGKILL)
        process.wait()
        walls = np.frombuffer(told.read_bytes()[: 16 * (told.stat().st_size // 16)], dtype="<i8, <f8")["f1"]
        state = load_state(kept, pattern, {})
        assert state.tick >= reached
        reached = state.tick
        lost = walls[-1] - walls[min(state.tick, len(walls) - 1)]
        assert lost < 1.0
        journal = logs.load(path)
        assert len(journal["plant/q"].values) >= state.tick
    process = begin(plant, path, told, seconds)
    assert process.wait(DEADLINE) == 0
    assert path.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert kept.read_bytes() == (tmp_path / f"whole.parquet{SUFFIX}").read_bytes()
    ended = run(loop, start(0.02), duration=seconds, seed=5, log=path, resume=True)
    np.testing.assert_array_equal(
        ended.state.signals["controller"]["command"], whole.state.signals["controller"]["command"]
    )


def test_a_run_that_ends_while_its_file_is_finished_goes_on(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    run(loop_around(ours()), start(), duration=0.05, log=tmp_path / "whole.parquet")

    def ending(writer):
        writer.close()
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(LogWriter, "finish", ending)
        with pytest.raises(RuntimeError):
            run(loop_around(ours()), start(), duration=0.05, log=path)
    assert not path.exists()
    journal = path.with_name("a.parquet.journal")
    left = journal.read_bytes()
    run(loop_around(ours()), start(), duration=0.05, log=path, resume=True)
    assert path.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    journal.write_bytes(left)  # as if it had ended before the journal was removed
    run(loop_around(ours()), start(), duration=0.05, log=path, resume=True)
    assert not journal.exists()


def test_a_run_without_a_stored_state_begins_again(tmp_path):
    path = tmp_path / "a.parquet"
    loop = loop_around(ours())
    run(loop, start(), duration=0.05, log=tmp_path / "whole.parquet")
    breaking = block(lambda x: np.zeros(1 + (x["time"] > 0.02)), {"time": 1}, {"extra": 1})
    with pytest.raises(ShapeError):
        run(loop.with_settings(blocks={**loop.blocks, "breaking": breaking}), start(), duration=0.05, log=path)
    kept = path.with_name(path.name + SUFFIX)
    assert kept.exists() and len(logs.load(path)["plant/q"].values) == 21
    with pytest.raises(ArgumentError, match="its blocks is"):
        run(loop, start(), duration=0.05, log=path, resume=True)
    run(loop, start(), duration=0.05, log=path, overwrite=True)
    assert path.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


@pytest.mark.parametrize("make", [ours, theirs])
def test_memory_does_not_grow_with_the_length_of_a_run(make, tmp_path):
    allocated = []

    def look(inputs):
        allocated.append(tracemalloc.get_traced_memory()[0])
        return np.zeros(1)

    loop = loop_around(make())
    loop = loop.with_settings(blocks={**loop.blocks, "look": block(look, {}, {"none": 1})}, rates={"look": 5.0})
    tracemalloc.start()
    try:
        run(loop, start(), duration=2.0, log=tmp_path / "a.parquet")
    finally:
        tracemalloc.stop()
    assert len(allocated) == 10
    assert allocated[-1] - allocated[3] < 20_000


def begin(plant: str, path: Path, told: Path, seconds: float) -> subprocess.Popen[bytes]:
    told.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.simulation.loop.killed", plant, str(path), str(told), str(seconds)]
    return subprocess.Popen(command, cwd=ROOT)


def wait_until_told(process: subprocess.Popen[bytes], told: Path) -> None:
    """Until the first tick."""
    deadline = time.monotonic() + DEADLINE
    while process.poll() is None and not (told.exists() and told.stat().st_size):
        assert time.monotonic() < deadline
        time.sleep(0.002)
    assert process.poll() is None


def test_what_is_asked_wrongly_is_refused(tmp_path):
    loop = loop_around(ours())
    with pytest.raises(UnknownNameError, match=r"did you mean .*'plant\.q'"):
        run(loop, start(), record="plant.qq")
    with pytest.raises(UnknownNameError, match="unknown signal to record 'planet"):
        run(loop, start(), record=["planet.q"])
    with pytest.raises(UnknownNameError, match="sensors"):
        run(loop, start(), record="sensors.nothing*")
    with pytest.raises(ArgumentError, match="duration is nan"):
        run(loop, start(), duration=float("nan"))
    with pytest.raises(ArgumentError, match="every is 0"):
        run(loop, start(), every=0)
    with pytest.raises(ArgumentError, match="give its file"):
        run(loop, start(), resume=True)
    with pytest.raises(ArgumentError, match="not a state"):
        run(loop, state=loop.init(start()), log=tmp_path / "a.parquet")
    with pytest.raises(SimulationError, match="GiB, more than"):
        run(loop, start(), duration=1e6)
    with pytest.raises(ArgumentError, match="seed is -1"):
        run(loop, start(), seed=-1)
    with pytest.raises(ArgumentError, match="say how many joints"):
        JointControl(lambda time: np.zeros(2), 1.0, 1.0)
    with pytest.raises(ArgumentError, match="gains must be finite"):
        JointControl(np.zeros(2), -1.0, 1.0)


def test_a_run_with_other_settings_does_not_go_on(tmp_path):
    path = tmp_path / "a.parquet"
    run(loop_around(ours()), start(), duration=0.01, log=path)
    with pytest.raises(ArgumentError, match="resume=True, or begin anew"):
        path.unlink()
        run(loop_around(ours()), start(), duration=0.01, log=path)
    with pytest.raises(ArgumentError, match="its seed is 0, and not 1"):
        run(loop_around(ours()), start(), duration=0.01, log=path, seed=1, resume=True)
    with pytest.raises(ArgumentError, match="its plant is 'SimulatedPlant', and not 'MujocoPlant'"):
        run(loop_around(theirs()), start(), duration=0.01, log=path, resume=True)
    run(loop_around(ours()), start(), duration=0.01, log=path, overwrite=True)
    assert path.exists()
