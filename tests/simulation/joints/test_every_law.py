"""What all laws of joints have in common: sizes, batches, symbols, parameters, derivatives, a command of rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.joints.every_law import LAWS, state
from tests.simulation.joints.motion import derivatives

import floatbase as fb

FRICTION = {"viscous and Coulomb", "Stribeck", "LuGre", "geared", "coupled", "selected", "robot"}  # gives secants
IMPLICIT = {"series elastic", "velocity loop"}  # their damping counts what springs do within a step


def whole_step(law, command, position, velocity, memory):
    sampled = law.sample(command, position, velocity, memory, 0.01)
    state = command, position, velocity, sampled
    results = [law.torque(*state), law.damping(*state), law.stiffness(*state), law.gain(*state)]
    return [sampled, *results, law.remember(*state, 0.01)]


@pytest.mark.parametrize("name", LAWS)
def test_sizes(name) -> None:
    law = LAWS[name]
    law.check_joints(3)
    command, position, velocity, memory = state(law, 5)
    sampled, torque, damping, stiffness, gain, after = whole_step(law, command, position, velocity, memory)
    assert sampled.shape == after.shape == memory.shape == (5, law.memory_size(3))
    assert torque.shape == damping.shape == stiffness.shape == (5, 3)
    assert gain.shape == command.shape
    assert law.rest(position, velocity).shape == command.shape


@pytest.mark.parametrize("name", LAWS)
def test_rows_of_a_batch_are_states_of_their_own(name) -> None:
    law = LAWS[name]
    all_states = state(law, 5)
    together = whole_step(law, *all_states)
    for row in range(5):
        for found, expected in zip(together, whole_step(law, *(part[row] for part in all_states)), strict=True):
            assert_allclose(found[row], expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", LAWS)
def test_traced_with_parameters_as_inputs_it_is_the_same(name) -> None:
    law = LAWS[name]
    inputs = (law.parameters, *state(law))

    def program(p, c, q, v, m):
        return np.concatenate(whole_step(law.with_parameters(p), c, q, v, m), axis=-1)

    traced = fb.trace(program, {name: np.shape(x) for name, x in zip("pcqvm", inputs, strict=True)}, "law")
    (found,) = fb.interpret(traced, *inputs)
    assert_allclose(found, program(*inputs), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LAWS)
def test_parameters_may_differ_from_state_to_state(name) -> None:
    law = LAWS[name]
    names = law.parameter_names()
    assert len(set(names)) == len(names) == len(law.parameters)
    assert_allclose(law.with_parameters(law.parameters).parameters, law.parameters)
    values = law.parameters * np.linspace(1.0, 1.1, 4)[:, None]
    different = law.with_parameters(values)
    assert_allclose(different.parameters, values)
    states = state(law, 4)
    together = whole_step(different, *states)
    for row in range(4):
        alone = whole_step(law.with_parameters(values[row]), *(part[row] for part in states))
        for found, expected in zip(together, alone, strict=True):
            assert_allclose(found[row], expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", LAWS)
def test_damping_stiffness_and_gain_are_derivatives(name) -> None:
    law = LAWS[name]
    states = state(law, 20)
    D, K, G = derivatives(law, *states)
    if name not in FRICTION:
        assert_allclose(law.damping(*states), D, rtol=1e-6, atol=1e-5)
    if name not in IMPLICIT:
        assert_allclose(law.stiffness(*states), K, rtol=1e-6, atol=1e-5)
    if "quantizer" not in name:
        assert_allclose(law.gain(*states), G, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["position drive", "velocity drive", "PID", "cascade", "chain of loops", "encoder"])
def test_the_command_of_rest_asks_for_nothing(name) -> None:
    law, rng = LAWS[name], np.random.default_rng(3)
    position, velocity = rng.standard_normal((2, 5, 3))
    command = law.rest(position, velocity)
    memory = law.sample(command, position, velocity, law.begin(position, velocity), 0.01)
    assert_allclose(law.torque(command, position, velocity, memory), 0.0, atol=0.6 if name == "encoder" else 1e-12)


def test_names_of_parameters_say_where_they_are() -> None:
    names = LAWS["robot"].parameter_names()
    assert names[0] == "0.0.fraction[0]"
    assert "1.coulomb[2]" in names
    assert "0.1.law.proportional[1]" in names


def test_a_whole_law_compiles() -> None:
    law = LAWS["robot"]
    inputs = (law.parameters, *state(law, 6))

    def program(p, c, q, v, m):
        return np.concatenate(whole_step(law.with_parameters(p), c, q, v, m), axis=-1)

    shapes = {key: np.shape(x)[-1:] for key, x in zip("pcqvm", inputs, strict=True)}
    function = fb.compile_program(fb.trace(program, shapes, "robot_of_laws"))
    assert_allclose(function(*inputs), program(*inputs), rtol=1e-10, atol=1e-10)
