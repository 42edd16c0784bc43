"""The closed form of a sole's wrench, its rate and its linearisation, against quadrature, differences and figures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation import contacts

LENGTH, WIDTH, STIFFNESS, DAMPING = SOLE = (0.2, 0.1, 2e6, 1e4)


def states(n=100, tilt=np.pi / 3.0, seed=0):
    """Poses tilted by at most so much, twists, and poses at touch-down nearby."""
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal((n, 3)) * [1.0, 1.0, 0.0]
    axis *= (rng.uniform(0.0, tilt, n) / np.linalg.norm(axis, axis=-1))[:, None]
    yaw = np.zeros((n, 3))
    yaw[:, 2] = rng.uniform(-np.pi, np.pi, n)
    rotation = spatial.rotation_exponential(axis) @ spatial.rotation_exponential(yaw)
    pose = spatial.pose_from(rotation, 0.02 * rng.standard_normal((n, 3)))
    away = spatial.rotation_exponential(0.2 * rng.standard_normal((n, 3)))
    touchdown = spatial.pose_from(away @ rotation, 0.02 * rng.standard_normal((n, 3)))
    return pose, rng.standard_normal((n, 6)), touchdown


def quadrature(pose, twist, touchdown, normal=(0.0, 0.0, 1.0), points=4):
    """Gauss-Legendre sums of the forces on all points; exact for polynomials of degree 7."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    facing = np.abs(np.sum(pose[..., :3, 2] * normal, axis=-1))[..., None]
    wrench = np.zeros_like(twist)
    for u, first in zip(nodes, weights, strict=True):
        for v, second in zip(nodes, weights, strict=True):
            place = np.array([0.5 * LENGTH * u, 0.5 * WIDTH * v, 0.0])
            arm = spatial.rotation_of(pose) @ place
            stretch = spatial.apply_pose(touchdown, place) - spatial.apply_pose(pose, place)
            velocity = twist[..., :3] + np.cross(twist[..., 3:], arm)
            force = STIFFNESS * stretch - DAMPING * velocity
            force = force * facing * first * second * LENGTH * WIDTH / 4.0
            wrench += np.concatenate([force, np.cross(arm, force)], axis=-1)
    return wrench


def test_the_closed_form_is_the_integral() -> None:
    state = states()
    expected = quadrature(*state)
    error = np.linalg.norm(contacts.sole_wrench(*state, *SOLE) - expected, axis=-1)
    assert (error / np.linalg.norm(expected, axis=-1)).max() < 1e-12


def test_the_closed_form_on_inclined_ground_is_the_integral() -> None:
    state = states()
    normal = np.array([0.3, -0.2, 0.9]) / np.linalg.norm([0.3, -0.2, 0.9])
    expected = quadrature(*state, normal)
    np.testing.assert_allclose(contacts.sole_wrench(*state, *SOLE, normal), expected, atol=1e-9, rtol=1e-9)


def test_the_wrench_of_the_reference_state() -> None:
    pose = spatial.pose_from(spatial.rotation_exponential(np.array([0.1, -0.2, 0.3])), np.array([0.01, -0.005, -0.008]))
    twist = np.array([0.05, -0.02, -0.1, 0.3, 0.2, -0.5])
    expected = [-399.869027, 198.959223, 331.598705, -2.317396, 27.223350, -46.231816]
    np.testing.assert_allclose(contacts.sole_wrench(pose, twist, np.eye(4), *SOLE), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("axis", "row", "expected"),
    [
        (0, 3, lambda s: -(WIDTH**2) * np.sin(s) * np.cos(s)),
        (1, 4, lambda s: -(LENGTH**2) * np.sin(s) * np.cos(s)),
        (2, 5, lambda s: -(LENGTH**2 + WIDTH**2) * np.sin(s)),
    ],
)
def test_turns_about_one_axis_have_short_formulas(axis, row, expected) -> None:
    angle = np.linspace(-1.0, 1.0, 11)
    pose = spatial.pose_exponential(np.eye(6)[3 + axis] * angle[:, None])
    wrench = contacts.sole_wrench(pose, np.zeros((11, 6)), np.eye(4), *SOLE)
    scale = STIFFNESS * LENGTH * WIDTH / 12.0
    np.testing.assert_allclose(wrench[:, row], scale * expected(angle), rtol=1e-12, atol=1e-12)


