"""Actuators of MJCF files: what they do to the joints they drive, beside MuJoCo itself."""

import numpy as np
import pytest
from tests.model.test_mjcf import quiet

import floatbase as fb
from floatbase.errors import ModelError
from floatbase.model import ModelWarning, build_tree, parse_mjcf

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize(
    ("actuators", "effort"),
    [
        ('<motor joint="j" gear="10" ctrlrange="-2 1" ctrllimited="true"/>', 20.0),
        ('<position joint="j" kp="100" forcerange="-3 4"/>', 4.0),
        ('<motor joint="j" forcerange="-3 3"/><motor joint="j" forcerange="-4 4" gear="-2"/>', 11.0),
        ('<motor joint="j"/>', np.inf),
        ('<position joint="j" kp="100" ctrlrange="-1 1"/>', np.inf),
        ("", np.inf),
    ],
)
def test_motors_limit_the_effort_of_their_joint(actuators, effort):
    body = '<body name="a"><joint name="j"/><geom size="1"/></body>'
    model = quiet(f"<mujoco><worldbody>{body}</worldbody><actuator>{actuators}</actuator></mujoco>")
    assert model.joints[0].limits.effort == effort


JOINTS = """
<body name="a"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.2"/>
<body name="b" pos="0.3 0 0"><joint name="turn" axis="0 0.6 0.8" armature="0.5" damping="0.2"/><geom size="0.2"/>
<body name="c" pos="0.3 0 0"><joint name="ball" type="ball"/><geom size="0.2"/></body></body></body>
<body name="d" pos="0 0 3"><joint name="free" type="free"/><geom size="0.2"/></body>
"""


def mass_matrices(actuators, rng):
    """Ours and MuJoCo's in a random configuration; the free body is not turned, so that velocities agree."""
    text = f"<mujoco><worldbody>{JOINTS}</worldbody><actuator>{actuators}</actuator></mujoco>"
    m = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(m)
    velocity = rng.normal(size=m.nv)
    velocity[-3:] = 0.0
    mujoco.mj_integratePos(m, data.qpos, velocity, 1.0)
    mujoco.mj_forward(m, data)
    theirs = np.zeros((m.nv, m.nv))
    for number in range(m.nv):
        mujoco.mj_mulM(m, data, theirs[number], np.eye(m.nv)[number])
    model = quiet(text)
    return fb.Robot(model).mass_matrix(data.qpos), theirs, {joint.name: joint for joint in model.joints}


@pytest.mark.parametrize(
    ("actuators", "joint", "rotor", "gear"),
    [
        ('<position joint="slide" kp="1" armature="3" gear="2"/>', "slide", 3.0, 2.0),
        ('<motor joint="slide" armature="3" gear="-2"/>', "slide", 3.0, 2.0),
        ('<motor jointinparent="slide" armature="3" gear="2"/>', "slide", 3.0, 2.0),
        ('<motor joint="slide" armature="3" gear="2"/><motor joint="slide" armature="1" gear="2"/>', "slide", 4.0, 2.0),
        ('<motor joint="slide" armature="3" gear="2"/><motor joint="slide" armature="1"/>', "slide", 13.0, 1.0),
        ('<motor joint="turn" armature="3" gear="2"/>', "turn", 12.5, 1.0),
        ('<motor joint="turn" armature="3" gear="0"/>', "turn", 0.5, 1.0),
        ('<motor joint="turn"/>', "turn", 0.5, 1.0),
        ('<motor joint="ball" armature="3" gear="2 1 0"/>', "ball", 3.0, 2.0),
        ('<motor joint="free" armature="3" gear="2 1 0 0 0 1"/>', "free", 3.0, 2.0),
    ],
)
def test_rotors_of_actuators_are_in_the_mass_matrix(actuators, joint, rotor, gear, rng):
    ours, theirs, joints = mass_matrices(actuators, rng)
    assert (joints[joint].rotor_inertia, joints[joint].gear_ratio) == (rotor, gear)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


def test_damping_of_actuators_is_damping_of_joints():
    body = '<body name="a"><joint name="j" damping="0.5"/><geom size="1"/></body>'
    actuators = '<motor joint="j" damping="3" gear="2"/><damper joint="j" kv="1" ctrlrange="0 1"/>'
    model = quiet(f"<mujoco><worldbody>{body}</worldbody><actuator>{actuators}</actuator></mujoco>")
    assert model.joints[0].damping == 12.5  # not the damper's: that is a control


@pytest.mark.parametrize(
    ("rest", "listed"),
    [
        ('<actuator><motor tendon="t" armature="1"/></actuator>', "1 armatures of tendons or of their actuators"),
        ('<actuator><motor joint="free" armature="1"/></actuator>', "armature, damping or friction of the floating"),
        ('<actuator><motor joint="free" damping="1"/></actuator>', "armature, damping or friction of the floating"),
        ('<actuator><motor joint="j" damping="1 2"/></actuator>', "damping that is not linear"),
    ],
)
def test_what_cannot_be_done_is_reported(rest, listed):
    body = '<body><freejoint name="free"/><geom size="1"/><body><joint name="j"/><geom size="1"/></body></body>'
    tendon = '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
    with pytest.warns(ModelWarning, match=listed):
        parse_mjcf(f"<mujoco><worldbody>{body}</worldbody>{tendon}{rest}</mujoco>")


def test_gears_beyond_all_numbers_are_refused():
    body = '<body name="a"><joint name="j"/><geom size="1"/></body>'
    actuator = '<motor joint="j" armature="1" gear="1e200"/>'
    with pytest.raises(ModelError, match="joint of body 'a' overflows"):
        build_tree(quiet(f"<mujoco><worldbody>{body}</worldbody><actuator>{actuator}</actuator></mujoco>"))
