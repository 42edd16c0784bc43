"""Joints between free bodies: printed rows with the angular part first, rates, residuals, efforts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_pose

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError
from floatbase.simulation.constraints.bodies import (
    BodySystem,
    body_constraint_errors,
    body_joint,
    joint_wrenches,
    project_poses,
    project_twists,
    rolling_disc,
)

STEP = 1e-30
SELECT = np.eye(3)[:2]
ONE, NIL = np.eye(3), np.zeros((3, 3))
KINDS = ("rotational", "translational", "spherical", "rigid")
SIZES = {"rotational": 5, "translational": 5, "spherical": 3, "rigid": 6}


def poses_of(rng, n=2):
    return np.array([spatial.pose_exponential(rng.standard_normal(6)) for _ in range(n)])


def angular_first(rows):
    """Columns of linear-first rows with the halves of each body exchanged."""
    blocks = [rows[:, k : k + 6] for k in range(0, rows.shape[1], 6)]
    return np.hstack([np.hstack([block[:, 3:], block[:, :3]]) for block in blocks])


def printed(kind, H, one_H, two_H):
    """(3.14), (3.18) and the joint of the double pendulum, with the selection of two rows."""
    relative = np.linalg.inv(H[0]) @ H[1]
    R, r, RJ = relative[:3, :3], relative[:3, 3], one_H[:3, :3]
    r1, r2 = spatial.hat(one_H[:3, 3]), spatial.hat(two_H[:3, 3])
    if kind == "rotational":
        turn = SELECT @ RJ.T @ np.hstack([ONE, NIL, -R, NIL])
        return np.vstack([np.hstack([-r1, ONE, R @ r2, -R]), turn])
    if kind == "translational":
        slide = SELECT @ RJ.T @ np.hstack([-spatial.hat(r), ONE, NIL, -R])
        return np.vstack([np.hstack([ONE, NIL, -R, NIL]), slide])
    return np.hstack([R.T @ r1, -R.T, -r2, ONE])


@pytest.mark.parametrize("kind", ["rotational", "translational", "spherical"])
def test_rows_are_the_printed_ones_with_the_halves_exchanged(kind, rng):
    for _ in range(20):
        H, one_H, two_H = poses_of(rng), random_pose(rng), random_pose(rng)
        rows = body_joint("joint", kind, 0, 1, one_H, two_H).constraint.matrix(H)
        assert_allclose(angular_first(rows), printed(kind, H, one_H, two_H), atol=1e-13)


def test_the_double_pendulums_rows(rng):
    """The hook hangs from the world, the platform from the hook's centre; only one block of the rates is not zero."""
    hook, platform = np.eye(4), np.eye(4)
    hook[2, 3], platform[2, 3] = 2.0, 1.5  # where the joints are above the centres
    joints = (
        body_joint("crane", "spherical", None, 0, None, hook),
        body_joint("cable", "spherical", 0, 1, None, platform),
    )
    system = BodySystem(np.array([random_parameters(rng) for _ in range(2)]), [joint.constraint for joint in joints])
    H, V = poses_of(rng), rng.standard_normal(12)
    R = H[1, :3, :3].T @ H[0, :3, :3]
    first, second = spatial.hat(np.array([0.0, 0.0, -2.0])), spatial.hat(np.array([0.0, 0.0, -1.5]))
    A = np.block([[first, ONE, NIL, NIL], [NIL, -R, second, ONE]])
    assert_allclose(angular_first(system.matrix(H)), A, atol=1e-14)
    omega = V[3:6] - R.T @ V[9:12]
    rate = np.zeros((6, 12))
    rate[3:, 3:6] = -R @ spatial.hat(omega)
    assert_allclose(angular_first(system.rate(H, V)), rate, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_and_residuals_are_derivatives(kind, rng):
    for first in (0, None):
        one_H, two_H = random_pose(rng), random_pose(rng)
        joint = body_joint("joint", kind, first, 1 if first == 0 else 0, one_H, two_H).constraint
        n = len(joint.bodies)
        system = BodySystem(np.array([random_parameters(rng) for _ in range(n)]), (joint,))
        H, V = poses_of(rng, n), rng.standard_normal(6 * n)
        later = H @ spatial.pose_exponential(1j * STEP * V.reshape(n, 6))
        assert_allclose(joint.rate(H, V), joint.matrix(later).imag / STEP, atol=1e-12)
        h = 1e-6
        ahead, behind = (joint.matrix(H @ spatial.pose_exponential(s * h * V.reshape(n, 6))) for s in (1, -1))
        assert_allclose(joint.rate(H, V), (ahead - behind) / (2 * h), atol=1e-8)
        H = project_poses(system, H)
        assert_allclose(system.residual(H), np.zeros(SIZES[kind]), atol=1e-12)
        later = H @ spatial.pose_exponential(1j * STEP * V.reshape(n, 6))
        assert_allclose(system.residual(later).imag / STEP, system.matrix(H) @ V, atol=1e-11)
        assert np.linalg.matrix_rank(system.matrix(H)) == SIZES[kind]


@pytest.mark.parametrize("kind", ["rotational", "translational"])
def test_efforts_do_the_work_of_the_joint(kind, rng):
    """Power of the wrenches is effort times the rate of the joint, and the two bodies' wrenches balance."""
    one_H, two_H = random_pose(rng), random_pose(rng)
    joint = body_joint("joint", kind, 0, 1, one_H, two_H)
    system = BodySystem(np.array([random_parameters(rng) for _ in range(2)]), (joint.constraint,))
    H = project_poses(system, poses_of(rng))
    V = project_twists(system, H, rng.standard_normal(12))
    f = joint_wrenches(system, {"joint": joint}, H, np.array([1.7]))
    later = H @ spatial.pose_exponential(1j * STEP * V.reshape(2, 6))

    def coordinate(H):
        back = np.linalg.inv(H[0] @ one_H) @ H[1] @ two_H
        return np.arctan(back[1, 0] / back[0, 0]) if kind == "rotational" else back[2, 3]

    rate = np.imag(coordinate(later)) / STEP
    assert f @ V == pytest.approx(1.7 * rate, rel=1e-9)
    in_world = sum(spatial.transform_wrench(H[k], f[6 * k : 6 * k + 6]) for k in range(2))
    assert_allclose(in_world, 0.0, atol=1e-12)


def test_a_rolling_disc_in_the_world_frame(rng):
    disc = rolling_disc(0, 0.4, (1.0, 2.0, -1.0))
    H, V = poses_of(rng, 1), rng.standard_normal(6)
    later = H @ spatial.pose_exponential(1j * STEP * V.reshape(1, 6))
    assert_allclose(disc.rate(H, V), disc.matrix(later).imag / STEP, atol=1e-12)
    assert (disc.matrix(H) @ V)[2] == pytest.approx(disc.residual(later)[2].imag / STEP)


def test_programs_and_batches(rng):
    joint = body_joint("joint", "rotational", 0, 1, random_pose(rng), random_pose(rng)).constraint
    slide = body_joint("slide", "translational", None, 0, random_pose(rng)).constraint
    system = BodySystem(np.array([random_parameters(rng) for _ in range(2)]), (joint, slide, rolling_disc(1, 0.3)))
    H, V = np.array([poses_of(rng) for _ in range(3)]), rng.standard_normal((3, 12))
    names = ("matrix", "rate", "residual")

    def values(H, V):
        return system.matrix(H), system.rate(H, V), system.residual(H)

    for name, found, batch in zip(names, fb.interpret(fb.trace(values, {"H": (2, 4, 4), "V": 12}), H, V), values(H, V)):
        assert_allclose(found, batch, atol=1e-13, err_msg=name)
        assert_allclose(batch[1], values(H[1], V[1])[names.index(name)], atol=1e-14)
    errors = body_constraint_errors(system, H, V)
    assert errors.configuration.shape == errors.velocity.shape == (3, 13)


def test_joints_are_checked(rng):
    with pytest.raises(ArgumentError, match="rotational, translational, spherical, rigid"):
        body_joint("joint", "hinge", 0, 1)
    with pytest.raises(ArgumentError, match="first_H_joint"):
        body_joint("joint", "rigid", 0, 1, 2.0 * np.eye(4))
    with pytest.raises(ArgumentError, match="each once"):
        body_joint("joint", "rigid", 1, 1)
    joint = body_joint("joint", "rotational", None, 0)
    system = BodySystem(random_parameters(rng)[None], (joint.constraint,))
    with pytest.raises(ArgumentError, match="1 joints of one coordinate"):
        joint_wrenches(system, {"joint": joint}, poses_of(rng, 1), np.zeros(2))
