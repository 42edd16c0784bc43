r"""How the state after a period changes with the state before it, the command and the parameters of laws.

Changes of states are $z = (\delta, \epsilon, \mu)$: of the configuration, as the velocity (in the robot's
representation) that makes it in unit time, of the velocity and of the memory. With those of the command $w$ and of the
laws' parameters $p$,

$$ z^+ = A z + B w + P p . $$

They are exact wherever laws are smooth; where a law switches (touch-down, sticking and slipping) they are those of the
branch that was taken. For steps of first order they are put together from the derivatives of the dynamics
(`floatbase.simulation.first_order`), whatever the size of the robot. Other methods and constraints are differentiated
as programs, which takes the compiler seconds for ten joints and minutes for forty. Components of a configuration,
quaternions among them, change by $N(q)\, \delta$, and back by a left inverse of $N(q^+)$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.configuration import turning_velocities
from floatbase.compiler.differentiate import jacobian
from floatbase.compiler.function import Function
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.simulation.first_order import first_order_sensitivities
from floatbase.simulation.programs import INPUTS, compiled, input_sizes, ports_of
from floatbase.simulation.representation import from_mixed, into_mixed
from floatbase.simulation.simulator import Simulator, State
from floatbase.simulation.step import Stepper
from floatbase.spatial.arrays import Array, zeros
from floatbase.spatial.rotations import rotation_from_quaternion
from floatbase.spatial.skew import hat


class StateSensitivities(NamedTuple):
    """Derivatives of the state after a period: `by_state` (..., m, m), `by_command` and `by_parameters` (..., m, n).

    m is 2 nv and the size of the memory.
    """

    by_state: Array
    by_command: Array
    by_parameters: Array


def sensitivities(
    simulator: Simulator, state: State, command: Any = None, pushes: Any = None, *, threads: int | None = None
) -> StateSensitivities:
    """What the next state of `simulator.step(state, command, pushes)` changes with."""
    if simulator.physics.hard:
        raise ArgumentError("sensitivities: hard contacts are not smooth; take a soft law of contact")
    if simulator.substeps == 1 or not _is_first_order(simulator):
        function = _function_of(simulator)
        result: StateSensitivities = function(*simulator.arrays(state, command, pushes), threads=threads)
        return result
    one = simulator.__dict__.get("_one_step")
    if one is None:
        one = simulator.with_settings(dt=simulator.dt / simulator.substeps, substeps=1)
        simulator.__dict__["_one_step"] = one
    found = sensitivities(one, state, command, pushes, threads=threads)
    for _ in range(simulator.substeps - 1):
        state = one.step(state, command, pushes, threads=threads)
        A, B, P = sensitivities(one, state, command, pushes, threads=threads)
        found = StateSensitivities(A @ found.by_state, A @ found.by_command + B, A @ found.by_parameters + P)
    return found


def _is_first_order(simulator: Simulator) -> bool:
    """Whether the derivatives of a step are put together from those of the dynamics, which takes little code."""
    return simulator.method in ("semi-implicit", "stiff", "explicit") and not simulator.constraints


def _function_of(simulator: Simulator) -> Function:
    found: Function | None = simulator.__dict__.get("_sensitivities")
    if found is None:
        found = simulator.__dict__["_sensitivities"] = _make(simulator)
    return found


def _make(simulator: Simulator) -> Function:
    stepper, physics, tree = simulator.stepper, simulator.physics, simulator.robot.tree
    with_inertial = simulator.inertial is not None
    ports = ports_of(input_sizes(physics, with_inertial))
    derive = _of_first_order if _is_first_order(simulator) else _of_program

    def derivatives(*arrays: Any) -> tuple[Array, Array, Array]:
        given = dict(zip((port.name for port in ports), arrays, strict=True))
        inputs = {name: given.get(name, zeros((0,), given["q"])) for name in INPUTS}
        if not with_inertial:
            inputs["inertial"] = None
        rows = derive(stepper, tree, inputs)
        ends = np.cumsum([2 * tree.nv + physics.memory_size, physics.command_size])
        by_state, by_command, by_parameters = np.split(rows, ends, axis=-1)
        return by_state, by_command, by_parameters

    settings = (stepper.method, stepper.substeps, stepper.form, stepper.projections, with_inertial)
    return compiled("sensitivities", physics, settings, ports, derivatives, lambda parts: StateSensitivities(*parts))


def _of_program(stepper: Stepper, tree: Tree, inputs: dict[str, Any]) -> Array:
    """The derivative of the program itself: any method."""
    after = stepper(**inputs)
    before: list[Any] = [inputs[name] for name in ("q", "v", "memory", "command", "parameters")]
    J = jacobian(np.concatenate([after.q, after.v, after.memory]), np.concatenate(before))
    rows = np.concatenate([velocity_of_change(tree, after.q) @ J[: tree.nq], J[tree.nq :]])
    return np.concatenate([rows[:, : tree.nq] @ change_of_velocity(tree, inputs["q"]), rows[:, tree.nq :]], axis=-1)


def _of_first_order(stepper: Stepper, tree: Tree, inputs: dict[str, Any]) -> Array:
    """From the derivatives of the dynamics, in mixed representation, and then in that of the robot."""
    q, v, form, n = inputs["q"], inputs["v"], stepper.form, tree.nv
    mixed = into_mixed(form, tree.floating, q, v)
    h = np.asanyarray(inputs["dt"])[..., None]
    q_end, v_end, rows = first_order_sensitivities(stepper.physics, stepper.method, q, mixed, inputs, h)
    if form == "mixed" or not tree.floating:
        return rows
    own = stepper.physics.tree
    N, N_end = change_of_velocity(tree, q), change_of_velocity(own, q_end)
    by_q, by_v = jacobian(mixed, q) @ N, jacobian(mixed, v)
    turned = velocity_of_change(own, q) @ N
    before = np.concatenate([rows[:, :n] @ turned + rows[:, n : 2 * n] @ by_q, rows[:, n : 2 * n] @ by_v], axis=-1)
    rows = np.concatenate([before, rows[:, 2 * n :]], axis=-1)
    back = jacobian(from_mixed(form, tree.floating, q_end, v_end), np.concatenate([q_end, v_end]))
    change_q = velocity_of_change(tree, q_end) @ N_end @ rows[:n]
    change_v = back[:, : tree.nq] @ N_end @ rows[:n] + back[:, tree.nq :] @ rows[n : 2 * n]
    return np.concatenate([change_q, change_v, rows[2 * n :]])


def change_of_velocity(tree: Tree, q: Array) -> Array:
    """`N` (nq, nv): the components of a configuration change by `N` times the velocity that changes it."""
    result = zeros((tree.nq, tree.nv), q)
    for at, to, kind in _blocks(tree):
        if kind == "one":
            result[..., at, to] = 1.0
            continue
        place, turn = at, to
        if kind != "spherical":
            place, turn = at + 3, to + 3
            _position(result, q, at, to, kind, inverse=False)
        w, x, y, z = (0.5 * q[..., place + k] for k in range(4))
        fixed = kind in ("mixed", "inertial")
        result[..., place, turn : turn + 3] = np.stack([-x, -y, -z], axis=-1)
        a = -1.0 if fixed else 1.0  # quaternion of the turn from the left, or from the right
        block = [[w, -a * z, a * y], [a * z, w, -a * x], [-a * y, a * x, w]]
        for i, row in enumerate(block):
            for j, entry in enumerate(row):
                result[..., place + 1 + i, turn + j] = entry
    return result


def velocity_of_change(tree: Tree, q: Array) -> Array:
    """A left inverse (nv, nq) of `change_of_velocity`."""
    N = change_of_velocity(tree, q)
    result = zeros((tree.nv, tree.nq), q)
    for at, to, kind in _blocks(tree):
        if kind == "one":
            result[..., to, at] = 1.0
            continue
        place, turn = (at, to) if kind == "spherical" else (at + 3, to + 3)
        turning = 4.0 * np.swapaxes(N[..., place : place + 4, turn : turn + 3], -1, -2)
        result[..., turn : turn + 3, place : place + 4] = turning
        if kind != "spherical":
            _position(result, q, at, to, kind, inverse=True)
        if kind == "inertial":
            result[..., to : to + 3, place : place + 4] = hat(q[..., at : at + 3]) @ turning
    return result


def _position(result: Array, q: Array, at: int, to: int, kind: str, *, inverse: bool) -> None:
    """The part of a pose's position."""
    if kind == "body":
        R = rotation_from_quaternion(q[..., at + 3 : at + 7])
    else:
        R = zeros((3, 3), q)
        R[..., :, :] = np.eye(3)
    if inverse:
        result[..., to : to + 3, at : at + 3] = np.swapaxes(R, -1, -2)
        return
    result[..., at : at + 3, to : to + 3] = R
    if kind == "inertial":
        result[..., at : at + 3, to + 3 : to + 6] = -hat(q[..., at : at + 3])


def _blocks(tree: Tree) -> list[tuple[int, int, str]]:
    """Where coordinates and velocities begin that belong together, and of what kind they are."""
    found: list[tuple[int, int, str]] = []
    turning = {place.start: place for place in turning_velocities(tree)}
    at = to = 0
    if tree.floating:
        found.append((0, 0, tree.representation))
        at, to = 7, 6
    while to < tree.nv:
        place = turning.get(to)
        if place is None:
            found.append((at, to, "one"))
            at, to = at + 1, to + 1
        else:
            size = place.stop - place.start
            found.append((at, to, "spherical" if size == 3 else "body"))
            at, to = at + size + 1, to + size
    return found
