"""States in files: everything comes back, and nothing but numbers is taken from a file."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np
import pytest

from floatbase.errors import ArgumentError, LogError
from floatbase.simulation.loop import load_state, save_state


class Memory(NamedTuple):
    values: Any
    count: int = 0
    last: Any = None


def state() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "filter": Memory(rng.standard_normal((3, 2)), 2**62, np.arange(4, dtype=np.float32)),
        "clock": (1, 0.1, True, None),
        "empty": np.zeros((0, 3)),
        "flags": np.array([True, False]),
    }


def pattern() -> dict[str, Any]:
    return {
        "filter": Memory(np.zeros((3, 2))),
        "clock": (0, 0.0, False, None),
        "empty": np.zeros((0, 3)),
        "flags": np.zeros(2, dtype=bool),
    }


def test_everything_comes_back(tmp_path):
    save_state(tmp_path / "a", state(), {"seed": 3})
    found = load_state(tmp_path / "a", pattern(), {"seed": 3})
    assert isinstance(found["filter"], Memory) and found["filter"].count == 2**62
    np.testing.assert_array_equal(found["filter"].values, state()["filter"].values)
    np.testing.assert_array_equal(found["filter"].last, state()["filter"].last)
    assert found["clock"] == (1, 0.1, True, None)
    assert [type(x) for x in found["clock"][:3]] == [int, float, bool]
    assert found["empty"].shape == (0, 3) and found["flags"].dtype == bool
    found["filter"].values[0] = 1.0  # can be written to


def test_the_same_state_has_the_same_bytes(tmp_path):
    for name in "ab":
        save_state(tmp_path / name, state(), {"seed": 3})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_states_of_others_are_refused(tmp_path):
    save_state(tmp_path / "a", state(), {"seed": 3})
    with pytest.raises(ArgumentError, match="its seed is 3, and not 4"):
        load_state(tmp_path / "a", pattern(), {"seed": 4})
    with pytest.raises(ArgumentError, match="'state/flags', which this loop has not"):
        load_state(tmp_path / "a", {key: value for key, value in pattern().items() if key != "flags"}, {})
    with pytest.raises(ArgumentError, match="has no 'state/more'"):
        load_state(tmp_path / "a", {**pattern(), "more": np.zeros(2)}, {})
    with pytest.raises(ArgumentError, match=r"float64 \(3, 2\); it must be float64 \(2, 2\)"):
        load_state(tmp_path / "a", {**pattern(), "filter": Memory(np.zeros((2, 2)))}, {})
    with pytest.raises(ArgumentError, match="is list; states that are stored"):
        save_state(tmp_path / "b", {"x": [1, 2]}, {})
    with pytest.raises(ArgumentError, match="is <U1; states"):
        save_state(tmp_path / "b", {"x": np.array(["a"])}, {})


def written(path, heading: bytes, data: bytes, length: int | None = None):
    start = struct.pack("<8sII", b"FBSTATE\x01", len(heading) if length is None else length, zlib.crc32(heading))
    path.write_bytes(start + heading + data)
    return path


def told(shape, dtype: str = "<f8", data: bytes = b"") -> bytes:
    return json.dumps({"about": {}, "arrays": [["state", dtype, shape]], "crc": zlib.crc32(data)}).encode()


def test_hostile_files_are_refused(tmp_path):
    path = tmp_path / "a"
    save_state(path, state(), {})
    whole = path.read_bytes()
    for k in range(0, len(whole), 7):
        path.write_bytes(whole[:k])
        with pytest.raises(LogError):
            load_state(path, pattern(), {})
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 0x55]) + whole[k + 1 :])
        with pytest.raises(LogError):
            load_state(path, pattern(), {})
    path.write_bytes(pickle.dumps(print))
    with pytest.raises(LogError, match="no state of this version"):
        load_state(path, pattern(), {})
    with pytest.raises(LogError, match="sizes that it has not"):
        load_state(written(path, b"{}", b"", length=1 << 30), pattern(), {})
    for shape in ([1 << 31, 1 << 31], [10]):
        with pytest.raises(LogError, match="larger than the file"):
            load_state(written(path, told(shape), b""), np.zeros(1), {})
    for item in (told([-1]), told(["1"]), told([True]), told([1], "|O"), told([1.5])):
        with pytest.raises(LogError, match="which is none"):
            load_state(written(path, item, b""), np.zeros(1), {})
    with pytest.raises(LogError, match="8 bytes more"):
        load_state(written(path, told([0], data=bytes(8)), bytes(8)), np.zeros(0), {})
    with pytest.raises(LogError, match="must be an object"):
        load_state(written(path, b"[]", b""), np.zeros(0), {})
    with pytest.raises(LogError, match="no JSON"):
        load_state(written(path, b"[" * 100_000, b""), np.zeros(0), {})
    with pytest.raises(LogError, match="cannot be read"):
        load_state(tmp_path / "nothing", np.zeros(0), {})
