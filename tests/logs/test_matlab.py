"""MATLAB files: what SciPy and h5py write is read, and hostile ones are refused within their bounds."""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from floatbase import logs
from floatbase.errors import ArgumentError, FloatbaseError, LogError
from floatbase.logs import Columns

TIME = np.arange(50) / 100
POSITION = np.random.default_rng(0).standard_normal((50, 3))
CONTENT = {
    "time": TIME[None, :],
    "data": {
        "q": POSITION,
        "ready": TIME[:, None] > 0.2,
        "label": "left leg",
        "inner": {"n": np.arange(50, dtype="i2")},
    },
    "wide": np.float32(POSITION.T),
    "gain": 3.0,
    "cells": np.array([1, "a"], dtype=object),
    "turn": POSITION + 1j,
    "image": np.zeros((2, 3, 4)),
}


@pytest.mark.parametrize("packed", [False, True])
def test_arrays_of_the_clocks_length_become_signals(tmp_path, packed):
    savemat(tmp_path / "a.mat", CONTENT, do_compression=packed)
    log = logs.load(tmp_path / "a.mat")
    assert set(log.names) == {"data/q", "data/ready", "data/inner/n", "wide"}
    np.testing.assert_array_equal(log["q"].values, POSITION)
    np.testing.assert_array_equal(log["wide"].values, np.float32(POSITION))
    assert log["ready"].values.dtype == bool
    assert log["data/inner/n"].values.dtype == np.int16
    np.testing.assert_array_equal(log.time("data"), TIME)
    left = log.metadata["left out"]
    assert left == {
        "data.label": "text",
        "gain": "array of 1",
        "cells": "cell",
        "turn": "complex numbers",
        "image": "array of 2 x 3 x 4",
    }


def test_a_map_chooses_and_names(tmp_path):
    savemat(tmp_path / "a.mat", CONTENT)
    log = logs.read_mat(
        tmp_path / "a.mat",
        {"legs/position": Columns("data.q", "deg", into="rad"), "legs/n": "data.inner.n"},
        time="time",
    )
    np.testing.assert_allclose(log["position"].values, np.deg2rad(POSITION))
    assert log["position"].columns == ("0", "1", "2")
    log = logs.read_mat(tmp_path / "a.mat", {"x": "data.q"}, rate=10.0)
    for columns, text in (
        ({"x": "data.qq"}, "no column 'data.qq'; did you mean 'data.q'"),
        ({"x": "data.label"}, "'data.label' is no array of numbers, but: text"),
        ({"x": "image"}, "'image' is no array of numbers, but: array of 2 x 3 x 4"),
        ({"x": ("data.q", "wide")}, "has columns of its own"),
        ({"x": "gain"}, "'gain' has 1 samples, but there are 50"),
    ):
        with pytest.raises((LogError, ArgumentError), match=text):
            logs.read_mat(tmp_path / "a.mat", columns)


def test_big_endian_files_are_read():
    def element(kind, data):
        return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)

    def matrix(name, array):
        parts = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", *array.shape))
        parts += element(1, name) + element(9, array.astype(">f8").tobytes("F"))
        return element(14, parts)

    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    from floatbase.logs import mat5
    from floatbase.logs.limits import STANDARD

    content = mat5.read("x", header + matrix(b"a", POSITION), STANDARD)
    np.testing.assert_array_equal(content.arrays["a"], POSITION)


HEADER = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"


def _element(kind: int, data: bytes, size: int | None = None) -> bytes:
    return struct.pack("<II", kind, len(data) if size is None else size) + data + bytes(-len(data) % 8)


def _matrix(shape=(2, 1), data=bytes(16), which=6, kind=9, name=b"time", size=None) -> bytes:
    parts = _element(6, struct.pack("<II", which, 0)) + _element(5, struct.pack(f"<{len(shape)}i", *shape))
    return _element(14, parts + _element(1, name) + _element(kind, data, size))


