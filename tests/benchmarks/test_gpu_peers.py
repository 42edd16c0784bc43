"""Other libraries beside floatbase on a GPU: what they are given, how their processes end, and the page of results."""

import importlib
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from benchmarks import gpu_peers, gpu_peers_report, robots
from benchmarks.gpu_measure import FUNCTIONS, inputs, largest_error, limit
from benchmarks.gpu_peer import COMPARED, PEERS, Task
from benchmarks.options import Options
from benchmarks.peers.sdf import describe
from benchmarks.states import sample

from floatbase import load
from floatbase.spatial import rotation_from_rpy


@pytest.fixture(scope="module", params=["panda", "anymal_c"])
def plain(request, tmp_path_factory):
    return robots.prepare(request.param, tmp_path_factory.mktemp("robots"))


def _pose(element):
    numbers = [float(number) for number in element.text.split()]
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation_from_rpy(np.array(numbers[3:])), numbers[:3]
    return pose


def test_sdf_describes_the_same_robot(plain):
    robot = load(plain.path, floating=plain.floating)
    model = ET.fromstring(describe(plain)).find("model")
    joints = {joint.findtext("child"): joint for joint in model.findall("joint") if joint.get("type") != "fixed"}
    assert sorted(joint.get("name") for joint in joints.values()) == sorted(plain.joints)

    def world_H_link(name):
        if name not in joints:
            return np.eye(4)
        pose = joints[name].find("pose")
        assert pose.get("relative_to") == joints[name].findtext("parent")
        return world_H_link(joints[name].findtext("parent")) @ _pose(pose)

    q, mass, moment = robot.neutral(), 0.0, np.zeros(3)
    q[len(q) - len(plain.joints) :] = 0.0
    for link in model.findall("link"):
        inertial = link.find("inertial")
        weight = float(inertial.findtext("mass"))
        centre = world_H_link(link.get("name")) @ np.append(_pose(inertial.find("pose"))[:3, 3], 1.0)
        mass, moment = mass + weight, moment + weight * centre[:3]
    assert mass == pytest.approx(robot.mass, rel=1e-12)
    np.testing.assert_allclose(moment / mass, robot.com(q), atol=1e-12)


@pytest.mark.parametrize("peer", PEERS)
def test_libraries_agree_with_floatbase(peer, plain):
    for module in ("jax", {"mjx": "mujoco.mjx"}.get(peer, peer)):
        pytest.importorskip(module, reason=f"{module} is not installed")
    if (peer, plain.name) == ("adam", "panda"):
        pytest.skip("adam 0.5 does not compile the functions of a robot with joints that slide")
    adapter = importlib.import_module(f"benchmarks.peers.{peer}")
    states = sample(plain, 4)
    robot = load(plain.path, floating=plain.floating, representation="body")
    found = adapter.contenders(plain, states.first(0), states, Options(long_compilations=True))
    compared = [entry for entry in found if entry.function in COMPARED]
    assert len(compared) >= 3 - (peer == "adam" and not plain.floating)
    for entry in compared:
        exact = robot.function(FUNCTIONS[entry.function][0])(*inputs(states, entry.function))
        error = np.linalg.norm((entry.evaluate() - exact).reshape(4, -1), axis=1)
        assert np.max(error / np.linalg.norm(exact.reshape(4, -1), axis=1)) < limit(entry.function, "float64")


def test_what_cannot_be_measured_has_a_reason():
    limits = gpu_peers.Limits(compiling=60.0, starting=60.0, measuring=60.0)
    settings = {"dtypes": ["float64"], "functions": ["mass matrix"], "platform": "cpu", "limits": limits}
    records, about = gpu_peers.measure(["frax", "absent"], ["panda"], [8, 16], **settings)
    assert [record["batch"] for record in records] == [8, 16, 8, 16]
    for record in records[2:]:
        assert record["peer"] == "absent" and "NotFoundError: No " in record["reason"]
    try:
        importlib.import_module("benchmarks.peers.frax")
    except ImportError:
        assert all("NotFoundError: No " in record["reason"] for record in records) and not about
    else:
        assert all(record["agrees"] and record["call"] > 0.0 for record in records[:2]) and about[0]["name"] == "frax"


def test_what_takes_too_long_is_stopped():
    limits = gpu_peers.Limits(compiling=0.0)
    (record,) = gpu_peers.measure(["frax"], ["panda"], [8], ["float32"], ["mass matrix"], "cpu", limits)[0]
    assert record["reason"].startswith("not compiled within 0 s")


def test_files_of_tasks_are_told_apart(tmp_path):
    task = Task("mjx", "icub", "float32", ("mass matrix",), (8,), str(tmp_path))
    names = {task.path(*parts, suffix=".x").name for parts in ((), ("mass matrix",), ("mass matrix", 8), ("bias", 8))}
    assert len(names) == 4 and all(" " not in name for name in names)


class OnGpu(np.ndarray):
    def get(self):
        return np.asarray(self)


def test_the_error_is_that_of_the_first_and_the_last_states():
    exact = np.arange(1.0, 9.0)[:, None] * np.ones(3)
    result = np.resize(exact, (1024, 3)).view(OnGpu)
    assert largest_error(result, (exact,), 1024) == 0.0
    result[-1] *= 1.5
    assert largest_error(result, (exact,), 1024) == pytest.approx(0.5)
    result[0, 0] = np.nan
    assert largest_error(result, (exact,), 1024) == np.inf
    assert largest_error(np.full((8, 3), 0.1).view(OnGpu), (np.zeros((8, 3)),), 8) == pytest.approx(0.1 * np.sqrt(3))


def test_the_page_has_ratios_and_reasons():
    same = {"robot": "icub", "function": "mass matrix", "dtype": "float32", "batch": 1024}
    ours = {**same, "peer": "floatbase", "call": 1e-5, "kernel": 5e-6}
    theirs = {**same, "peer": "frax", "call": 5e-4, "kernel": 4e-4}
    theirs |= {"error": 1e-7, "agrees": True, "trace": 1, "compile": 2}
    missing = [{**same, "peer": "adam", "dtype": dtype, "reason": "no time"} for dtype in ("float32", "float64")]
    about = {"date": "today", "libraries": [{"name": "frax", "version": "1", "calls": ["so"]}]}
    page = gpu_peers_report.markdown(about, [ours, theirs, *missing])
    assert "| icub | mass matrix | float32 | 1024 | frax | 50 | 80 |" in page
    assert "| mass matrix | float32 | 1024 | frax | 500 | 400 | 50 | 80 | 1e-07 | 3.0 |" in page
    assert "* adam, icub, mass matrix (float32: 1024; float64: 1024): no time" in page
    assert "* frax 1: so" in page and "* date: today" in page
