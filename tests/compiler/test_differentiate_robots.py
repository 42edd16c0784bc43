"""Derivatives at the size of a robot, and derivatives as machine code."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.compiler.complex_step import complex_jacobian, whole_jacobian
from tests.compiler.test_differentiate_blocks import CASES, N

from floatbase.algorithms.inverse_dynamics import inverse_dynamics
from floatbase.compiler import interpret, trace
from floatbase.compiler.casadi import to_casadi
from floatbase.compiler.differentiate import jacobian_program
from floatbase.compiler.function import Function, Signature

COMPILED = ["call twice", "gather below", "scan", "while", "cholesky", "cholesky_solve vector", "constant matrix"]


@pytest.fixture(scope="module")
def dynamics():
    """Inverse dynamics of iCub as a program."""
    from floatbase.model import build_tree, find, load_urdf

    pytest.importorskip("icub_models")
    tree = build_tree(load_urdf(find("icub")))
    ports = {"q": tree.nq, "v": tree.nv, "a": tree.nv}
    return trace(lambda q, v, a: inverse_dynamics(tree, q, v, a), ports, "inverse_dynamics")


@pytest.fixture
def state(dynamics, rng):
    values = [rng.normal(size=port.shape) for port in dynamics.inputs]
    values[0][3:7] /= np.linalg.norm(values[0][3:7])
    return values


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_inverse_dynamics(dynamics, state, mode, capsys):
    start = time.perf_counter()
    derivative = jacobian_program(dynamics, mode=mode)
    seconds = time.perf_counter() - start
    with capsys.disabled():
        print(f"\n{mode}: {dynamics.operation_count} -> {derivative.operation_count} operations in {seconds:.2f} s")
    assert seconds < 5.0
    expected = complex_jacobian(dynamics, *state)
    value = whole_jacobian(dynamics, derivative, *state)
    np.testing.assert_allclose(value, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_sparsity_of_inverse_dynamics(dynamics, state, mode):
    """Patterns of the two modes may differ where terms cancel, but neither may miss an entry."""
    derivative = jacobian_program(dynamics, input=["v", "a"], mode=mode)
    for port, value in zip(derivative.outputs, interpret(derivative, *state), strict=True):
        assert not value[~derivative.sparsity(port.name)].any()
        assert derivative.sparsity(port.name).mean() < 0.8


def test_inverse_dynamics_in_casadi(dynamics, state):
    casadi = pytest.importorskip("casadi")
    function = to_casadi(dynamics)
    value = np.array(function(*map(casadi.DM, state))).ravel()
    np.testing.assert_allclose(value, interpret(dynamics, *state)[0], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", COMPILED)
def test_machine_code(name, rng):
    program = trace(CASES[name], {"x": N})
    derivative = jacobian_program(program, mode="forward")
    function = Function(Signature.of(derivative), lambda: derivative, result=lambda parts: parts)
    x = rng.uniform(0.2, 0.9, size=(11, N))
    for value, expected in zip(function(x), interpret(derivative, x), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-13)
