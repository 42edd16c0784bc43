"""Inertial parameters, and the sparse forms that the recursions use."""

import numpy as np
import pytest
from tests.random_trees import random_parameters, random_pose

from floatbase import spatial
from floatbase.spatial import articulated_inertia as articulated
from floatbase.spatial import rigid_inertia as rigid
from floatbase.spatial import turns, vectors


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def as_rigid(parameters):
    return rigid.RigidInertia(parameters[0], tuple(parameters[1:4]), rigid.second_of(tuple(parameters[4:])))


def as_parameters(inertia):
    return np.array([inertia.mass, *inertia.moment, *rigid.tensor_of(inertia.second)], dtype=float)


def random_rotation_steps(rng):
    steps = []
    for axis in rng.integers(0, 3, 3):
        angle = rng.choice([rng.uniform(-3, 3), np.pi / 2, np.pi, -np.pi / 2])
        cosine, sine = float(np.round(np.cos(angle), 15)), float(np.round(np.sin(angle), 15))
        cosine, sine = (np.cos(angle), np.sin(angle)) if abs(cosine * sine) > 1e-9 else (cosine, sine)
        steps.append(turns.Turn(int(axis), float(cosine), float(sine)))
    R = np.eye(3)
    for axis, cosine, sine in steps:
        R = R @ spatial.rotation_about_axis(np.eye(3)[axis], np.arctan2(sine, cosine))
    return steps, R


def matrix_of(inertia):
    M, H, tensor = (np.array(x) for x in (vectors.full(inertia[0]), inertia[1], vectors.full(inertia[2])))
    return np.block([[M, H], [H.T, tensor]])


def test_inertia_matrix_and_change_of_frame(rng):
    for _ in range(5):
        parameters, a_H_b = random_parameters(rng), random_pose(rng)
        M = spatial.inertia_matrix(parameters)
        np.testing.assert_array_equal(spatial.parameters_of_inertia_matrix(M), parameters)
        X = spatial.wrench_adjoint(a_H_b)
        moved = spatial.transform_parameters(a_H_b, parameters)
        np.testing.assert_allclose(spatial.inertia_matrix(moved), X @ M @ X.T, atol=1e-14)
        back = spatial.transform_parameters(spatial.invert_pose(a_H_b), moved)
        np.testing.assert_allclose(back, parameters, atol=1e-14)


def test_parameters_from_center(rng):
    mass, center = 2.0, rng.standard_normal((4, 3))
    central = spatial.parameters_from_center(np.full(4, mass), center, np.broadcast_to(np.eye(3), (4, 3, 3)))
    C = spatial.hat(center)
    np.testing.assert_allclose(spatial.inertia_matrix(central)[:, 3:, 3:], np.eye(3) - mass * C @ C, atol=1e-14)
    np.testing.assert_allclose(spatial.center_of_parameters(central), center)


def test_physical(rng):
    good = np.array([random_parameters(rng) for _ in range(20)])
    assert spatial.is_physical(good).all()
    tensors = {(1.0, 1.0, 1.9): True, (1.0, 1.0, 2.0): True, (1.0, 1.0, 2.5): False, (1.0, -0.1, 1.0): False}
    for (x, y, z), expected in tensors.items():
        assert spatial.is_physical(np.array([1.0, 0, 0, 0, x, 0, 0, y, 0, z])) == expected
    assert not spatial.is_physical(np.array([-1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1]))


