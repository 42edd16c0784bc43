"""Closed loops: a four-bar linkage beside its closed form and an independent integration, and loops of MJCF files."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.simulation.constraints.robots import FOUR_BAR, MASSES, four_bar_angles, four_bar_robot

import floatbase as fb
from floatbase import algorithms, spatial
from floatbase.errors import ArgumentError
from floatbase.model import library
from floatbase.model.description import Constraint
from floatbase.simulation.constraints import (
    constrained_acceleration,
    constrained_motion_step,
    constraint_errors,
    constraints_of,
    diagnose,
    diagnose_constraints,
    project_configuration,
    project_velocity,
)
from floatbase.simulation.constraints.bodies import assemble, explicit_motion

STEP = 1e-20


def configuration(crank):
    coupler, rocker = four_bar_angles(crank)
    return np.array([crank, coupler - crank, rocker])


def rates(angles):
    """Rates of coupler and rocker per rate of the crank, from the velocities of the loop."""
    a, b, c, _ = FOUR_BAR

    def along(t):
        return np.array([-np.sin(t), -np.cos(t)])

    one, two, three = angles
    return np.linalg.solve(np.stack([b * along(two), -c * along(three)], axis=-1), -a * along(one))


def centers(crank):
    """Centres of mass of the three rods in x and z, and their angles."""
    a, b, c, d = FOUR_BAR
    coupler, rocker = four_bar_angles(crank)
    u = [np.array([np.cos(t), -np.sin(t)]) for t in (crank, coupler, rocker)]
    places = [a / 2 * u[0], a * u[0] + b / 2 * u[1], np.array([d, 0.0]) + c / 2 * u[2]]
    return np.array(places), np.array([crank, coupler, rocker])


def slopes(crank):
    """Derivatives of centres and angles by the crank's angle."""
    a, b, c, _ = FOUR_BAR
    _, angles = centers(crank)
    along = [np.array([-np.sin(t), -np.cos(t)]) for t in angles]
    two, three = rates(angles)
    places = [a / 2 * along[0], a * along[0] + b / 2 * two * along[1], c / 2 * three * along[2]]
    return np.array(places), np.array([1.0, two, three])


def minimal_acceleration(crank, rate, torque):
    """The equation of motion in the crank's angle alone: M s'' + M' s'^2 / 2 + U' = torque."""

    def mass(s):
        places, turns = slopes(s)
        inertia = np.array(MASSES) * np.array(FOUR_BAR[:3]) ** 2 / 12
        return np.sum(np.array(MASSES) * np.sum(places**2, axis=1)) + np.sum(inertia * turns**2)

    h = 1e-5
    slope = (mass(crank - 2 * h) - 8 * mass(crank - h) + 8 * mass(crank + h) - mass(crank + 2 * h)) / (12 * h)
    weight = 9.81 * np.sum(np.array(MASSES) * slopes(crank)[0][:, 1])
    return (torque - weight - 0.5 * slope * rate**2) / mass(crank)


@pytest.fixture(scope="module")
def linkage():
    robot = four_bar_robot()
    return robot, constraints_of(robot)


def start(robot, loop, crank=0.9, rate=2.0):
    q = configuration(crank)
    _, turns = slopes(crank)
    return q, rate * np.array([1.0, turns[1] - 1.0, turns[2]])


def test_the_closed_form_closes_the_loop(linkage):
    robot, loop = linkage
    q, v = start(robot, loop)
    errors = constraint_errors(robot, q, v, loop)
    assert_allclose(np.concatenate(errors), 0.0, atol=1e-12)
    found = diagnose_constraints(robot, q, loop)
    assert (found.rows, found.rank, found.freedoms) == (5, 2, 1)
    near = project_configuration(robot, q + np.array([0.0, 0.05, -0.05]), loop)
    assert_allclose(configuration(near[0]), near, atol=1e-10)


def test_accelerations_are_those_in_minimal_coordinates(linkage):
    robot, loop = linkage
    for crank in np.linspace(-2.0, 2.0, 9):
        q, v = start(robot, loop, crank, 1.5)
        motion = constrained_acceleration(robot, q, v, np.array([0.7, 0.0, 0.0]), loop)
        assert motion.acceleration[0] == pytest.approx(minimal_acceleration(crank, 1.5, 0.7), rel=1e-7)


def test_the_motion_is_that_in_minimal_coordinates(linkage):
    robot, loop = linkage
    q, v = start(robot, loop)
    dt, steps = 0.002, 500
    for _ in range(steps):
        q, v = constrained_motion_step(robot, q, v, np.zeros(3), dt, loop)
    end = solve_ivp(
        lambda _t, x: [x[1], minimal_acceleration(x[0], x[1], 0.0)],
        (0.0, dt * steps),
        [0.9, 2.0],
        rtol=1e-10,
        atol=1e-10,
    ).y[:, -1]
    assert_allclose(q, configuration(end[0]), atol=1e-7)
    assert v[0] == pytest.approx(end[1], rel=1e-7)
    assert_allclose(np.concatenate(constraint_errors(robot, q, v, loop)), 0.0, atol=1e-11)


