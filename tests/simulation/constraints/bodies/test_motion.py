"""Explicit constraint wrenches, projector, decomposition: identities, redundant rows, drives, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_pose, random_state, random_tree

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError, SimulationError, StateError
from floatbase.simulation.constraints import Baumgarte, diagnose
from floatbase.simulation.constraints.bodies import (
    BodyConstraint,
    BodySystem,
    RedundantConstraintWarning,
    aligned_basis,
    assemble,
    basis_rate,
    body_joint,
    constraint_wrenches,
    decompose,
    explicit_motion,
    project_poses,
    project_twists,
    projector,
    reduced_motion,
    reduced_state,
    reduced_velocity,
)


@pytest.fixture
def chain(rng):
    """Five bodies that move with three spherical joints, a hinge and a slide, at a consistent state."""
    tree = random_tree(rng, 6, False, "body", kinds=("spherical", "revolute", "spherical", "prismatic", "spherical"))
    whole = assemble(tree)
    q, v = random_state(rng, tree)
    return whole.system, whole.poses(q), whole.twists(q, v)


def test_identities_of_the_explicit_form(chain, rng):
    system, H, V = chain
    f = 10.0 * rng.standard_normal(6 * system.n)
    A, bent = system.matrix(H), system.rate(H, V)
    motion = explicit_motion(system, H, V, f)
    size = np.linalg.norm(motion.acceleration)
    assert_allclose(A @ motion.acceleration + bent @ V, 0.0, atol=1e-9 * size)
    wrenches = constraint_wrenches(system, H, motion.multipliers)
    assert abs(wrenches @ V) < 1e-9 * np.linalg.norm(wrenches)
    b = system.forces(H, V, f)
    assert_allclose(system.inertia @ motion.acceleration, b + wrenches, atol=1e-9 * size)


def test_identities_of_the_projector(chain, rng):
    system, H, V = chain
    P, A = projector(system, H), system.matrix(H)
    assert_allclose(P @ P, P, atol=1e-9)
    assert_allclose(A @ P, 0.0, atol=1e-9)
    assert_allclose(P @ V, V, atol=1e-9)
    other = rng.standard_normal(V.shape)
    found = project_twists(system, H, other)
    assert_allclose(found, P @ other, atol=1e-9)
    assert abs((other - found) @ system.inertia @ found) < 1e-9 * system.kinetic_energy(other)


def test_scales_and_mixing_of_rows_do_not_matter(chain, rng):
    system, H, V = chain
    f = 10.0 * rng.standard_normal(6 * system.n)
    motion = explicit_motion(system, H, V, f)
    for scales in (True, False):
        mixed = []
        for item in system.constraints:
            r = len(item.row_names)
            mixed.append(item.mixed(np.diag(10.0 ** rng.uniform(-3, 3, r)) if scales else rng.standard_normal((r, r))))
        other = BodySystem(system.inertial_parameters, tuple(mixed), system.gravity)
        found = explicit_motion(other, H, V, f)
        size = np.linalg.norm(motion.acceleration)
        assert_allclose(found.acceleration, motion.acceleration, atol=1e-9 * size)
        assert_allclose(
            constraint_wrenches(other, H, found.multipliers),
            constraint_wrenches(system, H, motion.multipliers),
            atol=1e-8 * size,
        )
    assert diagnose(other, H).rank == diagnose(system, H).rank


def test_redundant_rows_give_the_same_motion_and_a_warning(chain, rng):
    system, H, V = chain
    f = 10.0 * rng.standard_normal(6 * system.n)
    once = explicit_motion(system, H, V, f)
    more = (*system.constraints, system.constraints[1].mixed(3.0 * np.eye(5)))
    twice = BodySystem(system.inertial_parameters, more, system.gravity)
    with pytest.warns(RedundantConstraintWarning, match="5 of 24 rows"):
        found = explicit_motion(twice, H, V, f)
    assert_allclose(found.acceleration, once.acceleration, atol=1e-8 * np.linalg.norm(once.acceleration))
    # the row and the same three times as long share the load with weights of 1 to 1 once they are of unit length
    assert_allclose(found.multipliers[19:] * 3.0, found.multipliers[3:8], rtol=1e-6, atol=1e-8)
    told = diagnose(twice, H)
    assert (told.rows, told.rank, told.freedoms, told.smallest) == (24, 19, 11, 0.0)
    assert told.redundant == tuple(f"mixed row {k} of {system.constraints[1].name}" for k in range(5))


def test_rows_that_move_nothing_are_left_out(rng):
    pin = body_joint("pin", "spherical", None, 0).constraint
    nothing = BodyConstraint(
        "nothing", (0,), ("zero",), lambda H: 0.0 * H[..., 0, :1, :1] + np.zeros((1, 6)), lambda H, V: np.zeros((1, 6))
    )
    system = BodySystem(random_parameters(rng)[None], (pin, nothing))
    H = np.eye(4)[None]
    with pytest.warns(RedundantConstraintWarning, match="1 of 4"):
        motion = explicit_motion(system, H, np.zeros(6), np.zeros(6))
    assert motion.multipliers[3] == 0.0
    assert diagnose(system, H).redundant == ("zero of nothing",)


def test_bases_of_the_decomposition(chain, rng):
    system, H, V = chain
    A, A_rate = system.matrix(H), system.rate(H, V)
    parallel, D, rows = decompose(A)
    assert_allclose(A.T @ rows, parallel, atol=1e-12)
    assert_allclose(A @ D, 0.0, atol=1e-12)
    whole = np.hstack([parallel, D])
    assert_allclose(whole.T @ whole, np.eye(6 * system.n), atol=1e-12)
    turning = basis_rate(A, A_rate, D)
    assert_allclose(D.T @ turning, 0.0, atol=1e-12)
    assert_allclose(turning.T @ V, 0.0, atol=1e-11)
    assert_allclose(A @ turning + A_rate @ D, 0.0, atol=1e-10)
    f = 10.0 * rng.standard_normal(6 * system.n)
    motion = explicit_motion(system, H, V, f)
    reduced = reduced_motion(system, H, D.T @ V, f, D)
    size = np.linalg.norm(motion.acceleration)
    assert_allclose(turning @ (D.T @ V) + D @ reduced.rate, motion.acceleration, atol=1e-10 * size)
    assert_allclose(reduced.rate, D.T @ motion.acceleration, atol=1e-10 * size)
    assert_allclose(reduced.multipliers, motion.multipliers, atol=1e-9 * np.linalg.norm(motion.multipliers))


def test_bases_follow_the_motion(chain, rng):
    system, H, V = chain
    D = decompose(system.matrix(H)).perpendicular
    turning = basis_rate(system.matrix(H), system.rate(H, V), D)
    errors = []
    for h in (1e-3, 1e-4):
        later = system.matrix(H @ spatial.pose_exponential(h * V.reshape(-1, 6)))
        errors.append(np.abs(aligned_basis(later, D) - D - h * turning).max())
    assert errors[1] < 0.02 * errors[0]
    mixing = np.linalg.qr(rng.standard_normal((D.shape[1],) * 2))[0]
    assert_allclose(aligned_basis(system.matrix(H), D @ mixing), D @ mixing, atol=1e-12)
    with pytest.raises(ArgumentError, match="freedoms has changed"):
        aligned_basis(system.matrix(H), D[:, 1:])


def test_automatic_rates_are_exact(chain):
    system, H, V = chain
    bare = [BodyConstraint(item.name, item.bodies, item.row_names, item.matrix) for item in system.constraints]
    other = BodySystem(system.inertial_parameters, tuple(bare))
    assert_allclose(other.rate(H, V), system.rate(H, V), atol=1e-12)
    assert not other.residual(H).any()
    with pytest.raises(ArgumentError, match="give it as a function"):
        fb.trace(other.rate, {"H": H.shape, "V": V.shape})


def test_driven_constraints_turn_as_they_are_told(rng):
    """A body on a hinge whose motor turns it at sin(t): the multiplier is the torque that this takes."""
    hinge = body_joint("hinge", "rotational", None, 0).constraint
    motor = BodyConstraint(
        "motor",
        (0,),
        ("speed",),
        lambda H: 0.0 * H[..., 0, :1, :1] + np.eye(6)[5:],
        drive=lambda t: (np.array([np.sin(t)]), np.array([np.cos(t)])),
    )
    parameters = spatial.parameters_from_center(2.0, np.zeros(3), np.diag([0.3, 0.4, 0.5]))
    system = BodySystem(parameters[None], (hinge, motor), (0.0, 0.0, 0.0))
    H, t = np.eye(4)[None], 0.7
    V = project_twists(system, H, rng.standard_normal(6), t)
    assert_allclose(V, [0.0, 0.0, 0.0, 0.0, 0.0, np.sin(t)], atol=1e-12)
    motion = explicit_motion(system, H, V, np.zeros(6), Baumgarte(1.0, 1.0), t)
    assert_allclose(motion.acceleration[5], np.cos(t), atol=1e-12)
    assert_allclose(motion.multipliers[5], 0.5 * np.cos(t), atol=1e-12)


def test_baumgarte_pulls_back(chain, rng):
    system, H, V = chain
    off = H @ spatial.pose_exponential(0.01 * rng.standard_normal((system.n, 6)))
    V = V + 0.1 * rng.standard_normal(V.shape)
    motion = explicit_motion(system, off, V, np.zeros_like(V), (3.0, 4.0))
    A = system.matrix(off)
    wanted = -6.0 * A @ V - 16.0 * system.residual(off)
    assert_allclose(A @ motion.acceleration + system.rate(off, V) @ V, wanted, atol=1e-8)


def test_poses_are_found_or_refused(chain, rng):
    system, H, _ = chain
    off = H @ spatial.pose_exponential(0.1 * rng.standard_normal((system.n, 6)))
    assert_allclose(system.residual(project_poses(system, off)), 0.0, atol=1e-11)
    pin, far = np.eye(4), np.eye(4)
    far[0, 3] = 3.0
    joints = [body_joint("here", "spherical", None, 0, pin), body_joint("there", "spherical", None, 0, far)]
    broken = BodySystem(random_parameters(rng)[None], [joint.constraint for joint in joints])
    with pytest.raises(SimulationError, match=r"30 iterations: gap in . of (here|there).*contradict"):
        project_poses(broken, np.eye(4)[None])


def test_programs_give_the_same(chain, rng):
    system, H, V = chain
    f = rng.standard_normal(V.shape)
    program = fb.trace(
        lambda H, V, f: tuple(explicit_motion(system, H, V, f, (1.0, 2.0))), {"H": H.shape, "V": V.shape, "f": V.shape}
    )
    for found, expected in zip(fb.interpret(program, H, V, f), explicit_motion(system, H, V, f, (1.0, 2.0))):
        assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_bad_input_is_named(rng):
    good = random_parameters(rng)
    pin = body_joint("pin", "spherical", None, 0).constraint
    with pytest.raises(ArgumentError, match="inertial_parameters"):
        BodySystem(-good[None], ())
    with pytest.raises(ShapeError, match=r"\(n, 10\)"):
        BodySystem(good)
    with pytest.raises(ArgumentError, match="of type BodyConstraint"):
        BodySystem(good[None], ("pin",))
    with pytest.raises(ArgumentError, match="on body 3; there are 1"):
        BodySystem(good[None], (body_joint("pin", "rigid", None, 3).constraint,))
    system = BodySystem(good[None], (pin,))
    H = np.eye(4)[None]
    with pytest.raises(ShapeError, match="world_H_bodies has shape"):
        system.matrix(np.eye(4)[None, None, :3])
    with pytest.raises(ShapeError, match=r"twists has shape \(5,\)"):
        system.rate(H, np.zeros(5))
    with pytest.raises(ShapeError, match=r"wrenches has shape \(7,\)"):
        system.forces(H, np.zeros(6), np.zeros(7))
    with pytest.raises(StateError, match="NaN"):
        explicit_motion(system, H, np.full(6, np.nan), np.zeros(6))
    wide = BodyConstraint("wide", (0,), ("one",), lambda H: np.zeros((1, 7)), lambda H, V: np.zeros((1, 7)))
    with pytest.raises(ShapeError, match=r"'wide' has shape \(1, 7\).*1 rows and 1 bodies"):
        BodySystem(good[None], (wide,)).matrix(H)
    nan = BodyConstraint("nan", (0,), ("one",), lambda H: np.full((1, 6), np.nan), lambda H, V: np.zeros((1, 6)))
    with pytest.raises(StateError, match="matrix of the constraint 'nan' contains NaN"):
        explicit_motion(BodySystem(good[None], (nan,)), H, np.zeros(6), np.zeros(6))
    with pytest.raises(ArgumentError, match=r"bodies of the constraint 'nan' is \('arm',\)"):
        BodyConstraint("nan", ("arm",), ("one",), lambda H: np.zeros((1, 6)))
    with pytest.raises(ShapeError, match=r"mixing has shape \(2, 2\)"):
        pin.mixed(np.eye(2))
    with pytest.raises(ArgumentError, match="alpha is -1"):
        explicit_motion(system, H, np.zeros(6), np.zeros(6), (-1.0, 0.0))


def test_bodies_that_nothing_holds_and_bodies_that_cannot_move(rng):
    H, V, f = np.eye(4)[None], rng.standard_normal(6), rng.standard_normal(6)
    free = BodySystem(random_parameters(rng)[None])
    motion = explicit_motion(free, H, V, f)
    assert_allclose(free.inertia @ motion.acceleration, free.forces(H, V, f), atol=1e-12)
    assert_allclose(reduced_motion(free, H, V, f, np.eye(6)).rate, motion.acceleration, atol=1e-12)
    assert motion.multipliers.shape == (0,) and diagnose(free, H).freedoms == 6
    held = BodySystem(free.inertial_parameters, (body_joint("weld", "rigid", None, 0).constraint,))
    D = decompose(held.matrix(H)).perpendicular
    still = reduced_motion(held, H, np.zeros(0), f, D)
    assert D.shape == (6, 0) and still.rate.shape == (0,) and not still.acceleration.any()
    assert_allclose(still.multipliers, explicit_motion(held, H, 0.0 * V, f).multipliers, atol=1e-12)


def test_a_change_of_the_number_of_freedoms_is_an_error_with_the_time(rng):
    """A point is held where x < 1, and nothing beyond."""
    matrix = BodyConstraint(
        "gate", (0,), ("speed",), lambda H: (H[..., 0, :1, 3:] < 1.0) * np.eye(6)[:1], lambda H, V: np.zeros((1, 6))
    )
    system = BodySystem(random_parameters(rng)[None], (matrix,))
    velocity = reduced_velocity(system, lambda time, H, V: np.zeros(6))
    near, far = np.eye(4)[None], np.eye(4)[None].copy()
    far[0, 0, 3] = 2.0
    state = reduced_state(system, near, np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
    assert np.isfinite(velocity(0.5, state)).all()
    with pytest.raises(SimulationError, match=r"beyond t = 0\.7 s.*number of freedoms has changed"):
        velocity(0.7, (*far, *state[1:]))


@pytest.mark.filterwarnings("ignore::floatbase.spatial.InertiaWarning")
def test_an_inertia_that_no_body_has_is_doubted_only():
    thin = spatial.parameters_from_center(10.0, np.zeros(3), np.diag([41.2, 41.8, 92.1]))
    with pytest.warns(spatial.InertiaWarning):
        BodySystem(thin[None], ())
    assert random_pose(np.random.default_rng(0)).shape == (4, 4)