def test_sparse_turns(rng):
    for _ in range(30):
        steps, R = random_rotation_steps(rng)
        a, N = rng.standard_normal(3), rng.standard_normal((3, 3))
        S = N + N.T
        entries = (S[0, 0], S[0, 1], S[0, 2], S[1, 1], S[1, 2], S[2, 2])
        rows = tuple(tuple(row) for row in N)
        np.testing.assert_allclose(turns.turn(steps, tuple(a)), R @ a, atol=1e-14)
        np.testing.assert_allclose(turns.turn_back(steps, tuple(a)), R.T @ a, atol=1e-14)
        np.testing.assert_allclose(turns.turn_columns(rows, steps), N @ R, atol=1e-14)
        np.testing.assert_allclose(turns.turn_matrix(steps, rows), R @ N @ R.T, atol=1e-13)
        turned = vectors.full(turns.turn_symmetric(steps, entries))
        np.testing.assert_allclose(turned, R @ S @ R.T, atol=1e-13)
        Q = tuple(tuple(row) for row in R)
        np.testing.assert_allclose(vectors.full(vectors.congruence(Q, entries)), R @ S @ R.T, atol=1e-13)


def test_rigid_inertia(rng):
    for _ in range(5):
        parameters, p = random_parameters(rng), rng.standard_normal(3)
        body, H = as_rigid(parameters), spatial.pose_from(np.eye(3), p)
        shifted = as_parameters(rigid.shift_inertia(body, tuple(p)))
        np.testing.assert_allclose(shifted, spatial.transform_parameters(H, parameters), atol=1e-13)
        steps, R = random_rotation_steps(rng)
        H = spatial.pose_from(R, np.zeros(3))
        turned = as_parameters(rigid.turn_inertia(steps, body))
        np.testing.assert_allclose(turned, spatial.transform_parameters(H, parameters), atol=1e-13)
        a, w, w_dot = rng.standard_normal((3, 3))
        M, spin = spatial.inertia_matrix(parameters), np.concatenate([np.zeros(3), w])
        expected = M @ [*a, *w_dot] + spatial.wrench_cross(spin) @ M @ spin
        force, moment = rigid.newton_euler(body, tuple(a), rigid.angular_matrix(tuple(w), tuple(w_dot)))
        np.testing.assert_allclose([*force, *moment], expected, atol=1e-13)
        spin = rigid.angular_matrix(tuple(w), (0.0, 0.0, 0.0))
        expected = rigid.newton_euler(body, (0.0, 0.0, 0.0), spin)
        np.testing.assert_allclose(rigid.centrifugal(body, spin), expected, atol=1e-13)
        energy = rigid.twice_kinetic_energy(body, tuple(a), tuple(w))
        assert energy == pytest.approx(np.array([*a, *w]) @ M @ [*a, *w])


@pytest.mark.parametrize("revolute", [True, False])
def test_articulated_inertia(rng, revolute):
    parameters, p = random_parameters(rng), rng.standard_normal(3)
    steps, R = random_rotation_steps(rng)
    body = articulated.shift_articulated(articulated.from_rigid(as_rigid(parameters)), tuple(p))
    X = spatial.wrench_adjoint(spatial.pose_from(np.eye(3), p))
    matrix = X @ spatial.inertia_matrix(parameters) @ X.T
    np.testing.assert_allclose(matrix_of(body), matrix, atol=1e-13)
    body = articulated.turn_articulated(steps, body)
    X = spatial.wrench_adjoint(spatial.pose_from(R, np.zeros(3)))
    matrix = X @ matrix @ X.T
    np.testing.assert_allclose(matrix_of(body), matrix, atol=1e-13)
    left, joint = articulated.release_joint(body, revolute)
    k = 5 if revolute else 2
    U = matrix[:, k]
    np.testing.assert_allclose(matrix_of(left), matrix - np.outer(U, U) / U[k], atol=1e-12)
    np.testing.assert_allclose([*joint.force, *joint.moment], U / U[k], atol=1e-13)
    assert matrix_of(left)[k].tolist() == [0.0] * 6
    a, w = rng.standard_normal((2, 3))
    force, moment = articulated.wrench_of(body, tuple(a), tuple(w))
    np.testing.assert_allclose([*force, *moment], matrix @ [*a, *w], atol=1e-12)
    assert articulated.sum_articulated(body, body).linear[0] == 2.0 * body.linear[0]
