"""Meshes as binary glTF files (version 2), which browsers draw.

A file is a header of three numbers of 32 bits (the letters glTF, the version, the length of all), then two chunks, each
a length, a kind and its bytes: a description as JSON, and the numbers that it refers to.
"""

from __future__ import annotations

import json
import struct

import numpy as np

from floatbase.viewer.image import from_srgb
from floatbase.viewer.surfaces import Surface

_MAGIC, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
_FLOAT, _UNSIGNED, _POINTS, _INDICES = 5126, 5125, 34962, 34963  # as the format numbers them


def glb(surface: Surface, color: tuple[float, float, float], roughness: float = 0.5) -> bytes:
    """A surface of one colour, as on screens from 0 to 1, that does not look like metal."""
    points = surface.points.astype("<f4")
    arrays = (points, surface.normals.astype("<f4"), surface.triangles.astype("<u4").ravel())
    data = b"".join(array.tobytes() for array in arrays)
    offsets = np.cumsum([0, *(array.nbytes for array in arrays)]).tolist()
    light = [float(part) for part in from_srgb(np.array(color))]
    surface_of = {"baseColorFactor": [*light, 1.0], "metallicFactor": 0.0, "roughnessFactor": roughness}
    description = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": surface_of, "doubleSided": True}],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": offset, "byteLength": array.nbytes, "target": target}
            for offset, array, target in zip(offsets, arrays, (_POINTS, _POINTS, _INDICES), strict=False)
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": _FLOAT,
                "count": len(points),
                "type": "VEC3",
                "min": [float(value) for value in points.min(axis=0)],
                "max": [float(value) for value in points.max(axis=0)],
            },
            {"bufferView": 1, "componentType": _FLOAT, "count": len(points), "type": "VEC3"},
            {"bufferView": 2, "componentType": _UNSIGNED, "count": arrays[2].size, "type": "SCALAR"},
        ],
    }
    text = json.dumps(description, separators=(",", ":")).encode()
    chunks = _chunk(_JSON, text + b" " * (-len(text) % 4)) + _chunk(_BINARY, data)
    return struct.pack("<III", _MAGIC, 2, 12 + len(chunks)) + chunks


def _chunk(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", len(data), kind) + data
