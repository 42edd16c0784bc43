"""Friction of a velocity: closed forms, dissipation, steps that never reverse a joint, and pairs of joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.joints.motion import derivatives, move, start

import floatbase as fb
from floatbase.simulation.joints import (
    Coupled,
    CrossFriction,
    LuGreFriction,
    StribeckFriction,
    ViscousCoulombFriction,
    described_friction,
)

# of the six joints of the RV2SQ arm (Leboutet 2022, appendix)
COULOMB = np.array([2.8503, 7.7407, 3.3459, 1.6581, 2.7170, 2.0284])
VISCOUS = np.array([4.7618, 13.4593, 4.1019, 1.3165, 1.4242, 0.9244])
STATIC = np.array([4.78, 7.97, 5.81, 2.15, 0.0, 0.0])
SPEED = np.array([0.025, 0.05, 0.05, 0.05, 0.05, 0.05])
EXPONENT = np.array([2.09, 2.78, 2.72, 1.60, 2.0, 2.0])
LAWS = {
    "sign": ViscousCoulombFriction(VISCOUS, COULOMB),
    "smooth": ViscousCoulombFriction(VISCOUS, COULOMB, width=0.01),
    "Stribeck": StribeckFriction(VISCOUS, COULOMB, STATIC, SPEED, EXPONENT),
    "smooth Stribeck": StribeckFriction(VISCOUS, COULOMB, STATIC, SPEED, EXPONENT, width=1e-3),
}
NOTHING = np.zeros(0)


def friction(law, velocity):
    return -law.torque(NOTHING, np.zeros_like(velocity), velocity, NOTHING)


def velocities(rng, n=200):
    return rng.standard_normal((n, 6)) * 10.0 ** rng.uniform(-4, 1, (n, 6))


def test_viscous_and_coulomb_friction() -> None:
    velocity = velocities(np.random.default_rng(0))
    assert_allclose(friction(LAWS["sign"], velocity), VISCOUS * velocity + COULOMB * np.sign(velocity), rtol=1e-15)
    smooth = VISCOUS * velocity + COULOMB * np.tanh(velocity / 0.01)
    assert_allclose(friction(LAWS["smooth"], velocity), smooth, rtol=1e-14)


def test_stribeck_goes_from_the_static_to_the_coulomb_level() -> None:
    law = LAWS["Stribeck"]
    slow, fast = np.full(6, 1e-9), np.full(6, 2.0)
    assert_allclose(friction(law, slow), STATIC, atol=1e-7)
    assert_allclose(friction(law, fast), COULOMB + 2.0 * VISCOUS, rtol=1e-12)
    at = COULOMB + (STATIC - COULOMB) / np.e + VISCOUS * SPEED
    assert_allclose(friction(law, SPEED), at, rtol=1e-13)


@pytest.mark.parametrize("name", LAWS)
def test_friction_is_odd_dissipates_and_is_zero_at_rest(name) -> None:
    velocity, law = velocities(np.random.default_rng(1)), LAWS[name]
    assert_allclose(friction(law, -velocity), -friction(law, velocity), rtol=1e-15)
    assert np.all(friction(law, velocity) * velocity >= 0.0)
    assert np.all(friction(law, np.zeros(6)) == 0.0)


@pytest.mark.parametrize("name", LAWS)
def test_damping_is_the_secant(name) -> None:
    velocity, law = velocities(np.random.default_rng(2)), LAWS[name]
    D = law.damping(NOTHING, velocity, velocity, NOTHING)
    assert_allclose(D * velocity, friction(law, velocity), rtol=1e-13)
    assert np.all(D >= 0.0)
    assert np.all(law.stiffness(NOTHING, velocity, velocity, NOTHING) == 0.0)


def test_damping_at_rest_is_the_slope_of_smooth_friction() -> None:
    law, rest = LAWS["smooth"], np.zeros(6)
    D, _, _ = derivatives(law, NOTHING, rest, rest, NOTHING)
    assert_allclose(law.damping(NOTHING, rest, rest, NOTHING), D, rtol=1e-6)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
def test_no_step_reverses_a_joint_that_slows_down(name, dt) -> None:
    law = LAWS[name]
    states = move(law, start(law, np.zeros(6), np.linspace(0.1, 3.0, 6)), NOTHING, 0.3, dt, 50)
    speeds = np.array([state.velocity for state in states])
    assert np.all(speeds >= -1e-12)
    assert np.all(np.diff(speeds, axis=0) <= 1e-12)


def test_a_joint_sticks_below_the_coulomb_torque_and_slides_above() -> None:
    law = ViscousCoulombFriction((0.0, 0.0), 2.0)
    load = np.array([1.9, 2.5])
    states = move(law, start(law, np.zeros(2)), NOTHING, 0.5, 1e-3, 2000, load)
    assert abs(states[-1].velocity[0]) < 1e-12
    assert abs(states[-1].position[0]) < 2e-4
    assert_allclose(states[-1].velocity[1], 2.0 * (2.5 - 2.0) / 0.5, rtol=0.02)


def test_coasting_ends_when_and_where_the_closed_form_says() -> None:
    viscous, coulomb, inertia, speed, dt = 0.4, 1.5, 0.2, 5.0, 1e-4
    law = ViscousCoulombFriction([viscous], [coulomb])
    states = move(law, start(law, [0.0], [speed]), NOTHING, inertia, dt, 6000)
    rate = viscous / inertia
    time = np.log(1.0 + viscous * speed / coulomb) / rate
    distance = (speed + coulomb / viscous) * (1.0 - np.exp(-rate * time)) / rate - coulomb / viscous * time
    stopped = next(k for k, state in enumerate(states) if state.velocity[0] < 1e-3) * dt
    assert_allclose(stopped, time, rtol=2e-3)
    assert_allclose(states[-1].position[0], distance, rtol=1e-3)


def lugre(**changes):
    settings = {"viscous": VISCOUS[:4], "exponent": EXPONENT[:4], "bristle_damping": 30.0} | changes
    return LuGreFriction(COULOMB[:4], STATIC[:4], SPEED[:4], 1e4, **settings)


@pytest.mark.parametrize("speed", [1e-4, 0.02, 0.05, 1.0, -0.02, -3.0])
def test_lugre_at_a_constant_velocity_becomes_stribeck(speed) -> None:
    law, velocity = lugre(), np.full(4, speed)
    memory = law.begin(np.zeros(4), velocity)
    for _ in range(4000):
        memory = law.sample(NOTHING, np.zeros(4), velocity, memory, 0.1)
        memory = law.remember(NOTHING, np.zeros(4), velocity, memory, 0.1)
    expected = StribeckFriction(VISCOUS[:4], COULOMB[:4], STATIC[:4], SPEED[:4], EXPONENT[:4])
    found = law.torque(NOTHING, np.zeros(4), velocity, memory)
    assert_allclose(found, expected.torque(NOTHING, velocity, velocity, NOTHING), rtol=1e-6)


def test_lugre_is_odd_in_velocity_and_deflection() -> None:
    law, rng = lugre(), np.random.default_rng(3)
    velocity, z = 0.1 * rng.standard_normal((50, 4)), 3e-4 * rng.standard_normal((50, 4))
    there, back = (np.concatenate([sign * z, np.full((50, 1), 1e-3)], axis=-1) for sign in (1, -1))
    assert_allclose(law.torque(NOTHING, z, -velocity, back), -law.torque(NOTHING, z, velocity, there), rtol=1e-12)


def test_lugre_without_a_step_is_the_model() -> None:
    law, rng = lugre(), np.random.default_rng(4)
    velocity, z = 0.1 * rng.standard_normal((50, 4)), 3e-4 * rng.standard_normal((50, 4))
    level = COULOMB[:4] + (STATIC - COULOMB)[:4] * np.exp(-(np.abs(velocity / SPEED[:4]) ** EXPONENT[:4]))
    rate = velocity - np.abs(velocity) * z * 1e4 / level
    expected = -(1e4 * z + 30.0 * rate + VISCOUS[:4] * velocity)
    memory = np.concatenate([z, np.zeros((50, 1))], axis=-1)
    assert_allclose(law.torque(NOTHING, z, velocity, memory), expected, rtol=1e-12)


@pytest.mark.parametrize("dt", [1e-5, 1e-3, 1.0, 1e3])
def test_bristles_never_bend_further_than_they_can(dt) -> None:
    law, rng = lugre(), np.random.default_rng(5)
    memory = law.begin(np.zeros(4), np.zeros(4))
    for _ in range(500):
        velocity = rng.standard_normal(4) * 10.0 ** rng.uniform(-4, 1, 4)
        memory = law.remember(NOTHING, np.zeros(4), velocity, memory, dt)
        assert np.all(np.abs(memory[:4]) <= np.maximum(COULOMB, STATIC)[:4] / 1e4 * (1.0 + 1e-12))


def test_lugre_torque_of_a_step_is_that_of_the_bristles_it_leaves() -> None:
    law, rng, dt = lugre(), np.random.default_rng(6), 2e-3
    velocity, z = 0.3 * rng.standard_normal(4), 2e-4 * rng.standard_normal(4)
    memory = law.sample(NOTHING, z, velocity, np.append(z, 0.0), dt)
    after = law.remember(NOTHING, z, velocity, memory, dt)[:4]
    expected = -(1e4 * after + 30.0 * (after - z) / dt + VISCOUS[:4] * velocity)
    assert_allclose(law.torque(NOTHING, z, velocity, memory), expected, rtol=1e-11)


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 1e-1])
def test_lugre_holds_a_load_below_the_static_level_with_any_step(dt) -> None:
    law = LuGreFriction([1.5], [2.0], [0.01], 1e5, bristle_damping=50.0, viscous=0.4)
    states = move(law, start(law, [0.0]), NOTHING, 0.1, dt, 3000, load=np.array([1.4]))
    assert 1.4 / 1e5 < states[-1].position[0] < 1e-4
    assert abs(states[-1].velocity[0]) < 1e-6
    assert_allclose(states[-1].memory[0], 1.4 / 1e5, rtol=1e-3)
    sliding = move(law, start(law, [0.0]), NOTHING, 0.1, dt, int(max(1.0, 50 * dt) / dt), load=np.array([2.5]))
    assert_allclose(sliding[-1].velocity[0], (2.5 - 1.5) / 0.4, rtol=0.04)


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("damping", [0.0, 300.0])
def test_joint_and_bristles_gain_no_energy_with_any_step(dt, damping) -> None:
    law = LuGreFriction([1.5], [2.0], [0.01], 1e5, bristle_damping=damping)
    states = move(law, start(law, [0.0], [0.5]), NOTHING, 0.1, dt, 500)
    energy = [0.05 * state.velocity[0] ** 2 + 0.5e5 * state.memory[0] ** 2 for state in states]
    assert np.all(np.diff(energy) <= 0.0)


def test_a_load_that_grows_slowly_bends_bristles_as_the_closed_form_says() -> None:
    law, dt, steps = LuGreFriction([1.5], [2.0], [0.1], 1e5, bristle_damping=50.0), 1e-3, 5000
    state = start(law, [0.0])
    for k in range(steps):
        state = move(law, state, NOTHING, 0.1, dt, 1, load=np.array([1.4 * (k + 1) / steps]))[-1]
    bend = 2.0 / 1e5
    assert_allclose(state.position[0], -bend * np.log(1.0 - 1.4 / 1e5 / bend), rtol=3e-3)


def test_lugre_agrees_with_an_integration_of_high_accuracy() -> None:
    from scipy.integrate import solve_ivp

    law = LuGreFriction([1.0], [1.6], [0.05], 2e3, bristle_damping=5.0, viscous=0.3)
    inertia, end = 0.1, 1.0

    def rate(t, x):
        memory = np.array([x[2], 0.0])
        v = x[1:2]
        torque = law.torque(NOTHING, x[:1], v, memory)[0] + 2.0 * np.sin(6.0 * t)
        return [x[1], torque / inertia, x[1] - law.slip(v)[0] * x[2]]

    exact = solve_ivp(rate, (0.0, end), [0.0, 0.0, 0.0], method="Radau", rtol=1e-9, atol=1e-12).y[:, -1]
    errors = []
    for dt in (1e-3, 2.5e-4):
        state = start(law, [0.0])
        for k in range(round(end / dt)):
            state = move(law, state, NOTHING, inertia, dt, 1, load=np.array([2.0 * np.sin(6.0 * k * dt)]))[-1]
        errors.append(abs(state.position[0] - exact[0]))
    assert errors[1] < 0.35 * errors[0] < 5e-3


def test_friction_of_a_pair_is_that_of_the_regressor() -> None:
    rng = np.random.default_rng(7)
    velocity = rng.standard_normal((20, 6))
    law = CrossFriction(((4, 5),), 0.8, 1.6)
    expected = np.zeros((20, 6))
    expected[:, 4] = -0.8 * velocity[:, 5] - 1.6 * np.sign(velocity[:, 5])
    expected[:, 5] = -0.8 * velocity[:, 4] - 1.6 * np.sign(velocity[:, 4])
    assert_allclose(law.torque(NOTHING, velocity, velocity, NOTHING), expected, rtol=1e-14)
    # with the friction of the joints of the TX40 arm, it dissipates
    own = ViscousCoulombFriction((0, 0, 0, 0, 1.60, 0.6894), (0, 0, 0, 0, 3.4092, 1.8313))
    total = law.torque(NOTHING, velocity, velocity, NOTHING) + own.torque(NOTHING, velocity, velocity, NOTHING)
    assert np.all((total * velocity).sum(axis=-1) <= 0.0)


@pytest.mark.parametrize("inner", [ViscousCoulombFriction((1.0, 2.0, 3.0), (0.5, 0.4, 0.3), 0.05), lugre])
def test_friction_at_other_coordinates_takes_the_power_it_takes_there(inner) -> None:
    matrix = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    law = Coupled(inner if inner is not lugre else LuGreFriction([1.0] * 3, [2.0] * 3, 0.01, 1e3), matrix)
    rng = np.random.default_rng(8)
    position, velocity = rng.standard_normal((2, 10, 2))
    memory = law.sample(NOTHING, position, velocity, law.begin(position, velocity), 1e-3)
    there = velocity @ matrix.T
    power = (law.torque(NOTHING, position, velocity, memory) * velocity).sum(axis=-1)
    expected = (law.law.torque(NOTHING, position @ matrix.T, there, memory) * there).sum(axis=-1)
    assert_allclose(power, expected, rtol=1e-12)
    assert law.remember(NOTHING, position, velocity, memory, 1e-3).shape == memory.shape
    assert law.damping(NOTHING, position, velocity, memory).shape == (10, 2)


def test_friction_of_a_description() -> None:
    robot = fb.load(fb.model.library.staubli_tx40())
    law = described_friction(robot)
    by_name = {joint.name: joint for joint in robot.model.joints}
    expected = [by_name[name].damping for name in robot.joint_names]
    assert_allclose(law.viscous, expected)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: ViscousCoulombFriction([-1.0], [0.0]), "viscous"),
        (lambda: ViscousCoulombFriction([1.0], [np.nan]), "coulomb"),
        (lambda: ViscousCoulombFriction([1.0], [1.0], width=-1.0), "width"),
        (lambda: StribeckFriction([1.0], [1.0], [-2.0], [0.1]), "static"),
        (lambda: StribeckFriction([1.0], [1.0], [2.0], [0.0]), "speed"),
        (lambda: LuGreFriction([1.0], [0.0], [0.1], [1e3]), "static"),
        (lambda: LuGreFriction([1.0], [2.0], [0.1], [-1e3]), "bristle_stiffness"),
        (lambda: CrossFriction(((1, 1),), 1.0, 1.0), "pair"),
        (lambda: Coupled(ViscousCoulombFriction([1.0], [1.0]), np.ones(3)), "matrix"),
    ],
)
def test_what_no_friction_has_is_refused(make, word) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=word):
        make()
