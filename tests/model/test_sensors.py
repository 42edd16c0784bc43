from collections import Counter

import numpy as np
import pytest

from floatbase.errors import RobotFileError
from floatbase.model import find, load_urdf, parse_urdf
from floatbase.model.poses import pose


@pytest.mark.filterwarnings("ignore::floatbase.model.ModelWarning")
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("icub", {"force_torque": 6, "accelerometer": 62, "gyroscope": 15, "imu": 1}),
        ("icub2.5", {"force_torque": 6, "accelerometer": 62, "gyroscope": 15}),
        ("icubnancy01", {"force_torque": 6}),
    ],
)
def test_sensors_in_two_dialects_are_counted_once(name, counts):
    sensors = load_urdf(find(name)).sensors
    assert Counter(sensor.kind for sensor in sensors) == counts
    assert len({sensor.name for sensor in sensors}) == len(sensors)


def test_force_sensors_of_icub_say_where_they_measure():
    model = load_urdf(find("icub"))
    by_name = {sensor.name: sensor for sensor in model.sensors}
    joints = {joint.name: joint for joint in model.joints}
    for side in "lr":
        for part, frame in (("arm", "child"), ("leg", "sensor"), ("foot", "sensor")):
            sensor = by_name[f"{side}_{part}_ft"]
            assert sensor.joint == f"{side}_{part}_ft_sensor"
            assert sensor.link == joints[sensor.joint].child
            assert (sensor.frame, sensor.direction, sensor.rate) == (frame, "child_to_parent", 100.0)
            np.testing.assert_allclose(sensor.link_H_sensor, np.eye(4), atol=1e-15)


def test_inertial_sensors_of_icub_are_where_their_frames_are():
    """The file also has massless links, with the same names, at some of its inertial sensors."""
    model = load_urdf(find("icub"))
    placed = {joint.child: joint for joint in model.joints if joint.kind == "fixed"}
    compared = 0
    for sensor in model.sensors:
        twin = placed.get(sensor.name)
        if sensor.kind in ("accelerometer", "gyroscope") and twin is not None and twin.parent == sensor.link:
            np.testing.assert_allclose(sensor.link_H_sensor, twin.parent_H_joint, atol=1e-12)
            compared += 1
    assert compared == 18


def test_icub_sensors_agree_with_idyntree():
    idyntree = pytest.importorskip("idyntree.bindings")
    path = str(find("icub"))
    loader = idyntree.ModelLoader()
    assert loader.loadModelFromFile(path)
    peer, peer_model = loader.sensors(), loader.model()
    sensors = load_urdf(path).sensors
    for kind, code, get in (
        ("force_torque", idyntree.SIX_AXIS_FORCE_TORQUE, peer.getSixAxisForceTorqueSensor),
        ("accelerometer", idyntree.ACCELEROMETER, peer.getAccelerometerSensor),
        ("gyroscope", idyntree.GYROSCOPE, peer.getGyroscopeSensor),
    ):
        expected = {}
        for number in range(peer.getNrOfSensors(code)):
            sensor = get(number)
            expected[sensor.getName()] = sensor
        found = {sensor.name: sensor for sensor in sensors if sensor.kind == kind}
        assert set(found) == set(expected)
        for name, sensor in found.items():
            transform = idyntree.Transform()
            if kind == "force_torque":
                assert expected[name].getLinkSensorTransform(peer_model.getLinkIndex(sensor.link), transform)
            else:
                assert expected[name].getParentLink() == sensor.link
                transform = expected[name].getLinkSensorTransform()
            matrix = transform.asHomogeneousTransform().toNumPy()
            np.testing.assert_allclose(sensor.link_H_sensor, matrix, atol=1e-14)


PAIR = """<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/></joint>
{}</robot>"""
ROBOT = '<sensor name="{}" type="force_torque"><parent joint="j"/><force_torque>{}</force_torque>{}</sensor>'


@pytest.mark.parametrize("frame", ["child", "parent", "sensor"])
def test_the_frame_of_a_force_sensor_is_resolved(frame):
    settings = f"<frame>{frame}</frame><measure_direction>parent_to_child</measure_direction>"
    text = PAIR.format(ROBOT.format("s", settings, '<origin xyz="0 0 4" rpy="0 0 0.5"/>'))
    (sensor,) = parse_urdf(text).sensors
    expected = {
        "child": np.eye(4),
        "parent": np.linalg.inv(pose((1, 2, 3), (0.1, 0.2, 0.3))),
        "sensor": pose((0, 0, 4), (0, 0, 0.5)),
    }
    assert (sensor.link, sensor.joint, sensor.direction) == ("b", "j", "parent_to_child")
    np.testing.assert_allclose(sensor.link_H_sensor, expected[frame], atol=1e-15)


def test_gazebo_sensors_alone_are_read_and_dangling_ones_skipped():
    gazebo = (
        '<gazebo reference="b"><sensor name="s" type="imu"><pose>1 0 0 0 0 0.5</pose><update_rate>50</update_rate>'
        '</sensor></gazebo><gazebo reference="gone"><sensor name="t" type="imu"/></gazebo><gazebo><plugin/></gazebo>'
    )
    (sensor,) = parse_urdf(PAIR.format(gazebo)).sensors
    assert (sensor.name, sensor.kind, sensor.link, sensor.rate) == ("s", "imu", "b", 50.0)
    np.testing.assert_allclose(sensor.link_H_sensor, pose((1, 0, 0), (0, 0, 0.5)))


def test_a_force_sensor_with_two_names_is_one_sensor():
    gazebo = (
        '<gazebo reference="j"><sensor name="other" type="force_torque"><update_rate>10</update_rate></sensor></gazebo>'
    )
    (sensor,) = parse_urdf(PAIR.format(ROBOT.format("s", "", "") + gazebo)).sensors
    assert (sensor.name, sensor.rate) == ("s", 10.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ROBOT.format("s", "<frame>world</frame>", ""), "<frame> is 'world'; it must be one of child, parent, sensor"),
        (ROBOT.format("s", "", "") * 2, "two sensors named 's'"),
        ('<sensor name="s"><parent link="a"/></sensor>', "sensor 's' lacks the attribute 'type'"),
        ('<sensor name="s" type="imu"/>', "sensor 's' has 0 <parent> elements"),
        (
            '<gazebo reference="a"><sensor name="s" type="imu"><pose>1 2</pose></sensor></gazebo>',
            "the pose of sensor 's'",
        ),
    ],
)
def test_malformed_sensors_are_refused(content, message):
    with pytest.raises(RobotFileError, match=message):
        parse_urdf(PAIR.format(content))
