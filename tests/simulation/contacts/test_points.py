"""Laws of points and spheres: forces by hand, cones, work, derivatives, symbols, motions with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation import contacts, grounds

CORNERS = contacts.box_corners(0.2, 0.1)
LAWS = [
    contacts.SpringDamperContact(2e4, 300.0, 0.6, 0.05, points=CORNERS),
    contacts.HuntCrossleyContact(1e5, 0.4, 1.3, 0.6, 0.05, points=CORNERS, radius=0.03),
    contacts.BristleContact(2e4, 300.0, 1e4, 100.0, 0.6, points=CORNERS),
]
GROUNDS = [
    grounds.Flat(0.01, texture=grounds.Uniform(0.5, 2.0)),
    grounds.Slope(0.2, 0.5),
    grounds.HeightField.of_function(
        lambda x, y: 0.05 * np.sin(3 * x) * np.cos(2 * y), np.linspace(-1, 1, 9), np.linspace(-1, 1, 9)
    ),
]


def states(n=40, seed=0):
    rng = np.random.default_rng(seed)
    pose = spatial.pose_exponential(
        np.concatenate([rng.uniform(-0.3, 0.3, (n, 3)), 0.2 * rng.standard_normal((n, 3))], -1)
    )
    pose[:, 2, 3] = rng.uniform(-0.05, 0.05, n)
    return pose, rng.standard_normal((n, 6)) * [0.3, 0.3, 0.3, 1.0, 1.0, 1.0]


def memory_before(law, pose, ground, seed=1):
    """What a law remembers of a place nearby."""
    moved = pose.copy()
    moved[..., :2, 3] += np.random.default_rng(seed).uniform(-0.02, 0.02, (*pose.shape[:-2], 2))
    return law.begin(moved, ground)


def test_the_force_of_a_spring_and_damper_by_hand() -> None:
    law = contacts.SpringDamperContact(1e4, 100.0, 0.5, 0.1, points=((0.0, 0.0, -0.1),))
    pose = np.eye(4)
    pose[2, 3] = 0.09
    twist = np.array([0.3, 0.0, -0.2, 0.0, 1.0, 0.0])  # the point slides at 0.3 - 0.1
    normal = 1e4 * 0.01 + 100.0 * 0.2
    friction = -0.5 * normal * 0.2 / np.hypot(0.2, 0.1)
    wrench = law.wrench(pose, twist, np.zeros(0), grounds.Flat())
    np.testing.assert_allclose(wrench, [friction, 0.0, normal, 0.0, -0.1 * friction, 0.0], atol=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_the_ground_pushes_inside_the_friction_cone_and_only_where_it_is_touched(law, ground) -> None:
    pose, twist = states()
    memory = memory_before(law, pose, ground)
    wrench = law.wrench(pose, twist, memory, ground)
    total = np.zeros_like(wrench[:, :3])
    for touch, own in law.touches(pose, twist, memory, ground):
        force = np.stack(np.broadcast_arrays(*law.force(touch, own)), -1) * (touch.depth > 0)[:, None]
        normal = np.broadcast_to(np.stack(np.broadcast_arrays(*touch.normal), -1), force.shape)
        pressing = np.sum(force * normal, -1)
        sideways = np.linalg.norm(force - pressing[:, None] * normal, axis=-1)
        assert (pressing >= 0).all() and (sideways <= 0.6 * pressing * (1 + 1e-12)).all()
        assert 5 < np.count_nonzero(touch.depth > 0) < 35
        total += force
    np.testing.assert_allclose(wrench[:, :3], total, atol=1e-9)
    assert not wrench[(wrench[:, :3] == 0).all(-1)].any()


@pytest.mark.parametrize("law", LAWS)
def test_moving_world_and_ground_together_changes_nothing(law) -> None:
    pose, twist = states()
    memory = memory_before(law, pose, grounds.Slope(0.2))
    turn = spatial.rotation_exponential(np.array([0.0, 0.0, 0.8]))
    turned = spatial.pose_from(turn, np.zeros(3)) @ pose
    wrench = law.wrench(pose, twist, memory, grounds.Slope(0.2))
    both = np.kron(np.eye(2), turn)
    if law.memory_size:
        memory = memory.reshape(-1, 4, 4).copy()
        memory[..., 1:] = memory[..., 1:] @ turn.T
        memory = memory.reshape(-1, 16)
    again = law.wrench(turned, twist @ both.T, memory, grounds.Slope(0.2, 0.8))
    np.testing.assert_allclose(again, wrench @ both.T, atol=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_at_rest_damping_dissipates_and_above_the_ground_nothing_acts(law) -> None:
    pose, twist = states()
    at_rest, memory = 0.0 * twist, law.begin(pose, GROUNDS[0])
    damping = law.damping_matrix(pose, at_rest, memory, GROUNDS[0])
    assert np.linalg.eigvalsh(damping + np.swapaxes(damping, -1, -2)).min() > -1e-9 * np.abs(damping).max()
    above = pose.copy()
    above[:, 2, 3] += 1.0
    for matrix in (law.damping_matrix, law.stiffness_matrix):
        assert not matrix(above, twist, memory, GROUNDS[0]).any()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_symbols_give_what_numbers_give(law, ground) -> None:
    def everything(pose, twist, memory, parameters):
        changed = law.with_parameters(parameters)
        return (
            changed.wrench(pose, twist, memory, ground),
            changed.remember(pose, twist, memory, ground, 1e-3),
            changed.begin(pose, ground),
            changed.stiffness_matrix(pose, twist, memory, ground),
        )

    ports = {"pose": (4, 4), "twist": (6,), "memory": (law.memory_size,), "parameters": (len(law.parameters),)}
    program = fb.trace(everything, ports, "everything")
    pose, twist = states(6)
    memory = memory_before(law, pose, ground)
    given = fb.interpret(program, pose, twist, memory, law.parameters)
    for symbolic, numeric in zip(given, everything(pose, twist, memory, law.parameters), strict=True):
        np.testing.assert_allclose(symbolic, numeric, atol=1e-9)


def test_parameters_may_differ_from_state_to_state() -> None:
    pose, twist = states(5)
    law = LAWS[0].with_parameters(LAWS[0].parameters * np.linspace(1.0, 2.0, 5)[:, None])
    wrench = law.wrench(pose, twist, np.zeros((5, 0)), GROUNDS[0])
    one = LAWS[0].with_parameters(law.parameters[3]).wrench(pose[3], twist[3], np.zeros(0), GROUNDS[0])
    np.testing.assert_allclose(wrench[3], one)
    assert law.wrench(pose[0], twist[0], np.zeros(0), GROUNDS[0]).shape == (5, 6)


def bounce(law, mass, speed, dt):
    """Velocities of a point that falls on the ground with a speed, until it parts, by the midpoint rule."""
    pose, z, v = np.eye(4), 0.0, -speed

    def acceleration(z, v):
        pose[2, 3] = z
        return law.wrench(pose, np.array([0, 0, v, 0, 0, 0.0]), np.zeros(0), grounds.Flat())[2] / mass

    while True:
        half, middle = z + 0.5 * dt * v, v + 0.5 * dt * acceleration(z, v)
        z, v = z + dt * middle, v + dt * acceleration(half, middle)
        if z >= 0.0:
            return v


@pytest.mark.parametrize(("stiffness", "exponent", "speed"), [(1e6, 1.5, 1.0), (1e4, 1.0, 2.0)])
def test_a_bounce_of_hunt_and_crossley_has_the_restitution_of_the_closed_form(stiffness, exponent, speed) -> None:
    law = contacts.HuntCrossleyContact(stiffness, 0.3, exponent)
    after = bounce(law, 0.5, speed, 1e-5)
    np.testing.assert_allclose(after / speed, contacts.restitution(0.3, speed), rtol=1e-4)


def test_restitution_for_slow_impacts_is_that_of_the_first_approximation() -> None:
    speed = np.array([0.0, 1e-3, 1e-2])
    np.testing.assert_allclose(contacts.restitution(0.5, speed), 1.0 - 0.5 * speed, atol=1e-4)
    x, e = 1.5 * 0.5 * 7.0, contacts.restitution(0.5, 7.0)
    np.testing.assert_allclose(x - np.log1p(x), -e * x - np.log1p(-e * x), rtol=1e-12)


def slide(law, push, steps=4000, dt=1e-4, mass=1.0, friction_ground=None):
    """Position and velocity of a point mass at rest on the ground, pushed sideways, by semi-implicit steps."""
    ground = friction_ground or grounds.Flat()
    pose, v = np.eye(4), np.zeros(3)
    pose[2, 3] = -mass * 9.81 / law.stiffness
    memory = law.begin(pose, ground)
    path = []
    for _ in range(steps):
        twist = np.concatenate([v, np.zeros(3)])
        force = law.wrench(pose, twist, memory, ground)[:3] + mass * np.array([0, 0, -9.81]) + push
        v = v + dt * force / mass
        pose[:3, 3] += dt * v
        memory = law.remember(pose, np.concatenate([v, np.zeros(3)]), memory, ground, dt)
        path.append((pose[0, 3], v[0]))
    return np.array(path)


def test_bristles_hold_below_the_cone_and_slide_above_it() -> None:
    law = contacts.BristleContact(1e4, 200.0, 1e4, 100.0, 0.5)
    held = slide(law, np.array([0.3 * 9.81, 0, 0]), 8000)
    np.testing.assert_allclose(held[-1], [0.3 * 9.81 / 1e4, 0.0], atol=1e-9)
    sliding = slide(law, np.array([0.7 * 9.81, 0, 0]), 4000)
    gained = (sliding[-1, 1] - sliding[2000, 1]) / (1999e-4)
    np.testing.assert_allclose(gained, 0.2 * 9.81, rtol=1e-3)


@pytest.mark.parametrize("damping", [0.0, 100.0])
def test_no_energy_comes_out_of_bristles(damping) -> None:
    law, ground, dt = contacts.BristleContact(1e4, 0.0, 2e4, damping, 0.5), grounds.Flat(), 1e-3
    rng = np.random.default_rng(4)
    pose = np.tile(np.eye(4), (50, 1, 1))
    pose[:, 2, 3] = -1e-2  # a normal force of 100 N
    memory, twist = law.begin(pose, ground), np.zeros((50, 6))

    def energy():
        return 0.5 * 2e4 * np.sum((memory[:, 1:3] - pose[:, :2, 3]) ** 2, axis=-1)

    slipped = 0
    for _ in range(200):
        before = energy()
        twist[:, :2] = 0.95 * twist[:, :2] + 0.3 * rng.standard_normal((50, 2))
        pose[:, :2, 3] += dt * twist[:, :2]
        force = law.wrench(pose, twist, memory, ground)[:, :2]
        memory = law.remember(pose, twist, memory, ground, dt)
        given = dt * np.sum(force * twist[:, :2], axis=-1) + energy() - before
        assert given.max() < 1e-12
        slipped += np.count_nonzero(np.linalg.norm(force, axis=-1) > 49.999)
    assert 1000 < slipped < 9900


def test_regularised_friction_creeps_below_the_cone() -> None:
    law = contacts.SpringDamperContact(1e4, 200.0, 0.5, 1e-2)
    path = slide(law, np.array([0.3 * 9.81, 0, 0]))
    ratio = 0.3 / 0.5
    np.testing.assert_allclose(path[-1, 1], 1e-2 * ratio / np.sqrt(1 - ratio**2), rtol=1e-6)


def test_a_sphere_touches_at_its_surface() -> None:
    law = contacts.SpringDamperContact(1e4, 0.0, 0.0, radius=0.1)
    pose = np.eye(4)
    slope = grounds.Slope(0.3)
    normal = slope.normal(0.0, 0.0)
    pose[:3, 3] = 0.098 * normal
    np.testing.assert_allclose(law.wrench(pose, np.zeros(6), np.zeros(0), slope)[:3], 1e4 * 0.002 * normal, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: contacts.SpringDamperContact(stiffness=-1.0), "stiffness"),
        (lambda: contacts.SpringDamperContact(damping=-1.0), "damping"),
        (lambda: contacts.SpringDamperContact(slip_speed=0.0), "slip_speed"),
        (lambda: contacts.BristleContact(friction=np.nan), "friction"),
        (lambda: contacts.BristleContact(tangential_stiffness=0.0), "tangential_stiffness"),
        (lambda: contacts.HuntCrossleyContact(exponent=0.0), "exponent"),
        (lambda: contacts.HuntCrossleyContact(dissipation=-0.1), "dissipation"),
        (lambda: contacts.HuntCrossleyContact(radius=-0.1), "radius"),
        (lambda: contacts.SpringDamperContact(points=((np.nan, 0.0, 0.0),)), "points"),
        (lambda: contacts.box_corners(-1.0, 1.0), "length"),
        (lambda: contacts.restitution(-1.0, 1.0), "dissipation"),
    ],
)
def test_what_is_no_law_is_refused(make, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()


def test_points_are_places() -> None:
    with pytest.raises(ShapeError, match="places"):
        contacts.BristleContact(points=(0.0, 0.0, 0.0))
