"""Simulators: orders of methods, conservation, batches, parameters of rows, and bad input."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tests.simulation.blocks import ball, block

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError, SimulationError, StateError, UnknownNameError
from floatbase.simulation.contacts import SpringDamperContact
from floatbase.simulation.integration import METHODS
from floatbase.simulation.joints import LuGreFriction, PositionDrive, ViscousCoulombFriction
from floatbase.simulation.simulator import Simulator, State

AT_REST = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
ORDERS = {"semi-implicit": 1, "stiff": 1, "explicit": 1, "rk2": 2, "midpoint": 2, "rk4": 4}


@pytest.fixture(scope="module")
def flying() -> fb.Robot:
    return fb.load("quadrotor_with_arm")


def run(simulator: Simulator, state: State, count: int) -> State:
    for _ in range(count):
        state = simulator.step(state)
    return state


def energy(robot: fb.Robot, state: State) -> float:
    return float(robot.kinetic_energy(state.q, state.v) + robot.potential_energy(state.q))


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
@pytest.mark.parametrize("method", METHODS)
def test_methods_converge_with_their_order(flying: fb.Robot, method: str, representation: str) -> None:
    robot = flying.with_representation(representation)
    q, v = robot.random(1)
    fine = Simulator(robot, method="rk4", dt=0.2 / 400)
    exact = run(fine, fine.init(q, v), 400)
    errors = []
    for count in (20, 40):
        simulator = Simulator(robot, method=method, dt=0.2 / count)
        state = run(simulator, simulator.init(q, v), count)
        errors.append(np.linalg.norm(np.r_[robot.difference(exact.q, state.q), state.v - exact.v]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[method], abs=0.3)


def test_free_flight_conserves_momentum(flying: fb.Robot) -> None:
    """Without gravity; the angular momentum is about the centre of mass."""
    robot = fb.Robot(flying.model, gravity=(0.0, 0.0, 0.0))
    simulator = Simulator(robot, method="rk4", dt=1e-4)
    state = simulator.init(*robot.random(2))
    before = robot.centroidal_momentum(state.q, state.v)
    after = run(simulator, state, 2000)
    change = robot.centroidal_momentum(after.q, after.v) - before
    assert np.linalg.norm(change) < 1e-12 * np.linalg.norm(before)
    assert abs(energy(robot, after) - energy(robot, state)) < 1e-11 * energy(robot, state)


def test_symplectic_methods_keep_the_energy_of_a_pendulum_within_bounds() -> None:
    robot = fb.load("pendulum")
    drift = {}
    for method in ("semi-implicit", "midpoint", "explicit"):
        simulator = Simulator(robot, method=method, dt=1.0, substeps=100)
        state = simulator.init([1.0])
        energies = [energy(robot, state)]
        for _ in range(100):  # 100 s
            state = simulator.step(state)
            energies.append(energy(robot, state))
        drift[method] = np.ptp(energies)
    assert drift["midpoint"] < 1e-4
    assert drift["semi-implicit"] < 0.1
    assert drift["explicit"] > 1.0


def test_the_midpoint_undoes_itself(flying: fb.Robot) -> None:
    simulator = Simulator(flying, method="midpoint", dt=5e-3)
    state = simulator.init(*flying.random(3))
    there = run(simulator, state, 20)
    back = run(simulator, there._replace(v=-there.v), 20)
    np.testing.assert_allclose(flying.difference(state.q, back.q), 0.0, atol=1e-9)
    assert float(there.residual[0]) < 1e-12


def test_substeps_are_steps() -> None:
    law = SpringDamperContact()
    together = Simulator(ball(), {"ball": law}, dt=1e-3, substeps=5)
    alone = Simulator(ball(), {"ball": law}, dt=2e-4)
    q, v = [0.0, 0.0, -0.001, 1.0, 0.0, 0.0, 0.0], np.array([0.1, 0.0, 0.0, 0.0, 0.0, 2.0])
    one, five = together.step(together.init(q, v)), run(alone, alone.init(q, v), 5)
    np.testing.assert_allclose(one.q, five.q, rtol=1e-14)
    np.testing.assert_allclose(one.v, five.v, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("method", ["stiff", "semi-implicit", "midpoint"])
def test_rows_of_a_batch_are_single_states_bit_for_bit(method: str) -> None:
    robot = fb.load("panda")
    law = SpringDamperContact(stiffness=np.linspace(1e4, 2e4, 11), damping=10.0)
    friction = ViscousCoulombFriction(viscous=np.linspace(0.1, 1.0, 11)[:, None], coulomb=0.2, width=0.01)
    inertial = robot.inertial_parameters * np.linspace(0.9, 1.1, 11)[:, None]
    simulator = Simulator(robot, {"panda_hand": law}, joints=friction, method=method, inertial=inertial)
    q, v = robot.random(0, n=11)
    command = np.random.default_rng(0).standard_normal((11, robot.nv))
    state = simulator.init(q, v)
    for _ in range(3):
        state = simulator.step(state, command)
    for row in (0, 7, 10):
        alone = simulator.with_settings(
            contacts={"panda_hand": replace(law, stiffness=float(law.stiffness[row]))},
            joints=replace(friction, viscous=friction.viscous[row]),
            inertial=inertial[row],
        )
        single = alone.init(q[row], v[row])
        for _ in range(3):
            single = alone.step(single, command[row])
        for name in ("q", "v", "memory", "wrenches", "torques", "work"):
            np.testing.assert_array_equal(getattr(state, name)[row], getattr(single, name))


def test_float32_and_out() -> None:
    simulator = Simulator(fb.load("panda"), method="semi-implicit")
    q, v = simulator.robot.random(0, n=5)
    state = simulator.init(q.astype(np.float32), v.astype(np.float32))
    after = simulator.step(state)
    assert after.q.dtype == after.v.dtype == np.float32
    target = simulator.step(simulator.init(q, v))
    again = simulator.step(simulator.init(q, v), out=target)
    assert again.q is target.q
    with pytest.raises(ArgumentError, match="a state that `step` gave"):
        simulator.step(target, out=simulator.init(q, v))
    np.testing.assert_allclose(after.q, again.q, rtol=1e-5, atol=1e-6)
    assert simulator.step(after, np.ones(8)).q.dtype == np.float32


def test_drives_obey_positions_and_others_torques() -> None:
    robot = fb.load("panda")
    drive = PositionDrive(2000.0, 100.0)
    simulator = Simulator(robot, joints={tuple(robot.joint_names[:7]): drive}, method="stiff")
    state = simulator.init(robot.neutral())
    command = simulator.rest(state)
    assert simulator.command_size == robot.nv + 14
    np.testing.assert_allclose(command[:7], robot.neutral()[:7])
    command[0] += 0.2
    for _ in range(2000):
        state = simulator.step(state, command)
    assert state.q[0] == pytest.approx(command[0], abs=1e-2)


def test_pushes_are_wrenches_in_the_axes_of_the_world() -> None:
    robot = block()
    simulator = Simulator(robot, pushes=("left",), dt=1e-3)
    state = simulator.step(simulator.init(AT_REST), None, [0.0, 0.0, 33.0 * 9.81 + 33.0, 0.0, 0.0, 0.0])
    expected = robot.forward_dynamics(
        np.array(AT_REST), np.zeros(6), np.zeros(6), {"left": np.array([0, 0, 33.0 * 9.81 + 33.0, 0, 0, 0])}
    )
    np.testing.assert_allclose(state.v, 1e-3 * expected, rtol=1e-12, atol=1e-15)
    assert state.work[2] > 0.0


def test_motions_that_diverge_are_errors_with_time_and_place() -> None:
    robot = fb.load("panda")
    law = SpringDamperContact()
    friction = ViscousCoulombFriction(viscous=np.array([[1.0], [1e5], [1.0]]), coulomb=0.0)
    simulator = Simulator(robot, {"panda_hand": law}, joints=friction, dt=1e-2)
    state = simulator.init(np.tile(robot.neutral(), (3, 1)))
    place = r"diverges \(row 1\), in the period from t = 0\.\d+ s: 'panda_joint\d'.*stiff"
    with pytest.raises(SimulationError, match=place):
        for _ in range(50):
            state = simulator.step(state)
    steady = Simulator(robot, {"panda_hand": law}, joints=friction, dt=1e-2, method="stiff")
    state = steady.init(np.tile(robot.neutral(), (3, 1)))
    for _ in range(50):
        state = steady.step(state)
    assert np.isfinite(state.v).all()


def test_steps_that_have_no_solution_are_errors() -> None:
    robot = fb.load("planar_double_pendulum")
    simulator = Simulator(robot, method="midpoint", dt=2.0)
    with pytest.raises(SimulationError, match=r"does not converge.*t = 0 s"):
        simulator.step(simulator.init([1.0, 1.0], [30.0, -20.0]))


def test_bad_input() -> None:
    robot = block()
    law = SpringDamperContact()
    with pytest.raises(UnknownNameError, match="lefd"):
        Simulator(robot, {"lefd": law})
    with pytest.raises(ArgumentError, match="ContactLaw"):
        Simulator(robot, {"left": 3.0})
    with pytest.raises(ArgumentError, match="rk4"):
        Simulator(robot, method="rk5")
    with pytest.raises(ArgumentError, match="dt is 0"):
        Simulator(robot, dt=0.0)
    with pytest.raises(ArgumentError, match="substeps"):
        Simulator(robot, substeps=0)
    with pytest.raises(ArgumentError, match="Robot"):
        Simulator("icub")
    with pytest.raises(ArgumentError, match=r"law of joints|no joint"):
        Simulator(robot, joints=ViscousCoulombFriction(1.0, 0.0))
    panda = fb.load("panda")
    with pytest.raises(ArgumentError, match="two laws"):
        friction = ViscousCoulombFriction(1.0, 0.0)
        name = panda.joint_names[0]
        Simulator(panda, joints={name: friction, (name,): friction})
    with pytest.raises(ArgumentError, match="has 3 numbers for 2 joints"):
        Simulator(panda, joints={panda.joint_names[:2]: ViscousCoulombFriction(np.ones(3), 0.0)})
    simulator = Simulator(panda)
    state = simulator.init(panda.neutral())
    with pytest.raises(StateError, match=r"'command' must be finite.*t = 0 s"):
        simulator.step(state, np.full(simulator.command_size, np.nan))
    with pytest.raises(ShapeError):
        simulator.step(state, np.zeros(3))
    with pytest.raises(ArgumentError, match="pushes"):
        simulator.step(state, None, np.zeros(6))


def test_states_are_checked_where_they_begin(flying: fb.Robot) -> None:
    simulator = Simulator(flying)
    q, batch = flying.neutral(), np.tile(flying.neutral(), (3, 1))
    with pytest.raises(ShapeError, match=r"q has shape \(3,\); it must be \(..., 9\)"):
        simulator.init(q[:3])
    with pytest.raises(ShapeError, match=r"v has shape \(2,\)"):
        simulator.init(q, np.zeros(2))
    with pytest.raises(ShapeError, match=r"q \(3,\), v \(2,\)"):
        simulator.init(batch, np.zeros((2, flying.nv)))
    with pytest.raises(StateError, match="'q' must be finite"):
        simulator.init(np.nan * q)
    with pytest.raises(StateError, match="'v' must be finite"):
        simulator.init(q, np.full(flying.nv, np.inf))
    with pytest.raises(StateError, match="unit length"):
        simulator.init(0.0 * q)
    for wrong in ("up", q + 0j):
        with pytest.raises(ArgumentError, match="real numbers"):
            simulator.init(wrong)
    with pytest.raises(ArgumentError, match="time is nan"):
        simulator.init(q, time=np.nan)
    with pytest.raises(ArgumentError, match="must be a State"):
        simulator.step(q)


def test_settings_are_checked(flying: fb.Robot) -> None:
    law = SpringDamperContact()
    assert Simulator(flying, dt=np.float32(0.5), substeps=np.int64(2)).substeps == 2
    with pytest.raises(ArgumentError, match="dt is True"):
        Simulator(flying, dt=True)
    with pytest.raises(ArgumentError, match="mapping of frames"):
        Simulator(flying, [law])
    with pytest.raises(ArgumentError, match=r"tuple of frames, such as \('tool',\)"):
        Simulator(flying, pushes="tool")
    with pytest.raises(ArgumentError, match="no constraints to hold"):
        Simulator(flying, baumgarte=(10.0, 10.0))
    with pytest.raises(ShapeError, match=r"inertial has shape \(5,\); it must be \(..., 30\)"):
        Simulator(flying, inertial=np.ones(5))
    with pytest.raises(ArgumentError, match="inertial is 'heavy'"):
        Simulator(flying, inertial="heavy")
    rows = flying.inertial_parameters * np.ones((3, 1))
    differing = Simulator(flying, {"tool": replace(law, stiffness=np.full(2, 1e4))}, inertial=list(rows))
    with pytest.raises(ShapeError, match=r"parameters \(2,\), inertial \(3,\)"):
        differing.init(flying.neutral())
    with pytest.raises(ShapeError, match="parameters do not fit"):
        Simulator(flying, {"tool": replace(law, stiffness=np.full(2, 1e4), damping=np.ones(3))}).init(flying.neutral())
    with pytest.raises(ArgumentError, match="the key 3"):
        Simulator(flying, joints={3: ViscousCoulombFriction(1.0, 0.0)})
    with pytest.raises(ArgumentError, match="a robot without joints"):
        Simulator(ball()).step(Simulator(ball()).init(AT_REST), np.zeros(3))
    heavy = Simulator(flying, inertial=-flying.inertial_parameters)
    with pytest.raises(StateError, match=r"mass matrix is not positive definite.*t = 0 s"):
        heavy.step(heavy.init(flying.neutral()))


def test_motions_are_the_same_bits_whenever_and_by_whomever_they_are_made() -> None:
    robot = fb.load("panda")
    friction = ViscousCoulombFriction(0.1, 0.1, 0.01)
    simulator = Simulator(robot, {"panda_hand": SpringDamperContact()}, joints=friction, method="stiff")
    state = simulator.init(*robot.random(4, n=5))
    ends = [run(each, state, 20) for each in (simulator, simulator, pickle.loads(pickle.dumps(simulator)))]
    ends.append(run(simulator.with_settings(robot=fb.load("panda")), state, 20))
    with ThreadPoolExecutor(2) as pool:
        ends += pool.map(lambda _: run(simulator, state, 20), range(2))
    for end in ends[1:]:
        np.testing.assert_array_equal(end.q, ends[0].q)
        np.testing.assert_array_equal(end.v, ends[0].v)


def test_a_step_in_place_that_fails_leaves_the_state() -> None:
    robot = fb.load("panda")
    friction = ViscousCoulombFriction(viscous=np.array([[1.0], [1e5], [1.0]]), coulomb=0.0)
    laws = {robot.joint_names[:7]: friction, "panda_finger_joint1": LuGreFriction(1.0, 2.0, 0.1, 1e4)}
    simulator = Simulator(robot, joints=laws, dt=1e-2)
    state = simulator.step(simulator.init(np.tile(robot.neutral(), (3, 1))))
    with pytest.raises(SimulationError, match="row 1"):
        for _ in range(50):
            before = State(*(np.array(x) if isinstance(x, np.ndarray) else x for x in state))
            state = simulator.step(state, out=state)
    for name in ("q", "v", "memory"):
        np.testing.assert_array_equal(getattr(state, name), getattr(before, name))
