"""Errors for motions that cannot go on: when, in which row, and at which joint or contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.compiler.gpu.libraries import on_device
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.program import Program
from floatbase.errors import FloatbaseError, SimulationError, StateError
from floatbase.simulation.integration.methods import NO_SOLUTION
from floatbase.simulation.physics import Physics
from floatbase.simulation.step import DIVERGES, FASTEST, LOST

ADVICE = "a shorter dt or more substeps may help, and for stiff contacts or joints method='stiff'"


def explained(
    error: StateError, physics: Physics, program: Program, outputs: Sequence[str], arrays: Sequence[Any], time: float
) -> FloatbaseError:
    """The error to raise for what a period, from a time on, has refused; arrays: those it was called with."""
    message = str(error)
    for consequence in (f"; {LOST}", f"; {DIVERGES}"):  # of what is said before
        message = message.replace(consequence, "")
    if not any(part in message for part in (DIVERGES, NO_SOLUTION, LOST)):
        return StateError(f"{message}, at t = {time:.6g} s")
    place = "" if on_device(arrays) or DIVERGES not in message else _place(physics, program, outputs, arrays)
    return SimulationError(f"{message}, in the period from t = {time:.6g} s{place}; {ADVICE}")


def _place(physics: Physics, program: Program, outputs: Sequence[str], arrays: Sequence[Any]) -> str:
    """Which velocity is out of bounds in the first row where one is, and which contact exerts most."""
    arrays = [np.asarray(array, dtype=float) for array in arrays]
    batch = np.broadcast_shapes(
        *(array.shape[: array.ndim - len(port.shape)] for array, port in zip(arrays, program.inputs, strict=True))
    )
    with np.errstate(all="ignore"):
        rows = [
            np.broadcast_to(array, (*batch, *port.shape)).reshape(-1, *port.shape)
            for array, port in zip(arrays, program.inputs, strict=True)
        ]
        results = interpret(program, *rows)
        found = dict(zip(outputs, results, strict=True))
        v = np.abs(found["v"])
        bad = ~(np.max(v, axis=-1) < FASTEST)
    if not bad.any():
        return ""
    row = int(np.argmax(bad))
    speeds = np.where(np.isfinite(v[row]), v[row], np.inf)
    place = f": {physics.tree.velocity_names[int(np.argmax(speeds))]!r} would move at {np.max(speeds):.3g}"
    if physics.frames:
        wrenches = np.abs(found["wrenches"][row].reshape(-1, 6))
        sizes = np.max(np.where(np.isfinite(wrenches), wrenches, np.inf), axis=-1)
        place += f", and the contact at {physics.frames[int(np.argmax(sizes))]!r} exerts {np.max(sizes):.3g}"
    return place
