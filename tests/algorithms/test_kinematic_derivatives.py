"""Derivatives of frames' velocities, accelerations and wrenches, of the centre of mass and of the momentum about it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS, cases
from tests.random_trees import random_state, random_tree, with_representation

from floatbase import algorithms
from floatbase.algorithms.derivatives.differences import finite_difference
from floatbase.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace
from floatbase.errors import ShapeError, UnknownNameError

FRAMES = {  # function, its derivatives, what it takes
    "velocity": ("velocity_derivatives", "qv"),
    "acceleration": ("acceleration_derivatives", "qva"),
}
WHOLE = {
    "com_velocity": ("com_velocity_derivatives", "qv"),
    "centroidal_momentum": ("centroidal_momentum_derivatives", "qv"),
    "centroidal_momentum_rate": ("centroidal_momentum_rate_derivatives", "qva"),
}
ALL = {**FRAMES, **WHOLE}
EXACT = TOLERANCE[np.float64]


def pair(tree, name, frame):
    """A function of arrays and its derivatives."""
    last = (frame,) if name in FRAMES else ()
    function, derivatives = getattr(algorithms, name), getattr(algorithms, ALL[name][0])
    return lambda *x: function(tree, *x, *last), lambda *x: derivatives(tree, *x, *last)


def state(rng, tree, name, shape=()):
    q, v = random_state(rng, tree, shape)
    return [q, v, rng.standard_normal(v.shape)][: len(ALL[name][1])]


def check(function, x, tree, found):
    """Every derivative against complex steps, those by the configuration against central differences, too."""
    q, *others = x
    size = max(1.0, float(np.linalg.norm(function(*x))))

    def deviation(actual, expected):
        return np.linalg.norm(actual - expected) / max(size, float(np.linalg.norm(expected)))

    for method, most in (("complex", EXACT), ("central", 1e-8)):
        expected = finite_difference(lambda y: function(y, *others), q, tree=tree, method=method, batched=True)
        assert deviation(found[0], expected) < most
    for k, derivative in enumerate(found[1:], start=1):
        expected = finite_difference(
            lambda y, k=k: function(*x[:k], y, *x[k + 1 :]), x[k], method="complex", batched=True
        )
        assert deviation(derivative, expected) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", list(cases()))
def test_frames_against_differences_and_complex_steps(tree, representation, rng):
    tree = with_representation(tree, representation)
    names = [name for name in tree.frames if name.startswith("frame")]
    for name in FRAMES:
        for frame in {names[0], names[len(names) // 2], names[-1]}:
            function, derivatives = pair(tree, name, frame)
            x = state(rng, tree, name)
            found = derivatives(*x)
            check(function, x, tree, found)
            assert error(found[-1], algorithms.jacobian(tree, x[0], frame)) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", list(cases()))
def test_the_whole_against_differences_and_complex_steps(tree, representation, rng):
    tree = with_representation(tree, representation)
    matrices = (algorithms.com_jacobian, *[algorithms.centroidal_momentum_matrix] * 2)
    for name, matrix in zip(WHOLE, matrices, strict=True):
        function, derivatives = pair(tree, name, None)
        x = state(rng, tree, name)
        found = derivatives(*x)
        check(function, x, tree, found)
        assert error(found[-1], matrix(tree, x[0])) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", list(cases()))
def test_wrenches_against_differences_and_complex_steps(tree, representation, rng):
    tree = with_representation(tree, representation)
    frame = list(tree.frames)[-1]
    q, _ = random_state(rng, tree)
    f = rng.standard_normal(6)
    found = algorithms.jacobian_transpose_derivative(tree, q, f, frame)
    check(lambda y: np.swapaxes(algorithms.jacobian(tree, y, frame), -1, -2) @ f, [q], tree, [found])


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_wrenches_are_what_inverse_dynamics_lacks(representation, rng):
    tree = random_tree(rng, 8, representation=representation, kinds=KINDS, backwards=0.5)
    q, v = random_state(rng, tree)
    a, f, frame = rng.standard_normal(tree.nv), 5.0 * rng.standard_normal(6), "frame7"
    loaded = inverse_dynamics_derivatives(tree, q, v, a, {frame: f}).dq
    free = inverse_dynamics_derivatives(tree, q, v, a).dq
    assert error(free - loaded, algorithms.jacobian_transpose_derivative(tree, q, f, frame)) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("floating", [True, False])
def test_along_the_motion_they_are_rates(floating, representation, rng):
    """With constant velocities: the acceleration of a frame and the rate of the momentum."""
    tree = random_tree(rng, 8, floating, representation, kinds=KINDS, backwards=0.5)
    q, v = random_state(rng, tree)
    frame = list(tree.frames)[-1]
    assert error(algorithms.velocity_derivatives(tree, q, v, frame).dq @ v, algorithms.drift(tree, q, v, frame)) < EXACT
    rate = algorithms.centroidal_momentum_drift(tree, q, v)
    assert error(algorithms.centroidal_momentum_derivatives(tree, q, v).dq @ v, rate) < EXACT
    mass = algorithms.total_mass(tree)
    assert error(algorithms.com_velocity_derivatives(tree, q, v).dq @ v, rate[:3] / mass) < EXACT


def test_moving_the_robot_as_a_whole_changes_nothing_that_moves_with_it(rng):
    """In body axes neither twists of frames change, nor the momentum but for turning; exactly, at no cost."""
    tree = random_tree(rng, 8, kinds=KINDS)
    for name in ALL:
        function, derivatives = pair(tree, name, "frame7")
        x = state(rng, tree, name)
        dq, value = derivatives(*x)[0], function(*x)
        np.testing.assert_array_equal(dq[:, :3], 0.0)
        if name in FRAMES:
            np.testing.assert_array_equal(dq[:, 3:6], 0.0)
            continue
        R = algorithms.pose(tree, x[0], "link0")[:3, :3]
        for half in range(len(value) // 3):
            rows = slice(3 * half, 3 * half + 3)
            assert error(dq[rows, 3:6], np.cross(R.T, value[rows]).T) < EXACT


@pytest.mark.parametrize("representation", ["mixed", "body"])
def test_moving_the_base_without_turning_changes_nothing(representation, rng):
    tree = random_tree(rng, 8, representation=representation, kinds=KINDS)
    for name in ALL:
        _, derivatives = pair(tree, name, "frame7")
        np.testing.assert_array_equal(derivatives(*state(rng, tree, name))[0][:, :3], 0.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("floating", [True, False])
def test_batches_equal_the_loop(floating, name, dtype, rng):
    tree = random_tree(rng, 7, floating, "mixed", kinds=KINDS, backwards=0.5)
    _, derivatives = pair(tree, name, "frame6")
    x = [y.astype(dtype) for y in state(rng, tree, name, (3, 2))]
    batch = derivatives(*x)
    for k in np.ndindex(3, 2):
        for many, one in zip(batch, derivatives(*(y[k] for y in x)), strict=True):
            assert many.dtype == dtype
            np.testing.assert_allclose(many[k], one, rtol=0, atol=10 * np.finfo(dtype).eps * np.abs(one).max())


@pytest.mark.parametrize("name", WHOLE)
def test_other_inertial_parameters(name, rng):
    tree = random_tree(rng, 7, True, "mixed", kinds=KINDS)
    function, derivatives = getattr(algorithms, name), getattr(algorithms, ALL[name][0])
    parameters = np.concatenate([body.parameters for body in tree.bodies])
    parameters = parameters * rng.uniform(0.5, 1.5, (2, len(parameters)))
    x = state(rng, tree, name)
    batch = derivatives(tree, *x, parameters=parameters)
    for k in range(2):
        found = [derivative[k] for derivative in batch]
        check(lambda *y, k=k: function(tree, *y, parameters=parameters[k]), x, tree, found)


@pytest.mark.parametrize("name", [*ALL, "wrench"])
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_symbols_give_the_same(representation, name, rng):
    tree = random_tree(rng, 7, True, representation, kinds=KINDS, backwards=0.5)
    if name == "wrench":
        x = {"q": random_state(rng, tree)[0], "f": rng.standard_normal(6)}

        def function(q, f):
            return {"dq": algorithms.jacobian_transpose_derivative(tree, q, f, "frame6")}

    else:
        x = dict(zip("qva", state(rng, tree, name), strict=False))

        def function(*x):
            return pair(tree, name, "frame6")[1](*x)._asdict()

    program = trace(function, {key: value.shape[0] for key, value in x.items()})
    results = interpret(program, *x.values())
    for found, expected in zip(results if isinstance(results, tuple) else [results], function(*x.values()).values()):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_only_velocities_on_the_way_count():
    """Structural zeros, exactly: no operation is spent on joints that do not move a frame."""
    tree = random_tree(np.random.default_rng(3), 9, prismatic=0.3, branching=1.0)
    frame, body, way = "frame8", 8, set(range(6))
    while body > 0:
        way.add(6 + tree.bodies[body].joint.index)
        body = tree.bodies[body].parent
    off = sorted(set(range(tree.nv)) - way)
    assert off
    sizes = {"q": tree.nq, "v": tree.nv, "a": tree.nv}
    program = trace(lambda q, v, a: algorithms.acceleration_derivatives(tree, q, v, a, frame)._asdict(), sizes)
    for name in ("dq", "dv", "da"):
        assert not program.sparsity(name)[:, off].any()
    program = trace(
        lambda q, f: {"dq": algorithms.jacobian_transpose_derivative(tree, q, f, frame)}, {"q": tree.nq, "f": 6}
    )
    assert not program.sparsity("dq")[off].any()
    assert not program.sparsity("dq")[:, off].any()


LIMITS = {  # operations for a humanoid in "mixed" representation, frames at a hand beyond ten joints
    "velocity": 1_350,
    "acceleration": 3_100,
    "com_velocity": 2_800,
    "centroidal_momentum": 8_600,
    "centroidal_momentum_rate": 17_600,
}


@pytest.mark.parametrize("name", LIMITS)
def test_operations_for_a_humanoid(load_robot, name):
    tree = load_robot("icub", "mixed").tree
    _, derivatives = pair(tree, name, "l_hand")
    sizes = {letter: tree.nq if letter == "q" else tree.nv for letter in ALL[name][1]}
    program = trace(lambda *x: derivatives(*x)._asdict(), sizes)
    assert program.operation_count < LIMITS[name]


def test_operations_for_a_wrench(load_robot):
    tree = load_robot("icub", "mixed").tree
    sizes = {"q": tree.nq, "f": 6}
    program = trace(lambda q, f: algorithms.jacobian_transpose_derivative(tree, q, f, "l_hand"), sizes)
    assert program.operation_count < 1_600


def test_bad_input(rng):
    tree = random_tree(rng, 4)
    q, v = random_state(rng, tree)
    with pytest.raises(ShapeError, match="wrench has shape"):
        algorithms.jacobian_transpose_derivative(tree, q, v, "frame1")
    with pytest.raises(ShapeError, match="v has shape"):
        algorithms.velocity_derivatives(tree, q, v[:-1], "frame1")
    with pytest.raises(UnknownNameError, match="frame1"):
        algorithms.acceleration_derivatives(tree, q, v, v, "frane1")
    with pytest.raises(ShapeError, match="parameters"):
        algorithms.com_velocity_derivatives(tree, q, v, v)
