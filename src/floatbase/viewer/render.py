"""Drawing a scene into an array of pixels, in software: no display, no graphics card."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError
from floatbase.viewer.camera import Camera
from floatbase.viewer.image import Pixels, average, from_srgb, to_srgb
from floatbase.viewer.light import POINTS, Gloss, Lamps, illuminate, key, scatter, sky
from floatbase.viewer.mesh import Array
from floatbase.viewer.normals import corner_normals, face_vectors, unit
from floatbase.viewer.rasterizer import Visible, rasterize
from floatbase.viewer.scene import Scene

MAX_PIXELS = 1 << 24  # samples included
_SHADOW_REACH = 1.5  # how far from the scene the ground is shaded, in sizes of the scene
_SHADOW_GRID = 420  # points a side at which that is computed, with as many points on the scene as by default


@dataclass(frozen=True)
class Style:
    """How a picture looks. Directions are in the camera's axes without its elevation: right, towards the eye, up."""

    background: tuple[float, float, float] | None = (0.955, 0.96, 0.97)  # as on screens; None is transparent
    ground: float | None = 0.0  # height of the plane on which shadows fall; None is no plane
    key_direction: tuple[float, float, float] = (-0.7, 0.75, 1.15)
    key_color: tuple[float, float, float] = (1.02, 0.98, 0.92)
    fill_direction: tuple[float, float, float] = (1.0, 0.35, 0.25)
    fill_color: tuple[float, float, float] = (0.20, 0.23, 0.28)
    sky_color: tuple[float, float, float] = (0.50, 0.53, 0.58)
    bounce: float = 0.16  # light from below
    gloss: float = 0.16
    exposure: float = 0.9
    shadow: float = 0.75  # how dark the darkest shadow on the ground is


def render(
    scene: Scene,
    camera: Camera,
    size: tuple[int, int] = (1200, 900),
    style: Style | None = None,
    samples: int = 2,
    points: int = POINTS,
) -> Pixels:
    """The picture (height, width, 3), or (height, width, 4) with opacity if the background is transparent.

    size: width and height. samples: how many a side each pixel is averaged from. points: on what throws
    shadows; with fewer of them pictures are drawn faster and shadows become coarser.
    """
    width, height = size
    if not (width > 0 and height > 0 and samples > 0 and width * height * samples**2 <= MAX_PIXELS):
        raise ArgumentError(f"size={size} with samples={samples} must be positive, at most {MAX_PIXELS} samples in all")
    style = style if style is not None else Style()
    fine = (width * samples, height * samples)
    visible = rasterize(camera.project(scene.corners, fine), fine)
    surface = scatter(scene.corners, np.random.default_rng(0), points)
    image = np.zeros((fine[1], fine[0], 4))  # colour times opacity, opacity
    seen = visible.triangle >= 0
    rays = camera.rays(fine)
    image[seen, :3] = _object_light(scene, camera, visible, rays, style, surface)
    image[seen, 3] = 1.0
    if style.ground is not None and camera.position[2] > style.ground:
        empty = np.flatnonzero(~seen)
        pixels, darkness = _ground_shadow(camera, rays.reshape(-1, 3), empty, style, surface)
        image.reshape(-1, 4)[pixels, 3] = darkness
    return _pixels(average(image, samples), style.background)


def _pixels(image: Array, background: tuple[float, float, float] | None) -> Pixels:
    color, opacity = image[..., :3], image[..., 3:]
    if background is not None:
        result = to_srgb(color + (1.0 - opacity) * from_srgb(np.array(background)))
    else:
        result = np.concatenate([to_srgb(color / np.maximum(opacity, 1e-9)), opacity], axis=-1)
    return np.round(255.0 * result).astype(np.uint8)


def _lamps(camera: Camera, style: Style) -> tuple[Lamps, Lamps]:
    """The key light, and all others."""
    right = camera.camera_R_world[0]
    axes = np.stack([right, np.cross(right, (0.0, 0.0, 1.0)), [0.0, 0.0, 1.0]])  # the second: level, towards the eye
    main = key(48, _direction(style.key_direction, axes), 0.16, style.key_color)
    fill = key(6, _direction(style.fill_direction, axes), 0.3, style.fill_color)
    dome = sky(64, style.sky_color)
    rest = Lamps(
        *(np.concatenate(pair) for pair in ((fill.directions, dome.directions), (fill.radiance, dome.radiance)))
    )
    return main, rest


def _direction(components: tuple[float, float, float], axes: Array) -> tuple[float, float, float]:
    x, y, z = np.array(components) @ axes
    return float(x), float(y), float(z)


