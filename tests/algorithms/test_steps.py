"""Steps of time: their orders, what they conserve, and their derivatives against differences of the step itself."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error, trees
from tests.algorithms.every_kind import COUNT, EXACT, Situation, by_complex_step, robot_of_every_kind
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_state, random_tree, with_representation

from floatbase.algorithms import (
    difference,
    integrate,
    kinetic_energy,
    potential_energy,
    step,
    step_derivatives,
    step_parameter_derivatives,
)
from floatbase.compiler import interpret, trace
from floatbase.errors import ArgumentError, StateError
from floatbase.results import STEPS
from floatbase.spatial import invert_pose, transform_parameters

ORDERS = {"explicit": 1, "semi-implicit": 1, "midpoint": 2, "rk4": 4}
DT = 0.02
CASES = [
    *trees(2, kinds=KINDS, backwards=0.5, armature=True),
    *trees(1, seed=1, mimic=True),
    *trees(1, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0),
]


def state_of(tree, rng, shape=()):
    q, v = random_state(rng, tree, shape)
    return q, v, rng.standard_normal(v.shape)


def apart(tree, a, b):
    """The change that leads from a state to another."""
    change = b[1] - a[1]
    return np.concatenate([np.broadcast_to(difference(tree, a[0], b[0]), change.shape), change], axis=-1)


def own_parameters(tree):
    """About the links that bodies are named after."""
    places = [invert_pose(tree.frames[body.name][1]) for body in tree.bodies]
    return np.concatenate([transform_parameters(H, body.parameters) for H, body in zip(places, tree.bodies)])


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("method", STEPS)
def test_order(method, representation, rng):
    tree = random_tree(rng, 7, True, representation, kinds=KINDS, backwards=0.5)
    q, v, tau = state_of(tree, rng)
    tau[:6] = 0.0

    def end(method, n, duration=0.1):
        state = q, v
        for _ in range(n):
            state = step(tree, *state, tau, duration / n, method=method)
        return state

    exact = end("rk4", 40)
    coarse, fine = (np.linalg.norm(apart(tree, exact, end(method, n))) for n in (5, 10))
    assert np.log2(coarse / fine) == pytest.approx(ORDERS[method], abs=0.2)


def assert_exact(tree, q, v, tau, wrenches, method):
    """Complex steps of the step itself, by the state before it and by the forces of joints."""
    n, first = tree.nv, tree.nv - tree.joint_nv
    end = step(tree, q, v, tau, DT, wrenches, method=method)

    def moved(z):
        force = tau + np.concatenate([np.zeros((len(z), first)), z[:, 2 * n :]], axis=-1)
        start = integrate(tree, q, z[:, :n]), v + z[:, n : 2 * n]
        return apart(tree, end, step(tree, *start, force, DT, wrenches, method=method))

    expected = by_complex_step(moved, np.zeros(2 * n + tree.joint_nv))
    found = step_derivatives(tree, q, v, tau, DT, wrenches, method=method)
    assert error(found.A, expected[:, : 2 * n]) < EXACT
    assert error(found.B, expected[:, 2 * n :]) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("number", range(COUNT))
def test_derivatives_with_every_kind_of_joint_against_complex_steps(number, method, representation, rng):
    s = Situation(robot_of_every_kind(number, representation), rng)
    assert_exact(s.tree, s.q, s.v, s.tau, s.wrenches, method)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("tree", CASES)
def test_derivatives_with_rotors_and_reversed_joints_against_complex_steps(tree, method, representation, rng):
    tree = with_representation(tree, representation)
    assert_exact(tree, *state_of(tree, rng), {list(tree.frames)[-1]: rng.standard_normal(6)}, method)


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("number", range(COUNT))
def test_derivatives_by_inertial_parameters_against_complex_steps(number, method, rng):
    s = Situation(robot_of_every_kind(number, REPRESENTATIONS[number % 3]), rng)
    state, phi = (s.tree, s.q, s.v, s.tau, DT, s.wrenches), own_parameters(s.tree)
    end = step(*state, method=method)
    expected = by_complex_step(lambda phi: apart(s.tree, end, step(*state, parameters=phi, method=method)), phi)
    assert error(step_parameter_derivatives(*state, method=method), expected) < EXACT
    assert error(step_parameter_derivatives(*state, parameters=phi, method=method), expected) < EXACT


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("method", STEPS)
def test_symbols_and_batches(method, floating, rng):
    tree = random_tree(rng, 5, floating, kinds=("revolute", "spherical"))
    q, v, tau = state_of(tree, rng, (3,))
    dt = np.array([0.01, 0.02, -0.01])
    wrench, phi = rng.standard_normal((3, 6)), own_parameters(tree) * rng.uniform(0.9, 1.1, (3, 1))
    sizes = {"q": tree.nq, "v": tree.nv, "tau": tree.nv, "dt": (), "wrench": 6, "phi": phi.shape[-1]}

    def everything(q, v, tau, dt, wrench, phi):
        arguments = (tree, q, v, tau, dt, {"frame1": wrench}, phi, method)
        matrices = [*step_derivatives(*arguments), step_parameter_derivatives(*arguments)]
        return dict(zip(("q", "v", "A", "B", "P"), (*step(*arguments), *matrices), strict=True))

    batch = everything(q, v, tau, dt, wrench, phi)
    program = trace(everything, sizes)
    for name, ours in zip(batch, interpret(program, q, v, tau, dt, wrench, phi), strict=True):
        assert error(ours, batch[name]) < TOLERANCE[np.float64]
    for k in range(3):
        single = everything(q[k], v[k], tau[k], dt[k], wrench[k], phi[k])
        for name, one in single.items():
            assert error(batch[name][k], one) < 1e-12


def test_the_midpoint_step_undoes_itself(rng):
    tree = random_tree(rng, 6, kinds=KINDS)
    q, v, tau = state_of(tree, rng)
    there = step(tree, q, v, tau, DT, method="midpoint")
    back = step(tree, *there, tau, -DT, method="midpoint")
    assert np.linalg.norm(apart(tree, (q, v), back)) < 1e-12


def test_energy_of_a_pendulum(rng):
    """Bounded for the midpoint and for semi-implicit steps, growing for explicit ones."""
    tree = random_tree(rng, 2, floating=False, kinds=("revolute",))
    q, v = random_state(rng, tree)
    nothing = np.zeros(tree.nv)

    def energies(method, n=1500, dt=0.02):
        state, found = (q, v), []
        for _ in range(n):
            state = step(tree, *state, nothing, dt, method=method)
            found.append(kinetic_energy(tree, *state) + potential_energy(tree, state[0]))
        return np.array(found)

    scale = kinetic_energy(tree, q, v) + 1.0
    start = kinetic_energy(tree, q, v) + potential_energy(tree, q)
    for method, bound in (("midpoint", 1e-2), ("semi-implicit", 0.5)):
        history = np.abs(energies(method) - start)
        assert history.max() < bound * scale
        assert history[-500:].max() < 1.1 * history[:500].max()
    grown = energies("explicit") - start
    assert grown[-1] > 1.5 * grown[749] > 0.0


def test_steps_that_are_not_solved_or_not_known(rng):
    tree = random_tree(rng, 6, kinds=KINDS)
    q, v, tau = state_of(tree, rng)
    with pytest.raises(StateError, match="does not converge"):
        step(tree, q, 50.0 * v, tau, 1.0, method="midpoint")
    with pytest.raises(ArgumentError, match="must be one of"):
        step(tree, q, v, tau, DT, method="euler")
    with pytest.raises(ArgumentError, match="must be one of"):
        step_derivatives(tree, q, v, tau, DT, method="euler")
