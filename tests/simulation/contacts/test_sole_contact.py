"""A sole that touches, tips, slips and leaves the ground: limits of the wrench, closed forms of motions, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.contacts.free_body import GRAVITY, follow, resting

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation import contacts, grounds

SOLE = (0.2, 0.1, 2e6, 1e4)
LAW = contacts.SoleContact(*SOLE, friction=0.6, friction_radius=0.03, center=(0.02, -0.01, -0.05))
GROUNDS = [
    grounds.Flat(0.01, texture=grounds.Checker(0.1, 0.5, 2.0)),
    grounds.Slope(0.2, 0.5),
    grounds.HeightField.of_function(
        lambda x, y: 0.05 * np.sin(3 * x) * np.cos(2 * y), np.linspace(-1, 1, 9), np.linspace(-1, 1, 9)
    ),
]


def states(n=60, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    pose = spatial.pose_exponential(
        size * np.concatenate([rng.uniform(-0.2, 0.2, (n, 3)), 0.2 * rng.standard_normal((n, 3))], -1)
    )
    pose[:, 2, 3] = 0.05 + rng.uniform(-0.06, 0.03, n)
    return pose, size * rng.standard_normal((n, 6)) * [0.1, 0.1, 0.1, 0.5, 0.5, 0.5]


def memory_before(law, pose, ground, shift=2e-3):
    """What is remembered of a touch-down nearby, of soles that touch the ground there."""
    rng = np.random.default_rng(3)
    moved = pose.copy()
    moved[..., :2, 3] += shift * rng.standard_normal((*pose.shape[:-2], 2))
    turn = np.zeros((*pose.shape[:-2], 3))
    turn[..., 2] = 20.0 * shift * rng.standard_normal(pose.shape[:-2])
    moved[..., :3, :3] = spatial.rotation_exponential(turn) @ moved[..., :3, :3]
    return law.begin(moved, ground)


def about_center(law, pose, wrench):
    """Force, and moment about the sole's centre."""
    arm = pose[..., :3, :3] @ np.array(law.center)
    return wrench[..., :3], wrench[..., 3:] - np.cross(arm, wrench[..., :3])


