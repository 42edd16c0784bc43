"""Small compiled functions that the tests of calling share."""

from __future__ import annotations

import numpy as np

from floatbase.compiler import Port, Program, guard, trace
from floatbase.compiler.cache import Cache
from floatbase.compiler.function import Function, Signature

A, B, C = Port("a", (3,)), Port("b", (3,)), Port("c")


def scaled_program() -> Program:
    """`y = a b + c` for arrays a, b of 3 and a positive number c."""

    def scaled(a, b, c):
        guard(c > 0, "c must be positive")
        return {"y": a * b + c}

    return trace(scaled, (A, B, C), "scaled")


SCALED = Signature("scaled", (A, B, C), (Port("y", (3,)),), ("c must be positive",))


def scaled(cache: Cache | None = None, **options) -> Function:
    return Function(SCALED, scaled_program, cache=cache, **options)


def pair_program() -> Program:
    """The sum and the product's sum of two arrays: an array and a scalar."""
    return trace(lambda a, b: {"total": a + b, "dot": (a * b).sum()}, (A, B), "pair")


def pair(cache: Cache | None = None, **options) -> Function:
    return Function(Signature.of(pair_program()), pair_program, cache=cache, **options)


def sample(rng: np.random.Generator, rows: int | None = None, dtype=np.float64):
    batch = () if rows is None else (rows,)
    return (
        rng.normal(size=(*batch, 3)).astype(dtype),
        rng.normal(size=(*batch, 3)).astype(dtype),
        rng.uniform(0.5, 2.0, size=batch).astype(dtype) if batch else dtype(rng.uniform(0.5, 2.0)),
    )
