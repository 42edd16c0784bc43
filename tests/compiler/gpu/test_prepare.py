"""Compiling ahead for a GPU, and robots called with arrays on one that is not there."""

import io

import numpy as np
import pytest
from rich.console import Console
from tests.compiler.functions import scaled
from tests.compiler.gpu.fake import Array

import floatbase as fb
from floatbase.compiler.cache import Cache
from floatbase.compiler.gpu import kernels
from floatbase.errors import ArgumentError
from floatbase.progress import compile_with_progress


def refused(*_):
    pytest.fail("compiled after it was prepared")


def test_nothing_is_compiled_after_preparing(gpus, monkeypatch, rng, tmp_path):
    function = scaled(Cache(tmp_path / "cache"))
    gpus[1].program = function.program
    monkeypatch.setattr(type(function), "kernel", refused)  # nothing is compiled for the CPU
    assert function.prepare(("float64", "float32"), gpu=1) is function
    monkeypatch.setattr(kernels, "compile_device", refused)
    monkeypatch.setattr(gpus[1], "link", refused)
    a, b = rng.standard_normal((2, 9, 3))
    for dtype in ("float64", "float32"):
        gpus[1].dtype = dtype
        arrays = [Array(x.astype(dtype), 1) for x in (a, b)]
        np.testing.assert_allclose(function(*arrays, 1.5).memory, a * b + 1.5, rtol=1e-5, atol=1e-6)


def test_robots_prepare_for_a_gpu(gpus, monkeypatch, rng):
    robot = fb.load("double_pendulum")
    frame = robot.frame_names[-1]
    robot.prepare("mass_matrix", "bias", ("jacobian", frame), wrenches=(frame,), gpu=0)
    monkeypatch.setattr(kernels, "compile_device", refused)
    q, v = robot.random(rng, n=5)
    force = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    gpus[0].program = robot.program("mass_matrix")
    mass_matrix = robot.mass_matrix(Array(q))
    gpus[0].program = robot.program("bias", [frame])
    bias = robot.bias(Array(q), Array(v), wrenches={frame: Array(force)})
    gpus[0].program = robot.program(("jacobian", frame))
    jacobian = robot.jacobian(Array(q), frame)
    assert all(type(result) is Array for result in (mass_matrix, bias, jacobian))
    np.testing.assert_allclose(mass_matrix.memory, robot.mass_matrix(q), rtol=1e-12)
    np.testing.assert_allclose(bias.memory, robot.bias(q, v, wrenches={frame: force}), rtol=1e-12)
    np.testing.assert_allclose(jacobian.memory, robot.jacobian(q, frame), rtol=1e-12, atol=1e-15)


def test_kernels_take_arrays_on_a_gpu(gpus, rng):
    robot = fb.load("double_pendulum")
    frame = robot.frame_names[-1]

    @fb.kernel
    def height(robot, q):
        return robot.pose(q, frame)[2, 3]

    q, _ = robot.random(rng, n=5)
    gpus[0].program = height.program(robot)
    np.testing.assert_allclose(height(robot, Array(q)).memory, height(robot, q), rtol=1e-12)


def test_progress_is_shown(gpus):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=120)
    compile_with_progress([scaled()], dtypes=("float32",), gpu=0, console=console)
    assert "1/1" in out.getvalue()


def test_what_cannot_be_prepared_is_named(gpus):
    with pytest.raises(ArgumentError, match="unknown dtype 'float16'"):
        scaled().prepare(("float16",), gpu=0)
    with pytest.raises(ArgumentError, match="unknown dtype 'half'"):
        fb.load("double_pendulum").prepare("bias", dtypes=("half",), gpu=0)
