r"""Random numbers that depend on a seed, a name, a row and a step alone, and on nothing that was drawn before.

The generator is Philox4x32-10: ten rounds of multiplications mix a counter of 128 bits with a key of 64. The key is a
hash of seed and name; the counter holds the number of the block of four words, the row of the batch and the step. So a
row's numbers are the same whatever the batch's size, the order and the chunks in which they are drawn, and a sensor's
whatever other sensors there are. Uniform numbers are $(w + \tfrac12)\, 2^{-32}$; normal ones come from pairs of these
by Box and Muller's method.

J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.spatial.arrays import Array

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))
_LOW, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)
_AT_START = 1 << 31  # in the upper word of the step: numbers drawn before the first step


def philox(counter: Sequence[Any], key: Sequence[Any], rounds: int = 10) -> tuple[Array, Array, Array, Array]:
    """Four words of 32 bits (in uint64 arrays) from a counter of four and a key of two such words."""
    a, b, c, d = (np.asarray(word, dtype=np.uint64) for word in counter)
    first, second = (np.asarray(word, dtype=np.uint64) for word in key)
    for _ in range(rounds):
        left, right = _MULTIPLIERS[0] * a, _MULTIPLIERS[1] * c
        a, b, c, d = (right >> _SHIFT) ^ b ^ first, right & _LOW, (left >> _SHIFT) ^ d ^ second, left & _LOW
        first, second = (first + _WEYL[0]) & _LOW, (second + _WEYL[1]) & _LOW
    return a, b, c, d


class Stream:
    """Blocks of random numbers: for each name so many standard normal ones, then so many uniform ones."""

    def __init__(self, names: Sequence[str], counts: Sequence[tuple[int, int]]) -> None:
        self.names = tuple(names)
        owner: list[int] = []
        number: list[int] = []
        places: list[int] = []
        for place, (normals, uniforms) in enumerate(counts):
            blocks_before = len(owner)
            whole = -(-normals // 4)
            for block in range(whole + -(-uniforms // 4)):
                owner.append(place)
                number.append(block)
            places += range(4 * blocks_before, 4 * blocks_before + normals)
            places += range(4 * (blocks_before + whole), 4 * (blocks_before + whole) + uniforms)
        self.size = len(places)
        self._owner = np.array(owner, dtype=np.int64)
        self._number = np.array(number, dtype=np.uint64)
        self._places = np.array(places, dtype=np.int64)
        wholes = np.array([-(-normals // 4) for normals, _ in counts] or [0])
        self._normal = self._number < wholes[self._owner] if owner else np.zeros(0, dtype=bool)
        self._keys: dict[int, tuple[Array, Array]] = {}

    def draw(self, seed: int, steps: Any, rows: Any, at_start: bool = False) -> Array:
        """Numbers (steps, rows, size); `at_start` for those that are drawn once, before the first step."""
        steps, rows = (
            np.atleast_1d(np.asarray(steps, dtype=np.uint64)),
            np.atleast_1d(np.asarray(rows, dtype=np.uint64)),
        )
        key = self._key(seed)
        if not (self.size and len(steps) and len(rows)):
            return np.zeros((len(steps), len(rows), self.size))
        upper = (steps >> _SHIFT) | np.uint64(_AT_START if at_start else 0)
        shape = (len(steps), len(rows), len(self._number))
        words = philox(
            (
                np.broadcast_to(self._number, shape),
                rows[:, None] & _LOW,
                (steps & _LOW)[:, None, None],
                upper[:, None, None],
            ),
            key,
        )
        uniform = (np.stack(words, axis=-1).astype(float) + 0.5) * 2.0**-32
        pairs = uniform[..., self._normal, :].reshape(*shape[:2], -1, 2, 2)
        radius = np.sqrt(-2.0 * np.log(pairs[..., 0]))
        angle = 2.0 * np.pi * pairs[..., 1]
        normal = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
        uniform[..., self._normal, :] = normal.reshape(*shape[:2], -1, 4)
        result: Array = np.ascontiguousarray(uniform.reshape(*shape[:2], -1)[..., self._places])
        return result

    def _key(self, seed: int) -> tuple[Array, Array]:
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise ArgumentError(f"seed is {seed!r}; it must be a whole number")
        if seed not in self._keys:
            words = [hashlib.blake2b(f"{int(seed)} {name}".encode(), digest_size=8).digest() for name in self.names]
            pairs = np.array([np.frombuffer(word, dtype="<u4") for word in words], dtype=np.uint64).reshape(-1, 2)
            pairs = pairs[self._owner]
            self._keys = {int(seed): (pairs[:, 0], pairs[:, 1])}
        return self._keys[int(seed)]
