"""Pictures of simple shapes: pixels where they should be."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from floatbase.errors import ArgumentError, RobotFileError, ShapeError
from floatbase.model.description import Geometry
from floatbase.viewer import Camera, Mesh, Style, box, cylinder, look_at, render, scene, sphere, write_png
from floatbase.viewer.rasterizer import rasterize
from floatbase.viewer.shapes import shape_parts

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
SIZE = (80, 60)
FRONT = Camera((10.0, 0.0, 0.0), (0.0, 0.0, 0.0), 2.0 * np.arctan(0.1))  # sees 2 m high at the origin
BARE = Style(background=None, ground=None)


def shift(x: float, y: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [(box(1, 2, 3), 6.0), (cylinder(0.5, 2.0), np.pi / 2), (sphere(1.0), 4 * np.pi / 3)],
)
def test_shapes_are_closed_and_face_outwards(mesh: Mesh, volume: float) -> None:
    a, b, c = np.moveaxis(mesh.corners, 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 == pytest.approx(volume, rel=1e-2)
    assert np.allclose(np.cross(b - a, c - a).sum(axis=0), 0.0, atol=1e-12)


def test_a_mirrored_mesh_still_faces_outwards() -> None:
    a, b, c = np.moveaxis(box(1, 1, 1).moved(np.eye(4), np.array([1.0, -2.0, 1.0])).corners, 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 == pytest.approx(2.0)


def test_a_sphere_covers_its_disc() -> None:
    opacity = render(scene([(sphere(0.5), RED)]), FRONT, SIZE, BARE)[..., 3]
    x, y = np.arange(80) + 0.5 - 40, np.arange(60) + 0.5 - 30
    radius = np.hypot(x, y[:, None])
    assert (opacity[radius < 14.0] == 255).all()
    assert (opacity[radius > 16.5] == 0).all()


def test_left_and_up_are_where_they_should_be() -> None:
    image = render(scene([(sphere(0.2).moved(shift(0.0, -0.8, 0.6)), RED)]), FRONT, SIZE, BARE)
    rows, columns = np.nonzero(image[..., 3])
    assert columns.mean() == pytest.approx(40 - 30 * 0.8, abs=1.0)  # looking along -x, y points right
    assert rows.mean() == pytest.approx(30 - 30 * 0.6, abs=1.0)


def test_the_nearer_shape_hides_the_other() -> None:
    parts = [(sphere(0.3).moved(shift(2.0, 0, 0)), RED), (box(0.2, 2, 2).moved(shift(-1.0, 0, 0)), BLUE)]
    for order in (parts, parts[::-1]):
        image = render(scene(order), FRONT, SIZE, BARE).astype(int)
        assert image[30, 40, 0] > image[30, 40, 2]
        assert image[10, 20, 2] > image[10, 20, 0]


def test_adjacent_triangles_leave_no_gap_and_depth_is_right() -> None:
    seen = rasterize(FRONT.project(box(1.0, 1.0, 1.0).corners, SIZE), SIZE)
    assert (seen.triangle[18:42, 28:52] >= 0).all()
    assert np.allclose(seen.depth[18:42, 28:52], 9.5)
    assert np.isinf(seen.depth[0, 0])


def test_what_is_behind_the_camera_is_not_drawn() -> None:
    assert not render(scene([(box(1, 1, 1).moved(shift(20, 0, 0)), RED)]), FRONT, SIZE, BARE)[..., 3].any()


def test_a_shape_throws_a_shadow_away_from_the_lamp() -> None:
    camera = Camera((6.0, 0.0, 3.0), (0.0, 0.0, 0.0), 0.6)
    image = render(scene([(box(1, 1, 0.4).moved(shift(0, 0, 0.25)), RED)]), camera, SIZE)
    column, row, _ = camera.project(np.array([-0.2, 0.65, 0.0]), SIZE)
    background = image[-1, 0].astype(int).sum()
    assert image[int(row), int(column)].astype(int).sum() < background - 60


def test_look_at_fits_all_points_into_the_image(rng: np.random.Generator) -> None:
    points = rng.standard_normal((50, 3)) * (0.3, 0.5, 2.0) + (4.0, 5.0, 6.0)
    pixels = look_at(points, 0.7, 0.2, aspect=80 / 60, fill=0.8).project(points, SIZE)[:, :2]
    spread = np.ptp(pixels, axis=0) / SIZE
    assert spread.max() == pytest.approx(0.8, abs=0.01)
    assert np.allclose((pixels.min(axis=0) + pixels.max(axis=0)) / 2.0, (40, 30), atol=0.5)


def test_png_files_hold_the_pixels(tmp_path: Path, rng: np.random.Generator) -> None:
    image = pytest.importorskip("matplotlib.image")
    pixels = rng.integers(0, 256, (7, 5, 4), dtype=np.uint8)
    write_png(tmp_path / "a.png", pixels)
    assert np.array_equal(np.round(255 * image.imread(tmp_path / "a.png")), pixels)
    data = (tmp_path / "a.png").read_bytes()
    assert struct.unpack(">I", data[29:33])[0] == zlib.crc32(data[12:29])


def test_bad_arguments_say_what_would_be_right(tmp_path: Path) -> None:
    with pytest.raises(ShapeError, match="uint8"):
        write_png(tmp_path / "a.png", np.zeros((2, 2), dtype=np.uint8))
    with pytest.raises(ArgumentError, match="samples"):
        render(scene([(box(1, 1, 1), RED)]), FRONT, (100_000, 100_000))
    with pytest.raises(ArgumentError, match="straight"):
        Camera((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    with pytest.raises(RobotFileError, match=r"\.stl, \.obj, \.dae files, not from '\.ply'"):
        shape_parts(Geometry("mesh", (1.0, 1.0, 1.0), np.eye(4), file="a.ply"))
    with pytest.raises(RobotFileError, match="package://a"):
        shape_parts(Geometry("mesh", (1.0, 1.0, 1.0), np.eye(4), uri="package://a/b.stl"))
