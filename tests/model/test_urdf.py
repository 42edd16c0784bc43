import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from floatbase.errors import ArgumentError, ModelError, RobotFileError
from floatbase.model import ModelWarning, build_tree, find, load_file, load_mjcf, load_urdf, parse_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(content, attributes='name="r"'):
    return f"<robot {attributes}>{content}</robot>"


def links(*names, inner=INERTIAL):
    return "".join(f'<link name="{name}">{inner}</link>' for name in names)


def joint(parent="a", child="b", name="j", kind="revolute", inner='<axis xyz="0 0 1"/>'):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inner}</joint>'


def two(inner='<axis xyz="0 0 1"/>', kind="revolute"):
    return robot(links("a", "b") + joint(inner=inner, kind=kind))


def inertial(mass="1", tensor='ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'):
    return robot(f'<link name="a"><inertial><mass value="{mass}"/><inertia {tensor}/></inertial></link>')


def test_a_joint_is_read_in_full():
    model = parse_urdf(
        two(
            '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 -1 0"/>'
            '<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/>'
        )
    )
    (read,) = model.joints
    assert (read.kind, read.parent, read.child, model.root, model.name) == ("revolute", "a", "b", "a", "r")
    assert (read.limits.lower, read.limits.upper, read.limits.effort, read.limits.velocity) == (-1.0, 2.0, 30.0, 4.0)
    assert (read.damping, read.friction) == (0.5, 0.25)
    np.testing.assert_array_equal(read.axis, [0, -1, 0])
    np.testing.assert_array_equal(read.parent_H_joint, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])


def test_defaults_are_those_of_urdf():
    (read,) = parse_urdf(two("", kind="continuous")).joints
    np.testing.assert_array_equal(read.axis, [1, 0, 0])
    np.testing.assert_array_equal(read.parent_H_joint, np.eye(4))
    assert read.limits.lower == -np.inf and read.limits.effort == np.inf and read.mimic is None


def test_mimic_is_read():
    text = robot(
        links("a", "b", "c")
        + joint()
        + joint("b", "c", "k", inner='<axis xyz="0 0 1"/><mimic joint="j" multiplier="-2" offset="0.5"/>')
    )
    rule = parse_urdf(text).joints[1].mimic
    assert (rule.joint, rule.multiplier, rule.offset) == ("j", -2.0, 0.5)
    assert build_tree(parse_urdf(text)).joint_names == ("j",)


def test_inertia_is_turned_into_link_axes():
    tensor = 'ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"'
    origin = '<origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>'
    text = robot(f'<link name="a"><inertial>{origin}<mass value="2"/><inertia {tensor}/></inertial></link>')
    inertia = parse_urdf(text).links[0].inertia
    np.testing.assert_allclose(inertia.tensor, np.diag([2.0, 1.0, 3.0]), atol=1e-15)
    np.testing.assert_array_equal(inertia.center, [0.1, 0, 0])


def test_shapes_and_colours_are_read():
    shape = "<{tag}><geometry>{inner}</geometry>{more}</{tag}>"
    inner = "".join(
        [
            shape.format(tag="visual", inner='<box size="1 2 3"/>', more='<material name="red"/>'),
            shape.format(
                tag="visual",
                inner='<cylinder radius="0.1" length="2"/>',
                more='<material name=""><color rgba="0 1 0 0.5"/></material>',
            ),
            shape.format(tag="collision", inner='<sphere radius="0.3"/>', more='<origin xyz="1 0 0"/>'),
            shape.format(tag="collision", inner='<mesh filename="package://p/m.stl" scale="0.001"/>', more=""),
            shape.format(tag="collision", inner="<capsule/>", more=""),
        ]
    )
    text = robot(f'<material name="red"><color rgba="1 0 0 1"/></material><link name="a">{inner}</link>')
    (link,) = parse_urdf(text).links
    box, cylinder = link.visuals
    sphere, mesh = link.collisions
    assert (box.kind, box.size, box.color) == ("box", (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 1.0))
    assert (cylinder.kind, cylinder.size, cylinder.color) == ("cylinder", (0.1, 2.0), (0.0, 1.0, 0.0, 0.5))
    assert sphere.size == (0.3,) and sphere.link_H_shape[0, 3] == 1.0
    assert (mesh.file, mesh.uri, mesh.size) == ("package://p/m.stl", "package://p/m.stl", (0.001,) * 3)


