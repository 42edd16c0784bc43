"""The spherical pendulum in four forms: published numbers, random states, trajectories, singular coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, SimulationError, StateError
from floatbase.model import library
from floatbase.simulation.constraints import diagnose
from floatbase.simulation.constraints.bodies import (
    SphericalPendulum,
    compare_trajectories,
    decompose,
    equivalence,
    explicit_motion,
    project_twists,
    reduced_motion,
    require_consistent_bodies,
)
from floatbase.spatial import groups

PENDULUM = SphericalPendulum()
Q, QD = np.array([0.3, -0.4, 0.5]), np.array([0.2, -0.1, 0.7])
WRENCH = np.array([5.0, -3.0, 2.0, 1.0, -2.0, 0.5])  # without gravity, linear first
TWIST = [0.5282228664, 0.3411565785, 0.0, 0.1137188595, -0.1760742888, 0.6221163315]
RATE = [-3.8268981821, -1.0194551307, 0.0, -0.3398183769, 1.2756327274, -0.1334593728]
QDD = [-0.9033074115, 1.0855039677, -0.4668026277]
ROD = [14.7891432071, 6.7044907177, 311.3075932372]
FORCE = [-159.1883002961, -31.4019870701, -306.5956573457, 1.0, -2.0, 0.5]


def states(rng, count=100):
    for _ in range(count):
        q = rng.uniform(-np.radians(80.0), np.radians(80.0), 3)
        yield q, rng.standard_normal(3), 100.0 * rng.standard_normal(6)


def test_published_numbers_in_all_four_forms():
    H, J, bent = PENDULUM.model.motion(Q, QD)
    V = J @ QD
    assert_allclose(V, TWIST, atol=1e-9)
    assert_allclose(PENDULUM.twist(Q, QD), TWIST, atol=1e-9)
    still = PENDULUM.system.forces(H, 0.0 * V, WRENCH)
    assert_allclose(still, FORCE, atol=1e-9)
    assert_allclose(PENDULUM.acceleration(Q, QD, WRENCH), QDD, atol=1e-9)
    assert_allclose(PENDULUM.model.direct_acceleration(Q, QD, WRENCH), QDD, atol=1e-9)
    forces = PENDULUM.model.generalized_forces(Q, WRENCH)
    assert_allclose(PENDULUM.model.lagrange_acceleration(Q, QD, forces), QDD, atol=1e-9)
    assert_allclose(J @ QDD + bent, RATE, atol=1e-9)
    explicit = explicit_motion(PENDULUM.system, H, V, WRENCH)
    assert_allclose(explicit.acceleration, RATE, atol=1e-9)
    assert_allclose(explicit.multipliers, ROD, atol=1e-8)
    D = decompose(PENDULUM.system.matrix(H)).perpendicular
    reduced = reduced_motion(PENDULUM.system, H, D.T @ V, WRENCH, D)
    assert_allclose(reduced.acceleration, RATE, atol=1e-9)
    assert_allclose(reduced.multipliers, ROD, atol=1e-8)


def test_matrices_in_closed_form_are_the_derivatives_of_the_pose():
    H, J, _ = PENDULUM.model.motion(Q, QD)
    assert_allclose(H[0], PENDULUM.pose(Q), atol=1e-14)
    assert_allclose(J[3:], PENDULUM.rate_matrix(Q), atol=1e-14)
    assert_allclose(PENDULUM.rotation(Q) @ J[:3], PENDULUM.position_matrix(Q), atol=1e-14)
    slope = PENDULUM.rate_matrix(Q + 1e-30j * QD).imag / 1e-30
    assert_allclose(PENDULUM.rate_matrix_rate(Q, QD), slope, atol=1e-14)
    assert np.linalg.det(PENDULUM.rate_matrix(Q)) == pytest.approx(np.cos(Q[1]))


def test_the_forms_agree_on_random_states(rng):
    found = equivalence(PENDULUM.model, PENDULUM.system, list(states(rng)))
    assert found.largest < 1e-10 and len(found.accelerations) == 6
    assert found.multipliers < 1e-10 and found.constraint < 1e-12 and found.basis < 1e-12
    assert found.rank == 3
    for q, qd, f in states(rng, 20):
        size = np.linalg.norm(f)
        assert_allclose(
            PENDULUM.acceleration(q, qd, f), PENDULUM.model.direct_acceleration(q, qd, f), atol=1e-10 * size
        )


def test_the_tree_agrees(rng):
    robot = fb.Robot(library.spherical_pendulum())
    for q, qd, f in states(rng, 10):
        R = PENDULUM.rotation(q)
        omega = PENDULUM.rate_matrix(q) @ qd
        at = spatial.quaternion_from_rotation(R)
        world = np.kron(np.eye(2), R) @ f
        a = robot.forward_dynamics(at, omega, np.zeros(3), {"center": world})
        second = PENDULUM.acceleration(q, qd, f)
        expected = PENDULUM.rate_matrix(q) @ second + PENDULUM.rate_matrix_rate(q, qd) @ qd
        assert_allclose(a, expected, atol=1e-10 * np.linalg.norm(f))


def test_trajectories_agree():
    applied = np.array([5.0, -3.0, 2.0, 1.0, -2.0, 0.5])
    found = compare_trajectories(PENDULUM.model, PENDULUM.system, Q, QD, applied, np.linspace(0.0, 1.0, 3), 1e-10)
    assert max(found.values()) < 1e-8 and len(found) == 3


def test_the_published_trajectory():
    """Five seconds under a constant wrench in the body's axes, by the closed form."""

    def velocity(_time, x):
        return np.concatenate([x[3:], PENDULUM.acceleration(x[:3], x[3:], WRENCH)])

    motion = spatial.adaptive_motion(groups.vectors(6), velocity, np.array([0.0, 5.0]), np.concatenate([Q, QD]), 1e-11)
    end = motion.elements[-1][:3]
    assert_allclose(end, [-0.1067959978, 0.1481366950, 3.6123511770], atol=1e-8)
    assert_allclose(PENDULUM.pose(end)[:3, 3], [-0.4427864762, -0.3162770321, -2.9502387997], atol=1e-8)