def _object_light(scene: Scene, camera: Camera, visible: Visible, rays: Array, style: Style, surface: Array) -> Array:
    """Light (n, 3) from the scene at the pixels where it is seen."""
    seen = visible.triangle >= 0
    points = np.array(camera.position) + rays[seen] * visible.depth[seen][:, None]
    to_eye = -unit(rays[seen])
    normals = _normals(scene, visible.triangle[seen], points)
    normals *= np.where(np.einsum("ni,ni->n", normals, to_eye) < 0.0, -1.0, 1.0)[:, None]
    albedo = scene.colors[visible.triangle[seen]]
    main, rest = _lamps(camera, style)
    arriving, mirrored = illuminate(points, normals, main, surface, Gloss(to_eye, 40.0))
    arriving += illuminate(points, normals, rest, surface)[0]
    arriving += style.bounce * (0.5 - 0.5 * normals[:, 2:]) * np.array(style.sky_color)
    facing = np.einsum("ni,ni->n", normals, to_eye).clip(0.0, 1.0)
    fresnel = 0.25 + 0.75 * (1.0 - facing) ** 4
    return _soft_clip(albedo * arriving * style.exposure + style.gloss * mirrored * (1.0 + fresnel[:, None]))


def _normals(scene: Scene, triangle: npt.NDArray[np.int64], points: Array) -> Array:
    """Normals at points on triangles, interpolated from the corners' with barycentric coordinates."""
    used, position = np.unique(triangle, return_inverse=True)
    corners = scene.corners[used]
    normals = corner_normals(corners)
    area_vectors = face_vectors(corners)
    square = np.maximum(np.einsum("ni,ni->n", area_vectors, area_vectors), 1e-300)[position]
    a, b, c = np.moveaxis(corners[position], 1, 0)
    direction = area_vectors[position]
    weight_a = np.einsum("ni,ni->n", np.cross(b - points, c - points), direction) / square
    weight_b = np.einsum("ni,ni->n", np.cross(c - points, a - points), direction) / square
    weights = np.stack([weight_a, weight_b, 1.0 - weight_a - weight_b], axis=-1).clip(0.0, 1.0)
    return unit(np.einsum("nk,nki->ni", weights, normals[position]))


def _ground_shadow(
    camera: Camera, rays: Array, pixels: npt.NDArray[np.int64], style: Style, surface: Array
) -> tuple[npt.NDArray[np.int64], Array]:
    """The pixels near the scene where the ground is seen, and how dark it is there, from 0 to 1."""
    assert style.ground is not None
    rays = rays[pixels]
    down = rays[:, 2] < -1e-9
    pixels, rays = pixels[down], rays[down]
    eye = np.array(camera.position)
    points = eye + rays * ((style.ground - eye[2]) / rays[:, 2])[:, None]
    lower, upper = surface.min(axis=0), surface.max(axis=0)
    reach = _SHADOW_REACH * float(np.linalg.norm(upper - lower))
    places = (points[:, :2] - (lower + upper)[:2] / 2.0) / reach
    near = (np.abs(places) < 1.0).all(axis=-1)
    side = max(round(_SHADOW_GRID * (len(surface) / POINTS) ** 0.5), 16)
    grid = np.stack(np.meshgrid(*[np.linspace(-reach, reach, side)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    ground = np.column_stack([grid + (lower + upper)[:2] / 2.0, np.full(len(grid), style.ground)])
    light, full = np.zeros(len(ground)), 0.0
    for lamps in _lamps(camera, style):
        arriving, _ = illuminate(ground, np.tile([0.0, 0.0, 1.0], (len(ground), 1)), lamps, surface)
        light += arriving.mean(axis=-1)
        full += float((lamps.radiance.mean(axis=-1) * lamps.directions[:, 2].clip(0.0)).sum())
    darkness = style.shadow * (1.02 * (1.0 - light / full) - 0.02).clip(0.0, 1.0).reshape(side, side)
    return pixels[near], _interpolate(darkness, (places[near] + 1.0) / 2.0)


def _interpolate(table: Array, places: Array) -> Array:
    """Values of a table (n, n) at places (m, 2) between 0 and 1, linear between entries."""
    position = places * (len(table) - 1)
    row, column = np.minimum(position.astype(np.int64), len(table) - 2).T
    s, t = position[:, 0] - row, position[:, 1] - column
    left = table[row, column] * (1.0 - s) + table[row + 1, column] * s
    right = table[row, column + 1] * (1.0 - s) + table[row + 1, column + 1] * s
    values: Array = left * (1.0 - t) + right * t
    return values


def _soft_clip(light: Array) -> Array:
    """Bright light approaches 1 instead of being cut off."""
    bend = 0.75
    over = np.maximum(light - bend, 0.0) / (1.0 - bend)
    return np.where(light > bend, bend + (1.0 - bend) * (1.0 - np.exp(-over)), light)
