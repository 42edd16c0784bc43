"""A digest of frozen dataclasses, mappings, sequences, arrays, numbers and text.

Equal contents give equal digests in every process and on every machine; the type and length of each item is part of
what is hashed, so that different structures cannot run into one another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

_NO_FIELDS: frozenset[str] = frozenset()


def content_digest(item: Any, skip: frozenset[str] = _NO_FIELDS) -> str:
    """SHA-256, hexadecimal, of everything in `item` but dataclass fields named in `skip`.

    Mappings are hashed in sorted order of their keys. Negative zero counts as zero.
    """
    pieces: list[bytes] = []
    _collect(item, skip, pieces)
    return hashlib.sha256(b"".join(pieces)).hexdigest()


def _collect(item: Any, skip: frozenset[str], pieces: list[bytes]) -> None:
    if isinstance(item, str):
        text = item.encode("utf-8", "surrogatepass")
        pieces.append(b"s%d:" % len(text) + text)
    elif item is None or isinstance(item, (bool, int)):
        pieces.append(b"i%r;" % item)
    elif isinstance(item, float):  # np.float64 included
        pieces.append(b"f%r;" % (float(item) + 0.0))
    elif isinstance(item, np.ndarray):
        array = np.ascontiguousarray(item, dtype="<f8") + 0.0
        pieces.append(b"a%r" % (array.shape,) + array.tobytes())
    elif isinstance(item, (tuple, list)):
        pieces.append(b"t%d:" % len(item))
        for part in item:
            _collect(part, skip, pieces)
    elif isinstance(item, Mapping):
        pieces.append(b"m%d:" % len(item))
        for key in sorted(item):
            _collect(key, skip, pieces)
            _collect(item[key], skip, pieces)
    elif is_dataclass(item):
        pieces.append(b"d" + type(item).__name__.encode() + b":")
        for entry in fields(item):
            if entry.name not in skip:
                _collect(getattr(item, entry.name), skip, pieces)
    else:
        raise TypeError(f"cannot hash a {type(item).__name__}")
