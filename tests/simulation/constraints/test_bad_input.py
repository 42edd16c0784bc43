"""What is refused, with a message that says what came in; and singular configurations, which are not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.constraints.robots import free_body, humanoid, humanoid_state

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError, SimulationError, StateError, UnknownNameError
from floatbase.model import library
from floatbase.simulation.constraints import (
    Blade,
    Contact,
    Coupling,
    Distance,
    FrameConstraint,
    Place,
    Rolling,
    constrained_acceleration,
    constrained_forward_dynamics,
    diagnose_constraints,
    null_space_acceleration,
    point,
    project_velocity,
)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FrameConstraint("hinge", None, "body"), "'hinge'; the valid choices are point, attitude, weld"),
        (lambda: FrameConstraint("point", "body", "body"), "both are 'body'"),
        (lambda: FrameConstraint("point", None, None), "both are the world"),
        (lambda: FrameConstraint("point", 3, "body"), "by its name"),
        (lambda: FrameConstraint("revolute", None, "body", (0.0, 0.0, 0.0)), "axis is .*not all zero"),
        (lambda: FrameConstraint("universal", None, "body", second_axis=(0.0, 1.0)), "second_axis is .*three finite"),
        (lambda: Place("body", 2.0 * np.eye(4)), "frame_H_place"),
        (lambda: Contact("body", "edge"), "point, surface"),
        (lambda: Contact(None), "the world is none"),
        (lambda: Distance(None, "body", 0.0), "length is 0"),
        (lambda: Distance("body", "body", 1.0), "two frames"),
        (lambda: Rolling("body", -0.3), "radius is -0.3"),
        (lambda: Rolling(None, 0.3), "does not roll"),
        (lambda: Rolling("body", 0.3, normal=(0.0, 0.0, np.nan)), "normal is"),
        (lambda: Blade(None), "does not move"),
        (lambda: Coupling(("one",), (1.0, 2.0)), "a factor for each joint"),
        (lambda: Coupling(("one", "two"), (0.0, 0.0)), "not all zero"),
    ],
)
def test_constraints_that_make_no_sense(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_names_are_looked_up(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    with pytest.raises(UnknownNameError, match=r"frame 'l_soul'.*'l_sole'"):
        constrained_acceleration(robot, q, v, tau, [Contact("l_soul")])
    with pytest.raises(UnknownNameError, match=r"joint 'torso'.*torso_"):
        constrained_acceleration(robot, q, v, tau, [Coupling(("torso",), (1.0,))])
    pendulum = fb.Robot(library.spherical_pendulum())
    with pytest.raises(ArgumentError, match="'suspension' is spherical; only joints of one coordinate"):
        Coupling(("suspension",), (1.0,)).jacobian(pendulum, pendulum.neutral())


def test_shapes_and_settings_are_checked(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    items = [Contact("l_sole")]
    with pytest.raises(ShapeError, match="q has shape"):
        constrained_acceleration(robot, q[:-1], v, tau, items)
    with pytest.raises(ShapeError, match="tau has shape"):
        null_space_acceleration(robot, q, v, tau[:3], items)
    for form in (constrained_acceleration, null_space_acceleration, constrained_forward_dynamics):
        with pytest.raises(ArgumentError, match=r"'cg'; the valid choices are cholesky, proximal, least norm"):
            form(robot, q, v, tau, items, solver="cg")
    with pytest.raises(ArgumentError, match="beta is -2"):
        constrained_acceleration(robot, q, v, tau, items, (1.0, -2.0))
    with pytest.raises(ArgumentError, match=r"must be a floatbase\.Robot"):
        constrained_acceleration("icub", q, v, tau, items)
    with pytest.raises(ShapeError, match="one state"):
        diagnose_constraints(robot, np.stack([q, q]), items)
    with pytest.raises(ArgumentError, match="must be hashable"):
        constrained_forward_dynamics(robot, q, v, tau, [Distance(None, "l_sole", np.ones(2))])


def test_rows_that_depend_on_one_another_need_a_solver_for_them(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    twice = [Contact("l_sole"), Contact("l_sole")]
    exact = [FrameConstraint("plane", None, "body"), FrameConstraint("plane", None, "body")]
    body = fb.Robot(free_body())
    with pytest.raises(SimulationError, match=r"depend on one another.*'proximal'.*diagnose_constraints"):
        constrained_acceleration(body, body.neutral(), np.zeros(6), np.zeros(6), exact, solver="cholesky")
    assert np.isfinite(constrained_acceleration(robot, q, v, tau, twice).multipliers).all()


def test_forces_stay_finite_where_a_chain_is_stretched():
    """A pendulum of two rods, stretched, whose tip is held: the row along the rods cannot be moved."""
    robot = fb.Robot(library.planar_double_pendulum())
    tree_tip = Place("lower_rod", np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -1.0], [0, 0, 0, 1.0]]))
    items = [FrameConstraint("point", point(None, 0.0, 0.0, -2.0), tree_tip)]
    for angle in (0.0, 1e-9, 1e-6):
        q = np.array([angle, -2.0 * angle])
        motion = constrained_acceleration(robot, q, np.zeros(2), np.array([1.0, 0.0]), items)
        assert np.abs(motion.acceleration).max() < 100.0 and np.isfinite(motion.multipliers).all()
        assert angle or np.abs(motion.multipliers).max() < 1e3
    assert diagnose_constraints(robot, np.zeros(2), items).rank == 1


def test_nothing_to_hold():
    body = fb.Robot(free_body())
    motion = constrained_acceleration(
        body, body.neutral(), np.zeros(6), np.zeros(6), [FrameConstraint("point", None, "body")], wrenches={}
    )
    assert_allclose(motion.acceleration, 0.0, atol=1e-12)


def test_rows_that_do_not_exist_in_a_configuration():
    body = fb.Robot(free_body())
    q, still = body.neutral(), np.zeros(6)
    flat, rod = [Rolling("body", 0.3, (0.0, 0.0, 1.0))], [Distance(None, "body", 1.0)]
    for items, message in ((flat, "rolling of 'body' has no lowest point.*flat"), (rod, "is zero.*ends coincide")):
        for form in (constrained_acceleration, null_space_acceleration, constrained_forward_dynamics):
            with pytest.raises(StateError, match=message):
                form(body, q, still, still, items)
        with pytest.raises(StateError, match=message):
            project_velocity(body, q, still, items)
