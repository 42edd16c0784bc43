"""What `conservation` computes: errors of steps of several lengths, drifts over long times, balances of energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.loading import load
from floatbase.model import Frame, Inertia, Link, Model
from floatbase.robot import Robot
from floatbase.simulation.adaptive import flow
from floatbase.simulation.contacts import SpringDamperContact, box_corners
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator, State
from floatbase.spatial.arrays import Array

ROBOT = "quadrotor_with_arm"
PENDULUMS = {"pendulum": [1.2], "planar_double_pendulum": [0.8, 0.4]}  # and where they are let go
FLIGHT = 0.4  # s
BOX, LANDING = 33.0, 0.25  # kg, s


def convergence(method: str, counts: Sequence[int], seed: int) -> Mapping[str, Any]:
    """Errors, drift of energy and of the momentum about the centre of mass of a robot that flies, by step length."""
    robot = Robot(load(ROBOT).model, gravity=(0.0, 0.0, 0.0))
    start = Simulator(robot).init(*robot.random(seed))
    exact = flow(Simulator(robot), None, start, FLIGHT, rtol=3e-14, atol=1e-14).state
    before, scale = robot.centroidal_momentum(start.q, start.v), float(robot.kinetic_energy(start.q, start.v))
    errors, energies, momenta = [], [], []
    for count in counts:
        end = _last(Simulator(robot, method=method, dt=FLIGHT / count), start, count)
        errors.append(np.linalg.norm(np.concatenate([robot.difference(exact.q, end.q), end.v - exact.v])))
        energies.append(abs(float(robot.kinetic_energy(end.q, end.v)) / scale - 1.0))
        change = robot.centroidal_momentum(end.q, end.v) - before
        momenta.append(np.linalg.norm(change) / np.linalg.norm(before))
    return {"error": np.array(errors), "energy": np.array(energies), "momentum": np.array(momenta)}


def drift(name: str, method: str, dt: float, duration: float, every: int) -> Mapping[str, Any]:
    """The energy of a pendulum over a long time, relative to what it would take to turn it upside down."""
    robot = load(name)
    simulator = Simulator(robot, method=method, dt=dt * every, substeps=every)
    found = simulate(simulator, None, np.array(PENDULUMS[name]), duration)
    energy = robot.kinetic_energy(found["q"], found["v"]) + robot.potential_energy(found["q"])
    lift = robot.potential_energy(np.eye(robot.nq)[0] * np.pi) - robot.potential_energy(np.zeros(robot.nq))
    return {"time": found.time, "energy": (energy - energy[0]) / lift}


def landing(method: str, counts: Sequence[int]) -> Mapping[str, Any]:
    """What is missing in the balance of energy and work of a box that lands and slides, by step length."""
    robot = box()
    law = SpringDamperContact(points=box_corners(0.2, 0.2), stiffness=2e4, damping=300.0, friction=0.5, slip_speed=0.05)
    simulator = Simulator(robot, {"base": law}, method=method)
    start = simulator.init([0.0, 0.0, 0.002, 1.0, 0.0, 0.0, 0.0], [0.8, 0.3, -0.3, 0.2, 0.1, 0.5])
    missing, work = [], 0.0
    for count in counts:
        steps = simulator.with_settings(dt=LANDING, substeps=int(count))
        end = steps.step(start)
        work = float(end.work[0])
        gained = _energy(robot, end) - _energy(robot, start)
        missing.append(abs(gained - work) / abs(work))
    exact = flow(simulator, None, start, LANDING, rtol=1e-10, atol=1e-12)
    gained = _energy(robot, exact.state) - _energy(robot, start)
    followed = abs(gained - float(exact.state.work[0])) / abs(float(exact.state.work[0]))
    return {"missing": np.array(missing), "work": work, "followed": followed}


def box() -> Robot:
    """A box whose underside has the frame "base"."""
    inertia = Inertia(BOX, np.array([0.0, 0.0, 0.1]), np.diag([0.8, 0.8, 0.8]))
    return Robot(Model("box", (Link("box", inertia),), (), (Frame("base", "box", np.eye(4)),), root="box"))


def _last(simulator: Simulator, state: State, count: int) -> State:
    for _ in range(count):
        state = simulator.step(state)
    return state


def _energy(robot: Robot, state: State) -> float:
    q, v = np.asarray(state.q), np.asarray(state.v)
    return float(robot.kinetic_energy(q, v) + robot.potential_energy(q))


def order(lengths: Array, errors: Array, floor: float = 1e-11) -> float:
    """The slope of errors over lengths of steps, on logarithmic axes, above what rounding leaves."""
    kept = errors > floor
    return float(np.polyfit(np.log(lengths[kept]), np.log(errors[kept]), 1)[0])
