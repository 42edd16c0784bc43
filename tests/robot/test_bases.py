"""The same robot seen from three bases in three representations: nothing physical changes."""

from __future__ import annotations

import numpy as np
import pytest

BASES = ("LF_FOOT", "RH_SHANK", "RF_HIP")
REPRESENTATIONS = ("mixed", "body", "inertial")


@pytest.fixture(params=[(base, form) for base in BASES for form in REPRESENTATIONS], ids=str)
def pair(request, load_robot, rng):
    """A robot, the same from another base, and a state of both."""
    base, form = request.param
    robot = load_robot("anymal_c", form)
    other = robot.with_base(base)
    q, v = robot.random(rng)
    link = other.body_names[0]
    H = robot.pose(q, link)
    from floatbase.spatial import quaternion_from_rotation

    q_other = np.concatenate([H[:3, 3], quaternion_from_rotation(H[:3, :3]), q[7:]])
    v_other = np.concatenate([robot.velocity(q, v, link), v[6:]])
    return robot, other, q, v, q_other, v_other, link


def evaluate(name, robot, *arguments):
    """Without compiling: there are many robots here."""
    from floatbase import algorithms

    return getattr(algorithms, name)(robot.tree, *arguments)


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
