"""A robot in a browser: a server on this machine, the scene and the controls."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from floatbase.errors import unknown_name
from floatbase.robot import Robot
from floatbase.viewer.animation import motion_bounds
from floatbase.viewer.controls import NO_FRAME, SPEEDS, Coordinates, add_plot, by_hand
from floatbase.viewer.mesh import Array
from floatbase.viewer.player import Player
from floatbase.viewer.poses import checked_configurations
from floatbase.viewer.server import LOCAL, start_server, stop_server
from floatbase.viewer.shapes import RobotShapes, robot_shapes
from floatbase.viewer.stage import LONGEST_ARROW, MOST_TRIANGLES, Stage
from floatbase.viewer.trajectory import Trajectory


class Window:
    """A robot that is shown at `url` until `close`; made by `view`."""

    def __init__(
        self,
        robot: Robot,
        motion: Trajectory | npt.ArrayLike | None = None,
        *,
        shapes: RobotShapes | None = None,
        host: str = LOCAL,
        port: int = 8080,
    ) -> None:
        start = robot.neutral() if motion is None else motion
        self.robot = robot
        self.motion = start if isinstance(start, Trajectory) else None
        configurations = checked_configurations(robot.tree, start.q if isinstance(start, Trajectory) else start)
        for name in self.motion.forces if self.motion else ():
            if name not in robot.tree.frames:
                raise unknown_name("frame", name, robot.tree.frames)
        self._q: Array = configurations[0].copy()
        shown = (robot_shapes(robot.model, robot.tree) if shapes is None else shapes).simplified(MOST_TRIANGLES)
        low, high = motion_bounds(shown, configurations[:: max(len(configurations) // 200, 1)])
        size = float(np.linalg.norm(np.subtract(*motion_bounds(shown, configurations[:1]))))
        self._lock, self._closed = threading.RLock(), threading.Event()
        self.problems = shown.problems
        self._server = start_server(host, port, f"{robot.name}: floatbase")
        try:
            self._light(low, high, size)
            self._stage = Stage(self._server, robot, shown, size)
            self._player = self._controls()
            self._place(self._q, {} if self.motion is None else self._forces(0.0))
        except BaseException:
            stop_server(self._server)
            raise

    @property
    def url(self) -> str:
        """What a browser opens."""
        host = self._server.get_host()
        return f"http://{'localhost' if host in (LOCAL, '0.0.0.0') else host}:{self._server.get_port()}"

    @property
    def q(self) -> Array:
        """The configuration (nq,) that is shown."""
        with self._lock:
            return self._q.copy()

    def show(self, q: npt.ArrayLike) -> None:
        """Show another configuration (nq,)."""
        chosen = checked_configurations(self.robot.tree, q)[0]
        with self._lock:
            self._place(chosen, {})
            self._coordinates.follow(chosen)

    def wait(self) -> None:
        """Return when the window is closed, or an interrupt comes from the keyboard."""
        try:
            while not self._closed.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Stop the server and its threads; closing again does nothing."""
        if not self._closed.is_set():
            self._closed.set()
            if self._player is not None:
                self._player.close()
            stop_server(self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what is in it --------------------------------------------------------------------------------------

    def _light(self, low: Array, high: Array, size: float) -> None:
        scene, camera = self._server.scene, self._server.initial_camera
        scene.set_up_direction("+z")
        scene.configure_environment_map(None)
        scene.configure_default_lights(enabled=False)
        scene.add_light_hemisphere("/light/sky", sky_color=(245, 248, 255), ground_color=(150, 145, 140), intensity=1.3)
        scene.add_light_directional(
            "/light/key", color=(255, 250, 242), intensity=3.0, position=(2.0, -2.4, 5.0), cast_shadow=True
        )
        scene.add_light_directional("/light/fill", color=(220, 232, 255), intensity=0.9, position=(2.0, 4.0, 1.0))
        middle = (low + high) / 2.0
        reach = float(np.linalg.norm(high - low))
        camera.look_at = middle
        camera.position = middle + reach * np.array([1.15, 0.55, 0.3])
        camera.fov = 0.7
        camera.near, camera.far = 0.01 * size, 200.0 * reach
        width = 8.0 * max(reach, 1.0)
        scene.add_grid(
            "/ground",
            width=width,
            height=width,
            position=(float(middle[0]), float(middle[1]), float(low[2])),
            cell_size=_nice(reach / 8.0),
            section_size=5.0 * _nice(reach / 8.0),
            cell_color=(215, 220, 226),
            section_color=(180, 188, 196),
            fade_distance=4.0 * reach,
            fade_from="origin",
            shadow_opacity=0.25,
        )

    def _controls(self) -> Player | None:
        gui = self._server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium", brand_color=(163, 35, 29))
        gui.set_panel_label(self.robot.name)
        player = self._time_line(gui) if self.motion is not None and len(self.motion) > 1 else None
        tabs = gui.add_tab_group()
        with tabs.add_tab("Joints"):
            self._coordinates = Coordinates(gui, self.robot, self._q, self._moved)
        with tabs.add_tab("Show"):
            self._choices(gui)
        if self.motion is not None and self.motion.panels:
            with tabs.add_tab("Signals"):
                for panel in self.motion.panels:
                    add_plot(gui, panel)
        if self.problems:
            with tabs.add_tab("Problems"):
                gui.add_markdown("\n".join(f"* {_plain(problem)}" for problem in self.problems[:20]))
        return player

    def _time_line(self, gui: Any) -> Player:
        assert self.motion is not None
        duration = self.motion.duration
        largest = max(
            (float(np.nanmax(np.abs(item), initial=0.0)) for item in self.motion.forces.values()), default=0.0
        )
        self._stage.newtons = LONGEST_ARROW * self._stage.size / max(largest, 1e-9)
        button = gui.add_button("Play")
        line = gui.add_slider("time [s]", 0.0, duration, 10.0 ** np.floor(np.log10(duration / 1000.0)), 0.0)
        speed = gui.add_dropdown("speed", SPEEDS, initial_value="1×")
        loops = gui.add_checkbox("repeat", True)

        def tick(moment: float) -> None:
            self._at(moment)
            line.value = moment

        def stopped() -> None:
            button.label = "Play"
            self._coordinates.follow(self._q)

        player = Player(duration, tick, stopped)

        def pressed(_: Any) -> None:
            if player.playing:
                player.pause()
                stopped()
            else:
                button.label = "Pause"
                player.play()

        def moved(handle: Any) -> None:
            player.pause()
            button.label = "Play"
            player.time = float(handle.value)
            self._at(player.time)
            self._coordinates.follow(self._q)

        button.on_click(pressed)
        line.on_update(by_hand(moved))
        speed.on_update(lambda event: setattr(player, "speed", float(event.target.value.rstrip("×"))))
        loops.on_update(lambda event: setattr(player, "loops", bool(event.target.value)))
        self._button = button
        return player

    def _choices(self, gui: Any) -> None:
        stage = self._stage
        names = {
            "shapes": ("shapes", True),
            "stick figure": ("sticks", False),
            "axes of all bodies": ("axes", False),
            "centre of mass": ("com", False),
        }
        if self.motion is not None and self.motion.forces:
            names["contact forces"] = ("forces", True)
        for label, (group, initial) in names.items():
            box = gui.add_checkbox(label, initial)
            box.on_update(lambda event, group=group: stage.show(**{group: bool(event.target.value)}))
        frame = gui.add_dropdown("axes of", (NO_FRAME, *self.robot.frame_names), initial_value=NO_FRAME)
        frame.on_update(
            lambda event: stage.show_frame(None if event.target.value == NO_FRAME else event.target.value, self.q)
        )
        gui.add_markdown(
            f"{self.robot.mass:.3f} kg, {self.robot.n_bodies} bodies, {len(self.robot.joint_names)} joints"
        )

    # -- what happens ---------------------------------------------------------------------------------------

    def _moved(self, q: Array) -> None:
        """A reader has moved a slider."""
        if self._player is not None and self._player.playing:
            self._player.pause()
            self._button.label = "Play"
        self._place(q, {})

    def _at(self, moment: float) -> None:
        """Show the motion at a time after its beginning."""
        assert self.motion is not None
        when = np.array([self.motion.time[0] + moment])
        self._place(self.motion.at(self.robot.tree, when)[0], self._forces(moment))

    def _forces(self, moment: float) -> dict[str, Array]:
        assert self.motion is not None
        when = [self.motion.time[0] + moment]
        return {name: values[0] for name, values in self.motion.forces_at(when).items()}

    def _place(self, q: Array, forces: dict[str, Array]) -> None:
        with self._lock:
            self._q = q.copy()
            self._stage.place(self._q, forces)


def _nice(about: float) -> float:
    """1, 2 or 5 times a power of ten, at most as large."""
    ten = 10.0 ** np.floor(np.log10(max(about, 1e-6)))
    return float(max(factor * ten for factor in (1.0, 2.0, 5.0) if factor * ten <= about * (1.0 + 1e-9)))


def _plain(text: str) -> str:
    """Text of a file as text of a page, whatever is in it."""
    return "".join(letter if letter.isalnum() or letter in " /.,:;()-+=" else f"&#{ord(letter)};" for letter in text)
