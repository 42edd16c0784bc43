"""Flexible joints: their step in closed form, a rotor behind a spring, and robots with passive joints in their hips."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from tests.simulation.joints.motion import move, start

import floatbase as fb
from floatbase.simulation.joints import (
    FlexibleJoint,
    PositionDrive,
    Selected,
    SeriesElastic,
    TorqueDrive,
    flexible_deflection,
    selectors,
    with_flexible_joints,
)

NOTHING = np.zeros(0)
HIPS = ("leg_left_1_joint", "leg_right_1_joint")


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 10.0])
def test_under_a_constant_torque_the_deflection_nears_its_end_by_a_ratio(dt) -> None:
    k, d, torque = np.array([3000.0, 500.0]), np.array([2.0 * np.sqrt(3000.0), 10.0]), np.array([40.0, -7.0])
    end, ratio, s = -torque / k, d / (k * dt + d), np.array([0.1, 0.2])
    for _ in range(20):
        moved, rate = flexible_deflection(torque, s, k, d, dt)
        assert_allclose(moved - end, ratio * (s - end), rtol=1e-12, atol=1e-17)
        assert_allclose(rate * dt, moved - s, rtol=1e-9, atol=1e-17)
        # the law itself gives back the torque
        assert_allclose(FlexibleJoint(k, d).torque(NOTHING, moved, rate, NOTHING), torque, rtol=1e-9)
        s = moved


def test_the_step_is_of_first_order() -> None:
    k, d, torque, s, time = 800.0, 40.0, 12.0, 0.05, 0.08
    exact = -torque / k + (s + torque / k) * np.exp(-k / d * time)
    errors = []
    for steps in (50, 100, 200):
        x = s
        for _ in range(steps):
            x, _ = flexible_deflection(torque, x, k, d, time / steps)
        errors.append(abs(x - exact))
    assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 1.0, atol=0.05)


def test_the_time_constants_of_the_published_damping() -> None:
    k = np.array([10.0, 5.0, 3.0, 2.0, 1.0, 0.5]) * 1e3
    dt, s = 1e-7, np.ones(6)
    moved, rate = flexible_deflection(np.zeros(6), s, k, 2.0 * np.sqrt(k), dt)
    assert_allclose(np.rint(-1e3 * moved / rate), [20, 28, 37, 45, 63, 89])


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"dt": 0.0}, "dt"),
        ({"dt": -1e-3}, "dt"),
        ({"spring": 0.0, "damper": 0.0}, r"spring \* dt \+ damper"),
        ({"spring": -1.0}, "spring"),
        ({"damper": -1.0}, "damper"),
    ],
)
def test_a_step_that_has_no_answer_is_refused(settings, word) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=word):
        flexible_deflection(1.0, 0.0, **({"spring": 100.0, "damper": 1.0, "dt": 1e-3} | settings))


def test_a_passive_joint_rings_as_an_oscillator() -> None:
    k, d, inertia, dt = 50.0, 0.4, 0.2, 1e-4
    states = move(FlexibleJoint(k, d), start(FlexibleJoint(k, d), [0.1]), NOTHING, inertia, dt, 5000)
    exact = expm(np.array([[0.0, 1.0], [-k / inertia, -d / inertia]]) * 0.5) @ [0.1, 0.0]
    assert_allclose([states[-1].position[0], states[-1].velocity[0]], exact, atol=1e-2)


def two_inertias(link, rotor, k, d, b):
    """The matrix of joint, joint's rate, rotor, rotor's rate."""
    return np.array(
        [
            [0.0, 1.0, 0.0, 0.0],
            [-k / link, -d / link, k / link, d / link],
            [0.0, 0.0, 0.0, 1.0],
            [k / rotor, d / rotor, -k / rotor, -(d + b) / rotor],
        ]
    )


def test_a_rotor_behind_a_spring_moves_as_two_inertias_do() -> None:
    link, rotor, k, d, b, time = 0.5, 0.2, 60.0, 0.3, 0.1, 0.6
    law = SeriesElastic(TorqueDrive(), k, rotor, d, b)
    A = np.zeros((5, 5))
    A[:4, :4] = two_inertias(link, rotor, k, d, b)
    A[3, 4] = 1.7 / rotor
    exact = (expm(A * time) @ [0.3, -1.0, 0.3, -1.0, 1.0])[:4]
    errors = []
    for steps in (300, 600, 1200):
        last = move(law, start(law, [0.3], [-1.0]), [1.7], link, time / steps, steps)[-1]
        found = [last.position[0], last.velocity[0], last.memory[0], last.memory[1]]
        errors.append(np.abs(found - exact).max())
    assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 1.0, atol=0.15)
    assert errors[-1] < 0.02


@pytest.mark.parametrize("dt", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("k", [1.0, 1e4, 1e9])
def test_joint_and_rotor_gain_no_energy_with_any_step(k, dt) -> None:
    law = SeriesElastic(TorqueDrive(), k, 0.2)
    states = move(law, start(law, [0.0, 0.0], [1.0, -2.0]), np.zeros(2), 0.5, dt, 300)
    energies = []
    for state in states:
        angle, rate = state.memory[:2], state.memory[2:4]
        moving = 0.25 * state.velocity**2 + 0.1 * rate**2
        energies.append((moving + 0.5 * k * (angle - state.position) ** 2).sum())
    assert np.all(np.diff(energies) <= 1e-9 * energies[0])
    momentum = [0.5 * state.velocity + 0.2 * state.memory[2:4] for state in states]
    assert_allclose(momentum, np.broadcast_to(momentum[0], (301, 2)), rtol=1e-6)


def test_a_stiff_spring_makes_one_inertia_of_both() -> None:
    law = SeriesElastic(TorqueDrive(), 1e7, 0.2, 1e3)
    states = move(law, start(law, [0.0]), [3.0], 0.5, 1e-3, 1000)
    assert_allclose(states[-1].velocity, 3.0 / 0.7, rtol=1e-3)


def test_a_drive_holds_its_rotor_and_the_joint_sags_by_the_spring() -> None:
    law = SeriesElastic(PositionDrive(1e5, 1e3), 200.0, 0.05, 2.0)
    states = move(law, start(law, [0.0]), law.rest(np.array([0.4]), np.zeros(1)), 0.3, 1e-3, 6000, np.array([-10.0]))
    assert_allclose(states[-1].memory[0], 0.4 - 10.0 / 1e5, rtol=1e-6)
    assert_allclose(states[-1].position, 0.4 - 10.0 / 1e5 - 10.0 / 200.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: FlexibleJoint(-1.0, 0.0), "spring"),
        (lambda: SeriesElastic(TorqueDrive(), 0.0, 1.0), "spring"),
        (lambda: SeriesElastic(TorqueDrive(), 1.0, 0.0), "rotor_inertia"),
        (lambda: SeriesElastic(TorqueDrive(), 1.0, 1.0, -1.0), "damper"),
    ],
)
def test_what_no_spring_is_is_refused(make, word) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=word):
        make()


@pytest.fixture(scope="module")
def rigid():
    return fb.load("talos", representation="body")


@pytest.fixture(scope="module")
def flexible(rigid):
    return with_flexible_joints(rigid.model, HIPS)


@pytest.fixture(scope="module")
def robot(flexible):
    return fb.load(flexible.model, representation="body")


def edited_urdf(source: str) -> str:
    """The robot's file with the joints put in by hand: pitch, then roll."""
    root = ElementTree.parse(Path(source)).getroot()
    for hip in HIPS:
        joint = next(item for item in root.findall("joint") if item.get("name") == hip)
        parent, origin = joint.find("parent"), joint.find("origin")
        link, place = parent.get("link"), dict(origin.attrib)
        assert place.get("rpy", "0 0 0").split() in (["0", "0", "0"], ["0.0", "0.0", "0.0"])
        for label, axis in (("pitch", "0 1 0"), ("roll", "1 0 0")):
            name = f"{hip}_flexible_{label}"
            passive = ElementTree.SubElement(root, "joint", name=name, type="continuous")
            ElementTree.SubElement(root, "link", name=f"{name}_link")
            ElementTree.SubElement(passive, "parent", link=link)
            ElementTree.SubElement(passive, "child", link=f"{name}_link")
            ElementTree.SubElement(passive, "axis", xyz=axis)
            ElementTree.SubElement(passive, "origin", place)
            link, place = f"{name}_link", {"xyz": "0 0 0", "rpy": "0 0 0"}
        parent.set("link", link)
        origin.set("xyz", "0 0 0")
    return ElementTree.tostring(root, encoding="unicode")


