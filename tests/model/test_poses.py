import numpy as np
import pytest

from floatbase.model.poses import axis_rotation, inverse, pose, rotation_to_axis, tidy, turn

QUARTER = np.pi / 2


@pytest.mark.parametrize(
    "angles", [(QUARTER, 0, 0), (0, -QUARTER, np.pi), (np.pi, QUARTER, -QUARTER), (2 * np.pi, 0, 0)]
)
def test_quarter_turns_are_exact(angles):
    rotation = pose((0, 0, 0), angles)[:3, :3]
    assert set(np.unique(rotation)) <= {-1.0, 0.0, 1.0}
    np.testing.assert_array_equal(rotation @ rotation.T, np.eye(3))


def test_roll_pitch_yaw_are_about_fixed_axes(rng):
    roll, pitch, yaw = rng.uniform(-3, 3, 3)
    x, y, z = np.eye(3)
    expected = axis_rotation(z, yaw) @ axis_rotation(y, pitch) @ axis_rotation(x, roll)
    np.testing.assert_allclose(pose((0, 0, 0), (roll, pitch, yaw)), expected, atol=1e-15)


def test_inverse(rng):
    a_H_b = pose(rng.normal(size=3), rng.normal(size=3))
    np.testing.assert_allclose(a_H_b @ inverse(a_H_b), np.eye(4), atol=1e-15)


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, 1, 0], [0, -1, 0], [1, 2, -3], [1e-9, 0, 1]])
def test_rotation_to_axis(axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    rotation = rotation_to_axis(axis)
    np.testing.assert_array_equal(rotation[:, 2], axis)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-15)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert rotation[2, 0] == 0.0


def test_tidy_keeps_everything_but_rounding():
    tidied = tidy(np.array([1e-16, -1e-16, 1.0 - 1e-16, -1.0 + 3e-16, 1e-12, 0.5]))
    np.testing.assert_array_equal(tidied, [0, 0, 1, -1, 1e-12, 0.5])
    assert not np.signbit(tidied[1])
    np.testing.assert_allclose(turn(0.3), axis_rotation(np.array([0.0, 0.0, 1.0]), 0.3))
