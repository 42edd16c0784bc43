"""How long calls take, ours and Pinocchio's, on the same states.

Timed is what a user calls, with all checks: our method on one state and on a batch, both with `out=` and on one thread;
Pinocchio's function on one state, and in a Python loop over the batch. The smallest of several measurements counts,
since other processes only make things slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from floatbase.demo.pinocchio_peer import Array, Peer
from floatbase.robot import Robot

ROUNDS = 7
COMPARED = 32  # states on which results are compared


@dataclass(frozen=True)
class Measured:
    """A function of ours: its name, the arrays it takes besides `q`, and how well results have to agree."""

    name: str
    arguments: int
    tolerance: float


FUNCTIONS = (
    Measured("inverse_dynamics", 2, 1e-11),
    Measured("forward_dynamics", 2, 1e-9),
    Measured("mass_matrix", 0, 1e-11),
)


@dataclass(frozen=True)
class Timing:
    """Seconds per state; the peer's are None without one. `difference` is the largest relative one of the results."""

    function: Measured
    single: float
    batch: float
    peer_single: float | None = None
    peer_batch: float | None = None
    difference: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether the results are the same as the peer's, as far as there is one."""
        return self.difference is None or bool(self.difference <= self.function.tolerance)


def measure(robot: Robot, peer: Peer | None, rng: np.random.Generator, batch: int, seconds: float) -> list[Timing]:
    """Time the functions for about `seconds` each way. The robot is in body representation, as Pinocchio is."""
    q, v = robot.random(rng, n=batch)
    w = rng.standard_normal(v.shape)
    timings = []
    for function in FUNCTIONS:
        states = (q, v, w)[: function.arguments + 1]
        getattr(robot, function.name)(*states)  # the first call puts compiled code in the method's place
        call = getattr(robot, function.name)
        first = tuple(array[0].copy() for array in states)
        one, many = np.empty_like(call(*first)), np.empty_like(call(*states))
        single = _per_call(partial(call, *first, out=one), seconds)
        rows = _per_call(partial(call, *states, out=many, threads=1), seconds)
        if peer is None:
            timings.append(Timing(function, single, rows / batch))
            continue
        theirs = (peer.configuration(q), peer.velocity(v), peer.velocity(w))[: function.arguments + 1]
        their_call, head = peer.function(function.name), (peer.model, peer.data)
        their_first = tuple(array[0].copy() for array in theirs)
        timings.append(
            Timing(
                function,
                single,
                rows / batch,
                _per_call(partial(their_call, *head, *their_first), seconds),
                _per_call(partial(_loop, their_call, head, theirs), seconds) / batch,
                _difference(function, peer, call(*(array[:COMPARED] for array in states)), theirs),
            )
        )
    return timings


def _loop(function: Callable[..., Any], head: tuple[Any, ...], states: tuple[Array, ...]) -> None:
    for state in zip(*states, strict=True):
        function(*head, *state)


def _difference(function: Measured, peer: Peer, ours: Array, states: tuple[Array, ...]) -> float:
    """The largest difference over some states, relative to the norm of the result."""
    call = peer.function(function.name)
    found = np.array(
        [np.array(call(peer.model, peer.data, *state)) for state in zip(*(s[:COMPARED] for s in states), strict=True)]
    )
    found = peer.matrix_back(found) if ours.ndim == 3 else peer.velocity_back(found)
    flat = (len(ours), -1)
    deviation = np.linalg.norm((found - ours).reshape(flat), axis=-1)
    return float(np.max(deviation / np.linalg.norm(found.reshape(flat), axis=-1)))


def _per_call(call: Callable[[], Any], seconds: float) -> float:
    """The smallest mean time of a call over several rounds that together take about `seconds`."""
    call()
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-7)
    repeats = max(1, int(seconds / ROUNDS / once))
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        best = min(best, (time.perf_counter() - start) / repeats)
    return best
