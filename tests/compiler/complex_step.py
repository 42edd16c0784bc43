"""Derivatives of a program by complex step through the interpreter: the oracle of the tests."""

from __future__ import annotations

import numpy as np

from floatbase.compiler import Program, interpret

STEP = 1e-40


def complex_jacobian(program: Program, *inputs: np.ndarray) -> np.ndarray:
    """All outputs against all inputs, both flat: (outputs, inputs)."""
    sizes = [port.size for port in program.inputs]
    flat = np.concatenate([np.reshape(np.asarray(value, dtype=float), -1) for value in inputs])
    moved = flat + 1j * STEP * np.eye(len(flat))  # one state for each direction
    parts = np.split(moved, np.cumsum(sizes)[:-1], axis=1)
    arguments = [part.reshape(len(flat), *port.shape) for part, port in zip(parts, program.inputs, strict=True)]
    outputs = [value.reshape(len(flat), -1) for value in interpret(program, *arguments)]
    return np.concatenate(outputs, axis=1).imag.T / STEP


def whole_jacobian(program: Program, derivative: Program, *inputs: np.ndarray) -> np.ndarray:
    """The outputs of `jacobian_program(program)` as one matrix."""
    values = iter(interpret(derivative, *inputs))
    rows = [[next(values).reshape(out.size, into.size) for into in program.inputs] for out in program.outputs]
    return np.block(rows)