def test_inside_the_limits_the_wrench_is_the_closed_form() -> None:
    pose, twist = states(size=0.02)
    pose[:, 2, 3] = 0.05 - 0.02
    ground = grounds.Flat()
    law = contacts.SoleContact(*SOLE, friction=50.0, friction_radius=5.0, center=LAW.center)
    memory = memory_before(law, pose, ground)
    touchdown = law.touchdown_pose(memory)
    sole = pose @ spatial.pose_from(np.eye(3), np.array(law.center))
    arm = sole[:, :3, 3] - pose[:, :3, 3]
    at_sole = twist.copy()
    at_sole[:, :3] += np.cross(twist[:, 3:], arm)
    expected = contacts.sole_wrench(sole, at_sole, touchdown, *SOLE)
    force, moment = about_center(law, pose, law.wrench(pose, twist, memory, ground))
    inside = (np.abs(expected[:, 3]) < 0.4 * 0.1 * expected[:, 2]) & (
        np.abs(expected[:, 4]) < 0.4 * 0.2 * expected[:, 2]
    )
    assert inside.sum() > 50
    np.testing.assert_allclose(np.concatenate([force, moment], -1)[inside], expected[inside], rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("ground", GROUNDS)
def test_the_ground_pushes_with_all_its_parts_inside_the_cone(ground) -> None:
    pose, twist = states()
    memory = memory_before(LAW, pose, ground, shift=1e-2)
    wrench = LAW.wrench(pose, twist, memory, ground)
    force, moment = about_center(LAW, pose, wrench)
    center = spatial.apply_pose(pose, np.array(LAW.center))
    normal = np.broadcast_to(ground.normal(center[:, 0], center[:, 1]), center.shape)
    depth = (ground.height(center[:, 0], center[:, 1]) - center[:, 2]) * normal[:, 2]
    assert not wrench[depth <= 0].any() and 20 < (depth > 0).sum() < 55
    pressing = np.sum(force * normal, -1)
    assert (pressing >= 0).all()
    sideways = np.linalg.norm(force - pressing[:, None] * normal, axis=-1)
    assert (sideways <= 0.6 * pressing * (1 + 1e-9)).all() and (sideways > 0.599 * pressing).sum() > 5
    assert (np.abs(np.sum(moment * normal, -1)) <= 0.03 * pressing * (1 + 1e-9) + 1e-9).all()
    first = pose[:, :3, 0] - np.sum(pose[:, :3, 0] * normal, -1)[:, None] * normal
    first /= np.linalg.norm(first, axis=-1)[:, None]
    second = np.cross(normal, first)
    assert (np.abs(np.sum(moment * first, -1)) <= 0.05 * pressing * (1 + 1e-9) + 1e-9).all()
    assert (np.abs(np.sum(moment * second, -1)) <= 0.10 * pressing * (1 + 1e-9) + 1e-9).all()


@pytest.mark.parametrize("ground", GROUNDS)
def test_symbols_give_what_numbers_give(ground) -> None:
    def everything(pose, twist, memory, parameters):
        changed = LAW.with_parameters(parameters)
        return (
            changed.wrench(pose, twist, memory, ground),
            changed.remember(pose, twist, memory, ground, 1e-3),
            changed.begin(pose, ground),
            changed.touchdown_pose(memory),
            changed.stiffness_matrix(pose, twist, memory, ground),
            changed.damping_matrix(pose, twist, memory, ground),
        )

    ports = {"pose": (4, 4), "twist": (6,), "memory": (10,), "parameters": (len(LAW.parameters),)}
    program = fb.trace(everything, ports, "everything")
    pose, twist = states(12)
    memory = memory_before(LAW, pose, ground)
    found = fb.interpret(program, pose, twist, memory, LAW.parameters)
    for symbolic, numeric in zip(found, everything(pose, twist, memory, LAW.parameters), strict=True):
        np.testing.assert_allclose(symbolic, numeric, rtol=1e-9, atol=1e-8)


def test_at_rest_the_matrices_are_those_of_the_linearised_sole() -> None:
    law, ground = contacts.SoleContact(*SOLE), grounds.Flat()
    pose = resting(4e-3)
    memory = law.begin(pose, ground)
    linear = contacts.linearized_sole(*SOLE)
    stiffness = law.stiffness_matrix(pose, np.zeros(6), memory, ground)
    damping = law.damping_matrix(pose, np.zeros(6), memory, ground)
    np.testing.assert_allclose(stiffness[:3, :3], linear.linear_stiffness, rtol=1e-12)
    np.testing.assert_allclose(stiffness[3:, 3:], linear.angular_stiffness, rtol=1e-12)
    np.testing.assert_allclose(damping[:3, :3], linear.linear_damping, rtol=1e-12)
    np.testing.assert_allclose(damping[3:, 3:], linear.angular_damping, rtol=1e-12, atol=1e-12)
    assert not law.damping_matrix(resting(-1e-3), np.zeros(6), np.zeros(10), ground).any()


def test_a_sole_that_sticks_keeps_its_place_and_one_that_leaves_forgets_it() -> None:
    law, ground = contacts.SoleContact(*SOLE), grounds.Flat()
    memory = law.begin(resting(4e-3), ground)
    np.testing.assert_allclose(law.touchdown_pose(memory), np.eye(4), atol=1e-15)
    moved = resting(4e-3)
    moved[0, 3] = 1e-4
    np.testing.assert_array_equal(law.remember(moved, np.zeros(6), memory, ground, 1e-3), memory)
    assert not law.remember(resting(-1e-6), np.zeros(6), memory, ground, 1e-3).any()
    tilted = law.touchdown_pose(law.begin(resting(4e-3, 0.1), ground))
    np.testing.assert_allclose(tilted, np.eye(4), atol=1e-15)


def test_a_slipping_sole_drags_its_place_and_turns_it() -> None:
    law, ground = contacts.SoleContact(*SOLE, friction=0.5, friction_radius=0.03), grounds.Flat()
    memory = law.begin(resting(4e-3), ground)
    moved = resting(4e-3)
    moved[0, 3] = 0.02
    moved[:3, :3] = spatial.rotation_exponential(np.array([0, 0, 0.4]))
    for _ in range(200):
        memory = law.remember(moved, np.zeros(6), memory, ground, 1e-3)
    wrench = law.wrench(moved, np.zeros(6), memory, ground)
    np.testing.assert_allclose(wrench[0] / wrench[2], -0.5, rtol=1e-6)
    np.testing.assert_allclose(wrench[5] / wrench[2], -0.03, rtol=1e-3)
    touchdown = law.touchdown_pose(memory)
    np.testing.assert_allclose(0.02 - touchdown[0, 3], 0.5 * 4e-3, rtol=1e-6)
    np.testing.assert_allclose(touchdown[:3, :3].T @ touchdown[:3, :3], np.eye(3), atol=1e-13)


@pytest.mark.parametrize(("stiffness", "sink", "frequency"), [(2e6, 4.05e-3, 49.2), (8e5, 10.12e-3, 31.1)])
def test_a_block_sinks_and_swings_as_the_closed_form_says(stiffness, sink, frequency) -> None:
    mass, damping, dt = 16.5, 1e3, 5e-4  # half a robot of 33 kg on each foot
    law = contacts.SoleContact(0.2, 0.1, stiffness, damping)
    run = follow(law, grounds.Flat(), mass, np.array([0.1, 0.1, 0.1]), 1e-4, 10000, every=5)
    pose, *_ = run(resting(1.1 * sink, 2e-3), np.zeros(6))
    height = pose[:, 2, 3]
    static = mass * GRAVITY / (0.02 * stiffness)
    np.testing.assert_allclose(static, sink, rtol=2e-3)
    crossings = np.nonzero(np.diff(np.sign(height + static)) > 0)[0] * dt
    found = 2.0 * np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])
    ratio = damping / 2.0 * np.sqrt(0.02 / (stiffness * mass))
    np.testing.assert_allclose(found, frequency * np.sqrt(1.0 - ratio**2), rtol=0.02)
    rocking = np.nonzero(np.diff(np.sign(pose[:, 0, 2])) > 0)[0] * dt
    found = 2.0 * np.pi * (len(rocking) - 1) / (rocking[-1] - rocking[0])
    np.testing.assert_allclose(found, np.sqrt(stiffness * 0.02 / 12.0 * 0.04 / 0.1), rtol=0.02)
    peaks = height[1:-1][(height[1:-1] > height[:-2]) & (height[1:-1] > height[2:])] + static
    decrement = np.log(peaks[0] / peaks[3]) / 3.0
    np.testing.assert_allclose(decrement / np.hypot(2 * np.pi, decrement), ratio, rtol=0.03)