def test_the_hips_of_talos_get_four_joints(rigid, flexible, robot) -> None:
    chosen = selectors(robot.tree, flexible.flexible)
    assert robot.nv == rigid.nv + 4 == 42
    assert (len(chosen.actuated), len(chosen.flexible)) == (32, 4)
    assert chosen.actuated == rigid.joint_names
    assert flexible.flexible[:2] == ("leg_left_1_joint_flexible_pitch", "leg_left_1_joint_flexible_roll")
    assert robot.mass == pytest.approx(rigid.mass, rel=1e-14)
    B = np.hstack([chosen.B_a, chosen.B_f])
    assert_allclose(B.T @ B, np.eye(36))
    assert np.all(B[:6] == 0.0)


def test_without_deflection_it_is_the_rigid_robot(rigid, flexible, robot) -> None:
    chosen = selectors(robot.tree, flexible.flexible)
    kept = np.concatenate([np.arange(6), chosen.actuated_rows])
    q, v = rigid.random(np.random.default_rng(0))
    q_f, v_f = robot.neutral(), np.zeros(robot.nv)
    q_f[:7], v_f[kept] = q[:7], v
    q_f[chosen.actuated_rows + 1] = q[7:]
    assert_allclose(robot.mass_matrix(q_f)[np.ix_(kept, kept)], rigid.mass_matrix(q), atol=1e-11)
    assert_allclose(robot.bias(q_f, v_f)[kept], rigid.bias(q, v), atol=1e-9)
    for frame in ("leg_left_6_link", "arm_left_7_link", "leg_right_1_link"):
        assert_allclose(robot.pose(q_f, frame), rigid.pose(q, frame), atol=1e-13)


