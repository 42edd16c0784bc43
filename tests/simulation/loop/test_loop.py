"""Blocks around a plant: the order of a tick, rates, what feeds what, seeds, batches."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.loop.robots import hopper, loop_around, ours, start, theirs

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.loop import JointControl, Loop, Sensing, block, run
from floatbase.simulation.running import simulate
from floatbase.simulation.sensors import JointEncoders, Sampling


def test_a_loop_without_blocks_is_the_simulator():
    plant = ours()
    found = run(Loop(plant), start(0.05), duration=0.2)
    expected = simulate(plant.simulator, None, start(0.05), 0.2)
    np.testing.assert_array_equal(found["plant.q"], expected["q"][:-1])
    np.testing.assert_array_equal(found.state.plant.state.q, expected["q"][-1])
    np.testing.assert_allclose(found.times["plant"], expected.time[:-1], atol=1e-12)


def test_a_controller_acts_as_a_policy_does():
    plant = ours()

    def policy(time, state):
        return 400.0 * (0.1 - state.q[7:]) - 8.0 * state.v[6:]

    found = run(Loop(plant, {"controller": JointControl(np.full(2, 0.1), 400.0, 8.0)}), start(), duration=0.2)
    expected = simulate(plant.simulator, policy, start(), 0.2, record=["q", "wrenches"])
    np.testing.assert_allclose(found["plant.q"], expected["q"][:-1], atol=1e-12)
    again = run(
        Loop(plant, {"controller": JointControl(np.full(2, 0.1), 400.0, 8.0)}),
        start(),
        duration=0.2,
        record="plant.sole",
    )
    np.testing.assert_allclose(again["plant.sole"][1:], expected["wrenches"][1:-1], atol=1e-9)


@pytest.mark.parametrize("make", [ours, theirs])
def test_the_same_loop_runs_around_either_plant(make):
    loop = loop_around(ours()).with_settings(plant=make())
    found = run(loop, start(), duration=0.5)
    weight = 9.81 * hopper().mass
    assert found["sensors.ankle_ft"][-1, 2] == pytest.approx(9.81 * 0.8 - weight, rel=0.05)  # parent on child
    assert np.abs(found["plant.q"][-1, 7:]).max() < 0.05


def test_blocks_have_rates_of_their_own_and_hold_what_they_gave():
    counter = block(
        lambda state, inputs: (state + 1, {"count": np.array([state], dtype=float)}),
        {"time": 1},
        {"count": 1},
        lambda batch, seed: 0,
    )
    loop = Loop(
        ours(),
        {"slow": counter, "fast": counter, "follower": block(lambda x: x["count"], {"count": 1}, {"seen": 1})},
        rates={"slow": 250.0},
        wiring={"follower.count": "slow.count"},
    )
    found = run(loop, start(), duration=0.02)
    np.testing.assert_array_equal(found["slow.count"][:, 0], np.arange(5))
    np.testing.assert_array_equal(found["fast.count"][:, 0], np.arange(20))
    np.testing.assert_array_equal(found["follower.seen"][:, 0], np.arange(20) // 4)
    np.testing.assert_allclose(found.times["slow"], 0.004 * np.arange(5))


def test_signals_of_later_blocks_are_those_of_the_tick_before():
    first = block(lambda x: x["y"] + 1.0, {"y": 1}, {"x": 1})
    second = block(lambda x: 2.0 * x["x"], {"x": 1}, {"y": 1})
    found = run(
        Loop(ours(), {"first": first, "second": second}, wiring={"first.y": "second.y"}), start(), duration=0.004
    )
    np.testing.assert_array_equal(found["first.x"][:, 0], [1.0, 3.0, 7.0, 15.0])


def test_the_nearest_block_before_feeds_an_input():
    encoders = Sensing([JointEncoders("joint_positions", hopper().joint_names)])
    shifted = block(lambda x: x["joint_positions"] + 1.0, {"joint_positions": 2}, {"joint_positions": 2})
    reader = block(lambda x: x["joint_positions"], {"joint_positions": 2}, {"seen": 2})
    loop = Loop(ours(), {"sensors": encoders, "early": reader, "estimator": shifted, "late": reader})
    found = run(loop, start(), duration=0.002)
    np.testing.assert_array_equal(found["early.seen"], found["sensors.joint_positions"])
    np.testing.assert_array_equal(found["late.seen"], found["sensors.joint_positions"] + 1.0)


def test_what_is_wired_wrongly_is_an_error_before_anything_runs():
    reads = block(lambda x: x["angle"], {"angle": 2}, {"command": 2})
    with pytest.raises(ArgumentError, match="nothing before 'reader' gives 'angle'"):
        Loop(ours(), {"reader": reads})
    with pytest.raises(ArgumentError, match=r"did you mean 'reader\.angle'"):
        Loop(ours(), {"reader": reads}, wiring={"reader.angel": "plant.q"})
    with pytest.raises(ArgumentError, match=r"did you mean .*'plant\.joint_positions'"):
        Loop(ours(), {"reader": reads}, wiring={"reader.angle": "plant.joint_position"})
    with pytest.raises(ShapeError, match=r"reader\.angle takes 2 numbers, but plant\.q has 9"):
        Loop(ours(), {"reader": reads}, wiring={"reader.angle": "plant.q"})
    with pytest.raises(ShapeError, match=r"plant\.command takes 2 numbers, but reader\.command has 3"):
        Loop(ours(), {"reader": block(lambda x: np.zeros(3), {}, {"command": 3})})
    gives = block(lambda x: np.zeros(2), {}, {"angle": 2})
    with pytest.raises(ArgumentError, match="comes later in a tick"):
        Loop(ours(), {"reader": reads, "giver": gives})
    with pytest.raises(
        ArgumentError, match=r"300 Hz, does not divide that of the plant, 1000 Hz; near it are 333\.333 or 250 Hz"
    ):
        Loop(ours(), {"giver": gives}, rates={"giver": 300.0})
    with pytest.raises(ArgumentError, match="does not divide"):
        Loop(ours(), {"giver": gives}, rates={"giver": 2000.0})
    with pytest.raises(ArgumentError, match="unknown block in rates 'given'"):
        Loop(ours(), {"giver": gives}, rates={"given": 100.0})
    with pytest.raises(ArgumentError, match="it must have inputs"):
        Loop(ours(), {"giver": print})
    with pytest.raises(ArgumentError, match="SimulatedPlant"):
        Loop(hopper())
    with pytest.raises(ArgumentError, match="samples at 500 Hz"):
        Loop(
            ours(),
            {"sensors": Sensing([JointEncoders("s", ("hip",), sampling=Sampling(500.0))])},
            rates={"sensors": 100.0},
        )


def test_what_a_block_gives_is_checked():
    wrong = Loop(ours(), {"giver": block(lambda x: np.zeros(3), {}, {"angle": 2})})
    with pytest.raises(ShapeError, match=r"'giver' gave 'angle' of shape \(3,\); it must be \(2,\)"):
        run(wrong, start(), duration=0.01)
    missing = Loop(ours(), {"giver": block(lambda x: {"angel": np.zeros(2)}, {}, {"angle": 2})})
    with pytest.raises(ArgumentError, match="gave angel; it must give angle"):
        run(missing, start(), duration=0.01)


@pytest.mark.parametrize("make", [ours, theirs])
def test_runs_depend_on_the_seed_and_rows_are_single_runs(make):
    loop = loop_around(make())
    q = np.stack([start(), start(0.01), start(0.02)])
    one = run(loop, start(0.01), duration=0.05, seed=7)
    again = run(loop, start(0.01), duration=0.05, seed=7)
    other = run(loop, start(0.01), duration=0.05, seed=8)
    many = run(loop, q, duration=0.05, seed=7)
    np.testing.assert_array_equal(one["plant.q"], again["plant.q"])
    np.testing.assert_array_equal(one["sensors.noisy_gyro"], again["sensors.noisy_gyro"])
    assert np.abs(one["plant.q"] - other["plant.q"]).max() > 1e-9
    assert many["plant.q"].shape == (50, 3, 9)
    first = run(loop, start(), duration=0.05, seed=7)
    np.testing.assert_array_equal(many["plant.q"][:, 0], first["plant.q"])


@pytest.mark.parametrize("make", [ours, theirs])
def test_a_run_goes_on_from_its_state(make):
    loop = loop_around(make(), rates={"controller": 500.0})
    whole = run(loop, start(0.02), duration=0.061, seed=3)
    begun = run(loop, start(0.02), duration=0.023, seed=3)
    run(loop, start(0.5), duration=0.01)  # in between, the plant is elsewhere
    ended = run(loop, duration=0.038, state=begun.state)
    for name in ("plant.q", "sensors.ankle_ft", "controller.command"):
        np.testing.assert_array_equal(np.concatenate([begun[name], ended[name]]), whole[name])
    np.testing.assert_allclose(
        np.concatenate([begun.times["controller"], ended.times["controller"]]), whole.times["controller"]
    )


@pytest.mark.parametrize("make", [ours, theirs])
def test_pushes_are_wired_like_commands(make):
    plant = make(pushes=("chest",))
    shove = block(
        lambda x: np.array([0.0, 0.0, 200.0 * (x["time"] < 0.0095), 0.0, 0.0, 0.0]), {"time": 1}, {"pushes": 6}
    )
    pushed = run(Loop(plant, {"shove": shove}), start(1.0), duration=0.02)
    free = run(Loop(plant), start(1.0), duration=0.02)
    momenta = [hopper().centroidal_momentum(found["plant.q"][-1], found["plant.v"][-1]) for found in (pushed, free)]
    assert (momenta[0] - momenta[1])[2] == pytest.approx(200.0 * 0.01, rel=1e-3)
    np.testing.assert_array_equal(pushed["plant.v"][0], free["plant.v"][0])
