"""Forward dynamics under constraints: two forms and KKT, redundant rows, scales, multipliers, compiled functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.constraints.robots import disc, four_bar_robot, humanoid, humanoid_state

import floatbase as fb
from floatbase import algorithms
from floatbase.simulation.constraints import (
    Baumgarte,
    Contact,
    Coupling,
    Distance,
    FrameConstraint,
    Rolling,
    constrained_acceleration,
    constrained_dynamics_function,
    constrained_forward_dynamics,
    constraints_of,
    diagnose_constraints,
    null_space_acceleration,
    point,
)
from floatbase.simulation.constraints.constraint import stacked_jacobian, stacked_rate
from floatbase.simulation.constraints.solvers import solve_rows

FEET = [Contact("l_sole"), Contact("r_sole")]


def mixed_constraints():
    return [
        FrameConstraint("revolute", "l_sole", "r_sole", (1.0, 0.0, 0.0)),
        Distance("l_sole", point(None, 0.3, 0.1, -0.2), 1.0),
        Coupling(("torso_pitch", "torso_roll"), (1.0, -0.5)),
    ]


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
def test_both_forms_solve_the_kkt_system(representation, rng):
    robot = humanoid(representation)
    q, v, tau = humanoid_state(robot, rng)
    items = mixed_constraints()
    M, h = robot.mass_matrix(q), robot.bias(q, v)
    J, bent = stacked_jacobian(robot, q, items), stacked_rate(robot, q, v, items)
    c = len(J)
    whole = np.linalg.solve(np.block([[M, -J.T], [J, np.zeros((c, c))]]), np.concatenate([tau - h, -bent]))
    for motion in (
        constrained_acceleration(robot, q, v, tau, items),
        null_space_acceleration(robot, q, v, tau, items),
        constrained_acceleration(robot.tree, q, v, tau, items, solver="cholesky"),
        constrained_acceleration(robot, q, v, tau, items, solver="least norm"),
    ):
        assert_allclose(motion.acceleration, whole[: robot.nv], atol=1e-9 * np.linalg.norm(whole))
        assert_allclose(motion.multipliers, whole[robot.nv :], atol=1e-9 * np.linalg.norm(whole))


def test_held_frames_move_as_in_contact_dynamics(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    expected = algorithms.contact_dynamics(robot.tree, q, v, tau, ["l_sole", "r_sole"])
    found = constrained_acceleration(robot, q, v, tau, FEET)
    assert_allclose(found.acceleration, expected.acceleration, atol=1e-9)
    assert_allclose(found.multipliers, np.concatenate(list(expected.wrenches.values())), atol=1e-8)


def test_external_wrenches_and_parameters_count(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    wrench = {"l_sole": rng.standard_normal(6)}
    items = [Contact("r_sole")]
    one = constrained_acceleration(robot, q, v, tau, items, wrenches=wrench)
    other = constrained_acceleration(robot, q, v, tau + robot.generalized_forces(q, wrench), items)
    assert_allclose(one.acceleration, other.acceleration, atol=1e-9)
    phi = robot.inertial_parameters * 2.0
    heavy = constrained_acceleration(robot, q, v, 2.0 * tau, items, parameters=phi)
    light = constrained_acceleration(robot, q, v, tau, items)
    assert_allclose(heavy.acceleration, light.acceleration, atol=1e-9)
    assert_allclose(heavy.multipliers, 2.0 * light.multipliers, atol=1e-8)


@pytest.mark.parametrize("solver", ["proximal", "least norm"])
def test_redundant_rows_do_not_change_the_motion(solver, rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    once = constrained_acceleration(robot, q, v, tau, FEET[:1])
    twice = constrained_acceleration(robot, q, v, tau, [FEET[0], FEET[0], Contact("l_sole", "point")], solver=solver)
    assert_allclose(twice.acceleration, once.acceleration, atol=1e-8)
    assert_allclose(null_space_acceleration(robot, q, v, tau, [FEET[0]] * 2).acceleration, once.acceleration, atol=1e-8)
    total = stacked_jacobian(robot, q, [FEET[0], FEET[0], Contact("l_sole", "point")]).T @ twice.multipliers
    assert_allclose(total, robot.jacobian(q, "l_sole").T @ once.multipliers, atol=1e-7)
    # rows that say the same twice carry half each
    assert_allclose(twice.multipliers[3:6], twice.multipliers[9:12], rtol=1e-6, atol=1e-6)
    found = diagnose_constraints(robot, q, [FEET[0], Contact("l_sole", "point")])
    assert (found.rows, found.rank, found.freedoms) == (9, 6, robot.nv - 6)
    assert found.smallest == 0.0 and all("l_sole" in name for name in found.redundant) and len(found.redundant) == 3


def test_programs_of_redundant_rows(rng):
    robot = four_bar_robot()
    items = [*constraints_of(robot), Coupling(("input", "output"), (1.0, -0.5))]
    q, v = robot.random(rng, 4)
    tau = rng.standard_normal((4, 3))
    expected = constrained_acceleration(robot, q, v, tau, items, solver="least norm")
    for solver in ("proximal", "least norm"):
        program = fb.trace(
            lambda q, v, tau, solver=solver: tuple(constrained_acceleration(robot, q, v, tau, items, solver=solver)),
            {"q": 3, "v": 3, "tau": 3},
        )
        a, multipliers = fb.interpret(program, q, v, tau)
        size = np.abs(expected.multipliers).max()
        assert_allclose(a, expected.acceleration, atol=1e-6 * size)
        assert_allclose(multipliers, expected.multipliers, atol=1e-6 * size)


def test_solutions_do_not_depend_on_the_rows_scales(rng):
    A = rng.standard_normal((5, 3))
    A = A @ A.T  # of rank three
    b = A @ rng.standard_normal(5)
    D = 10.0 ** rng.uniform(-4, 4, 5)
    for solver in ("proximal", "least norm"):
        one = solve_rows(A, b, solver)
        other = solve_rows(D[:, None] * A * D, D * b, solver)
        assert_allclose(A @ one, b, atol=1e-9)
        assert_allclose(D * other, one, rtol=1e-5, atol=1e-9)


def test_single_precision(rng):
    A = rng.standard_normal((8, 6)).astype(np.float32)
    A, b = A @ A.T, (A @ A.T) @ rng.standard_normal(8).astype(np.float32)
    for found in (solve_rows(A, b), fb.interpret(fb.trace(solve_rows, {"A": (8, 8), "b": 8}), A, b)[0]):
        assert found.dtype == np.float32
        assert_allclose(A @ found, b, atol=1e-3 * np.abs(b).max())


def test_kernels_run_in_single_precision(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    for items in (FEET, [*FEET, FEET[0]]):
        one = constrained_dynamics_function(robot, items)(q, v, tau)
        other = constrained_dynamics_function(robot, items)(*(x.astype(np.float32) for x in (q, v, tau)))
        assert other.acceleration.dtype == np.float32
        gap = np.linalg.norm(one.acceleration - other.acceleration)
        assert gap < 1e-5 * np.linalg.norm(one.acceleration)


def test_programs_can_be_differentiated(rng):
    robot = four_bar_robot()
    items = constraints_of(robot)
    q, v = robot.random(rng)
    tau, along = rng.standard_normal((2, 3))

    def derivatives(q, v, tau):
        a = constrained_acceleration(robot, q, v, tau, items).acceleration
        return fb.jacobian(a, q), fb.jacobian(a, tau)

    by_q, by_tau = fb.interpret(fb.trace(derivatives, {"q": 3, "v": 3, "tau": 3}), q, v, tau)

    def at(h, of_q):
        return constrained_acceleration(
            robot, q + h * along * of_q, v, tau + h * along * (1 - of_q), items
        ).acceleration

    for matrix, of_q in ((by_q, 1), (by_tau, 0)):
        slope = (at(1e-5, of_q) - at(-1e-5, of_q)) / 2e-5
        assert_allclose(matrix @ along, slope, rtol=1e-5, atol=1e-4)


def test_constraint_forces_do_no_work_on_allowed_velocities(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    items = mixed_constraints()
    J = stacked_jacobian(robot, q, items)
    allowed = v - np.linalg.pinv(J) @ (J @ v)
    motion = constrained_acceleration(robot, q, allowed, tau, items)
    size = np.linalg.norm(motion.multipliers)
    assert abs((J.T @ motion.multipliers) @ allowed) < 1e-10 * size


def test_baumgarte_pulls_back(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    items = mixed_constraints()
    alpha, beta = 3.0, 5.0
    J, bent = stacked_jacobian(robot, q, items), stacked_rate(robot, q, v, items)
    residual = np.concatenate([item.residual(robot, q) for item in items])
    demanded = -2.0 * alpha * J @ v - beta**2 * residual
    for form in (constrained_acceleration, null_space_acceleration):
        a = form(robot, q, v, tau, items, Baumgarte(alpha, beta)).acceleration
        assert_allclose(J @ a + bent, demanded, atol=1e-8 * np.linalg.norm(a))


def test_compiled_functions_give_the_same(rng):
    robot = four_bar_robot()
    items = constraints_of(robot)
    q, v = robot.random(rng, 5)
    tau = rng.standard_normal((5, 3))
    for null_space, form in ((False, constrained_acceleration), (True, null_space_acceleration)):
        expected = form(robot, q, v, tau, items, (1.0, 2.0))
        found = constrained_forward_dynamics(robot, q, v, tau, items, (1.0, 2.0), null_space=null_space)
        assert_allclose(found.acceleration, expected.acceleration, atol=1e-7)
        one = constrained_forward_dynamics(robot, q[2], v[2], tau[2], items, (1.0, 2.0), null_space=null_space)
        assert_allclose(one.acceleration, found.acceleration[2], atol=1e-9)
        assert one.multipliers.shape == (5,)


def test_what_holds_a_hanging_body_is_its_weight(rng):
    robot = fb.Robot(disc())
    q = robot.neutral()
    motion = constrained_acceleration(robot, q, np.zeros(6), np.zeros(6), [FrameConstraint("weld", None, "body")])
    assert_allclose(motion.acceleration, 0.0, atol=1e-12)
    assert_allclose(motion.multipliers, [0.0, 0.0, 2.0 * 9.81, 0.0, 0.0, 0.0], atol=1e-10)
    q[2] = 0.3
    ground = constrained_acceleration(robot, q, np.zeros(6), np.zeros(6), [Rolling("body", 0.3, (0.0, 1.0, 0.0))])
    assert_allclose(ground.multipliers, [0.0, 0.0, 2.0 * 9.81], atol=1e-10)