def moving(pose, twist, acceleration, time):
    """A pose and twist at a time near zero, to second order in time."""
    linear, angular = twist[..., :3], twist[..., 3:]
    position = pose[..., :3, 3] + time * linear + 0.5 * time**2 * acceleration[..., :3]
    turn = spatial.rotation_exponential(time * angular + 0.5 * time**2 * acceleration[..., 3:])
    return spatial.pose_from(turn @ pose[..., :3, :3], position), twist + time * acceleration


def test_the_rate_of_the_wrench_is_that_of_differences() -> None:
    pose, twist, touchdown = states()
    acceleration = np.random.default_rng(5).standard_normal(twist.shape)
    drift, gain = contacts.sole_wrench_dynamics(pose, twist, touchdown, *SOLE)
    rate = drift + (gain @ acceleration[..., None])[..., 0]

    def wrench(time):
        return contacts.sole_wrench(*moving(pose, twist, acceleration, time), touchdown, *SOLE)

    step = 1e-3  # differences of fourth order
    expected = (8.0 * (wrench(step) - wrench(-step)) - (wrench(2 * step) - wrench(-2 * step))) / (12.0 * step)
    error = np.linalg.norm(rate - expected, axis=-1) / np.linalg.norm(expected, axis=-1)
    assert error.max() < 1e-8


def test_the_gain_has_the_eigenvalues_of_the_closed_form() -> None:
    pose, twist, touchdown = states()
    gain = contacts.sole_wrench_dynamics(pose, twist, touchdown, *SOLE).gain
    area = LENGTH * WIDTH * np.abs(pose[:, 2, 2])
    expected = -area[:, None] * DAMPING / 12.0 * np.array([LENGTH**2 + WIDTH**2, LENGTH**2, WIDTH**2])
    np.testing.assert_allclose(np.linalg.eigvalsh(gain[:, 3:, 3:]), expected, rtol=1e-10)
    np.testing.assert_allclose(gain[:, :3, :3], -area[:, None, None] * DAMPING * np.eye(3), rtol=1e-13)
    assert not gain[:, :3, 3:].any() and not gain[:, 3:, :3].any()


def test_the_linearisation_is_the_derivative_at_rest() -> None:
    linear = contacts.linearized_sole(*SOLE)
    step = 1e-5
    for k in range(6):
        direction = step * np.eye(6)[k]
        at_rest = np.eye(6)[k] * 0.0
        stiffness = [
            contacts.sole_wrench(spatial.pose_exponential(s * direction), at_rest, np.eye(4), *SOLE) for s in (1, -1)
        ]
        damping = [contacts.sole_wrench(np.eye(4), s * direction, np.eye(4), *SOLE) for s in (1, -1)]
        expected = np.zeros((2, 6))
        part, place = (slice(0, 3), k) if k < 3 else (slice(3, 6), k - 3)
        expected[0, part] = (linear.linear_stiffness if k < 3 else linear.angular_stiffness)[place]
        expected[1, part] = (linear.linear_damping if k < 3 else linear.angular_damping)[place]
        scale = np.abs(expected).max(-1)
        for found, wanted, size in zip((stiffness, damping), expected, scale, strict=True):
            np.testing.assert_allclose((found[1] - found[0]) / (2 * step), wanted, atol=1e-6 * size)


def test_the_linearisation_errs_in_yaw_by_the_difference_of_angle_and_sine() -> None:
    yaw = np.deg2rad([5.0, 10.0, 20.0, 30.0, 45.0, 90.0])
    pose = spatial.pose_exponential(np.eye(6)[5] * yaw[:, None])
    exact = contacts.sole_wrench(pose, np.zeros((6, 6)), np.eye(4), *SOLE)[:, 5]
    stiffness = contacts.linearized_sole(*SOLE).angular_stiffness[2, 2]
    error = exact + stiffness * yaw
    np.testing.assert_allclose(error, stiffness * (yaw - np.sin(yaw)), rtol=1e-9)
    np.testing.assert_allclose(error, [0.018, 0.147, 1.174, 3.933, 13.05, 95.1], rtol=4e-3, atol=5e-4)


