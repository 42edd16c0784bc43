"""From linear light to the pixels of a PNG file."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from floatbase.errors import ShapeError
from floatbase.viewer.mesh import Array

Pixels = npt.NDArray[np.uint8]


def from_srgb(color: Array) -> Array:
    """Linear light from colours as screens and files use them, both from 0 to 1."""
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def to_srgb(light: Array) -> Array:
    """Colours for screens and files from linear light, both from 0 to 1."""
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def average(samples: Array, factor: int) -> Array:
    """The mean of each square of `factor` by `factor` samples (height, width, channels)."""
    height, width, channels = samples.shape
    blocks = samples.reshape(height // factor, factor, width // factor, factor, channels)
    return np.asarray(blocks.mean(axis=(1, 3)))


def write_png(path: str | os.PathLike[str], pixels: Pixels) -> None:
    """Write an image (height, width, 3 or 4): red, green, blue and perhaps opacity."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or not pixels.size:
        raise ShapeError(f"an image is an array (height, width, 3 or 4) of uint8, got {pixels.shape} of {pixels.dtype}")
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    body = zlib.compress(_filtered(pixels), 9)
    chunks = _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)


def _filtered(pixels: Pixels) -> bytes:
    """Rows as differences: of the filters that PNG offers, the one with the smallest sum of differences for each."""
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels).astype(np.int16)
    left, up, corner = np.zeros_like(rows), np.zeros_like(rows), np.zeros_like(rows)
    left[:, channels:] = rows[:, :-channels]
    up[1:] = rows[:-1]
    corner[1:, channels:] = rows[:-1, :-channels]
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    nearest = np.where(to_up <= to_corner, up, corner)
    paeth = np.where((to_left <= to_up) & (to_left <= to_corner), left, nearest)
    choices = np.stack([rows, rows - left, rows - up, rows - (left + up) // 2, rows - paeth]).astype(np.uint8)
    best = abs(choices.view(np.int8).astype(np.int16)).sum(axis=-1).argmin(axis=0)
    chosen = choices[best, np.arange(height)]
    return np.column_stack([best.astype(np.uint8), chosen]).tobytes()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
