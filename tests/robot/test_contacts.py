"""Methods for contacts, hybrid dynamics and relative rates: the compiled functions give what the algorithms give."""

import numpy as np
import pytest

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import ArgumentError, StateError, UnknownNameError

FEET = ["LF_FOOT", "RH_FOOT"]


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


def close(found, expected, tolerance):
    return np.linalg.norm(found - expected) <= tolerance * np.linalg.norm(expected)


def test_methods_equal_the_algorithms(robot, rng):
    q, v = robot.random(rng)
    a, tau = rng.standard_normal((2, robot.nv))
    motion = robot.contact_dynamics(q, v, tau, FEET)
    expected = algorithms.contact_dynamics(robot.tree, q, v, tau, FEET)
    assert close(motion.acceleration, expected.acceleration, 1e-8)
    assert list(motion.wrenches) == FEET
    for name in FEET:
        assert close(motion.wrenches[name], expected.wrenches[name], 1e-8)
    A = robot.centroidal_wrench_matrix(q, FEET)
    assert close(A, algorithms.centroidal_wrench_matrix(robot.tree, q, FEET), 1e-12)
    forces = robot.generalized_forces(q, motion.wrenches)
    assert close(forces, algorithms.generalized_forces(robot.tree, q, motion.wrenches), 1e-12)
    balance = robot.base_balance(q, v, motion.acceleration, motion.wrenches)
    expected = algorithms.base_balance(robot.tree, q, v, motion.acceleration, motion.wrenches)
    assert balance.scale == pytest.approx(expected.scale, rel=1e-11)
    assert np.linalg.norm(balance.residual - expected.residual) < 1e-11 * np.linalg.norm(forces)
    found = robot.inverse_dynamics(q, v, motion.acceleration)
    assert np.allclose(found - forces, tau, atol=1e-6 * np.linalg.norm(forces))
    for name, state in (("contact_dynamics", (q, v, tau, FEET)), ("base_balance", (q, v, a))):
        with pytest.raises(StateError, match="finite"):
            getattr(robot, name)(np.nan * q, *state[1:])


def test_feet_held_fast_in_batches_and_single_precision(robot, rng):
    q, v = robot.random(rng, n=5)
    tau = 10.0 * rng.standard_normal(v.shape)
    many = robot.contact_dynamics(q, v, tau, ["LF_FOOT"])
    for k in range(5):
        one = robot.contact_dynamics(q[k], v[k], tau[k], ["LF_FOOT"])
        assert np.array_equal(many.acceleration[k], one.acceleration)
        assert np.array_equal(many.wrenches["LF_FOOT"][k], one.wrenches["LF_FOOT"])
    single = robot.contact_dynamics(*(x.astype(np.float32) for x in (q, v, tau)), ["LF_FOOT"])
    assert single.acceleration.dtype == np.float32
    out = np.empty((5, robot.nv)), np.empty((5, 6))
    given = robot.contact_dynamics(q, v, tau, ["LF_FOOT"], out=out)
    assert given.acceleration is out[0] and given.wrenches["LF_FOOT"] is out[1]
    assert np.array_equal(out[0], many.acceleration)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("soles", [["l_sole", "r_sole"], ["l_sole", "l_foot"]])
def test_redundant_contacts_have_wrenches_of_least_norm(dtype, soles):
    """Two feet on the ground, and two frames of one foot, of which one would do; in either precision."""
    humanoid = fb.load("parametric_humanoid")
    q, still = humanoid.neutral(), np.zeros(humanoid.nv)
    found = humanoid.contact_dynamics(*(x.astype(dtype) for x in (q, still, still)), soles)
    expected = algorithms.contact_dynamics(humanoid.tree, q, still, still, soles)
    tolerance = 1e-9 if dtype == np.float64 else 1e-4
    assert close(found.acceleration, expected.acceleration, tolerance)
    for name in soles:
        assert close(found.wrenches[name], expected.wrenches[name], tolerance)


def test_contacts_among_other_quantities(robot, rng):
    """In one function with others, with inertial parameters as an argument, and on symbols."""
    q, v = robot.random(rng)
    tau, phi = rng.standard_normal(robot.nv), robot.inertial_parameters
    together = robot.function(["mass_matrix", ("contact_dynamics", *FEET), "com"], parameters=True)
    _, motion, com = together(q, v, tau, phi)
    expected = robot.contact_dynamics(q, v, tau, FEET)
    assert close(motion.acceleration, expected.acceleration, 1e-8)
    assert close(motion.wrenches["RH_FOOT"], expected.wrenches["RH_FOOT"], 1e-8)
    assert close(com, robot.com(q), 1e-11)
    alone = robot.function(("contact_dynamics", *FEET))(q, v, tau)
    assert np.array_equal(alone.acceleration, expected.acceleration)

    @fb.kernel
    def push(robot, q, v, tau):
        motion = robot.contact_dynamics(q, v, tau, FEET)
        return motion.wrenches["LF_FOOT"][2]

    assert push(robot, q, v, tau) == pytest.approx(expected.wrenches["LF_FOOT"][2], rel=1e-8)
    forces = robot.function("generalized_forces", wrenches=("LF_FOOT",))(q, expected.wrenches["LF_FOOT"])
    assert close(forces, robot.jacobian(q, "LF_FOOT").T @ expected.wrenches["LF_FOOT"], 1e-12)


def test_what_is_refused(robot, rng):
    q, v = robot.random(rng)
    for contacts in ("LF_FOOT", [], None, ["LF_FOOT", "LF_FOOT"], [3]):
        with pytest.raises(ArgumentError, match="lists one or more frames"):
            robot.contact_dynamics(q, v, v, contacts)
    with pytest.raises(UnknownNameError, match="LF_FEET"):
        robot.contact_dynamics(q, v, v, ["LF_FEET"])
    with pytest.raises(ArgumentError, match="is asked for as"):
        robot.function("contact_dynamics")
    with pytest.raises(ArgumentError, match="needs wrenches"):
        robot.generalized_forces(q, {})


def test_compiled_methods(robot, rng):
    q, v = robot.random(rng, n=3)
    s_ddot = rng.standard_normal((3, robot.nv - 6))
    found = robot.hybrid_dynamics(q, v, s_ddot, {"LF_FOOT": np.ones((3, 6))})
    expected = algorithms.hybrid_dynamics(robot.tree, q, v, s_ddot, {"LF_FOOT": np.ones((3, 6))})
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)
    rate = robot.relative_jacobian_rate(q, v, "LF_FOOT", "RH_FOOT")
    expected = algorithms.relative_jacobian_rate(robot.tree, q, v, "LF_FOOT", "RH_FOOT")
    assert np.allclose(rate, expected, atol=1e-11)
