"""The table of every quantity on a GPU: what is asked for, with which inputs, and the page that is written."""

import json
from io import StringIO

import numpy as np
import pytest
from benchmarks import gpu_functions
from benchmarks.gpu_records import Records
from rich.console import Console

from floatbase import load
from floatbase.robot.quantities import QUANTITIES
from floatbase.robot.requests import parse

FRAMES = ("l_sole", "r_sole")


@pytest.fixture(scope="module")
def robot():
    return load("icub", keep_force_sensors=True)


def test_every_quantity_is_asked_for_once(robot):
    found = gpu_functions.requests(robot, FRAMES)
    assert [parse(robot.tree, list(request)).name for request in found] == list(QUANTITIES)
    assert ("jacobian", "l_sole") in found and ("relative_pose", "r_sole", "l_sole") in found


@pytest.mark.parametrize("name", ["difference", "step", "generalized_forces"])
def test_inputs_are_states_that_a_robot_can_have(robot, name):
    function = gpu_functions.function(robot, (name,), FRAMES)
    inputs = gpu_functions.arrays(robot, function.signature.inputs, 8)
    assert [array.shape for array in inputs] == [(8, *port.shape) for port in function.signature.inputs]
    np.testing.assert_allclose(np.linalg.norm(inputs[0][:, 3:7], axis=1), 1.0)
    assert all(np.isfinite(array).all() for array in inputs)


def test_arrays_of_a_result_go_out_as_they_came():
    assert list(gpu_functions.flat(1)) == [1]
    assert list(gpu_functions.flat((1, {"l_sole": 2, "r_sole": 3}, 4))) == [1, 2, 3, 4]


def test_a_quantity_without_what_it_is_of_is_an_error():
    with pytest.raises(ValueError, match="panda has no submodel"):
        gpu_functions.requests(load("panda"), ("panda_hand", "panda_link4"))


def test_records_are_kept_as_they_come(tmp_path):
    done = {
        "peer": "floatbase", "robot": "icub", "function": "com", "dtype": "float32", "batch": 4096, "kernel": 1e-5,
        "per second": 4.1e8, "operations": 100, "registers": 40, "local": 0, "block": 64, "error": 1e-7,
        "agrees": True, "trace": 1.0, "compile": 2.0,
    }  # fmt: skip
    failed = {"peer": "floatbase", "robot": "icub", "function": "pose, l_sole", "dtype": "float32", "reason": "no GPU"}
    text = StringIO()
    records = Records(tmp_path / "found", {"date": "today"}, gpu_functions.markdown, Console(file=text, width=200))
    records.add([done])
    assert "Everything was." in (tmp_path / "found.md").read_text()
    records.add([failed])
    page = (tmp_path / "found.md").read_text()
    assert "| com | 4096 | 410 M | 100 | 40 | 0 | 64 | 1e-07 | 3.0 |" in page
    assert "* pose, l_sole: no GPU" in page
    assert json.loads((tmp_path / "found.json").read_text()) == {
        "machine": {"date": "today"},
        "records": [done, failed],
    }
    assert "no GPU" in text.getvalue()
