r"""Errors and faults of measured poses: motion capture and cameras.

A pose is a position and a unit quaternion w x y z (7). What is read of the true pose $(p, R)$ is

$$ p_m = \tfrac1s\, p + b + n_p + o\, e, \qquad
   R_m = R\, \exp(\beta^\wedge) \exp(n_R^\wedge) \exp(o\, \epsilon^\wedge), $$

relative to the first sample if `from_start`, as odometry is: then $(p, R)$ is ${}^{0}H_k$. A monocular camera does not
know the scale $s$; motion capture has $s = 1$. The terms $n$ are white, $b$ and $\beta$ constant. At an *outlier*
($o = 1$, with some probability in each sample) the pose jumps by normal errors $e$, $\epsilon$ of given size.

Two faults begin with a rate and end after a mean time, both of exponential distribution: the stream *freezes* at its
last value, or tracking is *lost* and the stream goes on at its last velocity, as odometry does.

Rothammer 2021, sections 5.3.3 and 5.3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import join
from floatbase.simulation.sensors.attitude_errors import NONE, Vector3, normalized, upright
from floatbase.simulation.sensors.distortions import Counts, Distortion
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.rotations import (
    multiply_quaternions,
    quaternion_exponential,
    quaternion_logarithm,
    rotation_from_quaternion,
)

_FROZEN, _LOST = 1.0, 2.0


@dataclass(frozen=True)
class PoseErrors(Distortion):
    """Errors and faults of a pose; none by default.

    noise: m, and rotation_noise: rad, about each axis, of a sample. bias: m; rotation_bias: a rotation vector, rad.
    scale: what a measured length is to be multiplied with to be one in m. outliers: their probability in a sample;
    outlier_size: m, and outlier_angle: rad. freeze_rate, loss_rate: 1/s, how often a fault begins; freeze_time,
    loss_time: s, how long it lasts in the mean.
    """

    noise: float = 0.0
    rotation_noise: float = 0.0
    bias: Vector3 = NONE
    rotation_bias: Vector3 = NONE
    scale: float = 1.0
    from_start: bool = False
    outliers: float = 0.0
    outlier_size: float = 1.0
    outlier_angle: float = 0.5
    freeze_rate: float = 0.0
    freeze_time: float = 1.0
    loss_rate: float = 0.0
    loss_time: float = 1.0

    def __post_init__(self) -> None:
        for name in ("bias", "rotation_bias"):
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise ArgumentError(f"{name} is {getattr(self, name)!r}; it is a vector of 3 finite numbers")
            object.__setattr__(self, name, tuple(value.tolist()))
        for name in ("noise", "rotation_noise", "outlier_size", "outlier_angle", "freeze_rate", "loss_rate"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} is {value!r}; it must be finite and not negative")
        for name in ("scale", "freeze_time", "loss_time"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ArgumentError(f"{name} is {value!r}; it must be finite and positive")
        if not 0.0 <= self.outliers <= 1.0:
            raise ArgumentError(f"outliers is {self.outliers!r}; it is a probability, from 0 to 1")

    def check(self, what: str, size: int) -> None:
        """Raise unless there are the seven numbers of a pose."""
        if size != 7:
            raise ArgumentError(f"{what}: PoseErrors are those of a pose, but there are {size} channels")

    @property
    def _faults(self) -> bool:
        return self.freeze_rate > 0.0 or self.loss_rate > 0.0

    def memory_size(self, size: int) -> int:
        """The first pose, if needed; the fault, the last reading and its velocity, if there are faults."""
        return 7 * self.from_start + 14 * self._faults

    def at_start(self, size: int) -> Counts:
        """None."""
        return Counts()

    def per_sample(self, size: int) -> Counts:
        """Noise, the size of outliers; whether there is one, whether a fault begins, which, and whether it ends."""
        normals = 3 * (self.noise > 0.0) + 3 * (self.rotation_noise > 0.0) + 6 * (self.outliers > 0.0)
        return Counts(normals, int(self.outliers > 0.0) + 3 * self._faults)

    def begin(self, size: int, normals: Array, uniforms: Array) -> Array:
        """No fault, at rest."""
        memory = zeros((self.memory_size(size),), normals)
        if self.from_start:
            memory[..., 3] = 1.0
        if self._faults:
            memory[..., -10] = 1.0
        return memory

    def sample(
        self, ideal: Array, memory: Array, normals: Array, uniforms: Array, period: float, first: Any
    ) -> tuple[Array, Array]:
        """The pose with its errors, or what is read instead while there is a fault."""
        kept = []
        if self.from_start:
            begun = np.where(np.asanyarray(first)[..., None], ideal, memory[..., :7])
            ideal, kept = _relative(begun, ideal), [begun]
        value = self._disturbed(ideal, normals, uniforms)
        if self._faults:
            value, state = self._faulty(value, memory[..., -14:], uniforms[..., -3:], period, first)
            kept.append(state)
        return value, join(kept) if kept else memory

    def _disturbed(self, pose: Array, normals: Array, uniforms: Array) -> Array:
        position = pose[..., :3] / self.scale + np.array(self.bias)
        attitude = multiply_quaternions(pose[..., 3:], quaternion_exponential(np.array(self.rotation_bias)))
        start = 0
        if self.noise > 0.0:
            position = position + self.noise * normals[..., :3]
            start += 3
        if self.rotation_noise > 0.0:
            turn = self.rotation_noise * normals[..., start : start + 3]
            attitude = multiply_quaternions(attitude, quaternion_exponential(turn))
            start += 3
        if self.outliers > 0.0:
            jumps = uniforms[..., :1] < self.outliers
            error = np.where(jumps, normals[..., start : start + 6], 0.0)
            position = position + self.outlier_size * error[..., :3]
            attitude = multiply_quaternions(attitude, quaternion_exponential(self.outlier_angle * error[..., 3:]))
        return join([position, upright(attitude)])

    def _faulty(self, value: Array, state: Array, uniforms: Array, period: float, first: Any) -> tuple[Array, Array]:
        """state: (..., 14) kind of fault, last pose (7), last velocity and angular velocity in axes of the sensor."""
        kind, last, velocity = state[..., :1], state[..., 1:8], state[..., 8:]
        ends, begins, which = uniforms[..., :1], uniforms[..., 1:2], uniforms[..., 2:]
        time = np.where(kind > 1.5, self.loss_time, self.freeze_time)
        goes_on = np.logical_and(kind > 0.5, ends >= 1.0 - np.exp(-period / time))
        rate = self.freeze_rate + self.loss_rate
        new = np.where(
            begins < -math.expm1(-period * rate), np.where(which * rate < self.loss_rate, _LOST, _FROZEN), 0.0
        )
        kind = np.where(goes_on, kind, new)
        kind = np.where(np.asanyarray(first)[..., None], 0.0, kind)
        moved = join(
            [
                last[..., :3] + velocity[..., :3] * period,
                upright(multiply_quaternions(last[..., 3:], quaternion_exponential(velocity[..., 3:] * period))),
            ]
        )
        reading = np.where(kind > 1.5, moved, np.where(kind > 0.5, last, value))
        step = multiply_quaternions(last[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0]), value[..., 3:])
        rates = join([(value[..., :3] - last[..., :3]) / period, quaternion_logarithm(step) / period])
        unknown = np.logical_or(np.asanyarray(first)[..., None], kind > 0.5)
        velocity = np.where(unknown, velocity, rates)
        return reading, join([kind, reading, velocity])


def _relative(a: Array, b: Array) -> Array:
    """The pose of b in a, of poses (..., 7) in one frame."""
    a_R_world = transpose(rotation_from_quaternion(a[..., 3:]))
    position = apply_matrix(a_R_world, b[..., :3] - a[..., :3])
    turn = multiply_quaternions(a[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0]), b[..., 3:])
    return join([position, upright(normalized(turn))])
