"""Robots in a browser: what the server does, and what the browser shows."""

from __future__ import annotations

import itertools
import socket
import threading
import urllib.request

import numpy as np
import pytest
from tests.browser import browser, complaints, difference, pixels, requested, until

import floatbase as fb
from floatbase import logs
from floatbase.errors import ArgumentError, MissingDependencyError, StateError
from floatbase.viewer import Trajectory, view
from floatbase.viewer.controls import by_hand
from floatbase.viewer.player import Player
from floatbase.viewer.poses import body_poses
from floatbase.viewer.stage import center_of_mass
from floatbase.viewer.window import _plain

TIME = np.linspace(0.0, 40.0, 201)


@pytest.fixture
def robot(load_robot) -> fb.Robot:
    return load_robot("quadrotor_with_arm", "mixed")


@pytest.fixture
def port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def swinging(robot: fb.Robot) -> Trajectory:
    q = np.tile(robot.neutral(), (len(TIME), 1))
    q[:, 7] = np.sin(TIME)
    return Trajectory(TIME, q, {robot.frame_names[0]: np.tile([0.0, 0.0, 20.0], (len(TIME), 1))})


def test_a_window_listens_here_alone_and_ends(robot: fb.Robot, port: int) -> None:
    pytest.importorskip("viser")
    before = set(threading.enumerate())
    with view(robot, swinging(robot), port=port) as window:
        assert window._server.get_host() == "127.0.0.1"
        with urllib.request.urlopen(f"http://127.0.0.1:{window._server.get_port()}", timeout=10) as answer:
            assert answer.status == 200
        window.show(robot.random(1)[0])
        assert np.allclose(window.q, robot.random(1)[0])
        with pytest.raises(StateError):
            window.show(np.full(robot.nq, np.nan))
    window.close()  # again
    until(lambda: not [thread for thread in set(threading.enumerate()) - before if not thread.daemon])
    with socket.socket() as again:
        assert again.connect_ex(("127.0.0.1", port)) != 0


def test_pages_of_others_cannot_connect(robot: fb.Robot, port: int) -> None:
    viser = pytest.importorskip("viser")
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    with view(robot, port=port) as window:
        place = f"ws://127.0.0.1:{window._server.get_port()}"
        protocol = [f"viser-v{viser.__version__}"]
        with connect(place, subprotocols=protocol, origin=window.url) as connection:
            assert connection.recv(timeout=10)
        for origin in ("https://example.org", f"http://example.org:{port}", "null"):
            with pytest.raises(InvalidStatus, match="403"):
                connect(place, subprotocols=protocol, origin=origin).close()
        assert window._server.request_share_url() is None


def test_bad_settings_are_refused(robot: fb.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("viser")
    with pytest.raises(ArgumentError, match="port is 0"):
        view(robot, port=0)
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(MissingDependencyError, match=r"floatbase\[view\]"):
        view(robot)


def test_what_is_said_of_a_file_is_not_markup() -> None:
    assert "<" not in _plain("<img src=x onerror=alert(1)>") and "[" not in _plain("[a](b)")


def test_the_centre_of_mass_is_the_robots(robot: fb.Robot) -> None:
    q = robot.random(2)[0]
    assert np.allclose(center_of_mass(robot, body_poses(robot.tree, q)), robot.com(q))


def test_a_player_plays_repeats_and_stops() -> None:
    shown: list[float] = []
    ended = threading.Event()
    player = Player(0.2, shown.append, ended.set)
    player.loops, player.speed = False, 2.0
    player.play()
    assert ended.wait(10.0)
    assert shown[-1] == 0.2 and not player.playing
    player.loops = True
    player.play()
    until(lambda: len(shown) > 10 and any(b < a for a, b in itertools.pairwise(shown)))
    player.pause()
    player.close()
    assert not player._thread.is_alive()


def test_controls_moved_by_the_program_do_nothing() -> None:
    class Event:
        client_id: int | None = None
        target = "slider"

    moved: list[object] = []
    action = by_hand(moved.append)
    event = Event()
    action(event)
    event.client_id = 1
    action(event)
    assert moved == ["slider"]


def test_a_log_in_a_browser(robot: fb.Robot, port: int, tmp_path) -> None:
    pytest.importorskip("viser")
    motion = swinging(robot)
    log = logs.Log((logs.signal("arm/position", TIME, motion.q[:, 7:], "rad", columns=robot.joint_names),))
    with browser(tmp_path / "profile") as driver, view(log, robot=robot, port=port) as window:
        driver.get(window.url)
        until(lambda: bool(driver.find_elements("css selector", "[role=tab]")))
        canvas = driver.find_element("tag name", "canvas")
        until(lambda: _drawn(pixels(canvas)))

        button = next(item for item in driver.find_elements("tag name", "button") if item.text == "Play")
        driver.execute_script("arguments[0].click()", button)
        until(lambda: window._player.time > 0.5)
        until(lambda: button.text == "Pause")
        driver.execute_script("arguments[0].click()", button)
        until(lambda: not window._player.playing)
        assert window.q[7] == pytest.approx(float(motion.at(robot.tree, [window._player.time])[0, 7]), abs=0.2)

        from selenium.webdriver.common.keys import Keys

        before, start = pixels(canvas), window.q[7]
        thumb = driver.find_elements("css selector", "[role=slider]")[-1]
        thumb.send_keys(Keys.HOME)
        until(lambda: abs(window.q[-1] - start) > 0.2 or abs(window.q[7] - start) > 0.2)
        until(lambda: difference(pixels(canvas), before) > 0.001)

        tabs = {tab.text: tab for tab in driver.find_elements("css selector", "[role=tab]")}
        assert list(tabs) == ["Joints", "Show", "Signals"]
        tabs["Signals"].click()
        until(lambda: len(driver.find_elements("tag name", "canvas")) > 1)
        assert complaints(driver) == []
        place = window.url.removeprefix("http://")
        assert all(url.split("://")[1].startswith(place) for url in requested(driver))


def _drawn(seen: np.ndarray) -> bool:
    """Whether a robot is in the middle: colours that differ from the paper's."""
    height, width, _ = seen.shape
    middle = seen[height // 4 : -height // 4, width // 6 : width // 2]
    return bool((np.abs(middle - 255).max(axis=-1) > 60).mean() > 0.01)
