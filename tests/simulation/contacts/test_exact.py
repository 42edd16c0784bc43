"""Hard contacts with friction: conditions of a solution, independent solutions, closed forms of motions, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, nnls

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation import contacts


def problems(count, size, bodies, seed=0):
    """Contacts at random places of bodies of several masses, the first half of them among two bodies if there are."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(count):
        J = np.zeros((3 * size, 6 * bodies))
        for k in range(size):
            body = rng.integers(bodies)
            axes = spatial.rotation_exponential(rng.standard_normal(3))
            rows = axes.T @ np.concatenate([np.eye(3), -spatial.hat(0.3 * rng.standard_normal(3))], axis=-1)
            J[3 * k : 3 * k + 3, 6 * body : 6 * body + 6] = rows
            if bodies > 1 and k < size // 2:
                other = (body + 1) % bodies
                J[3 * k : 3 * k + 3, 6 * other : 6 * other + 6] = -rows
        mass = np.concatenate([m * np.array([1, 1, 1, 0.03, 0.03, 0.03]) for m in rng.uniform(0.5, 5.0, bodies)])
        result.append((J / mass @ J.T, J @ rng.standard_normal(6 * bodies), rng.uniform(0.1, 1.0, size)))
    return tuple(np.stack(parts) for parts in zip(*result, strict=True))


def normals(x):
    return x[..., 2::3]


def tangents(x):
    return x.reshape(*x.shape[:-1], -1, 3)[..., :2]


@pytest.mark.parametrize(("size", "bodies"), [(1, 1), (2, 1), (4, 2), (5, 3)])
def test_the_conditions_of_contact_and_of_coulomb_hold(size, bodies) -> None:
    D, free, friction = problems(40, size, bodies)
    solution = contacts.solve_contacts(D, free, friction, tolerance=1e-10, iterations=4000)
    assert solution.converged.all()
    impulse, velocity = solution.impulse, solution.velocity
    np.testing.assert_allclose(velocity, (D @ impulse[..., None])[..., 0] + free, atol=1e-12)
    scale = np.abs(free).max()
    assert normals(impulse).min() >= 0.0 and normals(velocity).min() > -1e-7 * scale
    assert np.abs(normals(impulse) * normals(velocity)).max() < 1e-7 * scale
    force = np.linalg.norm(tangents(impulse), axis=-1)
    limit = friction * normals(impulse)
    assert (force <= limit * (1 + 1e-12) + 1e-15).all()
    speed = np.linalg.norm(tangents(velocity), axis=-1)
    assert (speed * (limit - force)).max() < 1e-7 * scale  # what slides is on its cone
    power = np.sum(tangents(impulse) * tangents(velocity), axis=-1)
    np.testing.assert_allclose(power, -speed * force, atol=1e-7 * scale)  # and friction is opposed to it
    assert np.count_nonzero((limit > 1e-3) & (speed > 1e-3)) > 5  # some slide, and
    assert np.count_nonzero((limit > 1e-3) & (speed < 1e-6)) > 0  # some stick
    work = np.sum(impulse * (velocity + free), axis=-1)
    assert work.max() < 1e-9  # no energy comes from contacts


def test_without_friction_it_is_a_quadratic_program() -> None:
    D, free, friction = problems(20, 4, 2, seed=1)
    solution = contacts.solve_contacts(D, free, 0.0 * friction, tolerance=1e-11)
    for k in range(20):
        root = np.linalg.cholesky(D[k][2::3, 2::3])
        expected, _ = nnls(root.T, -np.linalg.solve(root, free[k][2::3]))
        np.testing.assert_allclose(normals(solution.impulse[k]), expected, atol=1e-8)
        assert not tangents(solution.impulse[k]).any()


