"""Signals between controllers and joints, and limits: delays, lags, quantisation, encoders, periods, stops, motors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.joints.motion import move, position_command, start

from floatbase.simulation.joints import (
    Chain,
    Delay,
    Encoder,
    HardStops,
    Lag,
    PidDrive,
    PositionDrive,
    Quantizer,
    Sampled,
    Saturation,
    SpeedTorqueLimit,
    VelocityDrive,
)

NOTHING = np.zeros(0)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_a_delay_of_whole_steps(steps) -> None:
    law, state = Delay(steps), start(Delay(steps), [0.0, 0.0])
    for k in range(12):
        command = np.array([k + 1.0, -k - 1.0])
        state.memory = law.sample(command, state.position, state.velocity, state.memory, 1e-3)
        late = max(0, k + 1 - steps)
        assert_allclose(law.torque(command, state.position, state.velocity, state.memory), [late, -late])


def test_a_delay_of_part_of_a_step_interpolates() -> None:
    law = Delay.of_time(2.3e-3, 1e-3)
    assert law.steps == 2
    assert_allclose(law.fraction, 0.3, rtol=1e-9)
    assert Delay.of_time(3e-3, 1e-3).steps == 3
    assert Delay.of_time(0.03, 0.01).steps == 3
    memory = law.begin(np.zeros(1), np.zeros(1))
    for k in range(20):
        command = np.array([0.5 * k])
        memory = law.sample(command, command, command, memory, 1e-3)
    assert_allclose(law.torque(command, command, command, memory), 0.5 * (19 - 2.3))


def test_a_command_before_a_drive_begins_at_rest_and_comes_late() -> None:
    law = Chain((Delay(3), PositionDrive(10.0, 1.0)))
    state = start(law, [0.2, -0.1], [0.0, 0.0])
    command = position_command([1.0, 1.0])
    torques = []
    for _ in range(5):
        memory = law.sample(command, state.position, state.velocity, state.memory, 1e-3)
        torques.append(law.torque(command, state.position, state.velocity, memory))
        state.memory = memory
    assert_allclose(torques[:3], 0.0, atol=1e-15)
    assert_allclose(torques[3:], [[8.0, 11.0]] * 2)


def test_a_delay_makes_a_loop_unstable_where_the_closed_form_says() -> None:
    # inertia J under torque -k w late by T: stable for k T / J < pi / 2
    inertia, late, dt = 1.0, 0.1, 1e-3
    for gain, stable in ((0.9 * np.pi / 2 / late, True), (1.1 * np.pi / 2 / late, False)):
        law = Chain((VelocityDrive(gain), Delay.of_time(late, dt)))
        states = move(law, start(law, [0.0], [1.0]), np.zeros(2), inertia, dt, 3000)
        tail = max(abs(state.velocity[0]) for state in states[-500:])
        assert (tail < 0.5) if stable else (tail > 2.0)


def test_a_lag_follows_with_its_time_constant() -> None:
    law, dt = Lag((0.05, 0.0)), 1e-4
    memory, none = law.begin(np.zeros(2), np.zeros(2)), np.zeros(2)
    for _ in range(500):
        memory = law.sample(np.ones(2), none, none, memory, dt)
    assert_allclose(law.torque(np.ones(2), none, none, memory), [1.0 - np.exp(-1.0), 1.0], rtol=1e-3)
    assert_allclose(memory[0], 1.0 - (1.0 + dt / 0.05) ** -500, rtol=1e-12)


def test_quantised_and_bounded_signals() -> None:
    signal = np.array([0.26, -0.24, 7.0, -9.0])
    law = Chain((Quantizer(0.1), Saturation((1.0, 1.0, 3.0, 3.0))))
    assert_allclose(law.torque(signal, signal, signal, NOTHING), [0.3, -0.2, 3.0, -3.0], rtol=1e-12)


def test_a_motor_has_less_torque_the_faster_it_turns() -> None:
    law = SpeedTorqueLimit([10.0], [2.0], [6.0])

    def given(asked, speed):
        return law.torque(np.array([asked]), np.zeros(1), np.array([speed]), NOTHING)[0]

    assert given(20.0, 1.0) == given(20.0, -5.0) == 10.0
    assert_allclose(
        [given(20.0, 4.0), given(20.0, 7.0), given(-20.0, -4.0), given(-20.0, 4.0)], [5.0, 0.0, -5.0, -10.0]
    )
    assert given(3.0, 4.0) == 3.0
    states = move(law, start(law, [0.0]), [50.0], 0.5, 1e-2, 5000)
    assert_allclose(states[-1].velocity, 6.0, rtol=1e-6)


def test_an_encoder_gives_steps_and_differences() -> None:
    resolution, dt = 2 * np.pi / 4096, 1e-3
    law = Encoder(PositionDrive(1.0, 0.0), resolution, delay=2)
    rate = Encoder(PositionDrive(0.0, 1.0), resolution, delay=2)
    q = 0.3 * np.sin(5.0 * dt * np.arange(200))[:, None]
    steps = resolution * np.rint(q / resolution)
    for encoder, expected in ((law, -steps[7:-2]), (rate, -(steps[7:-2] - steps[6:-3]) / dt)):
        memory, found = encoder.begin(q[0], np.array([1.5])), []
        for position in q:
            memory = encoder.sample(np.zeros(3), position, np.zeros(1), memory, dt)
            found.append(encoder.torque(np.zeros(3), position, np.zeros(1), memory))
        assert_allclose(found[9:], expected, atol=1e-9)
        if encoder is rate:
            assert_allclose(found[:3], -1.5)  # until there are two samples, the velocity of the beginning


@pytest.mark.parametrize("period", [1, 2, 5])
def test_a_sampled_law_holds_its_torque(period) -> None:
    law = Sampled(PositionDrive(1.0, 0.0), period)
    memory = law.begin(np.zeros(1), np.zeros(1))
    for k in range(17):
        q = np.array([float(k)])
        memory = law.sample(np.zeros(3), q, q, memory, 1e-3)
        held = k - k % period
        assert_allclose(law.torque(np.zeros(3), q + 0.5, q, memory), -held)
        memory = law.remember(np.zeros(3), q, q, memory, 1e-3)


def test_a_controller_in_a_period_of_several_steps_is_that_of_long_steps() -> None:
    inner = PidDrive(5.0, 7.0, 2.0, filter_time=4e-3)
    law, rng = Sampled(inner, 4), np.random.default_rng(2)
    memory, alone = law.begin(np.zeros(1), np.zeros(1)), inner.begin(np.zeros(1), np.zeros(1))
    for k in range(16):
        q, v, command = rng.standard_normal((1,)), rng.standard_normal((1,)), rng.standard_normal(3)
        if k % 4 == 0:
            alone = inner.sample(command, q, v, alone, 4e-3)
        memory = law.sample(command, q, v, memory, 1e-3)
        assert_allclose(law.torque(command, q, v, memory), inner.torque(command, q, v, alone), rtol=1e-13)


def test_stops_push_back_and_never_pull() -> None:
    law, rng = HardStops([-1.0], [0.5], 1e4, 1e2), np.random.default_rng(3)
    q, v = 1.5 * rng.standard_normal((2, 2000, 1))
    torque = law.torque(NOTHING, q, 10 * v, NOTHING)
    assert np.all(torque[(q > -1.0) & (q < 0.5)] == 0.0)
    assert np.all(torque[q >= 0.5] <= 0.0)
    assert np.all(torque[q <= -1.0] >= 0.0)
    # continuous where a stop is reached at speed
    at = law.torque(NOTHING, np.array([0.5 + 1e-9]), np.array([3.0]), NOTHING)
    assert abs(at[0]) < 1e-3


@pytest.mark.parametrize("damper", [0.0, 20.0])
def test_a_joint_leaves_a_stop_no_faster_than_it_came(damper) -> None:
    law, dt = HardStops([-1.0], [0.5], 1e4, damper, depth=1e-4), 1e-5
    states = move(law, start(law, [0.4], [2.0]), NOTHING, 0.5, dt, 12000)
    left = next(s for s in states[5000:] if s.position[0] < 0.5)
    assert_allclose(
        max(s.position[0] for s in states), 0.5 + 2.0 * np.sqrt(0.5 / 1e4), rtol=0.01 if damper == 0 else 0.3
    )
    speed = -states[-1].velocity[0]
    assert speed < 2.0
    if damper == 0.0:
        assert_allclose(speed, 2.0, rtol=5e-3)
    assert left.velocity[0] < 0.0