def test_programs_of_all_forms(rng):
    def forms(q, qd, f):
        model = PENDULUM.model
        forces = model.generalized_forces(q, f)
        H, J, _ = model.motion(q, qd)
        return (
            PENDULUM.acceleration(q, qd, f),
            model.direct_acceleration(q, qd, f),
            model.lagrange_acceleration(q, qd, forces),
            explicit_motion(PENDULUM.system, H, J @ qd, f).acceleration[3:],
        )

    cases = [np.array(x) for x in zip(*states(rng, 5))]
    closed, direct, lagrange, angular = fb.interpret(fb.trace(forms, {"q": 3, "qd": 3, "f": 6}), *cases)
    expected = PENDULUM.acceleration(*cases)
    for found in (closed, direct, lagrange):
        assert_allclose(found, expected, atol=1e-9)
    turned = PENDULUM.rate_matrix(cases[0]) @ expected[..., None]
    bent = PENDULUM.rate_matrix_rate(*cases[:2]) @ cases[1][..., None]
    assert_allclose(angular, (turned + bent)[..., 0], atol=1e-9)


def test_springs_belong_to_the_potential_or_to_the_forces(rng):
    from dataclasses import replace

    stiff = replace(PENDULUM.model, potential=lambda q: 20.0 * (q[0] * q[0] + 2.0 * q[1] * q[1]))
    for q, qd, f in states(rng, 5):
        spring = -40.0 * q * np.array([1.0, 2.0, 0.0])
        forces = PENDULUM.model.generalized_forces(q, f)
        expected = PENDULUM.model.lagrange_acceleration(q, qd, forces + spring)
        assert_allclose(stiff.lagrange_acceleration(q, qd, forces), expected, atol=1e-10)
        assert_allclose(stiff.direct_acceleration(q, qd, f), expected, atol=1e-9)


def test_the_published_initial_state_is_off_the_constraint():
    """Its velocity fits the pose upside down: the residual is (-0.576, 0.763, 0) m/s."""
    H = np.eye(4)[None].copy()
    H[0, 2, 3] = -3.0
    omega = np.array([-0.127, -0.096, 0.2])
    wrong = np.concatenate([[-0.288, 0.382, 0.0], omega])
    with pytest.raises(StateError, match=r"twists violate.*gap in y of suspension.*0\.763.*project_twists"):
        require_consistent_bodies(PENDULUM.system, H, wrong)
    right = np.concatenate([np.cross(omega, [0.0, 0.0, -3.0]), omega])
    assert_allclose(right[:3], [0.288, -0.381, 0.0], atol=1e-12)
    require_consistent_bodies(PENDULUM.system, H, right)
    require_consistent_bodies(PENDULUM.system, H, project_twists(PENDULUM.system, H, wrong))
    H[0, 2, 3] = -3.1
    with pytest.raises(StateError, match=r"poses violate.*gap in z.*project_poses"):
        require_consistent_bodies(PENDULUM.system, H, right)


def test_singular_coordinates_are_refused():
    sideways = np.array([0.2, np.pi / 2, 0.1])
    with pytest.raises(SimulationError, match="second angle is a quarter turn"):
        PENDULUM.acceleration(sideways, QD, WRENCH)
    for form in (PENDULUM.model.direct_acceleration, lambda q, qd, f: PENDULUM.model.lagrange_acceleration(q, qd, QD)):
        with pytest.raises(SimulationError, match="coordinates are singular"):
            form(sideways, QD, WRENCH)
    # in the bodies' own coordinates there is nothing special
    H = PENDULUM.pose(sideways)[None]
    assert np.isfinite(explicit_motion(PENDULUM.system, H, np.zeros(6), WRENCH).acceleration).all()


def test_lengths_and_masses_are_checked():
    with pytest.raises(ArgumentError, match="length is 0"):
        SphericalPendulum(length=0.0)
    with pytest.raises(ArgumentError, match="mass is -1"):
        SphericalPendulum(mass=-1.0)


def test_three_freedoms():
    found = diagnose(PENDULUM.system, PENDULUM.pose(Q)[None])
    assert (found.rows, found.rank, found.freedoms, found.redundant) == (3, 3, 3, ())
    assert found.smallest > 0.1 and found.condition < 2.0