def test_a_dropped_block_settles_at_the_static_sink_and_is_never_pulled() -> None:
    mass = 16.5
    law = contacts.SoleContact(*SOLE)
    run = follow(law, grounds.Flat(), mass, np.array([0.1, 0.1, 0.1]), 1e-4, 30000, every=10)
    pose, twist, wrench, memory = run(resting(-0.02, 0.02), np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.5]))
    static = mass * GRAVITY / (0.02 * 2e6)
    np.testing.assert_allclose(-pose[-1, 2, 3], static, rtol=0.02)
    np.testing.assert_allclose(pose[-1, :3, 2], [0.0, 0.0, 1.0], atol=1e-3)
    assert np.abs(twist[-1]).max() < 1e-2
    assert wrench[:, 2].min() == 0.0 and wrench[:, 2].max() > 2.0 * mass * GRAVITY
    assert memory[0, 0] == 0.0 and memory[-1, 0] == 1.0


@pytest.mark.parametrize(("slope", "moves"), [(0.45, False), (0.60, True)])
def test_a_block_on_a_slope_slides_where_the_tangent_exceeds_the_friction(slope, moves) -> None:
    friction, mass = 0.55, 10.0  # tan 0.45 = 0.483, tan 0.60 = 0.684
    law = contacts.SoleContact(0.2, 0.1, 2e6, 1e4, friction, 0.03)
    ground = grounds.Slope(slope)
    run = follow(law, ground, mass, np.array([0.1, 0.1, 0.1]), 2e-4, 4000, every=20)
    normal = ground.normal(0.0, 0.0)
    rotation = spatial.rotation_exponential(np.array([0.0, -slope, 0.0]))
    depth = mass * GRAVITY * np.cos(slope) / (0.02 * 2e6)
    _, twist, wrench, _ = run(spatial.pose_from(rotation, -depth * normal), np.zeros(6))
    down = np.array([-np.cos(slope), 0.0, -np.sin(slope)])
    speed = twist[:, :3] @ down
    if moves:
        expected = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
        np.testing.assert_allclose((speed[-1] - speed[100]) / (99 * 20 * 2e-4), expected, rtol=5e-3)
    else:
        assert abs(speed[-1]) < 1e-3
        np.testing.assert_allclose(wrench[-1, :3], [0.0, 0.0, mass * GRAVITY], atol=1.0)


def test_a_sliding_sole_comes_to_rest_after_the_distance_of_coulomb() -> None:
    friction, mass, speed = 0.4, 10.0, 1.0
    law = contacts.SoleContact(0.2, 0.1, 2e6, 1e4, friction, 0.03)
    run = follow(law, grounds.Flat(), mass, np.array([0.1, 0.1, 0.1]), 2e-4, 3000, every=10)
    pose, twist, *_ = run(resting(mass * GRAVITY / 4e4), np.array([speed, 0, 0, 0, 0, 0]))
    np.testing.assert_allclose(pose[-1, 0, 3], speed**2 / (2 * friction * GRAVITY), rtol=2e-2)
    assert abs(twist[-1, 0]) < 1e-3


def test_softer_places_let_the_sole_sink_deeper() -> None:
    ground = grounds.Flat(texture=grounds.Stripes(1.0, stiffness=0.25))
    law = contacts.SoleContact(*SOLE)
    pose = np.stack([resting(4e-3), resting(4e-3)])
    pose[1, 0, 3] = 1.5
    force = law.wrench(pose, np.zeros((2, 6)), law.begin(pose, ground), ground)[:, 2]
    np.testing.assert_allclose(force[0] / force[1], 0.25)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"length": 0.0}, "length"),
        ({"width": -1.0}, "width"),
        ({"stiffness": -2e6}, "stiffness"),
        ({"damping": 0.0}, "damping"),
        ({"friction": -0.1}, "friction"),
        ({"friction_radius": np.inf}, "friction_radius"),
        ({"center": (np.nan, 0.0, 0.0)}, "center"),
    ],
)
def test_what_is_no_sole_is_refused(settings, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        contacts.SoleContact(**settings)


def test_shapes_are_checked() -> None:
    law = contacts.SoleContact()
    with pytest.raises(ShapeError, match="10"):
        law.wrench(np.eye(4), np.zeros(6), np.zeros(3), grounds.Flat())
    with pytest.raises(ShapeError, match="center"):
        contacts.SoleContact(center=(0.0, 0.0))