def one_contact(D, free, friction):
    """The three cases of one contact: open, sticking, and sliding, by a root of the factor between force and speed."""
    if free[2] >= 0:
        return np.zeros(3)
    stick = -np.linalg.solve(D, free)
    if np.hypot(*stick[:2]) <= friction * stick[2]:
        return stick
    reduced = D[:2, :2] - np.outer(D[:2, 2], D[2, :2]) / D[2, 2]
    speed = free[:2] - D[:2, 2] * free[2] / D[2, 2]

    def force(factor):
        tangential = -np.linalg.solve(reduced + factor * np.eye(2), speed)
        return np.array([*tangential, -(free[2] + D[2, :2] @ tangential) / D[2, 2]])

    def excess(exponent):
        found = force(10.0**exponent)
        return np.hypot(*found[:2]) - friction * found[2]

    return force(10.0 ** brentq(excess, -12.0, 12.0, xtol=1e-14))


def test_one_contact_is_solved_as_by_cases() -> None:
    D, free, friction = problems(40, 1, 1, seed=2)
    D = D + 0.3 * np.eye(3)  # regular
    friction = 0.5 * friction
    solution = contacts.solve_contacts(D, free, friction, tolerance=1e-11)
    expected = np.stack([one_contact(*case) for case in zip(D, free, friction[:, 0], strict=True)])
    np.testing.assert_allclose(solution.impulse, expected, atol=1e-8)
    assert 5 < (expected[:, 2] == 0).sum() < 35