BAD = {
    "root": ("<model/>", "line 1: the root element is <model>; a URDF file has <robot>"),
    "no links": (robot(""), "there are no links; a robot has at least one"),
    "nameless link": (robot("<link/>"), "<link> lacks the attribute 'name'"),
    "two links of a name": (robot(links("a", "a")), "there are two links named 'a'"),
    "two joints of a name": (
        robot(links("a", "b", "c") + joint() + joint("a", "c")),
        "there are two joints named 'j'; names must be unique",
    ),
    "two roots": (robot(links("a", "b")), r"there are 2 links without a parent \('a', 'b'\); a robot has one root"),
    "two parents": (
        robot(links("a", "b", "c") + joint("a", "c") + joint("b", "c", "k")),
        "link 'c' has two parents: 'a' through joint 'j' and 'b' through joint 'k'",
    ),
    "all in a loop": (robot(links("a", "b") + joint() + joint("b", "a", "k")), "no root link.*there is a loop"),
    "a loop aside": (
        robot(links("r", "a", "b") + joint() + joint("b", "a", "k")),
        "the links form a loop: a <- b <- a",
    ),
    "a link to itself": (robot(links("a", "b") + joint("b", "b")), "connects the link 'b' to itself"),
    "unknown child": (robot(links("a") + joint()), "joint 'j' names the link 'b', which does not exist"),
    "unknown parent": (robot(links("b") + joint()), "joint 'j' names the link 'a', which does not exist"),
    "no type": (two().replace('type="revolute"', ""), "joint 'j' lacks the attribute 'type'"),
    "unknown type": (two(kind="screw"), "'screw'; URDF has revolute, continuous, prismatic, planar, floating, fixed"),
    "mimic of many": (
        two('<mimic joint="j"/>', kind="planar"),
        "joint 'j' is of type 'planar' and mimics 'j'; only joints of one coordinate can",
    ),
    "zero axis": (two('<axis xyz="0 0 0"/>'), "the axis of joint 'j' is zero"),
    "short axis": (two('<axis xyz="0 1"/>'), "'xyz' of <axis> is '0 1'; it needs 3 numbers"),
    "NaN": (two('<origin xyz="0 nan 0"/>'), "'xyz' of <origin> is '0 nan 0', which contains 'nan'; .*finite"),
    "infinite": (two('<origin rpy="0 inf 0"/>'), "contains 'inf'"),
    "overflow": (two('<origin rpy="0 1e999 0"/>'), "contains '1e999'"),
    "garbage": (two('<limit lower="low" upper="1"/>'), "'lower' of <limit> is 'low', which contains 'low'"),
    "underscores": (two('<limit lower="1_0" upper="11"/>'), "contains '1_0'"),
    "limits": (two('<limit lower="2" upper="1"/>'), "the lower limit 2 is above the upper limit 1"),
    "negative effort": (two('<limit effort="-2"/>'), "must not be negative"),
    "negative damping": (
        two('<dynamics damping="-1"/>'),
        r"damping \(-1\) and friction \(0\) of joint 'j' must not be",
    ),
    "two axes": (two('<axis xyz="0 0 1"/><axis xyz="0 1 0"/>'), "this is a second <axis> in the <joint> 'j'"),
    "two limits": (
        two('<limit lower="0" upper="1"/><limit lower="0" upper="2"/>'),
        "a second <limit> in the <joint> 'j'",
    ),
    "two origins": (two("<origin/><origin/>"), "a second <origin> in the <joint> 'j'"),
    "two inertias": (
        robot('<link name="a"><inertial/><inertial/></link>'),
        "this is a second <inertial> in the <link> 'a'; it takes one at most",
    ),
    "no parent": (robot(links("a") + '<joint name="j" type="fixed"><child link="a"/></joint>'), "0 <parent> elements"),
    "no mass": (
        robot('<link name="a"><inertial><inertia ixx="1"/></inertial></link>'),
        "inertial of link 'a' has 0 <mass> elements; it needs exactly one",
    ),
    "half a tensor": (inertial(tensor='ixx="1"'), "<inertia> lacks the attribute 'ixy' .it has: ixx"),
    "nameless mimic": (two("<mimic/>"), "<mimic> lacks the attribute 'joint'"),
    "empty mesh": (
        robot('<link name="a"><visual><geometry><mesh filename=""/></geometry></visual></link>'),
        "the attribute 'filename' of <mesh> is empty",
    ),
    "sensor of no joint": (
        robot(links("a") + '<sensor name="s" type="force_torque"><parent joint="x"/></sensor>'),
        "sensor 's' sits in the joint 'x', which does not exist",
    ),
    "sensor on no link": (
        robot(links("a") + '<sensor name="s" type="accelerometer"><parent link="x"/></sensor>'),
        "sensor 's' sits on the link 'x', which does not exist",
    ),
    "xacro macro": (
        robot('<xacro:leg side="l"/>', 'xmlns:xacro="http://www.ros.org/wiki/xacro"'),
        "xacro file: it contains the macro <xacro:leg>; expand it first: xacro",
    ),
    "xacro without namespace": (robot("<xacro:leg/>"), "unbound prefix.*xacro files must be expanded first"),
    "xacro expression": (robot(links("${side}_leg")), r"xacro file: the attribute 'name' is '\$\{side\}_leg'"),
    "not XML": ("robot", "not well-formed XML"),
    "empty": ("", "not well-formed XML: no element found"),
    "cut off": (two()[:-9], "not well-formed XML"),
    "deep": (robot("<a>" * 500 + "</a>" * 500), "nested deeper than 64 levels"),
    "much text": (robot("x" * 1_100_000 + links("a")), "more than 1000000 characters of text"),
    "entity bomb": (
        '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>',
        "document types .* and entities are not allowed",
    ),
    "external entity": (
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"/>',
        "document types .* and entities are not allowed",
    ),
    "external document type": ('<!DOCTYPE r SYSTEM "http://localhost/r.dtd"><robot/>', "document types"),
    "encoding": ('<?xml version="1.0" encoding="klingon"?><robot/>', "cannot be decoded: unknown encoding"),
    "too many links": (
        robot("".join(f'<link name="{k}"/>' for k in range(100_000))),
        "100000 <link> elements; at most",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_with_a_reason(case):
    text, message = BAD[case]
    with pytest.raises(RobotFileError, match=message):
        parse_urdf(text, Path("robot.urdf"))


def test_errors_say_file_and_line():
    text = "<robot>\n" + links("a", "b") + "\n\n" + joint(inner='<axis xyz="0 0 0"/>') + "</robot>"
    with pytest.raises(RobotFileError, match=r"^some/robot.urdf, line 4: "):
        parse_urdf(text, Path("some/robot.urdf"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (inertial(mass="-1"), "no rigid body has the inertia of link 'a': mass -1 kg.*must not be negative"),
        (inertial(tensor='ixx="1" ixy="2" ixz="0" iyy="1" iyz="0" izz="1"'), "positive semidefinite"),
    ],
)
def test_impossible_inertias_need_a_switch(text, message):
    with pytest.raises(RobotFileError, match=message):
        parse_urdf(text)
    with pytest.warns(ModelWarning, match="no density gives the inertia of a$"):
        model = parse_urdf(text, allow_nonphysical=True)
    with pytest.raises(ModelError, match=message):
        build_tree(model)
    build_tree(model, allow_nonphysical=True)


def test_numbers_that_overflow_are_refused():
    text = two('<origin xyz="1e308 0 0" rpy="0.1 0.2 0.3"/>', kind="fixed").replace("</robot>", "")
    text += links("c") + joint("b", "c", "k", "fixed", '<origin xyz="1e308 0 0" rpy="0.1 0.2 0.3"/>') + "</robot>"
    with pytest.raises(ModelError, match="pose of 'c' overflows"):
        build_tree(parse_urdf(text))
    with pytest.raises(ModelError, match="body 'a' overflows"):
        build_tree(parse_urdf(two('<origin xyz="1e200 0 0"/>', kind="fixed")))
    heavy = inertial(mass="1e308").replace("<inertial>", '<inertial><origin xyz="10 0 0"/>')
    with pytest.raises(ModelError, match=r"the mass of body 'a' is 1e\+308 kg"):
        build_tree(parse_urdf(heavy))


def test_a_broken_triangle_inequality_is_a_warning():
    with pytest.warns(ModelWarning, match="no density gives the inertia of a$"):
        parse_urdf(inertial(tensor='ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="2.5"'))


def test_an_indefinite_speck_fixed_to_a_sound_link_is_a_warning():
    tensor = 'ixx="1e-8" ixy="5e-8" ixz="0" iyy="1e-8" iyz="0" izz="1e-8"'
    speck = f'<inertial><mass value="1e-6"/><inertia {tensor}/></inertial>'
    text = robot(links("a") + links("speck", inner=speck) + joint("a", "speck", kind="fixed"))
    with pytest.warns(ModelWarning, match="inertia of speck"):
        parse_urdf(text)
    with pytest.raises(ModelError, match="link 'speck'"):
        parse_urdf(text.replace('type="fixed"', 'type="revolute"'))


def test_axes_are_normalised_with_a_warning_if_it_matters():
    with pytest.warns(ModelWarning, match="line 1: the axis of joint 'j' has length 2; it was normalised"):
        model = parse_urdf(two('<axis xyz="0 2 0"/>'))
    np.testing.assert_array_equal(model.joints[0].axis, [0, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = parse_urdf(two('<axis xyz="0.9659260 0 0.2588190"/>'))
    assert np.linalg.norm(model.joints[0].axis) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("size", ["1e-300", "5e-324", "1e300"])
def test_extreme_axes_are_normalised(size):
    with pytest.warns(ModelWarning, match="was normalised"):
        model = parse_urdf(two(f'<axis xyz="{size} 0 -{size}"/>'))
    np.testing.assert_allclose(model.joints[0].axis, [np.sqrt(0.5), 0, -np.sqrt(0.5)], rtol=1e-12)


def test_expanded_files_may_keep_xacro_in_comments_and_unused_namespaces():
    text = robot('<!-- <xacro:leg x="${y}"/> -->' + links("a"), 'xmlns:xacro="http://www.ros.org/wiki/xacro"')
    assert parse_urdf(text).links[0].name == "a"


def test_unreadable_files(tmp_path):
    with pytest.raises(RobotFileError, match=r"missing.urdf: cannot be read: No such file"):
        load_urdf(tmp_path / "missing.urdf")
    with pytest.raises(RobotFileError, match="cannot be read: Is a directory"):
        load_urdf(tmp_path)
    with pytest.raises(RobotFileError, match="not the name of a file"):
        load_urdf("robot\0.urdf")
    with pytest.raises(RobotFileError, match=r"at most 1000 are read .raise it with max_bytes="):
        load_urdf(find("icub"), max_bytes=1000)


@pytest.mark.parametrize("path", [3, None, b"robot.urdf"])
def test_what_is_no_path(path):
    for read in (load_urdf, load_file, load_mjcf):
        with pytest.raises(ArgumentError, match="a robot file is given by its path, got"):
            read(path)
    with pytest.raises(ArgumentError, match="a robot is found by its name, got"):
        find(path)
    if not isinstance(path, bytes):
        with pytest.raises(ArgumentError, match="content is text or bytes, got"):
            parse_urdf(path)


def test_long_chains_do_not_recurse():
    count = 3000
    text = robot(links(*map(str, range(count))) + "".join(joint(str(k), str(k + 1), f"j{k}") for k in range(count - 1)))
    tree = build_tree(parse_urdf(text))
    assert len(tree.bodies) == count
    with pytest.raises(RobotFileError, match="at most 10 are read"):
        parse_urdf(text, max_links=10)


def test_meshes_are_found_but_not_outside_their_package(tmp_path, monkeypatch):
    package = tmp_path / "ws" / "pack"
    (package / "urdf").mkdir(parents=True)
    (package / "mesh.stl").write_text("")
    (package / "urdf" / "near.stl").write_text("")
    (tmp_path / "ws" / "secret.stl").write_text("")
    elsewhere = tmp_path / "share" / "other"
    elsewhere.mkdir(parents=True)
    (elsewhere / "far.stl").write_text("")
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/nowhere", str(tmp_path / "share")]))
    expected = {
        "package://pack/mesh.stl": package / "mesh.stl",
        "model://pack/mesh.stl": package / "mesh.stl",
        "package:///pack/mesh.stl": package / "mesh.stl",
        "package://other/far.stl": elsewhere / "far.stl",
        "near.stl": package / "urdf" / "near.stl",
        f"file://{package}/mesh.stl": package / "mesh.stl",
        "package://pack/../secret.stl": None,
        "package://../ws/secret.stl": None,
        "../../secret.stl": None,
        "package://unknown/mesh.stl": None,
        "package://pack/missing.stl": None,
        "package://" + "x" * 5000: None,
        "http://localhost/mesh.stl": None,
    }
    shapes = "".join(f'<visual><geometry><mesh filename="{uri}"/></geometry></visual>' for uri in expected)
    file = package / "urdf" / "robot.urdf"
    file.write_text(robot(f'<link name="a">{shapes}</link>'))
    found = {shape.uri: shape.file for shape in load_urdf(file).links[0].visuals}
    assert found == {uri: uri if path is None else str(path) for uri, path in expected.items()}


def test_meshes_are_found_from_a_linked_file(tmp_path):
    package = tmp_path / "src" / "pack"
    package.mkdir(parents=True)
    (package / "mesh.stl").write_text("")
    shape = '<visual><geometry><mesh filename="package://pack/mesh.stl"/></geometry></visual>'
    (package / "robot.urdf").write_text(robot(f'<link name="a">{shape}</link>'))
    (tmp_path / "linked.urdf").symlink_to(package / "robot.urdf")
    assert load_urdf(tmp_path / "linked.urdf").links[0].visuals[0].file == str(package / "mesh.stl")