def test_mass_matrix_and_bias_are_those_of_the_edited_file(rigid, flexible, robot) -> None:
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(edited_urdf(rigid.model.source), pin.JointModelFreeFlyer())
    data = model.createData()
    # Pinocchio lets go the fingers that follow a motor, and continuous joints have a cosine and a sine there
    numbers = {name: number for number, name in enumerate(robot.joint_names)}
    G, offset = np.zeros((model.nv, robot.nv)), np.zeros(model.nv)
    G[:6, :6] = np.eye(6)
    for joint in flexible.model.joints:
        if joint.kind != "fixed":
            row = model.joints[model.getJointId(joint.name)].idx_v
            followed = joint.mimic.joint if joint.mimic else joint.name
            G[row, 6 + numbers[followed]] = joint.mimic.multiplier if joint.mimic else 1.0
            offset[row] = joint.mimic.offset if joint.mimic else 0.0
    assert np.all(np.abs(G).sum(axis=1) > 0.0)
    q, v = robot.random(np.random.default_rng(1), n=5)
    for state, rate in zip(q, v, strict=True):
        positions = G[:, 6:] @ state[7:] + offset
        theirs = pin.neutral(model)
        theirs[:7] = state[[0, 1, 2, 4, 5, 6, 3]]
        for joint in list(model.joints)[2:]:
            s = positions[joint.idx_v]
            theirs[joint.idx_q : joint.idx_q + joint.nq] = s if joint.nq == 1 else (np.cos(s), np.sin(s))
        M = pin.crba(model, data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, theirs, G @ rate)
        assert_allclose(robot.mass_matrix(state), G.T @ M @ G, atol=1e-11 * np.abs(M).max())
        assert_allclose(robot.bias(state, rate), G.T @ h, atol=1e-11 * np.abs(h).max())


