"""On a real GPU, with CuPy, PyTorch and JAX where they are installed; elsewhere these tests skip themselves.

What they last said, when and on which machine is in `benchmarks/results/gpu-tests.md`.
"""

import numpy as np
import pytest
from tests.compiler.gpu.test_ptx import PROGRAMS

import floatbase as fb
from floatbase.compiler import Port, trace
from floatbase.compiler.function import compile_program
from floatbase.compiler.gpu.function import DeviceFunction
from floatbase.errors import FloatbaseError, StateError

cupy = pytest.importorskip("cupy", reason="needs CuPy and a GPU")
try:
    fb.gpu.devices()
except FloatbaseError as error:
    pytest.skip(f"needs a GPU: {error}", allow_module_level=True)

TOLERANCE = {"float64": 1e-12, "float32": 2e-5}


def host(array):
    return np.asarray(array.get(), np.float64)


def agree(ours, expected, dtype, factor=1.0):
    for result, wanted in zip(*(x if isinstance(x, tuple) else (x,) for x in (ours, expected)), strict=True):
        wanted = np.asarray(wanted)
        error = np.linalg.norm(host(result) - wanted) / max(np.linalg.norm(wanted), 1e-30)
        assert error <= factor * TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_kind_of_instruction(name, dtype, rng):
    function = compile_program(trace(PROGRAMS[name], (Port("x", (12,)),), name))
    x = rng.uniform(-1.0, 1.0, (100, 12)).astype(dtype)
    ours = function(cupy.asarray(x))
    agree(ours, function(x.astype(np.float64)), dtype, 10.0)


ROBOTS = {"icub": "l_sole", "panda": "panda_hand", "nine_joint_tree": None}
QUANTITIES = [
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix", "bias", "gravity", "com",
    "coriolis_matrix", "centroidal_momentum_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
    "regressor", "kinetic_energy",
]  # fmt: skip


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("name", ROBOTS)
def test_quantities_of_robots(name, quantity, dtype, rng):
    robot = fb.load(name)
    function = robot.function(quantity)
    q, v = robot.random(rng, n=70)
    values = {"q": q, "v": v, "a": rng.standard_normal(v.shape), "tau": rng.standard_normal(v.shape)}
    arrays = [values[port.name].astype(dtype) for port in function.signature.inputs]
    factor = 1e3 if "forward" in quantity or "inverse_mass" in quantity else 10.0
    agree(function(*map(cupy.asarray, arrays)), function(*(x.astype(np.float64) for x in arrays)), dtype, factor)


@pytest.mark.parametrize("name", ["icub", "panda"])
def test_numbers_may_be_computed_in_another_type(name, rng):
    robot = fb.load(name)
    function = robot.function(["forward_dynamics", "com"], arithmetic="float64")
    q, v = robot.random(rng, n=70)
    arrays = [array.astype(np.float32) for array in (q, v, rng.standard_normal(v.shape))]
    ours = function(*map(cupy.asarray, arrays))
    assert all(result.dtype == np.float32 for result in ours)
    for result, wanted in zip(ours, function(*(array.astype(float) for array in arrays)), strict=True):
        np.testing.assert_allclose(result.get(), wanted.astype(np.float32), rtol=3e-7, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_outputs_of_different_widths_do_not_meet(dtype, rng):
    """Warps of a block that write different outputs at a time have shared memory of their own."""

    def outputs(x):
        powers = np.cumsum(np.sin(x) ** 2) + 1.0
        return powers, np.sqrt(powers[:20]), x[:9] * 2.0, np.cos(powers[::3]), x[:38] + powers[:38]

    function = compile_program(trace(outputs, (Port("x", (39,)),), "widths"))
    x = rng.uniform(-1.0, 1.0, (300_000, 39)).astype(dtype)
    expected = function(x.astype(np.float64))
    for rows in (100, 3000, 40_000, 300_000, 300_000):
        for result, wanted in zip(function(cupy.asarray(x[:rows])), expected, strict=True):
            np.testing.assert_allclose(result.get(), wanted[:rows], rtol=100 * TOLERANCE[dtype], atol=1e-5)


def test_further_calls_take_the_short_way(rng, monkeypatch):
    robot = fb.load("panda")
    q, v = robot.random(rng, n=70)
    first = robot.inverse_dynamics(cupy.asarray(q), cupy.asarray(v), cupy.asarray(v))
    out = cupy.empty_like(first)

    def refused(*_):
        raise AssertionError("a call went through Python")

    monkeypatch.setattr(DeviceFunction, "call", refused)
    stream = cupy.cuda.Stream()
    with stream:
        again = robot.inverse_dynamics(cupy.asarray(q), cupy.asarray(v), cupy.asarray(v))
    np.testing.assert_array_equal(again.get(), first.get())
    assert robot.inverse_dynamics(cupy.asarray(q), cupy.asarray(v), cupy.asarray(v), out=out) is out
    np.testing.assert_array_equal(out.get(), first.get())
    with pytest.raises(AssertionError, match="Python"):
        robot.inverse_dynamics(cupy.asarray(q[:5]), cupy.asarray(v[:5]), cupy.asarray(v[:5]))


def test_results_are_of_the_callers_library(rng):
    robot = fb.load("panda")
    q, _ = robot.random(rng, n=5)
    expected = robot.com(q)
    torch = pytest.importorskip("torch")
    result = robot.com(torch.as_tensor(q, device="cuda"))
    assert isinstance(result, torch.Tensor) and result.is_cuda
    np.testing.assert_allclose(result.cpu().numpy(), expected, rtol=1e-12)
    jax = pytest.importorskip("jax")
    array = jax.device_put(q.astype(np.float32))
    result = robot.com(array)
    assert isinstance(result, jax.Array) and result.devices() == array.devices()
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5)


def test_streams_kernels_and_wrenches(rng):
    robot = fb.load("icub")
    q, v = robot.random(rng, n=33)
    a = rng.standard_normal(v.shape)
    on = {name: cupy.asarray(value) for name, value in {"q": q, "v": v, "a": a}.items()}
    with cupy.cuda.Stream(non_blocking=True), fb.gpu.deferred():
        force = robot.inverse_dynamics(*on.values(), wrenches={"l_sole": cupy.ones(6)})
        total = float(force.sum())
    assert total == pytest.approx(robot.inverse_dynamics(q, v, a, wrenches={"l_sole": np.ones(6)}).sum(), rel=1e-11)

    @fb.kernel
    def height(robot, q):
        return robot.pose(q, "l_sole")[2, 3]

    agree(height(robot, on["q"]), height(robot, q), "float64")
    agree(robot.integrate(on["q"], on["v"], 0.1), robot.integrate(q, v, 0.1), "float64")


def test_bad_states_are_found(rng):
    robot = fb.load("icub")
    q, v = robot.random(rng, n=3000)
    q[1234, 3:7] *= 1.01
    with pytest.raises(StateError, match=r"unit length.*row 1234"):
        robot.bias(cupy.asarray(q), cupy.asarray(v))
    v[77, 3] = np.inf
    with pytest.raises(StateError, match=r"v\[3\] is inf in row 77"):
        robot.bias(cupy.asarray(q), cupy.asarray(v))
