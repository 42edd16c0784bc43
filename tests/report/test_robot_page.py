"""Robots in pages: everything is inside the file, it is drawn, joints move, the time line plays."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from tests.browser import browser, complaints, difference, pixels, requested, until

import floatbase as fb
from floatbase.errors import UnknownNameError
from floatbase.report import Section, page, paragraph, robot_view
from floatbase.viewer import Trajectory, body_poses

TIME = np.linspace(0.0, 0.6, 31)


def swinging(robot: fb.Robot) -> Trajectory:
    q = np.tile(robot.neutral(), (len(TIME), 1))
    q[:, 7] += 1.2 * TIME
    q[:, 2] += 0.1 * TIME
    force = np.stack([0 * TIME, 0 * TIME, 9.0 + TIME], axis=1)
    return Trajectory(5.0 + TIME, q, {robot.frame_names[0]: force})


def page_of(robot: fb.Robot, motion: object, caption: str = "") -> str:
    return page("A robot", "It moves.", {"robot": robot.name}, [Section("Robot", [robot_view(robot, motion, caption)])])


def test_pages_are_whole_and_quote_what_they_are_given(load_robot) -> None:
    robot = load_robot("quadrotor_with_arm", "mixed")
    text = page_of(robot, swinging(robot), '</script><script>alert("no")</script>')
    assert not re.search(r"(src|href|srcset)\s*=\s*[\"']?\s*(https?:|//|file:)", text)
    assert "alert(" not in re.sub(r"&lt;.*?&gt;", "", text.replace("alert(&quot;", ""))
    assert "default-src 'none'" in text
    assert text.count("<script") == 2  # the data, and what shows it
    assert "class RobotView" in text
    assert "class RobotView" not in page("None", "", {}, [Section("Text", [paragraph("no robot")])])


def test_names_of_robots_cannot_end_the_data(tmp_path) -> None:
    path = tmp_path / "a.urdf"
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path.write_text(f'<robot name="&lt;/script&gt;&lt;b&gt;"><link name="a">{inertia}</link></robot>')
    text = robot_view(fb.load(path))
    assert "</script><b>" not in text
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text, re.S).group(1))
    assert data["name"] == "</script><b>"
    assert data["motion"] is None


def test_large_robots_make_small_pages(load_robot) -> None:
    pytest.importorskip("icub_models")
    robot = load_robot("icub", "mixed")
    assert len(robot_view(robot)) < 1.3e6
    assert len(robot_view(robot, triangles=5000)) < 2.5e5


def test_forces_at_unknown_frames_are_refused(load_robot) -> None:
    robot = load_robot("quadrotor_with_arm", "mixed")
    motion = Trajectory(TIME, swinging(robot).q, {"tail": np.zeros((len(TIME), 3))})
    with pytest.raises(UnknownNameError, match="tail"):
        robot_view(robot, motion)


def test_a_page_in_a_browser(tmp_path, load_robot) -> None:
    robot = load_robot("quadrotor_with_arm", "mixed")
    others = [load_robot(name, "mixed") for name in ("nine_joint_tree", "suspended_manipulator")]
    others.append(others[0].with_base(others[0].body_names[-1]))  # joints are crossed from their children
    parts = [robot_view(item, swinging(item) if item is robot else None) for item in (robot, *others)]
    path = tmp_path / "page.html"
    path.write_text(page("A robot", "It moves.", {}, [Section("Robot", parts)]), encoding="utf-8")
    with browser(tmp_path / "profile", (700, 1000)) as driver:
        driver.get(path.as_uri())
        figure = driver.find_element("css selector", "figure.robot-view")
        canvas = figure.find_element("tag name", "canvas")
        until(lambda: driver.execute_script("return !!arguments[0].view.camera.eye", figure))
        first = pixels(canvas)
        assert difference(first, first[2, 2] + 0 * first) > 0.02  # something is drawn

        for k, item in enumerate((robot, *others)):  # the script knows all kinds of joints
            for q in item.random(7, n=2)[0]:
                found = driver.execute_script(
                    "const view = document.querySelectorAll('figure.robot-view')[arguments[0]].view;"
                    "return bodyPoses(view.robot, Float64Array.from(arguments[1]))",
                    k,
                    q.tolist(),
                )
                poses = body_poses(item.tree, q)
                assert np.allclose([R for R, _ in found], poses[:, :3, :3].reshape(-1, 9), atol=1e-6)
                assert np.allclose([p for _, p in found], poses[:, :3, 3], atol=1e-6)

        figure.find_element("tag name", "summary").click()
        slider = figure.find_element("css selector", ".joints input")
        driver.execute_script("arguments[0].value = 60; arguments[0].dispatchEvent(new Event('input'));", slider)
        shown = driver.execute_script("return arguments[0].view.q[7]", figure)
        assert shown == pytest.approx(np.deg2rad(60.0), abs=1e-2)
        until(lambda: difference(pixels(canvas), first) > 0.003)

        button = figure.find_element("css selector", ".play")
        driver.execute_script("arguments[0].click()", button)
        until(lambda: button.text == "Play" and driver.execute_script("return arguments[0].view.time", figure) > 0.59)
        clock = figure.find_element("css selector", ".clock").text
        assert clock == "5.60 s"
        assert driver.execute_script("return arguments[0].view.q[7]", figure) == pytest.approx(0.72, abs=1e-3)
        assert difference(pixels(canvas), first) > 0.003
        assert complaints(driver) == []
        assert requested(driver) == {path.as_uri()}