def _nested(depth: int) -> bytes:
    inner = _matrix()
    for _ in range(depth):
        parts = _element(6, struct.pack("<II", 2, 0)) + _element(5, struct.pack("<ii", 1, 1)) + _element(1, b"s")
        inner = _element(14, parts + _element(5, struct.pack("<i", 8)) + _element(1, b"f".ljust(8, b"\0")) + inner)
    return inner


def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(9)
    data = b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)), packer.flush()])
    return struct.pack("<II", 15, len(data)) + data


HOSTILE = {
    "version": (HEADER[:124] + b"\x00\x02IM", "version is 0x0200"),
    "cut": (HEADER + _matrix()[:30], "an element tells"),
    "size beyond the file": (HEADER + _element(14, bytes(8), 0xFFFFFFF0), "tells 4294967280 bytes"),
    "numbers beyond the array": (HEADER + _matrix(size=1 << 30), "tells 1073741824 bytes"),
    "more dimensions than numbers": (HEADER + _matrix((1 << 30, 1 << 30)), "has 1073741824 x 1073741824 numbers"),
    "negative dimensions": (HEADER + _matrix((-1, 5)), "dimensions"),
    "unknown class": (HEADER + _matrix(which=99), "unknown class 99"),
    "unknown type": (HEADER + _matrix(kind=77), "unknown type 77"),
    "long name": (HEADER + _matrix(name=b"n" * 999), "more than 256 characters"),
    "deep": (HEADER + _nested(40), "more than 12 levels"),
    "many": (HEADER + _matrix() * 20_001, "more than 20000 arrays"),
    "bomb": (HEADER + _bomb(256 << 20), "more than the 67.1 MB allowed"),
    "two halves of a bomb": (HEADER + _bomb(40 << 20) + _bomb(40 << 20), "cut off|more than the 67.1 MB|flags"),
    "zlib": (HEADER + struct.pack("<II", 15, 4) + b"abcd", "compressed element is damaged"),
    "cut zlib": (HEADER + _element(15, zlib.compress(_matrix())[:-9]), "cut off"),
    "small": (HEADER + struct.pack("<I", (9 << 16) | 9) + bytes(4), "at most 4 fit"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(tmp_path, name):
    data, text = HOSTILE[name]
    (tmp_path / "a.mat").write_bytes(data)
    with pytest.raises(LogError, match=text):
        logs.load(tmp_path / "a.mat", limits=logs.Limits(memory=1 << 26))


def test_damaged_files_give_errors(tmp_path):
    rng = np.random.default_rng(0)
    for packed in (False, True):
        savemat(tmp_path / "a.mat", CONTENT, do_compression=packed)
        data = (tmp_path / "a.mat").read_bytes()
        for k in range(150):
            broken = bytearray(data) if k % 3 else bytearray(data[: rng.integers(0, len(data))])
            for place in rng.integers(0, max(len(broken), 1), k % 4):
                broken[place] = rng.integers(0, 256)
            (tmp_path / "b.mat").write_bytes(broken)
            with suppress(FloatbaseError):
                logs.read_mat(tmp_path / "b.mat", limits=logs.Limits(memory=1 << 26))


def _hdf5(path, **options):
    """A file as MATLAB writes it: arrays with their axes in reverse order, after 512 bytes of its own."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in (
            ("time", TIME[:, None]),
            ("data/q", POSITION.T),
            ("data/n", np.arange(50, dtype="i4")[None]),
        ):
            item = file.create_dataset(name, data=array, **options)
            item.attrs["MATLAB_class"] = np.bytes_("double" if array.dtype.kind == "f" else "int32")
        ready = file.create_dataset("data/ready", data=(TIME > 0.2).astype("u1")[None], **options)
        ready.attrs["MATLAB_class"] = np.bytes_("logical")
        label = file.create_dataset("label", data=np.frombuffer(b"leg", "u1").astype("u2")[None])
        label.attrs["MATLAB_class"] = np.bytes_("char")
        cell = file.create_dataset("cell", data=np.array([[file["time"].ref]], dtype=h5py.ref_dtype))
        cell.attrs["MATLAB_class"] = np.bytes_("cell")
        file["#refs#/a"] = np.zeros(3)
    with open(path, "rb+") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"chunks": True},
        {"compression": "gzip"},
        {"compression": "gzip", "shuffle": True, "fletcher32": True},
    ],
)
def test_files_of_version_7_3_are_read(tmp_path, options):
    log = logs.load(_hdf5(tmp_path / "a.mat", **options))
    np.testing.assert_array_equal(log["q"].values, POSITION)
    np.testing.assert_array_equal(log.time("data"), TIME)
    assert log["n"].values.dtype == np.int32
    assert log["ready"].values.dtype == bool
    assert log.metadata["left out"] == {"label": "text", "cell": "cell"}


def _changed(path, change):
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def _external(file):
    file["secret"] = h5py.ExternalLink("/etc/hostname", "/")


def _elsewhere(file):
    file.create_dataset("x", (50,), "f8", external=[("/etc/hostname", 0, 400)])


def _virtual(file):
    layout = h5py.VirtualLayout((50,), "f8")
    layout[:] = h5py.VirtualSource("/etc/hostname", "x", (50,))
    file.create_virtual_dataset("x", layout)


def _huge(file):
    file.create_dataset("x", (1 << 40,), "f8", chunks=(1024,), compression="gzip")


def _huge_chunk(file):
    file.create_dataset("x", (10,), "f8", maxshape=(None,), chunks=(1 << 26,))[0] = 1.0


def _bomb_chunk(file):
    item = file.create_dataset("x", (1000,), "f8", chunks=(1000,), compression="gzip")
    item.id.write_direct_chunk((0,), zlib.compress(bytes(200 << 20), 9))


def _short_chunk(file):
    file.create_dataset("x", (1000,), "f8", chunks=(1000,), compression="gzip").id.write_direct_chunk(
        (0,), zlib.compress(bytes(80))
    )


def _other_filter(file):
    file.create_dataset("x", data=np.zeros(1000), chunks=True, compression="lzf")


def _deep(file):
    file.create_group("/".join("abcdefghijklmnopqrs"))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_external, "leads to another file"),
        (_elsewhere, "keeps its numbers in other files"),
        (_virtual, "keeps its numbers in other files"),
        (_huge, "more than the 67.1 MB allowed"),
        (_huge_chunk, "a chunk of 'x' would take"),
        (_bomb_chunk, "unpacks to another size"),
        (_short_chunk, "unpacks to another size"),
        (_other_filter, "packed by the filter 32000"),
        (_deep, "more than 12 levels"),
    ],
)
def test_hostile_files_of_version_7_3_are_refused(tmp_path, change, text):
    path = _changed(_hdf5(tmp_path / "a.mat"), change)
    with pytest.raises(LogError, match=text):
        logs.load(path, limits=logs.Limits(memory=1 << 26))


def test_soft_links_are_not_followed(tmp_path):
    path = _changed(_hdf5(tmp_path / "a.mat"), lambda file: file.__setitem__("loop", h5py.SoftLink("/data")))
    assert logs.load(path).metadata["left out"]["loop"] == "link"


def test_damaged_files_of_version_7_3_give_errors(tmp_path):
    data = _hdf5(tmp_path / "a.mat", compression="gzip").read_bytes()
    rng = np.random.default_rng(1)
    for k in range(100):
        broken = bytearray(data) if k % 3 else bytearray(data[: rng.integers(600, len(data))])
        for place in rng.integers(520, len(broken), k % 4):
            broken[place] = rng.integers(0, 256)
        (tmp_path / "b.mat").write_bytes(broken)
        with suppress(FloatbaseError):
            logs.read_mat(tmp_path / "b.mat", limits=logs.Limits(memory=1 << 26))
