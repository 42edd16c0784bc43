"""MuJoCo as a plant: states, dynamics, sensors, drives, ground, pushes, and rows that differ, beside our own."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest
from tests.simulation.loop.robots import SOLE, hopper, loop_around, ours, shifted, start, theirs

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import ArgumentError, ShapeError, SimulationError, StateError, UnknownNameError
from floatbase.model import Frame, Geometry, Inertia, Joint, Link, Model
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.grounds import HeightField, Slope, Stairs
from floatbase.simulation.joints import PositionDrive, TorqueDrive, VelocityDrive, ViscousCoulombFriction
from floatbase.simulation.loop import MujocoPlant, Randomisation, SimulatedPlant, Surface, run
from floatbase.simulation.running import simulate
from floatbase.simulation.sensors import ForceTorque, sensors_of
from floatbase.simulation.simulator import Simulator
from floatbase.spatial import rotation_exponential

FEET = {
    "icub": ("l_sole", "r_sole"),
    "talos": ("left_sole_link", "right_sole_link"),
    "anymal_c": ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"),
}


def load(name, **settings) -> fb.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fb.load(name, **settings)


def residual(plant: MujocoPlant, state) -> np.ndarray:
    """What the robot's own equations of motion lack at MuJoCo's acceleration and forces."""
    robot = plant.robot.with_representation("mixed")
    wrenches = dict(zip(plant.touching, state.all_wrenches.reshape(-1, 6), strict=True))
    tau = robot.inverse_dynamics(state.q, state.v, state.acceleration, wrenches)
    tau[6:] -= state.torques
    return tau


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
@pytest.mark.parametrize("base", ["root_link", "l_foot"])
def test_states_are_those_of_mujoco(representation, base, rng):
    robot = load("icub", representation=representation, base=base)
    plant = MujocoPlant(robot)
    q, v = robot.random(rng)
    state = plant.init(q, v)
    measured = plant.measure(state)
    np.testing.assert_allclose(measured["q"], q, atol=1e-14)
    np.testing.assert_allclose(measured["v"], v, atol=1e-12)
    data = plant._workers(())[0]._data
    parts = plant.parts_of_robot
    mixed = robot.with_representation("mixed")
    for frame in ("head", "r_hand", "l_sole", "chest"):
        body_H_frame = parts.tree.frames[frame][1]
        body = data.body(parts.of_frame(frame).name)
        world_H_body = np.eye(4)
        world_H_body[:3, :3], world_H_body[:3, 3] = body.xmat.reshape(3, 3), body.xpos
        np.testing.assert_allclose(world_H_body @ body_H_frame, robot.pose(q, frame), atol=1e-12)
        twist, point = np.zeros(6), (world_H_body @ body_H_frame)[:3, 3]
        mujoco.mj_objectVelocity(plant.model, data, mujoco.mjtObj.mjOBJ_XBODY, body.id, twist, 0)
        linear = twist[3:] + np.cross(twist[:3], point - body.xpos)
        expected = mixed.velocity(q, state.v, frame)
        np.testing.assert_allclose(np.r_[linear, twist[:3]], expected, atol=1e-11)


@pytest.mark.parametrize(("name", "shapes"), [("icub", "all"), ("talos", "primitives"), ("anymal_c", "contacts")])
def test_forces_balance_the_dynamics_of_robots_that_land(name, shapes):
    robot = load(name, free_mimic=True)
    plant = MujocoPlant(robot, FEET[name], shapes=shapes, joints=PositionDrive(300.0, 5.0), tolerance=0.0)
    q = robot.neutral()
    q[2] -= min(robot.pose(q, foot)[2, 3] for foot in FEET[name]) - 0.04
    state = plant.init(q, np.r_[0.1, 0.0, -0.5, 0.1, 0.2, 0.3, np.zeros(robot.nv - 6)])
    command = plant.rest(state)
    for _ in range(120):
        state = plant.step(state, command)
    assert state.all_wrenches[2::6].sum() > 100.0
    assert np.abs(residual(plant, state)).max() < 1e-10 * robot.mass * 9.81


@pytest.mark.parametrize("name", ["human", "talos", "tiago_dual", "panda", "g1", "icub_heidelberg", "hector"])
def test_robots_of_all_kinds_accelerate_alike(name, rng):
    robot = load(name, free_mimic=True)
    q, v = robot.random(rng)
    state = MujocoPlant(robot).init(q, v)
    expected = algorithms.forward_dynamics(robot.tree, q, v, np.zeros(robot.nv))
    np.testing.assert_allclose(state.acceleration, expected, atol=1e-10 * np.abs(expected).max())


def test_sensors_read_what_mujoco_reads_and_balance_the_dynamics():
    robot = load("icub")
    sensors = sensors_of(robot, perfect=True, encoders=False)
    plant = MujocoPlant(robot, FEET["icub"], joints=PositionDrive(300.0, 5.0), sensors=sensors, shapes="all")
    q = robot.neutral()
    q[2] -= robot.pose(q, "l_sole")[2, 3] - 0.01
    state = plant.init(q, np.r_[0.2, 0.1, -0.5, 0.3, 0.2, 0.3, np.zeros(robot.nv - 6)])
    command = plant.rest(state)
    for _ in range(60):
        state = plant.step(state, command)
    assert state.all_wrenches[2::6].max() > 50.0
    suite, sources = plant.suite(sensors, 1e-3)
    measured = plant.measure(state)
    values = np.concatenate(suite.layout.ideal([measured[name] for name in sources if measured[name].size]))
    own = plant.measure(state)["readings"]
    readable = plant.parts_of_robot.readable
    assert sum(isinstance(sensor, ForceTorque) for sensor in readable) == 6 and len(readable) > 40
    place = 0
    for sensor in readable:
        found = suite.pick(values, sensor.name)
        expected = own[place : place + sensor.size]
        place += sensor.size
        np.testing.assert_allclose(found, expected, atol=1e-10 * max(np.abs(own).max(), 1.0), err_msg=sensor.name)


@pytest.mark.parametrize("base", ["trunk", "foot"])
@pytest.mark.parametrize("direction", ["parent_to_child", "child_to_parent"])
def test_force_torque_sensors_have_the_sign_of_their_direction_from_every_base(base, direction):
    sensor = ForceTorque("ft", "ankle", shifted(0.01, 0.02, 0.03), direction)
    plant = MujocoPlant(hopper().with_base(base), sensors=(sensor,))
    q, v = plant.robot.random(3)
    state = plant.step(plant.init(q, v), np.array([3.0, -2.0]))
    suite, sources = plant.suite((sensor,), 1e-3)
    measured = plant.measure(state)
    values = np.concatenate(suite.layout.ideal([measured[name] for name in sources if measured[name].size]))
    np.testing.assert_allclose(values, measured["readings"], atol=1e-11 * max(np.abs(values).max(), 1.0))


def test_readings_of_our_plant_balance_the_dynamics():
    plant = ours()
    state = plant.init(start(0.005), np.r_[0.1, 0.0, -0.3, 0.2, 0.1, 0.0, 0.5, -0.5])
    for _ in range(30):
        state = plant.step(state, np.array([1.0, -0.5]))
    sensors = sensors_of(hopper(), perfect=True, encoders=False)
    suite, sources = plant.suite(sensors, 1e-3)
    measured = plant.measure(state)
    values = np.concatenate(suite.layout.ideal([measured[name] for name in sources if measured[name].size]))
    robot, q, v = hopper(), measured["q"], measured["v"]
    wrench = measured["wrenches"]
    assert wrench[2] > 10.0
    a = robot.forward_dynamics(q, v, np.r_[np.zeros(6), measured["torques"]], {"sole": wrench})
    foot = robot.acceleration(q, v, a, "foot")
    R = robot.pose(q, "foot")[:3, :3]
    omega, m, c = robot.velocity(q, v, "foot")[3:], 0.8, R @ np.array([0.01, 0.0, 0.01])
    p_ddot = foot[:3] + np.cross(foot[3:], c) + np.cross(omega, np.cross(omega, c))
    inertia = R @ (0.02 * m * np.diag([1.0, 1.2, 0.9])) @ R.T
    force = m * (p_ddot + np.array([0.0, 0.0, 9.81])) - wrench[:3]
    arm = c - R @ np.array([0.0, 0.0, 0.02])
    ground = wrench[3:] + np.cross(-R @ np.array([0.0, 0.0, 0.02]), wrench[:3])
    moment = inertia @ foot[3:] + np.cross(omega, inertia @ omega) + np.cross(arm, force + wrench[:3]) - ground
    expected = np.r_[R.T @ force, R.T @ moment]
    np.testing.assert_allclose(suite.pick(values, "ankle_ft"), expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("law", "command"),
    [
        (PositionDrive(200.0, 20.0), lambda t: [0.3 * np.sin(4 * t), -0.2, 1.2 * np.cos(4 * t), 0.1, 2.0, 0.5]),
        (VelocityDrive(20.0), lambda t: [np.cos(4 * t), -0.5, 1.0, 0.5]),
        (TorqueDrive(2.0, 0.1), lambda t: [np.cos(4 * t), -0.5]),
        (None, lambda t: [np.cos(4 * t), -0.5]),
    ],
)
def test_drives_are_commanded_as_those_of_a_simulator(law, command):
    fine = {"joints": law, "dt": 1e-3, "substeps": 10}
    plant = theirs(**fine)
    simulator = Simulator(hopper(), method="semi-implicit", **fine)
    assert plant.command_size == simulator.command_size
    state = plant.init(start(2.0))
    q = []
    for k in range(200):
        state = plant.step(state, np.array(command(1e-3 * k)))
        q.append(state.q)
    found = simulate(simulator, lambda time, _: np.array(command(time)), start(2.0), 0.2)
    assert np.abs(found["q"][-1, 7:]).max() > 0.05
    np.testing.assert_allclose(np.array(q), found["q"][1:], atol=1e-3)
    np.testing.assert_allclose(state.torques, found.state.torques, atol=0.05)


def test_commands_that_ask_for_nothing_hold_drives_where_they_are():
    plant = theirs(joints={("hip",): PositionDrive(500.0, 5.0)})
    state = plant.init(start(1.0) + np.r_[np.zeros(7), 0.3, -0.2])
    np.testing.assert_allclose(plant.rest(state), [0.3, 0.0, 0.0, 0.0])
    assert plant.command_size == 4


def test_a_robot_stands_on_slopes_and_terrain():
    x = np.linspace(-1.0, 1.0, 81)
    terrain = HeightField.of_function(lambda x, y: 0.3 + 0.2 * x - 0.1 * y, x, x[::2])
    slope = Slope(0.2, direction=0.5, level=0.1)
    for ground in (terrain, slope):
        plant = MujocoPlant(_box(), ["box"], ground=ground, surface=Surface(friction=1.0))
        place = np.array([0.3, -0.2, float(ground.height(0.3, -0.2))])
        normal = np.asarray(ground.normal(0.3, -0.2), dtype=float)
        turn = np.cross([0.0, 0.0, 1.0], normal)
        R = rotation_exponential(turn / np.linalg.norm(turn) * np.arcsin(np.linalg.norm(turn)))
        q = np.r_[place + 0.051 * normal, fb.spatial.quaternion_from_rotation(R)]
        state = plant.init(q)
        for _ in range(1500):
            state = plant.step(state)
        np.testing.assert_allclose(state.q[:3], place + 0.05 * normal, atol=2e-3)
        np.testing.assert_allclose(state.all_wrenches[:3], [0.0, 0.0, 2.0 * 9.81], atol=0.1)


def _box() -> fb.Robot:
    box = Geometry("box", (0.2, 0.2, 0.1), np.eye(4))
    link = Link("box", Inertia(2.0, np.zeros(3), 0.01 * np.eye(3)), collisions=(box,))
    return fb.Robot(Model("box", (link,), (), (Frame("top", "box", shifted(0.0, 0.05, 0.05)),), root="box"))


def test_pushes_act_at_their_frames():
    plant = theirs(pushes=("chest", "sole"))
    q, v = hopper().random(1)
    pushes = np.random.default_rng(2).standard_normal(12) * 20.0
    state = plant.step(plant.init(q + np.r_[0.0, 0.0, 5.0, np.zeros(6)], v), np.array([1.0, 2.0]), pushes)
    # MuJoCo holds the force and its arm from the beginning of a period: at that state it is exact
    first = plant.init(q + np.r_[0.0, 0.0, 5.0, np.zeros(6)], v)
    wrenches = {"chest": pushes[:6], "sole": pushes[6:]}
    a = hopper().forward_dynamics(first.q, v, np.r_[np.zeros(6), 1.0, 2.0], wrenches)
    np.testing.assert_allclose((state.v - v) / 1e-3, a, atol=1e-9 * np.abs(a).max() + 1e-9)
    with pytest.raises(ShapeError, match=r"pushes has shape \(5,\); it must be \(\.\.\., 12\)"):
        plant.step(first, None, np.zeros(5))


def test_rows_differ_as_was_drawn_alike_on_both_plants(rng):
    random = Randomisation(4, seed=3, mass=(0.8, 1.2), friction=(0.5, 1.0), gains=(0.5, 2.0))
    drive = PositionDrive(200.0, 2.0)
    mine = SimulatedPlant(Simulator(hopper(), {"sole": SoleContact(*SOLE[:2])}, joints=drive), random)
    other = theirs(joints=drive, randomisation=random, integrator="Euler")
    assert mine.batch == other.batch == (4,)
    np.testing.assert_array_equal(mine.inertial, other.inertial)
    assert np.ptp(mine.inertial[:, 0]) > 0.5
    q, v = hopper().random(rng)
    q[2] = 5.0
    command = np.r_[q[7:] + 0.1, 0.2, -0.1, 1.0, 2.0]
    state = other.step(other.init(q, v), command)
    for row in range(4):
        gain = random.draw(hopper()).gains[row]
        torque = gain * (200.0 * 0.1 + 2.0 * (np.array([0.2, -0.1]) - v[6:])) + np.array([1.0, 2.0])
        a = hopper().forward_dynamics(q, v, np.r_[np.zeros(6), torque], parameters=mine.inertial[row])
        np.testing.assert_allclose((state.v[row] - v) / 1e-3, a, atol=1e-9 * np.abs(a).max())
    workers = other._workers((4,))
    friction = [worker._model.geom_friction[:, 0] for worker in workers]
    np.testing.assert_allclose(np.array(friction) / 0.8, random.draw(hopper()).friction[:, None] * np.ones(2))
    names = mine.simulator.parameter_names
    ratios = mine.simulator.parameters[:, names.index("sole.friction")] / SoleContact(*SOLE[:2]).friction
    np.testing.assert_allclose(ratios, random.draw(hopper()).friction)


def test_readings_of_rows_balance_their_own_dynamics():
    random = Randomisation(2, seed=1, mass=(0.7, 1.4))
    sensors = sensors_of(hopper(), perfect=True, encoders=False)
    plant = theirs(randomisation=random, sensors=sensors)
    state = plant.init(start(0.002))
    for _ in range(40):
        state = plant.step(state, np.array([1.0, -2.0]))
    suite, sources = plant.suite(sensors, 1e-3)
    measured = plant.measure(state)
    for row in range(2):
        arrays = [measured[name][row] for name in sources if measured[name].size]
        values = np.concatenate(suite.layout.ideal([*arrays, plant.inertial[row]]))
        np.testing.assert_allclose(values, measured["readings"][row], atol=1e-10 * np.abs(values).max())
    simulated = SimulatedPlant(ours().simulator, random)
    for rows in (plant, simulated):
        found = run(loop_around(rows), start(), duration=0.01)
        assert found["sensors.ankle_ft"].shape == (10, 2, 6)
        assert np.abs(np.diff(found["sensors.ankle_ft"][-1], axis=0)).max() > 0.1


def test_a_state_of_the_past_is_taken_up_to_the_last_bit():
    plant = theirs()
    state = plant.init(start(0.003))
    states = [state]
    for k in range(40):
        states.append(plant.step(states[-1], np.array([0.1 * k, -1.0])))
    again = states[17]
    for k in range(17, 40):
        again = plant.step(again, np.array([0.1 * k, -1.0]))
    for found, expected in zip(again, states[-1], strict=True):
        np.testing.assert_array_equal(found, expected)


def test_joints_that_mimic_others_follow():
    panda = load("panda")
    plant = MujocoPlant(panda, joints=PositionDrive(200.0, 20.0), dt=1e-3)
    state = plant.init(panda.neutral())
    command = plant.rest(state)
    command[panda.joint_names.index("panda_finger_joint1")] += 0.02
    for _ in range(500):
        state = plant.step(state, command)
    data = plant._workers(())[0]._data
    first, second = (data.joint(f"panda_finger_joint{k}").qpos[0] for k in (1, 2))
    assert first == pytest.approx(0.02, abs=5e-3) and second == pytest.approx(first, abs=2e-3)


def test_what_mujoco_cannot_do_is_said():
    with pytest.raises(UnknownNameError, match="did you mean 'sole'"):
        MujocoPlant(hopper(), ["sloe"])
    with pytest.raises(ArgumentError, match="it must be a sequence of frames"):
        MujocoPlant(hopper(), "sole")
    with pytest.raises(ArgumentError, match="no collision shape on the body of 'chest'"):
        _ = MujocoPlant(hopper(), ["chest"]).model
    with pytest.raises(ArgumentError, match="on one rigid body"):
        _ = MujocoPlant(hopper(), ["sole", "foot"]).model
    with pytest.raises(ArgumentError, match="got ViscousCoulombFriction"):
        theirs(joints=ViscousCoulombFriction(1.0, 0.1, 0.05))
    with pytest.raises(ArgumentError, match="Flat, Slope and HeightField"):
        _ = theirs(ground=Stairs(0.1, 0.3)).model
    with pytest.raises(ArgumentError, match="integrator is 'rk5'"):
        theirs(integrator="rk5")
    with pytest.raises(ArgumentError, match="shapes is 'none'"):
        theirs(shapes="none")
    with pytest.raises(ArgumentError, match="tolerance is -1"):
        theirs(tolerance=-1.0)
    with pytest.raises(ArgumentError, match="substeps is 0"):
        theirs(substeps=0)
    with pytest.raises(ArgumentError, match="dt is 0"):
        theirs(dt=0.0)
    with pytest.raises(ArgumentError, match="friction of a surface is -1"):
        Surface(friction=-1.0)
    with pytest.raises(ArgumentError, match="lowest <= highest"):
        Randomisation(2, mass=(2.0, 1.0))
    with pytest.raises(ArgumentError, match="no law of joints has any"):
        SimulatedPlant(Simulator(hopper()), Randomisation(2, gains=(0.5, 1.0)))
    plant = theirs()
    with pytest.raises(StateError, match="command is not finite"):
        plant.step(plant.init(start()), np.array([np.nan, 0.0]))
    with pytest.raises(StateError, match="beyond the 1e"):
        plant.step(plant.init(start()), np.array([1e11, 0.0]))
    with pytest.raises(ShapeError, match=r"command has shape \(3,\); it must be \(\.\.\., 2\)"):
        plant.step(plant.init(start()), np.zeros(3))
    with pytest.raises(SimulationError, match="diverges"):
        state = plant.init(start())
        for _ in range(100):
            state = plant.step(state, np.array([1e8, -1e8]))
    turning = Joint("j", "planar", "a", "b", np.eye(4))
    model = Model(
        "m",
        (Link("a", Inertia(1.0, np.zeros(3), np.eye(3))), Link("b", Inertia(1.0, np.zeros(3), np.eye(3)))),
        (turning,),
        root="a",
    )
    with pytest.raises(ArgumentError, match="joint 'j' is planar"):
        _ = MujocoPlant(fb.Robot(model)).model
