"""Suites with arrays on a GPU that is not there, and their code assembled where an assembler is installed."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest
from tests.compiler.gpu import fake

import floatbase as fb
from floatbase.compiler.gpu import function, libraries
from floatbase.compiler.gpu.code import compile_device
from floatbase.simulation.sensors import (
    Accelerometer,
    Attitude,
    AttitudeErrors,
    Errors,
    Gyroscope,
    PoseErrors,
    PoseTracker,
    Sampling,
    SensorSuite,
)


def every_error() -> SensorSuite:
    """Sensors with errors of every kind, on a small robot."""
    robot = fb.load("quadrotor_with_arm")
    base = robot.base
    vector = Errors(
        noise=0.1, noise_density=0.01, bias_spread=0.1, bias_instability=0.1, random_walk=0.1, drift=0.01,
        scale_spread=0.01, gain=np.eye(3) + 0.01, resolution=0.01, limit=20.0,
    )  # fmt: skip
    attitude = AttitudeErrors(0.01, (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), 0.01, (0.01, 0.0, 0.0), 0.01)
    pose = PoseErrors(
        noise=0.01, rotation_noise=0.01, scale=2.0, from_start=True, outliers=0.1, freeze_rate=1.0, loss_rate=1.0
    )
    sensors = (
        Accelerometer("acc", base, errors=vector, sampling=Sampling(400.0, delay=2e-3, dropout=0.1)),
        Gyroscope("gyro", base, errors=vector),
        Attitude("attitude", base, errors=attitude, sampling=Sampling(100.0, phase=3e-3)),
        PoseTracker("pose", base, errors=pose, sampling=Sampling(20.0, delay=0.01)),
    )
    return SensorSuite(robot, sensors, dt=1e-3, wrenches=(base,), given="torques")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> fake.Device:
    device = fake.Device(0)
    monkeypatch.setitem(libraries._libraries, fake.Array, fake.Library())
    monkeypatch.setattr(function, "device", {0: device}.__getitem__)
    return device


def test_a_tick_takes_arrays_on_a_gpu(gpu: fake.Device) -> None:
    suite = every_error()
    gpu.program = suite.function.program
    rng = np.random.default_rng(0)
    q, v = suite.robot.random(rng, 5)
    tau, wrenches = rng.standard_normal((5, suite.robot.tree.joint_nv)), rng.standard_normal((5, 6))
    state = suite.init((5,), seed=2)
    there = state._replace(memory=fake.Array(state.memory))
    for _ in range(4):
        random = suite.draw(state)
        here = suite.step(state, q, v, tau, wrenches, random=random)
        arrays = [fake.Array(x) for x in (q, v, tau, wrenches)]
        there, readings = suite.step(there, *arrays, random=fake.Array(random))
        state = here[0]
        assert type(readings.values) is fake.Array
        np.testing.assert_allclose(readings.values.memory, here[1].values, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(readings.fresh.memory, here[1].fresh)
    assert there.tick == 4


def test_a_tick_becomes_code_for_gpus(tmp_path) -> None:
    code = compile_device(every_error().function.program, ("float64", "float64"), (9, 0))
    text = code.ptx.decode()
    assert ".visible .entry" in text
    assembler = shutil.which("ptxas")
    if assembler is not None:
        (tmp_path / "sense.ptx").write_text(text)
        command = [assembler, "-arch=sm_90", "-O0", str(tmp_path / "sense.ptx"), "-o", str(tmp_path / "sense.cubin")]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
