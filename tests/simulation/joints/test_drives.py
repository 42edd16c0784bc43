"""Drives and digital controllers: closed forms, windup, gears, a whole joint of a robot, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.joints.motion import move, position_command, start, step

import floatbase as fb
from floatbase.simulation.joints import (
    CascadeDrive,
    Chain,
    Coupled,
    CrossFriction,
    Delay,
    Encoder,
    Geared,
    HardStops,
    Lag,
    PidDrive,
    PositionDrive,
    Quantizer,
    Sampled,
    Saturation,
    Selected,
    SpeedTorqueLimit,
    Sum,
    TorqueDrive,
    VelocityDrive,
    ViscousCoulombFriction,
    described_saturation,
    described_stops,
)

# of the TX40 arm (Leboutet 2022, appendix)
DRIVE_GAIN = np.array([35.24, 32.04, 23.94, 9.05, 15.5, 6.56])
KP = 0.75 * np.array([455.8254, 500, 253.7919, 200.2182, 244.3226, 478.4783])
KD = np.array([2.5361, 4.1174, 1.1793, 0.5462, 0.5714, 0.1954])
NOTHING = np.zeros(0)


def test_the_controller_of_positions() -> None:
    rng = np.random.default_rng(0)
    q, v, q_d, v_d, forward = rng.standard_normal((5, 20, 6))
    expected = DRIVE_GAIN * KP * (q_d - q) + DRIVE_GAIN * KD * (v_d - v) + forward
    law = PositionDrive(KP, KD, DRIVE_GAIN)
    assert_allclose(law.torque(np.concatenate([q_d, v_d, forward], axis=-1), q, v, NOTHING), expected, rtol=1e-13)
    # the same as two loops in a chain: velocities asked of a controller of velocities
    outer = Chain((PositionDrive(KP / KD, 0.0), VelocityDriveOfOne(KD, DRIVE_GAIN)))
    command = np.concatenate([q_d, v_d, 0 * forward + v_d], axis=-1)
    assert_allclose(outer.torque(command, q, v, NOTHING) + forward, expected, rtol=1e-12)


class VelocityDriveOfOne(VelocityDrive):
    """A controller of velocities without a torque to be added, for the end of a chain."""

    def command_size(self, joints):
        return joints

    def torque(self, command, position, velocity, memory):
        return super().torque(np.concatenate([command, 0 * command], axis=-1), position, velocity, memory)


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1.0])
def test_a_stiff_drive_reaches_its_target_with_any_step(dt) -> None:
    law = PositionDrive(KP, KD, DRIVE_GAIN)
    states = move(law, start(law, np.zeros(6)), position_command(np.ones(6)), 0.3, dt, int(6.0 / dt) + 100)
    assert_allclose(states[-1].position, 1.0, atol=1e-5)


def test_pid_has_no_error_in_the_end_under_a_load() -> None:
    law = PidDrive(50.0, 100.0, 10.0, filter_time=2e-3)
    states = move(law, start(law, [0.0]), position_command(0.7), 0.2, 1e-3, 8000, load=np.array([-9.0]))
    assert_allclose(states[-1].position, 0.7, atol=1e-6)
    assert_allclose(states[-1].memory[0], 9.0, atol=1e-4)


def test_pid_is_its_difference_equation() -> None:
    law, dt, rng = PidDrive(5.0, 7.0, 2.0, drive_gain=3.0, filter_time=4e-3), 1e-3, np.random.default_rng(1)
    position, velocity = rng.standard_normal((2, 10, 1))
    memory, integral, filtered = law.begin(position[0], velocity[0]), 0.0, velocity[0, 0]
    command = position_command(0.4, 0.3, 0.2)
    for q, v in zip(position, velocity, strict=True):
        memory = law.sample(command, q, v, memory, dt)
        integral += 7.0 * (0.4 - q[0]) * dt
        filtered += dt / (4e-3 + dt) * (v[0] - filtered)
        expected = 3.0 * (5.0 * (0.4 - q[0]) + integral + 2.0 * (0.3 - filtered)) + 0.2
        assert_allclose(law.torque(command, q, v, memory), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["PID", "cascade"])
def test_integrals_do_not_wind_up(kind) -> None:
    limits = {"torque_limit": 2.0}
    if kind == "PID":
        make = lambda **more: PidDrive(20.0, 40.0, 8.0, **more)  # noqa: E731
    else:
        make = lambda **more: CascadeDrive(4.0, 10.0, 30.0, **more)  # noqa: E731
    free, bound = make(), make(**limits)
    command = position_command(3.0)
    peaks = []
    for law in (bound, Chain((free, Saturation(2.0)))):
        states = move(law, start(law, [0.0]), command, 1.0, 2e-3, 6000)
        assert law is not bound or abs(states[-1].position[0] - 3.0) < 2e-2
        peaks.append(max(state.position[0] for state in states))
        torques = [law.torque(command, s.position, s.velocity, s.memory) for s in states[1:]]
        assert np.max(np.abs(torques)) <= 2.0 + 1e-12
    assert peaks[0] - 3.0 < 0.5 * (peaks[1] - 3.0)


def test_the_integral_stays_within_its_limit() -> None:
    law = PidDrive(0.0, 100.0, 0.0, integral_limit=1.5)
    states = move(law, start(law, [0.0]), position_command(1.0), 1e6, 1e-2, 500)
    assert_allclose(states[-1].memory[0], 1.5)


def test_the_cascade_moves_at_the_velocity_limit() -> None:
    law = CascadeDrive(5.0, 20.0, 50.0, velocity_limit=0.5)
    states = move(law, start(law, [0.0]), position_command(10.0), 0.2, 1e-3, 5000)
    assert_allclose(states[-1].velocity, 0.5, rtol=1e-4)


def test_a_gear_multiplies_torques_and_reflects_damping() -> None:
    motor, ratio = PositionDrive(0.2, 0.01), 100.0
    law, rng = Geared(motor, ratio), np.random.default_rng(4)
    q, v = rng.standard_normal((2, 5, 2))
    command = rng.standard_normal((5, 6))
    expected = ratio * motor.torque(command, ratio * q, ratio * v, NOTHING)
    assert_allclose(law.torque(command, q, v, NOTHING), expected)
    assert_allclose(law.damping(command, q, v, NOTHING), 0.01 * ratio**2)


def test_rotors_are_part_of_the_mass_matrix() -> None:
    rng = np.random.default_rng(5)
    model = fb.model.library.staubli_tx40()
    bare = fb.load(fb.model.replace_joint(model, "joint3", rotor_inertia=0.0))
    geared = fb.load(fb.model.replace_joint(model, "joint3", rotor_inertia=2e-5, gear_ratio=80.0))
    q, v = bare.random(rng)
    expected = bare.mass_matrix(q)
    expected[8, 8] += 2e-5 * 80.0**2
    assert_allclose(geared.mass_matrix(q), expected, rtol=1e-12)
    energy = 0.5 * 2e-5 * (80.0 * v[8]) ** 2
    assert_allclose(0.5 * v @ (geared.mass_matrix(q) - bare.mass_matrix(q)) @ v, energy, rtol=1e-9)


def test_a_whole_robot_joint_settles_at_its_target() -> None:
    drive = Sampled(Encoder(CascadeDrive(8.0, 6.0, 20.0, torque_limit=30.0), 2 * np.pi / 2**16), 2)
    law = Sum(
        (
            Chain((Delay(5), drive, Delay(1), Quantizer(0.01), Saturation(25.0))),
            ViscousCoulombFriction([0.5], [0.8], 1e-3),
            HardStops([-1.0], [1.0], 1e4, 1e2),
        )
    )
    states = move(law, start(law, [-0.5]), position_command(0.6), 0.3, 1e-3, 2000, load=np.array([-3.0]))
    assert_allclose(states[-1].position, 0.6, atol=2e-3)
    beyond = move(law, start(law, [-0.5]), position_command(1.3), 0.3, 1e-3, 1500)
    assert 1.0 < beyond[-1].position[0] < 1.01


def test_a_law_for_some_joints() -> None:
    law = Selected(PositionDrive((1.0, 2.0), (0.1, 0.2)), (2, 0))
    rng = np.random.default_rng(6)
    q, v = rng.standard_normal((2, 4, 3))
    command = rng.standard_normal((4, 9))
    torque = law.torque(command, q, v, NOTHING)
    assert np.all(torque[:, 1] == 0.0)
    assert_allclose(torque[:, 2], (command[:, 2] - q[:, 2]) + 0.1 * (command[:, 5] - v[:, 2]) + command[:, 8])
    assert_allclose(torque[:, 0], 2.0 * (command[:, 0] - q[:, 0]) + 0.2 * (command[:, 3] - v[:, 0]) + command[:, 6])


def test_laws_of_a_description() -> None:
    robot = fb.load("talos")
    stops, bounds = described_stops(robot), described_saturation(robot, ["leg_left_1_joint"])
    lower, upper = robot.position_limits
    assert_allclose(stops.lower, lower)
    assert_allclose(stops.upper, upper)
    assert_allclose(bounds.limit, [100.0])
    with pytest.raises(fb.errors.UnknownNameError, match="leg_left_1_joint"):
        described_saturation(robot, ["leg_left_1"])


def test_a_step_of_torque_drives_is_exact() -> None:
    law = TorqueDrive((2.0, 3.0), 0.5)
    after = step(law, start(law, [0.0, 0.0]), np.array([1.0, -1.0]), 0.5, 1e-2)
    assert_allclose(after.velocity, 1e-2 * np.array([2.5, -2.5]) / 0.5)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: PositionDrive(-1.0, 0.0), "proportional"),
        (lambda: PidDrive(1.0, torque_limit=0.0), "torque_limit"),
        (lambda: PidDrive(1.0, filter_time=-1.0), "filter_time"),
        (lambda: CascadeDrive(1.0, 1.0, velocity_limit=np.inf), "velocity_limit"),
        (lambda: Delay(1.5), "steps is 1.5"),
        (lambda: Delay(-1), "steps"),
        (lambda: Delay(1, 1.5), "fraction"),
        (lambda: Delay.of_time(1.0, 0.0), "dt"),
        (lambda: Lag(-0.1), "time"),
        (lambda: Quantizer(-0.1), "step"),
        (lambda: Saturation(0.0), "limit"),
        (lambda: SpeedTorqueLimit(1.0, 3.0, 2.0), "knee"),
        (lambda: HardStops(1.0, 0.5, 1.0, 1.0), "lower"),
        (lambda: HardStops(0.0, 0.5, 1.0, 1.0, depth=0.0), "depth"),
        (lambda: Encoder(TorqueDrive(), -1.0), "resolution"),
        (lambda: Encoder("drive"), "law"),
        (lambda: Sampled(TorqueDrive(), 0), "period"),
        (lambda: Sampled(TorqueDrive(), 2.5), "period"),
        (lambda: Geared(TorqueDrive(), 0.0), "ratio"),
        (lambda: Chain(()), "law of joints"),
        (lambda: Chain((TorqueDrive(), PositionDrive(1.0, 1.0))), "PositionDrive takes 3"),
        (lambda: Chain((TorqueDrive(), ViscousCoulombFriction(1.0, 1.0))), "obeys no command"),
        (lambda: Sum((PositionDrive(1.0, 1.0), TorqueDrive())), "one command"),
        (lambda: Selected(TorqueDrive(), (0, 0)), "different"),
    ],
)
def test_what_no_drive_has_is_refused(make, word) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=word):
        make()


@pytest.mark.parametrize(
    ("law", "word"),
    [
        (PositionDrive((1.0, 2.0), 1.0), "proportional has 2 numbers; it must have one for each of 3 joints"),
        (Sum((TorqueDrive(), ViscousCoulombFriction((1.0, 2.0), 0.0))), "viscous has 2"),
        (Sampled(Geared(TorqueDrive(), (1.0, 2.0)), 2), "ratio has 2"),
        (Chain((Delay(1, (0.5, 0.5)), TorqueDrive())), "fraction has 2"),
        (Selected(TorqueDrive(), (1, 3)), "joints 0 .. 2"),
        (Selected(TorqueDrive((1.0, 1.0, 1.0)), (0, 1)), "drive_gain has 3"),
        (Coupled(TorqueDrive(), np.eye(2)), "3 columns"),
        (CrossFriction(((1, 3),), 1.0, 1.0), "joints 0 .. 2"),
        (CrossFriction(((0, 1),), (1.0, 2.0), 1.0), "viscous has 2"),
    ],
)
def test_a_wrong_number_of_joints_is_refused(law, word) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=word):
        law.check_joints(3)


def test_laws_at_other_coordinates_add_to_others() -> None:
    law = Sum((Coupled(PositionDrive(1.0, 2.0), 2.0 * np.eye(3)), PositionDrive(1.0, 1.0)))
    assert law.command_size(3) == 9
    assert_allclose(law.torque(np.ones(9), np.ones(3), np.zeros(3), NOTHING), 2 * (-1 + 2 + 1) + 1 + 1)


def test_filters_may_have_a_number_for_each_of_many_commands() -> None:
    Chain((Delay(1, np.linspace(0.0, 1.0, 9)), PositionDrive(1.0, (1.0, 2.0, 3.0)))).check_joints(3)
