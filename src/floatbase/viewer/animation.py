"""Moving pictures of robots, drawn in software frame by frame, and the files that hold them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from floatbase.errors import ArgumentError, FloatbaseError, MissingDependencyError, ShapeError, missing_dependency
from floatbase.viewer.camera import Camera, look_at
from floatbase.viewer.image import Pixels
from floatbase.viewer.mesh import Array
from floatbase.viewer.poses import body_poses, checked_configurations
from floatbase.viewer.render import Style, render
from floatbase.viewer.scene import scene
from floatbase.viewer.shapes import RobotShapes
from floatbase.viewer.trajectory import Trajectory

MOST_FRAMES = 3000
_DIRECTIONS = np.stack(np.meshgrid(*[np.arange(-2.0, 3.0)] * 3)).reshape(3, -1)  # in which shapes are looked at
MOVING_TRIANGLES, MOVING_POINTS = 40_000, 60_000  # enough for a small picture that moves


def frame_times(time: Array, rate: float, speed: float = 1.0) -> Array:
    """The times (m,) that pictures are drawn at, `rate` a second, for a motion that is played `speed` times as fast."""
    if not (np.isfinite(rate) and rate > 0.0 and np.isfinite(speed) and speed > 0.0):
        raise ArgumentError(f"rate={rate} and speed={speed} must be positive numbers")
    count = int((time[-1] - time[0]) * rate / speed + 1e-9) + 1
    if count > MOST_FRAMES:
        raise ArgumentError(
            f"{time[-1] - time[0]:.6g} s at {rate:g} pictures a second make {count} of them, more than {MOST_FRAMES}; "
            "choose a lower rate, a higher speed or a part of the motion"
        )
    times: Array = time[0] + np.arange(count) * (speed / rate)
    return times


def draw_frames(
    shapes: RobotShapes,
    trajectory: Trajectory,
    *,
    size: tuple[int, int] = (480, 360),
    rate: float = 20.0,
    speed: float = 1.0,
    camera: Camera | None = None,
    azimuth: float = 0.6,
    elevation: float = 0.25,
    style: Style | None = None,
    samples: int = 2,
) -> Iterator[Pixels]:
    """Pictures (height, width, 3) of a motion, one after the other.

    Without a `camera` one is put where the whole motion is seen, from a direction given by azimuth and elevation in
    rad. Without a `style` the ground is as low as the robot comes.
    """
    times = frame_times(trajectory.time, rate, speed)
    q = checked_configurations(shapes.tree, trajectory.at(shapes.tree, times))
    small = shapes.simplified(MOVING_TRIANGLES)
    low, high = motion_bounds(small, q)
    if camera is None:
        corners = np.stack(np.meshgrid(*zip(low, high, strict=True), indexing="ij"), axis=-1).reshape(-1, 3)
        camera = look_at(corners, azimuth, elevation, aspect=size[0] / size[1], fill=0.9)
    style = Style(ground=float(low[2])) if style is None else style
    for configuration in q:
        picture = scene(small.placed(configuration))
        yield render(picture, camera, size, style, samples=samples, points=MOVING_POINTS)


def animate(
    path: str | os.PathLike[str], shapes: RobotShapes, trajectory: Trajectory, *, rate: float = 20.0, **settings: Any
) -> Path:
    """Draw a motion into a file, `.gif` or `.mp4`. `settings` are those of `draw_frames`."""
    place = Path(path)
    frames = draw_frames(shapes, trajectory, rate=rate, **settings)
    return save_frames(place, frames, rate)


def save_frames(path: str | os.PathLike[str], frames: Iterable[Pixels], rate: float) -> Path:
    """Write pictures of one size, shown `rate` a second, as `.gif` (needs Pillow) or `.mp4` (needs ffmpeg)."""
    place = Path(path)
    kind = _kind(place)
    if not (np.isfinite(rate) and 0.1 <= rate <= 100.0):
        raise ArgumentError(f"rate is {rate}; it must be between 0.1 and 100 pictures a second")
    if kind == ".gif":
        _write_gif(place, frames, rate)
    else:
        _write_mp4(place, frames, rate)
    return place


def _kind(place: Path) -> Literal[".gif", ".mp4"]:
    ending = place.suffix.lower()
    if ending == ".gif":
        return ".gif"
    if ending == ".mp4":
        return ".mp4"
    raise ArgumentError(f"{place}: moving pictures are written as .gif or .mp4")


def motion_bounds(shapes: RobotShapes, q: Array) -> tuple[Array, Array]:
    """The lowest and the highest corner of a box around all that a motion (n, nq) touches, to about a percent."""
    poses = body_poses(shapes.tree, q)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for shape in shapes.shapes:
        corners = shape.mesh.corners.reshape(-1, 3)
        outermost = corners[np.unique((corners @ _DIRECTIONS).argmax(axis=0))]
        pose = poses[:, shape.body]
        points = outermost @ np.swapaxes(pose[:, :3, :3], -1, -2) + pose[:, None, :3, 3]
        low, high = np.minimum(low, points.min(axis=(0, 1))), np.maximum(high, points.max(axis=(0, 1)))
    return low, high


def _write_gif(place: Path, frames: Iterable[Pixels], rate: float) -> None:
    try:
        from PIL import Image
    except ImportError:
        raise missing_dependency("pillow", "plot", "writing GIF files") from None
    images = [Image.fromarray(frame) for frame in _alike(frames)]
    # the colours of a few pictures over the whole motion serve for all, so that nothing flickers
    chosen = images[:: max(len(images) // 6, 1)]
    sample = Image.new("RGB", (images[0].width, images[0].height * len(chosen)))
    for k, image in enumerate(chosen):
        sample.paste(image, (0, k * image.height))
    palette = sample.quantize(256)
    reduced = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    duration = max(round(100.0 / rate), 2) * 10  # ms; such files count in hundredths of a second
    reduced[0].save(place, "GIF", save_all=True, append_images=reduced[1:], duration=duration, loop=0, optimize=False)


def _write_mp4(place: Path, frames: Iterable[Pixels], rate: float) -> None:
    program = _ffmpeg()
    process: subprocess.Popen[bytes] | None = None
    try:
        for frame in _alike(frames):
            if process is None:
                process = subprocess.Popen(
                    _command(program, frame, rate, place), stdin=subprocess.PIPE, stderr=subprocess.PIPE
                )
            assert process.stdin is not None
            process.stdin.write(frame.tobytes())
        assert process is not None
        _, said = process.communicate()
    except BrokenPipeError:
        assert process is not None
        _, said = process.communicate()
    except BaseException:
        if process is not None:
            process.kill()
            process.communicate()
        raise
    if process.returncode:
        raise FloatbaseError(f"{place}: ffmpeg cannot write it: {said.decode(errors='replace').strip()[-300:]}")


def _command(program: str, frame: Pixels, rate: float, place: Path) -> list[str]:
    height, width, _ = frame.shape
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}", "-i", "-"]
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"  # the format has no odd sizes
    made = ["-an", "-vf", even, "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    return [program, "-loglevel", "error", "-y", *given, *made, f"file:{place}"]


def _ffmpeg() -> str:
    """The program ffmpeg, from the system or from the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise MissingDependencyError(
            "writing MP4 files needs the program ffmpeg, which was not found: install it, or pip install "
            "imageio-ffmpeg, or write a .gif"
        ) from None


def _alike(frames: Iterable[Pixels]) -> Iterator[Pixels]:
    """The frames, which must be of one size, and at least one."""
    shape: Sequence[int] | None = None
    for frame in frames:
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3 or not frame.size:
            raise ShapeError(f"a picture is an array (height, width, 3) of uint8, got {frame.shape} of {frame.dtype}")
        if shape is not None and frame.shape != shape:
            raise ShapeError(f"all pictures must be of one size, got {frame.shape} after {tuple(shape)}")
        shape = frame.shape
        yield frame
    if shape is None:
        raise ArgumentError("there is no picture to write")
