"""A platform with an arm in maximal coordinates, on every kind of suspension, beside the same robot as a tree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.suspensions.hanging import HOOK, hung

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError
from floatbase.model import library
from floatbase.simulation.constraints import FrameConstraint, constrained_acceleration, diagnose
from floatbase.simulation.constraints.bodies import project_twists
from floatbase.simulation.suspensions import (
    Cable,
    Cables,
    CompliantDoublePendulum,
    CompliantPendulum,
    RigidDoublePendulum,
    RigidPendulum,
    hang,
)

LENGTH, ABOVE = 3.4832, 2.0
FREE = fb.Robot(library.suspended_manipulator(LENGTH, hung=False))
ROD = RigidPendulum(LENGTH)
RODS = RigidDoublePendulum(ABOVE, LENGTH)
SOFT = CompliantPendulum(LENGTH, 54589.0, 1903.0, 435.9, 69.3)
SOFT_DOUBLE = CompliantDoublePendulum(ABOVE, LENGTH, 6e4, 54589.0, 1903.0, 100.0, 20.0, 435.9, 69.3)
CORNERS = [(0.4, 0.0, 0.1), (-0.2, 0.35, 0.1), (-0.2, -0.35, 0.1)]
CABLES = Cables(
    (
        Cable(None, 0, (0, 0, 0), (0, 0, 0), ABOVE, 6e4, 100.0),
        *(Cable(0, 1, (0, 0, 0), corner, LENGTH - 0.08, 4e4, 100.0) for corner in CORNERS),
    ),
    2,
)


def configuration(world_H_platform, joints):
    """Of the free robot."""
    quaternion = spatial.quaternion_from_rotation(world_H_platform[:3, :3])
    return np.concatenate([world_H_platform[:3, 3], quaternion, joints])


def random_state(rng, robot, lengths):
    """Poses on the rods of given lengths, and twists that bodies can have."""
    places = hung(lengths, 0.4 * rng.standard_normal((len(lengths), 3)))
    q = configuration(places[-1], rng.standard_normal(7))
    H = robot.poses(q, places[0] if len(lengths) == 2 else None)
    return q, H, project_twists(robot.system, H, rng.standard_normal(6 * robot.system.n))


@pytest.mark.parametrize(
    ("suspension", "lengths", "bodies", "rows", "freedoms"),
    [
        (ROD, [LENGTH], 8, 38, 10),
        (RODS, [ABOVE, LENGTH], 9, 41, 13),
        (SOFT, [LENGTH + 0.02], 8, 35, 13),
        (SOFT_DOUBLE, [ABOVE + 0.02, LENGTH + 0.02], 9, 37, 17),
        (CABLES, [ABOVE + 0.02, LENGTH + 0.02], 9, 35, 19),
    ],
)
def test_freedoms_and_rates_of_rows(suspension, lengths, bodies, rows, freedoms, rng):
    robot = hang(FREE, suspension, hook_parameters=HOOK if bodies == 9 else None)
    _, H, V = random_state(rng, robot, lengths)
    found = diagnose(robot.system, H)
    assert (robot.system.n, found.rows, found.rank, found.freedoms) == (bodies, rows, rows, freedoms)
    step = 1e-6
    ends = [robot.system.matrix(H @ spatial.pose_exponential(sign * step * V.reshape(-1, 6))) for sign in (1, -1)]
    assert_allclose(robot.system.rate(H, V), (ends[0] - ends[1]) / (2 * step), atol=1e-8)
    assert_allclose(robot.system.residual(H), 0.0, atol=1e-12)
    motion = robot.motion(H, V, np.ones(7), np.ones(6))
    assert_allclose(robot.system.matrix(H) @ motion.acceleration + robot.system.rate(H, V) @ V, 0.0, atol=1e-8)


def link_accelerations(accelerations, names):
    """Derivatives of the body twists of link frames, from those of bodies of the free robot (6 n,)."""
    found = []
    for name in names:
        body, body_H_link = FREE.tree.frames[name]
        found.append(spatial.transform_twist(spatial.invert_pose(body_H_link), accelerations[6 * body : 6 * body + 6]))
    return np.concatenate(found)


def tree_accelerations(tree, names, q, v, efforts, push):
    """The same by a tree with twists of bodies, whose platform is pushed in its centre."""
    tau = np.zeros(tree.nv)
    tau[-7:] = efforts
    a = tree.forward_dynamics(q, v, tau, wrenches={"center": push})
    return np.concatenate([tree.acceleration(q, v, a, name) for name in names])


NAMES = ["center", *(f"arm_{k}" for k in range(1, 8))]


@pytest.mark.parametrize("hook", [False, True])
def test_motion_on_rods_is_that_of_the_tree(hook, rng):
    """Joints of the tree at the suspension point and the hook give what constraints of free bodies give."""
    tensor = 0.4 * HOOK[0] * 0.2**2
    ball = np.array([HOOK[0], 0, 0, 0, tensor, 0, 0, tensor, 0, tensor])
    robot = hang(FREE, RODS if hook else ROD, hook_parameters=ball if hook else None)
    model = library.suspended_manipulator(LENGTH, HOOK[0] if hook else None, ABOVE)
    tree = fb.Robot(model, floating=False, representation="body")
    q, v = tree.random(rng)
    center = tree.pose(q, "center")
    twist = spatial.change_twist(tree.velocity(q, v, "center"), "body", "mixed", center)
    hook_pose, hook_twist = (tree.pose(q, "hook_center"), tree.velocity(q, v, "hook_center")) if hook else (None, None)
    free = configuration(center, q[-7:])
    H, V = robot.poses(free, hook_pose), robot.twists(free, np.concatenate([twist, v[-7:]]), hook_twist)
    assert_allclose(robot.system.residual(H), 0.0, atol=1e-12)
    assert_allclose(robot.system.matrix(H) @ V, 0.0, atol=1e-11)
    efforts, push = rng.standard_normal(7), 10 * rng.standard_normal(6)
    found = link_accelerations(robot.motion(H, V, efforts, push).acceleration, NAMES)
    expected = tree_accelerations(tree, NAMES, q, v, efforts, push)
    assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


def test_motion_on_a_soft_cable_is_that_of_the_free_tree(rng):
    robot, tree = hang(FREE, SOFT), FREE.with_representation("body")
    q, H, _ = random_state(rng, robot, [LENGTH + 0.02])
    v = rng.standard_normal(13)
    V = robot.twists(q, np.concatenate([spatial.change_twist(v[:6], "body", "mixed", H[0]), v[6:]]))
    assert_allclose(V[:6], v[:6], atol=1e-12)
    efforts, push = rng.standard_normal(7), 10 * rng.standard_normal(6)
    found = link_accelerations(robot.motion(H, V, efforts, push).acceleration, NAMES)
    expected = tree_accelerations(tree, NAMES, q, v, efforts, push + SOFT.wrenches(H[:1], V[:6]))
    assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


def test_a_rod_as_a_constraint_on_the_free_tree(rng):
    """The frame at the upper end of the cable stays at the suspension point: the same robot once more."""
    robot, held = hang(FREE, ROD), FrameConstraint("point", None, "suspension")
    q, H, _ = random_state(rng, robot, [LENGTH])
    v = rng.standard_normal(13)
    v[:3] = np.cross(v[3:6], q[:3])  # of the base, in the axes of the world
    V = robot.twists(q, v)
    assert_allclose(robot.system.matrix(H) @ V, 0.0, atol=1e-11)
    efforts = rng.standard_normal(7)
    found = constrained_acceleration(FREE, q, v, np.concatenate([np.zeros(6), efforts]), [held])
    expected = robot.motion(H, V, efforts)
    body = spatial.change_acceleration(found.acceleration[:6], "mixed", "body", H[0], V[:6])
    assert_allclose(body, expected.acceleration[:6], atol=1e-9 * np.abs(expected.acceleration).max())
    assert_allclose(found.multipliers, H[0, :3, :3] @ expected.multipliers[-3:], atol=1e-7)


def test_a_cable_acts_on_a_frame_as_a_contact_does(rng):
    """Twist and wrench mixed; parameters differ from state to state, or are symbols."""
    q, _ = FREE.random(rng, n=3)
    H, twist = FREE.pose(q, "center"), rng.standard_normal((3, 6))
    H[:, :3, 3] = -(LENGTH + 0.02) * H[:, :3, 2]
    ground = None  # is not looked at
    memory = SOFT.begin(H, ground)
    assert memory.shape == (3, 0) and SOFT.remember(H, twist, memory, ground, 1e-3) is memory
    f = SOFT.wrench(H, twist, memory, ground)
    power = np.sum(f * twist, axis=-1)
    body = spatial.change_twist(twist, "mixed", "body", H)
    assert_allclose(power, np.sum(SOFT.wrenches(H[:, None], body) * body, axis=-1), rtol=1e-9)

    def wrench(theta, H, twist):
        return SOFT.with_parameters(theta).wrench(H, twist, np.zeros(0), ground)

    program = fb.trace(wrench, {"theta": (5,), "H": (4, 4), "twist": (6,)}, "wrench")
    theta = SOFT.parameters * rng.uniform(0.9, 1.0, (3, 5))
    assert_allclose(fb.interpret(program, theta, H, twist)[0], wrench(theta, H, twist), rtol=1e-9, atol=1e-9)
    with pytest.raises(ArgumentError, match="holds 2 bodies; one that acts on a frame holds one"):
        CABLES.begin(H, ground)


def test_any_frame_of_the_base_can_be_hung():
    """A quadrotor hangs by a propeller: the wrench of the cable acts there."""
    quadrotor = fb.Robot(library.quadrotor_with_arm(arm_joints=0), floating=True)
    robot = hang(quadrotor, CompliantPendulum(1.0, 500.0, 5.0), "propeller_2")
    q = quadrotor.neutral()
    q[2] = -1.2
    H, V = robot.poses(q), np.zeros(6)
    platform, twist = robot.suspended(H, V)
    assert_allclose(platform[0], quadrotor.pose(q, "propeller_2"))
    f = robot.suspension.wrenches(platform, twist)
    assert_allclose(robot.wrenches(H, V), spatial.transform_wrench(robot.base_H_platform, f), atol=1e-12)
    rod = hang(quadrotor, RigidPendulum(1.0), "propeller_2")
    V = project_twists(rod.system, H, np.arange(6.0))
    _, twist = rod.suspended(H, V)
    assert_allclose(rod.suspension.constraint(platform) @ twist, 0.0, atol=1e-12)


def test_energy_is_kept(rng):
    """While the arm swings on a rod."""
    robot = hang(FREE, ROD)
    _, H, V = random_state(rng, robot, [LENGTH])
    group = spatial.stacked_group(8)
    before = robot.energy(H, V)

    def velocity(_time, g):
        return np.concatenate([g[-1], robot.motion(np.array(g[:-1]), g[-1]).acceleration])

    found = spatial.adaptive_motion(group, velocity, np.array([0.0, 0.6]), (*H, V), 1e-8).elements[-1]
    after = robot.energy(np.array(found[:-1]), found[-1])
    assert after == pytest.approx(before, abs=1e-6 * robot.system.kinetic_energy(V))
    assert np.abs(robot.system.residual(np.array(found[:-1]))).max() < 1e-6


def test_the_state_follows_from_one_pose(rng):
    robot = hang(FREE, RODS, hook_parameters=HOOK)
    q, H, _ = random_state(rng, robot, [ABOVE, LENGTH])
    found = robot.reconstruct("tool", FREE.pose(q, "tool"), q[7:])
    assert_allclose(found[:8], H[:8], atol=1e-12)
    assert_allclose(found[8, :3, 2:], H[8, :3, 2:], atol=1e-12)
    cables = hang(FREE, CABLES, hook_parameters=HOOK)
    assert_allclose(cables.reconstruct("tool", FREE.pose(q, "tool"), q[7:], LENGTH), found, atol=1e-12)
    with pytest.raises(ArgumentError, match="platform_length is needed"):
        cables.reconstruct("tool", FREE.pose(q, "tool"), q[7:])
    alone = hang(FREE, ROD)
    assert_allclose(alone.reconstruct("arm_5", FREE.pose(q, "arm_5"), q[7:]), alone.poses(q), atol=1e-12)


def test_what_cannot_hang_is_refused():
    with pytest.raises(ArgumentError, match="must be a Suspension"):
        hang(FREE, 3.5)
    with pytest.raises(ArgumentError, match="base of 'suspended_manipulator' is fixed"):
        hang(fb.load("suspended_manipulator"), ROD)
    with pytest.raises(ArgumentError, match="hook_parameters is needed if, and only if"):
        hang(FREE, RODS)
    with pytest.raises(ArgumentError, match="hook_parameters is needed if, and only if"):
        hang(FREE, ROD, hook_parameters=HOOK)
    with pytest.raises(ShapeError, match=r"hook_parameters has shape \(3,\)"):
        hang(FREE, RODS, hook_parameters=np.ones(3))
    with pytest.raises(ArgumentError, match="'tool' is not a frame of the base link 'platform'"):
        hang(FREE, ROD, "tool")
    with pytest.raises(ArgumentError, match="holds 3 bodies"):
        hang(FREE, Cables((), 3))
    with pytest.raises(ArgumentError, match="world_H_hook is needed"):
        hang(FREE, RODS, hook_parameters=HOOK).poses(FREE.neutral())