@pytest.mark.parametrize(
    ("axis", "order", "tolerance"),
    [((1, 0, 0), 3.0, 0.05), ((0, 1, 0), 3.0, 0.05), ((0, 0, 1), 3.0, 0.05), ((0.5, 0.7, 0.6), 2.0, 0.15)],
)
def test_the_linearisation_errs_by_its_order(axis, order, tolerance) -> None:
    size = np.geomspace(1e-3, 1e-2, 8)
    angles = np.array(axis) * size[:, None]
    pose = np.tile(np.eye(4), (8, 1, 1))
    pose[:, :3, :3] = spatial.rotation_from_rpy(angles)
    exact = contacts.sole_wrench(pose, np.zeros((8, 6)), np.eye(4), *SOLE)[:, 3:]
    error = exact + angles @ contacts.linearized_sole(*SOLE).angular_stiffness
    slope = np.polyfit(np.log(size), np.log(np.linalg.norm(error, axis=-1)), 1)[0]
    assert abs(slope - order) < tolerance


def test_the_elastic_part_has_no_potential() -> None:
    depth, tilt = 5e-3, 0.4
    nodes, weights = np.polynomial.legendre.leggauss(12)
    share = 0.5 * (nodes + 1.0)

    def work(start, end):
        """Work of the ground along a straight way in depth and pitch."""
        change = np.array(end) - np.array(start)
        places = np.array(start) + share[:, None] * change
        pose = spatial.pose_exponential(np.eye(6)[4] * places[:, 1:])
        pose[:, 2, 3] = -places[:, 0]
        wrench = contacts.sole_wrench(pose, np.zeros((12, 6)), np.eye(4), *SOLE)
        return 0.5 * weights @ (wrench[:, 2] * -change[0] + wrench[:, 4] * change[1])

    corners = [(depth, 0.0), (depth, tilt), (0.0, tilt), (0.0, 0.0), (depth, 0.0)]
    total = sum(work(*side) for side in pairwise(corners))
    expected = -0.5 * LENGTH * WIDTH * STIFFNESS * depth**2 * (1.0 - np.cos(tilt))
    np.testing.assert_allclose(total, expected, rtol=1e-10)


def test_symbols_give_what_numbers_give() -> None:
    def both(pose, twist, touchdown, sole):
        given = (pose, twist, touchdown, *(sole[k] for k in range(4)))
        return contacts.sole_wrench(*given), *contacts.sole_wrench_dynamics(*given)

    ports = {"pose": (4, 4), "twist": (6,), "touchdown": (4, 4), "sole": (4,)}
    state = states(5)
    found = fb.interpret(fb.trace(both, ports, "both"), *state, np.array(SOLE))
    expected = contacts.sole_wrench(*state, *SOLE), *contacts.sole_wrench_dynamics(*state, *SOLE)
    for symbolic, numeric in zip(found, expected, strict=True):
        np.testing.assert_allclose(symbolic, numeric, rtol=1e-11, atol=1e-9)


def test_what_is_no_sole_is_refused() -> None:
    pose, twist = np.eye(4), np.zeros(6)
    for k, name in enumerate(("length", "width", "stiffness", "damping")):
        for value in (0.0, -1.0, np.nan):
            sole = [*SOLE[:k], value, *SOLE[k + 1 :]]
            for function in (contacts.sole_wrench, contacts.sole_wrench_dynamics):
                with pytest.raises(ArgumentError, match=name):
                    function(pose, twist, pose, *sole)
            with pytest.raises(ArgumentError, match=name):
                contacts.linearized_sole(*sole)
    upright = spatial.pose_exponential(np.array([0, 0, 0, np.pi / 2, 0, 0]))
    with pytest.raises(ArgumentError, match="upright"):
        contacts.sole_wrench(upright, twist, pose, *SOLE)
    with pytest.raises(ArgumentError, match="world_H_touchdown"):
        contacts.sole_wrench(pose, twist, 2.0 * pose, *SOLE)
    with pytest.raises(ArgumentError, match="twist contains NaN"):
        contacts.sole_wrench(pose, np.full(6, np.nan), pose, *SOLE)
    with pytest.raises(ShapeError):
        contacts.sole_wrench(pose, np.zeros(5), pose, *SOLE)
