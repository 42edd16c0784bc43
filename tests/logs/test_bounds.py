"""Hostile files of all kinds in a process that may take little memory; and what is said when packages are missing."""

from __future__ import annotations

import subprocess
import sys
import zlib

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.logs import test_matlab, test_ros

from floatbase import logs
from floatbase.errors import LogError

READING = """
import resource, sys
from floatbase import logs
from floatbase.errors import FloatbaseError
import h5py, pyarrow.parquet, scipy.signal, zstandard, lz4.frame
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20), used + (400 << 20)))
for path in sys.argv[1:]:
    try:
        logs.load(path, limits=logs.Limits(memory=64 << 20))
    except FloatbaseError as error:
        print("refused", path, error)
    else:
        print("READ", path)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux")
def test_files_that_unpack_to_much_are_refused_within_little_memory(tmp_path):
    (tmp_path / "a.mat").write_bytes(test_matlab.HEADER + test_matlab._bomb(1 << 30))
    (tmp_path / "b.mat").write_bytes(test_matlab.HOSTILE["more dimensions than numbers"][0])
    (tmp_path / "c.mcap").write_bytes(test_ros.chunk("zstd", test_ros._zstd_bomb(1 << 30), 1000))
    (tmp_path / "d.mcap").write_bytes(test_ros.HOSTILE["zstd tells too much"][0])
    (tmp_path / "e.mcap").write_bytes(test_ros.chunk("lz4", test_ros._lz4_bomb(1 << 29), 1000))
    with h5py.File(tmp_path / "f.mat", "w") as file:
        item = file.create_dataset("time", (1000,), "f8", chunks=(1000,), compression="gzip")
        item.id.write_direct_chunk((0,), zlib.compress(bytes(1 << 30), 1))
    rows = 40_000_000
    table = pa.table({"time": pa.array(np.zeros(rows)), "x": pa.array(np.zeros(rows))})
    log = logs.Log((logs.signal("x", np.zeros(1), np.zeros(1)),))
    from floatbase.logs.layout import to_text

    text = to_text(log, version=1, samples={"": rows}).encode()
    pq.write_table(table.replace_schema_metadata({b"floatbase.log": text}), tmp_path / "g.parquet", compression="zstd")
    (tmp_path / "h.csv").write_bytes(b"t,a\n" + b"1" * (40 << 20))
    files = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run([sys.executable, "-c", READING, *files], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("refused") == len(files), done.stdout
    assert "READ" not in done.stdout


MISSING = """
import sys
for name in ("pyarrow", "scipy", "h5py", "zstandard", "lz4"):
    sys.modules[name] = None
import numpy as np
from floatbase import logs
from floatbase.errors import MissingDependencyError
x = logs.signal("x", np.arange(100) / 100, np.arange(100.0))
log = logs.Log((x,))
folder = sys.argv[1]
logs.write_csv(log, folder + "/a.csv")
assert len(logs.load(folder + "/a.csv")) == 1
with open(folder + "/a.mat", "wb") as file:
    file.write(b"\\x89HDF\\r\\n\\x1a\\n" + bytes(600))
for call in (
    lambda: logs.save(log, folder + "/a.parquet"),
    lambda: logs.lowpass(x, 5.0),
    lambda: logs.load(folder + "/a.mat"),
    lambda: logs.load(folder + "/zstd.mcap"),
    lambda: logs.load(folder + "/lz4.mcap"),
):
    try:
        call()
    except MissingDependencyError as error:
        assert "pip install 'floatbase[logs]'" in str(error), error
    else:
        raise AssertionError("no error")
writer = logs.LogWriter(folder + "/b.parquet", log)
writer.append("", 0.0, {"x": 1.0})
writer.close()
assert len(logs.load(folder + "/b.parquet").time()) == 1
"""


def test_missing_packages_are_named_and_recording_needs_none(tmp_path):
    for packed in ("zstd", "lz4"):
        (tmp_path / f"{packed}.mcap").write_bytes(test_ros.chunk(packed, bytes(10), 10))
    done = subprocess.run([sys.executable, "-c", MISSING, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_nothing_is_run_that_a_file_holds(tmp_path):
    """Pickles, in files of NumPy and by themselves, are text that is no table."""
    import pickle

    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "owned"), "w"))

    np.save(tmp_path / "a.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(Evil()))
    table = pa.table({"time": [0.0], "x": [pickle.dumps(Evil())]})
    pq.write_table(table, tmp_path / "a.parquet")
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["time"] = np.arange(3.0)
        file["x"] = np.arange(3.0)
        file.create_dataset("y", data=np.void(pickle.dumps(Evil())))
    for name in ("a.npy", "a.pkl", "a.parquet"):
        with pytest.raises(LogError):
            logs.load(tmp_path / name)
    assert "y" in logs.load(tmp_path / "a.mat").metadata["left out"]
    assert not (tmp_path / "owned").exists()