def test_many_contacts_are_solved_as_contact_by_contact() -> None:
    D, free, friction = problems(8, 3, 3, seed=3)
    D = D + 0.1 * np.eye(9)
    solution = contacts.solve_contacts(D, free, friction, tolerance=1e-11)
    for k in range(8):
        impulse = np.zeros(9)
        for _ in range(300):
            for part in (slice(0, 3), slice(3, 6), slice(6, 9)):
                others = free[k][part] + D[k][part] @ impulse - D[k][part, part] @ impulse[part]
                impulse[part] = one_contact(D[k][part, part], others, friction[k][part.start // 3])
        np.testing.assert_allclose(solution.impulse[k], impulse, atol=1e-7)


def test_a_program_gives_what_numbers_give() -> None:
    D, free, friction = problems(12, 4, 2, seed=4)
    ports = {"D": (12, 12), "free": (12,), "friction": (4,), "bias": (4,), "guess": (12,)}

    def solve(D, free, friction, bias, guess):
        return tuple(contacts.solve_contacts(D, free, friction, bias, guess=guess))

    program = fb.compile_program(fb.trace(solve, ports, "contacts"))
    bias, guess = 0.1 * np.ones((12, 4)), 0.1 * np.ones((12, 12))
    found = program(D, free, friction, bias, guess)
    expected = contacts.solve_contacts(D, free, friction, bias, guess=guess)
    for compiled, plain in zip(found, expected, strict=True):
        np.testing.assert_allclose(compiled, plain, atol=1e-9)
    again = program(D, free, friction, bias, expected.impulse)
    assert again[3].mean() < 0.5 * expected.iterations.mean()  # warm


def test_too_few_iterations_are_told() -> None:
    D, free, friction = problems(20, 5, 3)
    solution = contacts.solve_contacts(D, free, friction, iterations=20)
    assert not solution.converged.all()
    assert (solution.residual[solution.converged == 0] > 1e-9).all()


def box(tilt):
    """Jacobian (12, 6) of four corners of a box on a slope, in the slope's axes, and the inverse of its inertia."""
    places = np.array([[0.1, 0.05, -0.05], [0.1, -0.05, -0.05], [-0.1, 0.05, -0.05], [-0.1, -0.05, -0.05]])
    J = np.concatenate([np.concatenate([np.eye(3), -spatial.hat(place)], axis=-1) for place in places])
    inverse = 1.0 / np.array([2.0, 2.0, 2.0, 0.01, 0.02, 0.02])
    gravity = 9.81 * np.array([np.sin(tilt), 0.0, -np.cos(tilt), 0.0, 0.0, 0.0])
    return J, inverse, gravity


@pytest.mark.parametrize(
    ("masses", "tilt"), [((1.0, 1.0, 1.0), 0.0), ((1.0, 10.0, 100.0), 0.0), ((1.0, 1000.0), 0.0), ((1.0,) * 5, 0.3)]
)
def test_stacks_of_boxes_stand_heavy_ones_on_light_ones_too(masses, tilt) -> None:
    rows, gravity = [], []
    for k, _ in enumerate(masses):
        for x, y, _ in contacts.box_corners(0.2, 0.2):
            block = np.zeros((3, 6 * len(masses)))
            block[:, 6 * k : 6 * k + 6] = np.concatenate([np.eye(3), -spatial.hat(np.array([x, y, -0.05]))], -1)
            if k:
                below = np.concatenate([np.eye(3), -spatial.hat(np.array([x, y, 0.05]))], -1)
                block[:, 6 * k - 6 : 6 * k] = -below
            rows.append(block)
        gravity.append(9.81e-3 * np.array([np.sin(tilt), 0.0, -np.cos(tilt), 0.0, 0.0, 0.0]))
    J, free = np.concatenate(rows), np.concatenate(gravity)
    inverse = np.concatenate([1.0 / (m * np.array([1, 1, 1, 5e-3, 5e-3, 5e-3])) for m in masses])
    solution = contacts.solve_contacts(J * inverse @ J.T, J @ free, np.full(len(J) // 3, 0.5))
    assert solution.converged and solution.iterations <= 300
    np.testing.assert_allclose(free + inverse * (J.T @ solution.impulse), 0.0, atol=1e-9)
    lowest = normals(solution.impulse)[:4].sum()
    np.testing.assert_allclose(lowest, 9.81e-3 * sum(masses) * np.cos(tilt), rtol=1e-6)


@pytest.mark.parametrize(("angle", "friction"), [(0.4, 0.42), (0.4, 0.43), (0.7, 0.5)])
def test_a_box_on_a_slope_moves_if_and_only_if_the_tangent_exceeds_the_friction(angle, friction) -> None:
    J, inverse, gravity = box(angle)
    D, dt, v = J * inverse @ J.T, 1e-3, np.zeros(6)
    for _ in range(20):
        free = v + dt * gravity
        solution = contacts.solve_contacts(D, J @ free, np.full(4, friction), tolerance=1e-12, iterations=4000)
        v = free + inverse * (J.T @ solution.impulse)
    expected = max(0.0, 9.81 * (np.sin(angle) - friction * np.cos(angle)))  # tan 0.4 = 0.4228
    np.testing.assert_allclose(v, [20 * dt * expected, 0, 0, 0, 0, 0], atol=1e-9)


def test_a_sliding_box_stops_after_the_distance_of_coulomb() -> None:
    J, inverse, gravity = box(0.0)
    D, dt, v, x = J * inverse @ J.T, 2e-3, np.array([1.0, 0, 0, 0, 0, 0]), 0.0
    guess = np.zeros(12)
    for _ in range(200):
        free = v + dt * gravity
        guess = contacts.solve_contacts(D, J @ free, np.full(4, 0.4), guess=guess).impulse
        v = free + inverse * (J.T @ guess)
        x += dt * v[0]
    assert abs(v[0]) < 1e-9
    distance = 1.0 / (2 * 0.4 * 9.81)
    np.testing.assert_allclose(x, distance - 0.5 * dt, atol=0.5 * 0.4 * 9.81 * dt**2)  # as the steps' sum has it


def test_a_ball_bounces_with_its_restitution() -> None:
    mass, restitution, dt = 0.3, 0.7, 1e-4
    D, z, v, speeds = np.eye(3) / mass, 0.5, 0.0, []
    while len(speeds) < 4:
        free = v - dt * 9.81
        impulse = 0.0
        if z < 1e-2:
            bias = contacts.contact_bias(np.array([z]), np.array([v]), dt, restitution, slowest=0.05)
            impulse = contacts.solve_contacts(D, np.array([0, 0, free]), np.array([0.5]), bias).impulse[2]
        if impulse:
            speeds.append((-v, free + impulse / mass))
        v = free + impulse / mass
        z += dt * v
    before, after = np.array(speeds).T
    np.testing.assert_allclose(before[0], np.sqrt(2 * 9.81 * 0.5), rtol=1e-3)
    np.testing.assert_allclose(after / before, restitution, rtol=1e-6)
    np.testing.assert_allclose(after[0] ** 2 / (2 * 9.81), 0.49 * 0.5, rtol=2e-3)


def test_penetration_is_undone_step_by_step_and_gaps_may_close() -> None:
    gap, dt = np.array([-0.01, 0.002, -0.01]), 0.01
    bias = contacts.contact_bias(gap, np.array([0.0, -0.1, -1.0]), dt, restitution=0.5, baumgarte=0.2)
    np.testing.assert_allclose(bias, [-0.2, 0.2, -0.5])
    D = np.eye(9)
    free = np.array([0, 0, -1.0] * 3)
    velocity = contacts.solve_contacts(D, free, np.ones(3), bias).velocity
    np.testing.assert_allclose(normals(velocity), [0.2, -0.2, 0.5], atol=1e-8)


def test_projections_are_nearest_points() -> None:
    rng = np.random.default_rng(0)
    force, friction = rng.standard_normal((200, 6)), rng.uniform(0.0, 1.5, (200, 2))
    nearest = contacts.project_on_cones(force, friction)
    radius = np.linalg.norm(tangents(nearest), axis=-1)
    assert (radius <= friction * normals(nearest) + 1e-14).all()
    rest = nearest - force  # in the dual cone, and normal to the nearest point
    assert (normals(rest) >= friction * np.linalg.norm(tangents(rest), axis=-1) - 1e-14).all()
    np.testing.assert_allclose(np.sum(rest * nearest, axis=-1), 0.0, atol=1e-13)


def test_what_is_no_problem_is_refused() -> None:
    D, free, friction = np.eye(6), np.zeros(6), np.ones(2)
    solve = contacts.solve_contacts
    with pytest.raises(ShapeError, match="free_velocity"):
        solve(D, np.zeros(5), friction)
    with pytest.raises(ShapeError, match="friction"):
        solve(D, free, np.ones(3))
    with pytest.raises(ShapeError, match="delassus"):
        solve(np.eye(5), free, friction)
    with pytest.raises(ShapeError, match="bias"):
        solve(D, free, friction, np.ones(6))
    with pytest.raises(ArgumentError, match="friction"):
        solve(D, free, -friction)
    with pytest.raises(ArgumentError, match="free_velocity contains NaN"):
        solve(D, np.full(6, np.nan), friction)
    with pytest.raises(ArgumentError, match="not symmetric"):
        solve(D + np.triu(np.ones((6, 6)), 1), free, friction)
    with pytest.raises(ArgumentError, match="negative diagonal"):
        solve(-D, free, friction)
    with pytest.raises(ArgumentError, match="multiple of 20"):
        solve(D, free, friction, iterations=30)
    with pytest.raises(ArgumentError, match="tolerance"):
        solve(D, free, friction, tolerance=0.0)
    with pytest.raises(ArgumentError, match="dt"):
        contacts.contact_bias(np.zeros(1), np.zeros(1), 0.0)
    with pytest.raises(ArgumentError, match="restitution"):
        contacts.contact_bias(np.zeros(1), np.zeros(1), 0.1, restitution=-0.5)


def test_a_cone_without_friction_is_a_ray():
    forces = np.array([[0.0, 0.0, -3.0], [1.0, 0.0, -3.0], [0.0, 0.0, 2.0], [1.0, 2.0, 2.0]])
    found = contacts.project_on_cones(forces, np.zeros((4, 1)))
    np.testing.assert_allclose(found, [[0, 0, 0], [0, 0, 0], [0, 0, 2], [0, 0, 2]], atol=1e-15)
