"""Regressors of the submodels between force/torque sensors, on a humanoid that has such sensors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import REPRESENTATIONS

from floatbase import algorithms
from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.model.build import build_tree
from floatbase.model.catalog import find
from floatbase.model.urdf import load_urdf
from floatbase.spatial import quaternion_from_rotation

pytest.importorskip("icub_models")


@pytest.fixture(scope="module")
def model():
    return load_urdf(find("icub"))


@pytest.fixture(params=REPRESENTATIONS)
def example(request, model, rng):
    tree = build_tree(model, keep_force_sensors=True, representation=request.param)
    q = rng.uniform(-1.0, 1.0, tree.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    return tree, q, rng.standard_normal(tree.nv), rng.standard_normal(tree.nv)


def test_submodels_together_are_the_robot(example):
    tree, q, v, a = example
    frame, total = tree.base, np.zeros(6)
    for k in range(len(tree.submodels)):
        total += algorithms.submodel_regressor(tree, q, v, a, k, frame) @ algorithms.submodel_parameters(tree, k)
    assert_allclose(total, algorithms.inverse_dynamics(tree, q, v, a)[:6], atol=1e-8)


def beyond(tree, cut):
    """The submodels on the far side of a cut."""
    far = {max(cut.parent_submodel, cut.child_submodel)}
    for other in sorted(tree.cuts, key=lambda item: max(item.parent_submodel, item.child_submodel)):
        if min(other.parent_submodel, other.child_submodel) in far:
            far.add(max(other.parent_submodel, other.child_submodel))
    return far


@pytest.mark.parametrize(
    ("joint", "sensor"),
    [("l_hip_pitch", "l_leg_ft_sensor"), ("r_shoulder_pitch", "r_arm_ft_sensor"), ("l_knee", "l_foot_ft_sensor")],
)
def test_torque_from_the_nearest_sensor(example, joint, sensor):
    tree, q, v, a = example
    cut = next(item for item in tree.cuts if item.joint == sensor)
    row, column = algorithms.local_torque_regressor(tree, q, v, a, joint, sensor)
    wrench = sum(
        algorithms.submodel_regressor(tree, q, v, a, k, cut.child_link) @ algorithms.submodel_parameters(tree, k)
        for k in beyond(tree, cut)
    )
    near = min(cut.parent_submodel, cut.child_submodel)
    torque = row @ algorithms.submodel_parameters(tree, near) + column @ wrench
    index = 6 + tree.joint_names.index(joint)
    assert torque == pytest.approx(algorithms.inverse_dynamics(tree, q, v, a)[index], abs=1e-9)


def test_sensors_give_the_right_hand_side(example, rng):
    """With the wrench at every cut that moves all beyond it, each submodel without contacts is in balance."""
    tree, q, v, a = example
    sensors = {}
    for cut in tree.cuts:
        far = max(cut.parent_submodel, cut.child_submodel)
        wrench = sum(
            algorithms.submodel_regressor(tree, q, v, a, k, cut.child_link) @ algorithms.submodel_parameters(tree, k)
            for k in beyond(tree, cut)
        )
        sensors[cut.joint] = wrench if far == cut.child_submodel else -wrench
    frames = [submodel.links[0] for submodel in tree.submodels]
    stacked = algorithms.stacked_submodel_regressor(tree, q, v, a, frames)
    parameters = [algorithms.submodel_parameters(tree, k) for k in range(len(frames))]
    found = (stacked @ np.concatenate(parameters)).reshape(len(frames), 6)
    for k, frame in enumerate(frames):
        alone = algorithms.submodel_regressor(tree, q, v, a, k, frame) @ parameters[k]
        assert_allclose(found[k], alone, atol=1e-10)
        if k > 0:  # the one with the base floats: something else carries it
            assert_allclose(algorithms.submodel_wrench(tree, q, k, frame, sensors), alone, atol=1e-8)
    base = algorithms.submodel_wrench(tree, q, 0, frames[0], sensors)
    carried = algorithms.inverse_dynamics(tree, q, v, a)[:6]
    assert_allclose(found[0] - base, carried, atol=1e-8)
    with pytest.raises(ArgumentError, match="is not given"):
        algorithms.submodel_wrench(tree, q, 0, frames[0], {})
    with pytest.raises(ArgumentError, match="submodels"):
        algorithms.stacked_submodel_regressor(tree, q, v, a, frames[:1])


@pytest.mark.parametrize("base", ["l_sole", "chest", "r_lower_leg"])
def test_submodels_do_not_depend_on_the_base(base, model, rng):
    """In the mixed representation; the sensor of the left foot then faces the base from its other side."""
    tree, other = (build_tree(model, link, keep_force_sensors=True) for link in (None, base))
    q, v = rng.uniform(-1.0, 1.0, tree.nq), rng.standard_normal(tree.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    a = rng.standard_normal(tree.nv)
    H, change = algorithms.pose(tree, q, base), algorithms.change_of_base(tree, q, v, base)
    there = np.concatenate([H[:3, 3], quaternion_from_rotation(H[:3, :3]), q[7:]]), change.velocity(v)
    assert [cut.joint for cut in other.cuts] == [cut.joint for cut in tree.cuts]
    for k, (one, same) in enumerate(zip(tree.submodels, other.submodels, strict=True)):
        assert one.links == same.links
        psi, its = (algorithms.submodel_parameters(item, k) for item in (tree, other))
        assert_allclose(its, psi, rtol=0.0, atol=1e-12 * np.linalg.norm(psi))
        Y = algorithms.submodel_regressor(tree, q, v, a, k, "chest")
        found = algorithms.submodel_regressor(other, *there, change.acceleration(v, a), k, "chest")
        assert_allclose(found, Y, rtol=0.0, atol=1e-11 * np.linalg.norm(Y))


def test_torque_from_the_nearest_sensor_seen_from_a_foot(model, rng):
    """What is near the base is now the child's side of the sensor."""
    tree = build_tree(model, "l_sole", keep_force_sensors=True)
    q, v, a = rng.uniform(-1.0, 1.0, tree.nq), rng.standard_normal(tree.nv), rng.standard_normal(tree.nv)
    q[3:7] /= np.linalg.norm(q[3:7])
    cut = next(item for item in tree.cuts if item.joint == "l_leg_ft_sensor")
    assert cut.near_submodel == cut.child_submodel
    row, column = algorithms.local_torque_regressor(tree, q, v, a, "l_knee", cut.joint)
    foot = next(item for item in tree.cuts if item.joint == "l_foot_ft_sensor")
    wrench = sum(
        algorithms.submodel_regressor(tree, q, v, a, k, cut.child_link) @ algorithms.submodel_parameters(tree, k)
        for k in range(len(tree.submodels))
        if k not in (cut.near_submodel, foot.near_submodel)
    )
    torque = row @ algorithms.submodel_parameters(tree, cut.near_submodel) + column @ wrench
    expected = algorithms.inverse_dynamics(tree, q, v, a)[6 + tree.joint_names.index("l_knee")]
    assert torque == pytest.approx(expected, abs=1e-9)


def test_what_is_refused(example, model):
    tree, q, v, a = example
    with pytest.raises(ArgumentError, match="does not exist"):
        algorithms.submodel_parameters(tree, 99)
    with pytest.raises(ArgumentError, match="keep_force_sensors"):
        algorithms.submodel_parameters(build_tree(model), 0)
    with pytest.raises(UnknownNameError, match="joint"):
        algorithms.local_torque_regressor(tree, q, v, a, "nothing", tree.cuts[0].joint)
    with pytest.raises(ArgumentError, match="not determined"):
        algorithms.local_torque_regressor(tree, q, v, a, "l_knee", "l_leg_ft_sensor")
    with pytest.raises(ArgumentError, match="not determined"):
        algorithms.local_torque_regressor(tree, q, v, a, "torso_roll", "l_arm_ft_sensor")
    with pytest.raises(UnknownNameError, match="sensor"):
        algorithms.local_torque_regressor(tree, q, v, a, tree.joint_names[0], "nothing")
