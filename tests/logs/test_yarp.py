"""Text files of YARP's data dumper."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase import logs
from floatbase.errors import LogError, ShapeError

TEXT = "7 1000.00 1.0 2.0 3.0\n8 1000.01 4.0 5.0 6.0\n10 1000.02 7.0 8.0 9.0\n"


def test_a_folder_of_the_dumper_is_read(tmp_path):
    (tmp_path / "data.log").write_text(TEXT)
    (tmp_path / "info.log").write_text("Type: Bottle;\n[1000.0] /icub/left_leg/state:o [connected]\n")
    log = logs.load(tmp_path)
    assert log.names == ("icub/left_leg/state:o/counter", "icub/left_leg/state:o/values")
    np.testing.assert_array_equal(log["values"].values, np.arange(1.0, 10.0).reshape(3, 3))
    np.testing.assert_array_equal(log["counter"].values, [7, 8, 10])
    np.testing.assert_allclose(log["values"].time, [0.0, 0.01, 0.02], atol=1e-9)
    assert log.metadata["start"] == 1000.0


def test_lists_two_stamps_and_names(tmp_path):
    path = tmp_path / "data.log"
    path.write_text("0 5.0 5.1 (1.0 2.0) (3.0)\n1 5.5 5.6 (4.0 5.0) (6.0)\n")
    log = logs.read_yarp(path, "leg", unit="deg", columns=("a", "b", "c"), stamps=2)
    np.testing.assert_array_equal(log["leg/values"].values, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(log["leg/values"].time, [0.0, 0.5])
    assert log["leg/values"].columns == ("a", "b", "c")
    assert logs.load(path).names == ("data/counter", "data/values")
    with pytest.raises(ShapeError, match="3 columns of values, but 1 names"):
        logs.read_yarp(path, columns=("a",), stamps=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty|no lines"),
        ("\n\n", "no lines"),
        ("1 2\n", "no counter, 1 stamps and values"),
        ("1 2.0 3.0\n2 2.1\n", "line 2 has 2 fields, but the first has 3"),
        ("1 2.0 3.0\n2 2.1 word\n", "line 2, field 3: 'word' is no number"),
        ("1 2.0 3.0\n2 1.1 3.0\n", "goes back 1 times"),
        ("1 nan 3.0\n", "no finite number"),
        ("1e300 1.0 3.0\n", "no finite number"),
    ],
)
def test_malformed_files_are_refused(tmp_path, text, message):
    (tmp_path / "data.log").write_text(text)
    with pytest.raises(LogError, match=message):
        logs.read_yarp(tmp_path)
