"""Back onto the constraints: a pendulum for a hundred seconds, least changes, and states that are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk
from tests.simulation.constraints.robots import free_body, humanoid, humanoid_state

import floatbase as fb
from floatbase.errors import ArgumentError, SimulationError, StateError
from floatbase.simulation.constraints import (
    Contact,
    Distance,
    FrameConstraint,
    constrained_motion_step,
    constrained_step,
    constraint_errors,
    point,
    project_configuration,
    project_state,
    project_velocity,
    require_consistent,
)
from floatbase.simulation.constraints.constraint import stacked_jacobian

ITEMS = [FrameConstraint("point", "l_sole", "r_sole"), Distance("l_sole", point(None, 0.0, 0.0, -1.0), 0.5)]


@pytest.fixture(scope="module")
def hanging():
    """A free body whose frame "end", a metre above its centre, is held at the world's origin."""
    return fb.Robot(free_body()), [FrameConstraint("point", None, "end")]


def swinging(angle):
    q = np.zeros(7)
    q[3:5] = np.cos(angle / 2), np.sin(angle / 2)
    q[:3] = [0.0, np.sin(angle), -np.cos(angle)]
    return q


def test_a_pendulum_stays_on_its_constraint_for_a_hundred_seconds(hanging):
    robot, items = hanging
    q, v = swinging(1.0), np.zeros(6)
    energy = robot.potential_energy(q)
    largest = 0.0
    for k in range(10000):
        q, v = constrained_motion_step(robot, q, v, np.zeros(6), 0.01, items)
        if k % 50 == 0:
            largest = max(largest, *(np.abs(x).max() for x in constraint_errors(robot, q, v, items)))
    assert largest < 1e-10
    assert robot.kinetic_energy(q, v) + robot.potential_energy(q) == pytest.approx(energy, abs=2e-4)


def test_steps_of_a_batch_are_those_of_its_states(hanging, rng):
    robot, items = hanging
    q = np.stack([swinging(angle) for angle in (0.1, 0.5, 2.0)])
    v = project_velocity(robot, q, rng.standard_normal((3, 6)), items)
    dt = np.array([0.01, 0.02, 0.03])
    tau = rng.standard_normal((3, 6))
    batch = constrained_motion_step(robot, q, v, tau, dt, items)
    for k in range(3):
        for one in (
            constrained_motion_step(robot, q[k], v[k], tau[k], dt[k], items),
            constrained_step(robot, q[k], v[k], tau[k], dt[k], items),
        ):
            assert_allclose(batch.q[k], one.q, atol=1e-12)
            assert_allclose(batch.v[k], one.v, atol=1e-12)
    assert_allclose(constrained_step(robot, q, v, tau, dt, items).q, batch.q, atol=1e-12)


def test_the_period_is_that_of_a_physical_pendulum(hanging):
    robot, items = hanging
    q, v = swinging(1.0), np.zeros(6)
    period = 4.0 * np.sqrt((0.1 + 1.0) / 9.81) * ellipk(np.sin(0.5) ** 2)
    for _ in range(400):
        q, v = constrained_motion_step(robot, q, v, np.zeros(6), period / 400, items)
    assert_allclose(q, swinging(1.0), atol=1e-6)
    assert_allclose(v, 0.0, atol=1e-5)


def test_without_projection_it_drifts_and_baumgarte_holds_it(hanging):
    robot, items = hanging

    def drift(**settings):
        q, v = swinging(1.0), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 3.0])
        for _ in range(1000):
            q, v = constrained_motion_step(robot, q, v, np.zeros(6), 0.02, items, **settings)
        return np.abs(constraint_errors(robot, q, v, items).configuration).max()

    free, pulled, projected = drift(projections=0), drift(projections=0, baumgarte=(10.0, 10.0)), drift()
    assert projected < 1e-12 < pulled < 0.1 * free


def test_velocities_change_by_the_least_kinetic_energy(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    J, M = stacked_jacobian(robot, q, ITEMS), robot.mass_matrix(q)
    found = project_velocity(robot, q, v, ITEMS)
    assert_allclose(J @ found, 0.0, atol=1e-10)
    allowed = np.linalg.svd(J)[2][len(J) :]
    assert_allclose(allowed @ M @ (found - v), 0.0, atol=1e-9 * np.linalg.norm(M))
    assert_allclose(project_velocity(robot, q, found, ITEMS), found, atol=1e-10)


def test_configurations_are_found(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    there, w = project_state(robot, q, v, ITEMS)
    assert_allclose(np.concatenate(constraint_errors(robot, there, w, ITEMS)), 0.0, atol=1e-10)
    require_consistent(robot, there, w, ITEMS)
    batch = np.stack([q, there, robot.integrate(there, 0.2 * v)])
    found = project_configuration(robot, batch, ITEMS)
    assert_allclose(constraint_errors(robot, found, np.zeros((3, robot.nv)), ITEMS).configuration, 0.0, atol=1e-11)
    assert_allclose(found[1], there, atol=1e-12)


def test_programs_take_a_number_of_steps(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    start = robot.integrate(project_configuration(robot, q, ITEMS), 0.01 * v)
    expected = project_configuration(robot, start, ITEMS, iterations=2)
    program = fb.trace(lambda q: project_configuration(robot, q, ITEMS, iterations=2), {"q": robot.nq})
    assert_allclose(fb.interpret(program, start)[0], expected, atol=1e-10)
    with pytest.raises(StateError, match="iterations"):
        fb.trace(lambda q: project_configuration(robot, q, ITEMS), {"q": robot.nq})


def test_states_off_the_constraints_are_named(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    there, w = project_state(robot, q, v, ITEMS)
    with pytest.raises(StateError, match=r"configuration violates.*(distance in|length).*project_configuration"):
        require_consistent(robot, q, v, ITEMS)
    with pytest.raises(StateError, match=r"velocity violates.*off by.*all rows.*project_velocity"):
        require_consistent(robot, there, v, ITEMS)
    with pytest.raises(StateError, match=r"in state \(1,\)"):
        require_consistent(robot, np.stack([there, q]), np.stack([w, w]), ITEMS)
    require_consistent(robot, q, 0.0 * v, [Contact("l_sole")])


def test_constraints_that_contradict_one_another_are_refused(hanging):
    robot, items = hanging
    both = [*items, FrameConstraint("point", point(None, 0.0, 0.0, 3.0), "body")]
    with pytest.raises(SimulationError, match=r"30 iterations.*off by.*contradict"):
        project_configuration(robot, swinging(0.3), both)


def test_arguments_are_checked(hanging):
    robot, items = hanging
    q, v = swinging(0.1), np.zeros(6)
    with pytest.raises(ArgumentError, match="is one constraint"):
        project_velocity(robot, q, v, items[0])
    with pytest.raises(ArgumentError, match="empty"):
        project_velocity(robot, q, v, [])
    with pytest.raises(ArgumentError, match="of type Constraint"):
        project_velocity(robot, q, v, ["end"])
    with pytest.raises(ArgumentError, match=r"v has shape \(5,\)"):
        project_velocity(robot, q, v[:5], items)
    with pytest.raises(ArgumentError, match="projections is -1"):
        constrained_motion_step(robot, q, v, v, 0.01, items, projections=-1)