def test_the_loader_says_the_same_of_the_edited_file(rigid, flexible, robot, tmp_path) -> None:
    path = tmp_path / "flexible.urdf"
    path.write_text(edited_urdf(rigid.model.source))
    other = fb.load(path, representation="body")
    rng = np.random.default_rng(2)
    q, v = robot.random(rng)
    order = [robot.joint_names.index(name) for name in other.joint_names]
    rows = np.concatenate([np.arange(6), 6 + np.array(order)])
    theirs = np.concatenate([q[:7], q[7:][order]])
    assert_allclose(other.mass_matrix(theirs), robot.mass_matrix(q)[np.ix_(rows, rows)], atol=1e-10)
    assert_allclose(other.bias(theirs, v[rows]), robot.bias(q, v)[rows], atol=1e-9)


def test_forward_dynamics_with_flexible_torques_is_the_equation_of_motion(flexible, robot) -> None:
    chosen, rng = selectors(robot.tree, flexible.flexible), np.random.default_rng(3)
    q, v = robot.random(rng)
    law = FlexibleJoint(3000.0, 2.0 * np.sqrt(3000.0))
    tau_a = 10.0 * rng.standard_normal(32)
    # joint forces of all, the flexible ones by a law for them alone
    joints = tuple(int(row) - 6 for row in chosen.flexible_rows)
    tau_f = law.torque(NOTHING, q[7:][list(joints)], v[6:][list(joints)], NOTHING)
    tau = chosen.B_a @ tau_a + chosen.B_f @ tau_f
    assert_allclose(Selected(law, joints).torque(NOTHING, q[7:], v[6:], NOTHING), (chosen.B_f @ tau_f)[6:])
    wrench = rng.standard_normal(6)
    frame = "leg_left_6_link"
    a = robot.forward_dynamics(q, v, tau, wrenches={frame: wrench})
    residual = robot.mass_matrix(q) @ a + robot.bias(q, v) - tau - robot.jacobian(q, frame).T @ wrench
    assert_allclose(residual, 0.0, atol=1e-8)


def test_axes_are_those_of_the_parent_link_in_the_order_given() -> None:
    model = fb.model.library.staubli_tx40()
    changed = with_flexible_joints(model, ["joint2"], {"twist": (0.0, 0.0, 2.0)})
    assert changed.flexible == ("joint2_flexible_twist",)
    robot, rigid = fb.load(changed.model), fb.load(model)
    assert robot.joint_names[:3] == ("joint1", "joint2_flexible_twist", "joint2")
    tip = rigid.body_names[-1]
    q = rigid.neutral()
    q[-6:] = np.linspace(-0.5, 0.5, 6)
    q_f = np.concatenate([q[:-5], [0.3], q[-5:]])
    parent, before = rigid.pose(q, "link1"), rigid.pose(q, tip)
    joint = next(item for item in model.joints if item.name == "joint2")
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]
    shift = np.eye(4)
    shift[:3, 3] = joint.parent_H_joint[:3, 3]
    place = parent @ shift
    assert joint.parent == "link1"
    assert_allclose(robot.pose(q_f, tip), place @ turn @ np.linalg.inv(place) @ before, atol=1e-13)


@pytest.mark.parametrize(
    ("joints", "axes", "word"),
    [
        (["hip"], None, "hip"),
        ([], None, "joints"),
        ("joint2", None, "joints"),
        (["joint2", "joint2"], None, "different"),
        (["joint2"], {}, "axes"),
        (["joint2"], {"x": (0.0, 0.0, 0.0)}, "axis 'x'"),
        (["joint2"], {"x": (0.0, 1.0)}, "axis 'x'"),
    ],
)
def test_joints_that_cannot_be_put_in_are_refused(joints, axes, word) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=word):
        with_flexible_joints(fb.model.library.staubli_tx40(), joints, axes)


def test_selectors_know_their_joints(robot) -> None:
    with pytest.raises(fb.errors.UnknownNameError, match="leg_left_1_joint_flexible_pitch"):
        selectors(robot.tree, ["leg_left_1_joint_flexible"])
