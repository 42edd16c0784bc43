"""The cache on disk: what is kept, and all that may be wrong with a directory or an entry."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.compiler.functions import SCALED, pair, scaled, scaled_program

from floatbase.compiler.cache import Cache, cache_key, default_cache
from floatbase.compiler.function import Function

ROOT = Path(__file__).parents[2]
ONES = np.ones(3)


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "cache"


def never():
    raise AssertionError("the program was asked for")


def entries(directory):
    return sorted(directory.glob("*.entry"))


def test_bytes_come_back(directory):
    cache = Cache(directory)
    assert cache.get("a") is None
    assert cache.put("a", b"some bytes") and cache.put("b", b"")
    assert cache.get("a") == b"some bytes"
    assert cache.get("b") == b""
    assert Cache(directory).get("a") == b"some bytes"
    assert cache.put("a", b"others") and cache.get("a") == b"others"
    assert cache.size() > 0
    cache.clear()
    assert cache.get("a") is None and cache.size() == 0


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_nobody_else_can_read_it(directory):
    Cache(directory).put("a", b"bytes")
    assert directory.stat().st_mode & 0o777 == 0o700
    assert entries(directory)[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: b"x" + data[1:],
        lambda data: data[:16] + b"\x07" + data[17:],  # the version
        lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda data: os.urandom(len(data)),
    ],
)
def test_damaged_entries_are_absent(directory, damage):
    cache = Cache(directory)
    cache.put("a", bytes(range(200)))
    path = entries(directory)[0]
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("a") is None
    cache.put("a", b"again")
    assert cache.get("a") == b"again"


def test_an_entry_under_another_key_is_absent(directory):
    cache = Cache(directory)
    cache.put("a", b"of a")
    first = entries(directory)[0]
    cache.put("b", b"of b")
    second = next(path for path in entries(directory) if path != first)
    second.write_bytes(first.read_bytes())
    assert cache.get("b") is None


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_links_are_refused(directory, tmp_path):
    real = tmp_path / "real"
    Cache(real).put("a", b"bytes")
    directory.symlink_to(real)
    with pytest.warns(RuntimeWarning, match="is a symbolic link") as warned:
        assert Cache(directory).get("a") is None
    assert warned[0].filename == __file__
    entry = entries(real)[0]
    moved = entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(moved)
    assert Cache(real).get("a") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_nobody_waits_for_a_pipe(directory):
    cache = Cache(directory)
    cache.put("a", b"bytes")
    entry = entries(directory)[0]
    entry.unlink()
    os.mkfifo(entry)
    assert cache.get("a") is None
    assert cache.put("a", b"bytes") and cache.get("a") == b"bytes"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners of POSIX")
def test_directories_of_others_are_refused(directory, monkeypatch):
    Cache(directory).put("a", b"bytes")
    monkeypatch.setattr(os, "geteuid", lambda: directory.stat().st_uid + 1)
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert Cache(directory).get("a") is None


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_directories_that_others_can_write_are_refused(directory):
    directory.mkdir()
    directory.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="can be written by other users"):
        assert not Cache(directory).put("a", b"bytes")


def test_a_file_in_place_of_the_directory_costs_one_warning(directory):
    directory.write_text("not a directory")
    cache = Cache(directory)
    with pytest.warns(RuntimeWarning, match="is not a directory") as warned:
        function = scaled(cache)
        assert function(ONES, ONES, 1.0)[0] == 2.0
        assert not cache.put("a", b"bytes")
    assert len(warned) == 1
    with pytest.warns(RuntimeWarning, match="cannot be made"):
        assert Cache(directory / "below").get("a") is None


def test_a_full_or_read_only_disk_costs_one_warning(directory, monkeypatch):
    cache = Cache(directory)
    cache.put("kept", b"bytes")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="cannot be written \\(No space left") as warned:
        assert scaled(cache)(ONES, ONES, 1.0)[0] == 2.0
    assert len(warned) == 1
    assert cache.get("kept") == b"bytes"
    assert not list(directory.glob("*.part"))


def test_an_interrupt_leaves_nothing_half_written(directory, monkeypatch):
    cache = Cache(directory)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.put("a", b"bytes")
    assert not list(directory.iterdir())


def test_the_least_recently_used_entries_go(directory):
    cache = Cache(directory, limit=20_000)
    for number in range(10):
        assert cache.put(str(number), bytes(1500))
        for path in entries(directory):
            status = path.stat()
            os.utime(path, (status.st_atime - 10, status.st_mtime - 10))
    assert cache.get("0") is not None  # used: the last to go
    for number in range(10, 20):
        cache.put(str(number), bytes(1500))
    assert cache.size() <= 20_000
    assert cache.get("0") is not None and cache.get("19") is not None
    assert cache.get("1") is None
    assert not cache.put("huge", bytes(30_000))


def test_the_environment_chooses(monkeypatch, directory):
    for value, expected in (("off", None), (str(directory), directory)):
        monkeypatch.setenv("FLOATBASE_CACHE", value)
        default_cache.cache_clear()
        found = default_cache()
        assert (found and found.directory) == expected
    monkeypatch.setenv("FLOATBASE_CACHE_BYTES", "12345")
    default_cache.cache_clear()
    assert default_cache().limit == 12345
    for text in ("1 GB", "\N{SUPERSCRIPT TWO}", "-1"):
        monkeypatch.setenv("FLOATBASE_CACHE_BYTES", text)
        default_cache.cache_clear()
        with pytest.warns(UserWarning, match=f"FLOATBASE_CACHE_BYTES is '{text}'; it must be a whole number"):
            assert default_cache().limit == 1 << 30
    default_cache.cache_clear()


def test_keys_depend_on_their_parts():
    assert cache_key("a", 1) == cache_key("a", 1) != cache_key("a", 2)
    assert cache_key("a", 1) != cache_key("a1")


def test_a_warm_function_asks_for_nothing(directory, monkeypatch):
    cold = Function(None, scaled_program, key="key", cache=Cache(directory)).prepare()
    expected = cold(ONES, [1, 2, 3], 1.0)
    from floatbase.compiler import artifact

    monkeypatch.setattr(artifact, "compile_artifact", never)
    warm = Function(None, never, key="key", cache=Cache(directory))
    assert warm.signature == SCALED
    np.testing.assert_array_equal(warm(ONES, [1, 2, 3], 1.0), expected)
    np.testing.assert_array_equal(warm(np.ones((20, 3)), [1, 2, 3], 1.0)[7], expected)
    assert warm.program.digest == cold.program.digest


def test_a_new_type_is_compiled_from_the_stored_program(directory):
    Function(None, scaled_program, key="key", cache=Cache(directory)).prepare()
    warm = Function(None, never, key="key", cache=Cache(directory))
    assert warm(ONES.astype(np.float32), ONES.astype(np.float32), 1.0).dtype == np.float32


def test_another_signature_under_the_same_key_is_not_believed(directory):
    Function(None, scaled_program, key="key", cache=Cache(directory)).prepare()
    program = pair().program
    from floatbase.compiler.function import Signature

    function = Function(Signature.of(program), lambda: program, key="key", cache=Cache(directory))
    assert function(ONES, ONES)[1] == 3.0


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:60] + b"?" * 50 + data[110:]])
def test_tampered_entries_are_compiled_again(directory, damage):
    scaled(Cache(directory), key="key").prepare()
    before = entries(directory)
    assert len(before) >= 4
    for path in before:
        path.write_bytes(damage(path.read_bytes()))
    calls = []

    def source():
        calls.append(1)
        return scaled_program()

    function = Function(SCALED, source, key="key", cache=Cache(directory))
    assert function(ONES, ONES, 1.0)[0] == 2.0
    assert calls
    warm = Function(None, never, key="key", cache=Cache(directory))
    assert warm(ONES, ONES, 1.0)[0] == 2.0


def test_object_code_that_does_not_load_is_compiled_again(directory):
    from floatbase.compiler.artifact import Artifact, load_artifact, store_artifact
    from floatbase.compiler.function import host_target

    cache = Cache(directory)
    digest = scaled().program.digest
    store_artifact(cache, digest, "float64", 1, host_target(), Artifact(b"not an object file", 64))
    assert scaled(cache)(ONES, ONES, 1.0)[0] == 2.0
    assert load_artifact(cache, digest, "float64", 1, host_target()).code != b"not an object file"


FILL = """
import sys, numpy as np
from pathlib import Path
from floatbase.compiler.cache import Cache
from tests.compiler.functions import scaled, pair
cache = Cache(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(3):
    first = scaled(cache, key="one").prepare(("float64", "float32"))
    second = pair(cache, key="two").prepare()
    print(first(np.ones((9, 3)), np.ones(3), 1.0).sum(), second(np.ones(3), np.ones(3))[1])
    cache.clear()
"""


def test_two_processes_fill_one_cache(directory):
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", FILL, str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs == ["54.0 3.0\n" * 3] * 2
    assert not list(directory.glob("*.part"))


def test_writing_while_others_read(directory):
    """A reader sees a whole entry or none."""
    code = (
        "import sys; from floatbase.compiler.cache import Cache; c = Cache(sys.argv[1])\n"
        "for n in range(300): c.put('a', bytes([n % 256]) * (1000 + 100 * n))\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, str(directory)], cwd=ROOT)
    cache = Cache(directory)
    seen = set()
    while writer.poll() is None:
        data = cache.get("a")
        if data is not None:
            assert data == data[:1] * len(data)
            seen.add(len(data))
    assert writer.returncode == 0 and seen


def test_stale_temporary_files_are_swept(directory):
    cache = Cache(directory, limit=10_000)
    cache.put("a", b"x")
    for name, age in (("old.part", 7200), ("new.part", 0)):
        path = directory / name
        path.write_bytes(b"")
        status = path.stat()
        os.utime(path, (status.st_atime - age, status.st_mtime - age))
    cache.put("b", bytes(5000))
    assert [path.name for path in directory.glob("*.part")] == ["new.part"]


def test_no_warning_without_a_cache():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scaled(None)(ONES, ONES, 1.0)[0] == 2.0
