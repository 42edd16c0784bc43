"""The same robot seen from several bases in three representations: nothing physical changes, nor any order."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from tests.agreement.random_models import random_model
from tests.random_trees import random_parameters

import floatbase as fb
from floatbase import algorithms
from floatbase.model import ModelWarning
from floatbase.spatial import quaternion_from_rotation

BASES = ("LF_FOOT", "RH_SHANK", "RF_HIP")
REPRESENTATIONS = ("mixed", "body", "inertial")
ROBOTS = {
    "icub": ("l_sole", "neck_2", "base_link"),  # at a tip, inside a chain, fixed to the root
    "anymal_c": BASES,
    **{f"random {seed}": ("link3", "link7", "link12") for seed in range(6)},
}
CASES = [(name, base, REPRESENTATIONS[k % 3]) for k, (name, bases) in enumerate(ROBOTS.items()) for base in bases]
TOLERANCE = 1e-11


def seen_from(robot, base, q, v):
    """The robot from another base, and its state there."""
    H = evaluate("pose", robot, q, base)
    q_there = np.concatenate([H[:3, 3], quaternion_from_rotation(H[:3, :3]), q[7:]])
    return robot.with_base(base), q_there, np.concatenate([evaluate("velocity", robot, q, v, base), v[6:]])


def evaluate(name, robot, *arguments, **others):
    """Without compiling: there are many robots here."""
    return getattr(algorithms, name)(robot.tree, *arguments, **others)


def close(found, expected, tolerance=TOLERANCE):
    assert np.linalg.norm(found - expected) <= tolerance * np.linalg.norm(expected)


@pytest.fixture(params=[(base, form) for base in BASES for form in REPRESENTATIONS], ids=str)
def pair(request, load_robot, rng):
    """A robot, the same from another base, and a state of both."""
    base, form = request.param
    robot = load_robot("anymal_c", form)
    q, v = robot.random(rng)
    other, q_other, v_other = seen_from(robot, base, q, v)
    return robot, other, q, v, q_other, v_other, base


def test_what_is_physical_stays(pair):
    robot, other, q, v, q_other, v_other, _ = pair
    for name, here, there in (
        ("kinetic_energy", (q, v), (q_other, v_other)),
        ("potential_energy", (q,), (q_other,)),
        ("centroidal_momentum", (q, v), (q_other, v_other)),
        ("locked_inertia", (q,), (q_other,)),
        ("average_velocity", (q, v), (q_other, v_other)),
        ("com_velocity", (q, v), (q_other, v_other)),
    ):
        expected = evaluate(name, robot, *here)
        np.testing.assert_allclose(evaluate(name, other, *there), expected, rtol=1e-10, atol=1e-10, err_msg=name)


def test_change_of_variables_equals_the_robot_built_from_there(pair, rng):
    robot, other, q, v, q_other, v_other, link = pair
    change = robot.change_of_base(q, v, link)
    np.testing.assert_allclose(change.velocity(v), v_other, atol=1e-11)
    M, C = evaluate("mass_matrix", robot, q), evaluate("coriolis_matrix", robot, q, v)
    np.testing.assert_allclose(change.mass_matrix(M), evaluate("mass_matrix", other, q_other), atol=1e-9)
    expected = evaluate("coriolis_matrix", other, q_other, v_other)
    np.testing.assert_allclose(change.coriolis_matrix(M, C), expected, atol=1e-8)
    G = evaluate("gravity", robot, q)
    np.testing.assert_allclose(change.force(G), evaluate("gravity", other, q_other), atol=1e-9)
    a = rng.standard_normal(robot.nv)
    tau = evaluate("inverse_dynamics", robot, q, v, a)
    there = evaluate("inverse_dynamics", other, q_other, v_other, change.acceleration(v, a))
    np.testing.assert_allclose(change.force(tau), there, atol=1e-8)


@cache
def load(name, representation="mixed"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        source = random_model(int(name.removeprefix("random "))) if name.startswith("random") else name
        return fb.load(source, floating=True, representation=representation)


def perturbed(robot, rng):
    """Other parameters that bodies can have, for those that have any."""
    phi = robot.inertial_parameters.reshape(-1, 10)
    more = np.array([random_parameters(rng) for _ in phi])
    return np.where(phi[:, :1] > 0.0, rng.uniform(0.5, 1.5, (len(phi), 1)) * phi + 0.1 * more, phi).ravel()


@pytest.fixture(params=CASES, ids=str)
def case(request, rng):
    """A robot and a state of it, parameters, and the same from another base, with the change that leads there."""
    name, base, representation = request.param
    robot = load(name, representation)
    q, v = robot.random(rng)
    other, q_other, v_other = seen_from(robot, base, q, v)
    change, phi = robot.change_of_base(q, v, base), perturbed(robot, rng)
    a = rng.standard_normal(robot.nv)
    return robot, (q, v, a), phi, other, (q_other, v_other, change.acceleration(v, a)), change


@pytest.mark.parametrize(("name", "base"), [(name, base) for name, bases in ROBOTS.items() for base in bases])
def test_bodies_are_those_of_the_description(name, base):
    robot = load(name)
    other = robot.with_base(base)
    assert other.base == base and robot.base == robot.body_names[0]
    assert other.body_names == robot.body_names and other.joint_names == robot.joint_names
    own, its = robot.inertial_parameters.reshape(-1, 10), other.inertial_parameters.reshape(-1, 10)
    for part in (slice(0, 1), slice(1, 4), slice(4, 10)):  # masses, first moments, moments of inertia
        sizes = np.linalg.norm(own[:, part], axis=1)
        assert (np.linalg.norm((its - own)[:, part], axis=1) <= 1e-12 * sizes + 1e-16).all()


def test_one_set_of_parameters_serves_regressors_from_every_base(case):
    robot, (q, v, a), phi, other, there, change = case
    expected = evaluate("inverse_dynamics", robot, q, v, a, parameters=phi)
    close(change.force(expected), evaluate("inverse_dynamics", other, *there, parameters=phi))
    close(evaluate("regressor", robot, q, v, a) @ phi, expected)
    close(evaluate("regressor", other, *there) @ phi, change.force(expected))
    close(evaluate("base_regressor", other, *there) @ phi, change.force(expected)[:6])
    momentum = evaluate("momentum_regressor", robot, q, v) @ phi
    close(evaluate("momentum_regressor", other, *there[:2]) @ phi, change.force(momentum))
    for name, use in (("kinetic_energy", 2), ("potential_energy", 1)):
        energy = evaluate(name, robot, *(q, v)[:use], parameters=phi)
        close(evaluate(f"{name}_regressor", other, *there[:use]) @ phi, energy)


def test_one_set_of_parameters_is_the_same_robot_from_every_base(case):
    robot, (q, v, a), phi, other, there, change = case
    M = evaluate("mass_matrix", robot, q, parameters=phi)
    close(evaluate("mass_matrix", other, there[0], parameters=phi), change.mass_matrix(M))
    for name, use in (
        ("kinetic_energy", 2),
        ("potential_energy", 1),
        ("com", 1),
        ("centroidal_momentum", 2),
        ("centroidal_momentum_rate", 3),
        ("locked_inertia", 1),
    ):
        if robot.representation != "mixed" and name.startswith("centroidal"):
            continue  # written in the base's axes
        expected = evaluate(name, robot, *(q, v, a)[:use], parameters=phi)
        close(evaluate(name, other, *there[:use], parameters=phi), expected)
    tau = M @ a + evaluate("bias", robot, q, v, parameters=phi)
    found = evaluate("forward_dynamics", other, *there[:2], change.force(tau), parameters=phi)
    inertial = evaluate("mass_matrix", other, there[0], parameters=phi) @ found
    close(inertial + evaluate("bias", other, *there[:2], parameters=phi), change.force(tau))


@pytest.mark.parametrize(("name", "base"), [(name, bases[0]) for name, bases in ROBOTS.items()])
def test_changes_of_base_and_of_parameters_commute(name, base, rng):
    robot = load(name)
    phi = perturbed(robot, rng)
    first, second = robot.with_inertial_parameters(phi).with_base(base), robot.with_base(base)
    assert first.tree.digest == second.with_inertial_parameters(phi).tree.digest
    close(first.inertial_parameters, phi, 1e-12)


def test_compiled_functions_take_the_parameters_of_any_base(load_robot, rng):
    robot = load_robot("anymal_c", "mixed")
    q, v = robot.random(rng)
    other, *there = seen_from(robot, "LF_FOOT", q, v)
    expected = robot.kinetic_energy(q, v)
    assert other.kinetic_energy(*there, parameters=robot.inertial_parameters) == pytest.approx(expected, rel=1e-12)
    assert other.kinetic_energy_regressor(*there) @ robot.inertial_parameters == pytest.approx(expected, rel=1e-12)


def test_locked_joints_and_sensors_do_not_reorder_bodies(rng):
    robot = fb.load("icub", locked={"torso_yaw": 0.2, "l_knee": -0.5}, keep_force_sensors=True)
    q, v = robot.random(rng)
    phi, expected = perturbed(robot, rng), evaluate("kinetic_energy", robot, q, v)
    heavier = evaluate("kinetic_energy", robot, q, v, parameters=phi)
    for base in ("l_lower_leg", "l_foot", "chest"):  # behind a locked joint, beyond sensors
        other, *there = seen_from(robot, base, q, v)
        assert other.body_names == robot.body_names
        close(other.inertial_parameters, robot.inertial_parameters, 1e-12)
        close(evaluate("kinetic_energy", other, *there), expected)
        close(evaluate("kinetic_energy", other, *there, parameters=phi), heavier)
        for k in range(7):
            close(other.submodel_parameters(k), robot.submodel_parameters(k), 1e-12)
