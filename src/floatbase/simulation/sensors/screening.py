r"""Screening of measured poses: which samples of a stream are to be believed.

Of poses $H_k$ every $T$ seconds the body twist between two is $V_k = \log(H_{k-1}^{-1} H_k) / T$ (over a longer time if
samples between them are missing). A sample is rejected if
it is no pose (NaN, a matrix that is no rotation), or if any of these is above its threshold:

| test | quantity | what it finds |
|---|---|---|
| speed, turn | $|v_k|$, $|\omega_k|$ | jumps |
| change | $|V_k - V_{k-1}| / T$, linear and angular | jumps of a moving body |
| slip | $v_\parallel = |v + \omega \times p_{pivot}|^2$, of $V_k$ | motion that a pivot does not allow |
| stretch | $e_1 = \left||r_{pivot, B}| - l\right|$ | a distance from the pivot that is not the pendulum's |
| repeats | identical samples in a row | streams that froze |

The pivot is at the world's origin, $p_{pivot}$ in the body, $l = |p_{pivot}|$. For a rigid pendulum slip and stretch
are zero. After a rejection samples are believed again once `recovery` of them in a row passed. Thresholds come from a
log without faults: `screen_from_log` puts them at six standard deviations.

Odometry that lost tracking goes on at a constant velocity; from the lowest point at a speed $v$ the stretch finds it
after the time $\sqrt{(l + h)^2 - l^2} / v$ for a threshold $h$.

Rothammer 2021, section 5.3.4; hysteresis and recovery are not there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.laws import require_positive
from floatbase.spatial.arrays import Array
from floatbase.spatial.checks import check_pose
from floatbase.spatial.poses import invert_pose, pose_logarithm

Vector3 = tuple[float, float, float]
TESTS = ("speed", "turn", "linear_change", "angular_change", "slip", "stretch")
ORTHONORMAL = 1e-6


class ScreenState(NamedTuple):
    """The last sample that is a pose, the twist that led to it, and counts; (..., 4, 4), (..., 6), (...).

    `seen` counts samples that are poses, up to two, `gap` the periods since the last one, `passed` those in a row that
    passed, `same` those in a row that are identical; `doubtful` is whether samples are not believed yet.
    """

    pose: Array
    twist: Array
    seen: Array
    gap: Array
    passed: Array
    same: Array
    doubtful: Array


class Verdict(NamedTuple):
    """Whether a sample is accepted (...), and the quantities by test (...), 0 where they are not known yet."""

    accepted: Array
    quantities: dict[str, Array]


@dataclass(frozen=True)
class Screen:
    """Settings of screening: thresholds, infinite where a test is not made.

    dt: s between samples; pivot: of the pendulum in the body's frame, m, None without `slip` and `stretch`; speed: m/s;
    turn: rad/s; linear_change: m/s^2; angular_change: rad/s^2; slip: m^2/s^2; stretch: m; repeats: how many identical
    samples in a row are one stream, None if any; recovery: how many samples must pass after a rejection.
    """

    dt: float
    pivot: Vector3 | None = None
    speed: float = math.inf
    turn: float = math.inf
    linear_change: float = math.inf
    angular_change: float = math.inf
    slip: float = math.inf
    stretch: float = math.inf
    repeats: int | None = None
    recovery: int = 1

    def __post_init__(self) -> None:
        require_positive(dt=self.dt)
        for name in TESTS:
            if not getattr(self, name) > 0.0:
                raise ArgumentError(f"{name} is {getattr(self, name)!r}; a threshold must be positive")
        if self.pivot is None and (math.isfinite(self.slip) or math.isfinite(self.stretch)):
            raise ArgumentError("slip and stretch are tests of a pendulum: give its pivot")
        for name in ("repeats", "recovery"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ArgumentError(f"{name} is {value!r}; it must be a whole number of at least 1")

    def init(self, batch: tuple[int, ...] = ()) -> ScreenState:
        """The state before the first sample."""
        none = np.zeros(batch, dtype=int)
        pose = np.broadcast_to(np.eye(4), (*batch, 4, 4))
        return ScreenState(pose, np.zeros((*batch, 6)), none, none + 1, none, none, np.zeros(batch, dtype=bool))

    def step(self, state: ScreenState, measured: Any) -> tuple[ScreenState, Verdict]:
        """The state after a sample (..., 4, 4), which may be anything, and whether it is accepted."""
        measured = np.asarray(measured, dtype=float)
        if measured.shape != state.pose.shape:
            raise ShapeError(f"measured has shape {measured.shape}; it must be {state.pose.shape}")
        valid = is_pose(measured)
        pose = np.where(valid[..., None, None], measured, state.pose)
        twist = pose_logarithm(invert_pose(state.pose) @ pose) / (self.dt * state.gap[..., None])
        quantities = self._quantities(pose, twist, state)
        passes = valid.copy()
        for name, quantity in quantities.items():
            passes &= quantity <= getattr(self, name)
        same = np.where(valid & (state.seen > 0) & (measured == state.pose).all(axis=(-2, -1)), state.same + 1, 0)
        if self.repeats is not None:
            passes &= same < self.repeats
        passed = np.where(passes, state.passed + 1, 0)
        doubtful = ~passes | (state.doubtful & (passed < self.recovery))
        twist = np.where((valid & (state.seen > 0))[..., None], twist, state.twist)
        seen = np.where(valid, np.minimum(state.seen + 1, 2), state.seen)
        gap = np.where(valid, 1, state.gap + 1)
        return ScreenState(pose, twist, seen, gap, passed, same, doubtful), Verdict(~doubtful, quantities)

    def screen(self, measured: Any) -> Array:
        """Which samples of a stream (n, ..., 4, 4) are accepted (n, ...)."""
        measured = np.asarray(measured, dtype=float)
        if measured.ndim < 3 or measured.shape[-2:] != (4, 4):
            raise ShapeError(f"measured has shape {measured.shape}; it must be (n, ..., 4, 4)")
        state, accepted = self.init(measured.shape[1:-2]), []
        for sample in measured:
            state, verdict = self.step(state, sample)
            accepted.append(verdict.accepted)
        return np.array(accepted)

    def _quantities(self, pose: Array, twist: Array, state: ScreenState) -> dict[str, Array]:
        moving, changing = state.seen > 0, state.seen > 1
        change = (twist - state.twist) / (self.dt * state.gap[..., None])
        found = {
            "speed": np.where(moving, _norm(twist[..., :3]), 0.0),
            "turn": np.where(moving, _norm(twist[..., 3:]), 0.0),
            "linear_change": np.where(changing, _norm(change[..., :3]), 0.0),
            "angular_change": np.where(changing, _norm(change[..., 3:]), 0.0),
        }
        if self.pivot is not None:
            slip = twist[..., :3] + np.cross(twist[..., 3:], np.array(self.pivot))
            found["slip"] = np.where(moving, np.sum(slip**2, axis=-1), 0.0)
            found["stretch"] = np.abs(_norm(pose[..., :3, 3]) - float(np.linalg.norm(self.pivot)))
        return found


def screen_from_log(
    poses: Any,
    dt: float,
    pivot: Vector3 | None = None,
    *,
    sigmas: float = 6.0,
    repeats: int | None = None,
    recovery: int = 1,
) -> Screen:
    """A screen with thresholds from a log (n, 4, 4) without faults: means of the quantities and `sigmas` deviations."""
    poses = np.asarray(poses, dtype=float)
    if poses.ndim != 3 or len(poses) < 10:
        raise ShapeError(f"poses has shape {poses.shape}; it must be (n, 4, 4) with at least ten samples")
    check_pose("poses", poses)
    require_positive(sigmas=sigmas)
    blank = Screen(dt, pivot)
    state, found = blank.init(), []
    for pose in poses:
        state, verdict = blank.step(state, pose)
        found.append(verdict.quantities)
    limits = {}
    for name in found[0]:
        values = np.array([quantities[name] for quantities in found[2:]])
        limits[name] = float(values.mean() + sigmas * values.std()) or float(np.finfo(float).tiny)
    return Screen(dt, pivot, **limits, repeats=repeats, recovery=recovery)


def is_pose(measured: Array, tolerance: float = ORTHONORMAL) -> Array:
    """Whether arrays (..., 4, 4) are poses (...): finite, with a rotation to within a tolerance."""
    finite = np.isfinite(measured).all(axis=(-2, -1))
    safe = np.where(finite[..., None, None], measured, np.eye(4))
    R = safe[..., :3, :3]
    error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-2, -1))
    row = (safe[..., 3, :] == np.array([0.0, 0.0, 0.0, 1.0])).all(axis=-1)
    return finite & (error <= tolerance) & (np.linalg.det(R) > 0.0) & row


def _norm(x: Array) -> Array:
    return np.sqrt(np.sum(x**2, axis=-1))