def test_energy_is_kept(linkage):
    robot, loop = linkage
    q, v = start(robot, loop)
    energy = robot.kinetic_energy(q, v) + robot.potential_energy(q)
    for _ in range(1000):
        q, v = constrained_motion_step(robot, q, v, np.zeros(3), 0.005, loop)
    assert robot.kinetic_energy(q, v) + robot.potential_energy(q) == pytest.approx(energy, abs=1e-5)


@pytest.mark.filterwarnings("ignore::floatbase.simulation.constraints.bodies.RedundantConstraintWarning")
def test_the_linkage_in_maximal_coordinates_moves_alike(linkage):
    robot, loop = linkage
    q, v = start(robot, loop)
    whole = assemble(robot)
    H, V = whole.poses(q), whole.twists(q, v)
    assert len(whole.system.constraints) == 4
    motion = explicit_motion(whole.system, H, V, whole.wrenches(H, np.array([0.7, 0.0, -0.2])))
    a = constrained_acceleration(robot, q, v, np.array([0.7, 0.0, -0.2]), loop).acceleration
    moved, faster = robot.tree, v + 1j * STEP * a
    later = whole.twists(algorithms.integrate(moved, q, 1j * STEP * v), faster).imag / STEP
    assert_allclose(motion.acceleration, later, atol=1e-9)


MJCF = """
<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="crank">
      <joint name="input" type="hinge" axis="0 1 0"/>
      <inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>
      <body name="coupler" pos="0.4 0 0">
        <joint name="knee" type="hinge" axis="0 1 0"/>
        <inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.2 0.2"/>
      </body>
    </body>
    <body name="rocker" pos="1 0 0">
      <joint name="output" type="hinge" axis="0 1 0"/>
      <inertial pos="0.4 0 0" mass="1.5" diaginertia="0.01 0.1 0.1"/>
    </body>
  </worldbody>
  <equality>
    <connect name="loop" body1="coupler" body2="rocker" anchor="1.1 0 0"
             solref="0.02 1" solimp="0.99999 0.99999 0.001"/>
  </equality>
</mujoco>
"""


@pytest.mark.filterwarnings("ignore::floatbase.ModelWarning")
def test_loops_of_mjcf_files_close_themselves(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "linkage.xml"
    path.write_text(MJCF)
    robot = fb.load(path)
    loop = constraints_of(robot)
    assert [item.kind for item in loop] == ["point"]
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    q, v = d.qpos.copy(), np.zeros(3)
    assert_allclose(loop[0].residual(robot, q), 0.0, atol=1e-12)
    q = project_configuration(robot, q + np.array([0.2, -0.1, 0.1]), loop)
    v = project_velocity(robot, q, np.array([0.5, 0.0, 0.0]), loop)
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_forward(m, d)
    motion = constrained_acceleration(robot, q, v, np.zeros(3), loop)
    assert_allclose(motion.acceleration, d.qacc, rtol=1e-3, atol=1e-3)


def test_models_without_loops_have_no_constraints():
    assert constraints_of(fb.Robot(fb.load("icub").model)) == ()
    with pytest.raises(ArgumentError, match="Model"):
        constraints_of("icub")


@pytest.mark.filterwarnings("ignore::floatbase.ModelWarning")
@pytest.mark.parametrize(
    ("kind", "rows"), [("point", 3), ("weld", 6), ("revolute", 5), ("prismatic", 5), ("universal", 4)]
)
def test_every_kind_of_loop_that_models_have(kind, rows, rng):
    """A humanoid whose feet are joined: closed by the projection, and what the kind says holds there."""
    ends = [spatial.pose_exponential(0.1 * rng.standard_normal(6)) for _ in range(2)]
    axis, second = np.array([0.0, 0.6, 0.8]), np.array([1.0, 0.0, 0.0]) if kind == "universal" else None
    model = library.parametric_humanoid()
    feet = [fb.Robot(model).tree.bodies[fb.Robot(model).tree.frames[name][0]].name for name in ("l_sole", "r_sole")]
    loop = Constraint("loop", kind, *feet, *ends, axis, second)
    robot = fb.Robot(replace(model, constraints=(loop,)))
    items = constraints_of(robot)
    q = project_configuration(robot, robot.integrate(robot.neutral(), 0.2 * rng.standard_normal(robot.nv)), items)
    one, two = (robot.pose(q, link) @ end for link, end in zip(feet, ends))
    gap = one[:3, :3].T @ (two[:3, 3] - one[:3, 3])
    if kind == "prismatic":
        gap = np.cross(gap, axis)
    assert_allclose(gap, 0.0, atol=1e-10)
    if kind in ("weld", "prismatic"):
        assert_allclose(one[:3, :3], two[:3, :3], atol=1e-10)
    if kind == "revolute":
        assert_allclose(one[:3, :3] @ axis, two[:3, :3] @ axis, atol=1e-10)
    if kind == "universal":
        assert abs((one[:3, :3] @ axis) @ (two[:3, :3] @ second)) < 1e-10
    assert diagnose_constraints(robot, q, items)[:2] == (rows, rows)
    if kind != "universal":
        assert diagnose(assemble(robot).system, assemble(robot).poses(q)).freedoms == robot.nv - rows
