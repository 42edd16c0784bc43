r"""Errors of an attitude: misalignment of the frames at both ends, drift, noise.

What is read of the true attitude $R$ of a sensor in its earth frame is

$$ R_m(t) = R_{eI}\, R\, R_e(t)\, \exp(n^\wedge), \qquad R_e(t) = R_{e0} \exp(\omega_d^\wedge t)\, W(t), $$

with $R_{eI}$ the error of the earth frame, $R_{e0}$ that of the mounting, a constant drift $\omega_d$, a random walk
$W$ whose increments over a time $T$ have the variance $K^2 T$ about each axis, and white noise $n$ of each sample.
Rotations are given as rotation vectors in rad.

Rothammer 2021, (5.53) with its errata. `floatbase.simulation.sensors.calibrate_attitude` finds the parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.sensors.distortions import Counts, Distortion
from floatbase.spatial.arrays import Array, components, vector, zeros
from floatbase.spatial.rotations import multiply_quaternions, quaternion_exponential, real

Vector3 = tuple[float, float, float]
NONE: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class AttitudeErrors(Distortion):
    """Errors of a quaternion; none by default.

    earth_error, misalignment: rotation vectors [rad] of $R_{eI}$ and $R_{e0}$. misalignment_spread: rad, standard
    deviation about each axis of a further misalignment that is drawn once. drift: rad/s, in the axes of the sensor.
    random_walk: rad per sqrt(s). noise: rad about each axis, of a sample.
    """

    noise: float = 0.0
    earth_error: Vector3 = NONE
    misalignment: Vector3 = NONE
    misalignment_spread: float = 0.0
    drift: Vector3 = NONE
    random_walk: float = 0.0

    def __post_init__(self) -> None:
        for name in ("earth_error", "misalignment", "drift"):
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != (3,) or not np.isfinite(value).all():
                raise ArgumentError(f"{name} is {getattr(self, name)!r}; it is a vector of 3 finite numbers")
            object.__setattr__(self, name, tuple(value.tolist()))
        for name in ("noise", "misalignment_spread", "random_walk"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} is {value!r}; it must be finite and not negative")

    def check(self, what: str, size: int) -> None:
        """Raise unless there are the four numbers of a quaternion."""
        if size != 4:
            raise ArgumentError(f"{what}: AttitudeErrors are those of a quaternion, but there are {size} channels")

    @property
    def _moves(self) -> bool:
        return self.drift != NONE or self.random_walk > 0.0

    @property
    def _remembers(self) -> bool:
        return self._moves or self.misalignment_spread > 0.0

    def memory_size(self, size: int) -> int:
        """The quaternion of the error at the sensor's side, if it varies."""
        return 4 * self._remembers

    def at_start(self, size: int) -> Counts:
        """Three numbers for the misalignment that is drawn."""
        return Counts(3 * (self.misalignment_spread > 0.0))

    def per_sample(self, size: int) -> Counts:
        """Three numbers for noise, three for the random walk."""
        return Counts(3 * (self.noise > 0.0) + 3 * (self.random_walk > 0.0))

    def begin(self, size: int, normals: Array, uniforms: Array) -> Array:
        """The misalignment."""
        if not self._remembers:
            return zeros((0,), normals)
        error = zeros((4,), normals) + quaternion_exponential(np.array(self.misalignment))
        if self.misalignment_spread > 0.0:
            error = multiply_quaternions(error, quaternion_exponential(self.misalignment_spread * normals))
        return error

    def sample(
        self, ideal: Array, memory: Array, normals: Array, uniforms: Array, period: float, first: Any
    ) -> tuple[Array, Array]:
        """The attitude with its errors, and the error at the sensor's side a period later."""
        error = memory if self._remembers else quaternion_exponential(np.array(self.misalignment))
        earth = quaternion_exponential(np.array(self.earth_error))
        value = multiply_quaternions(multiply_quaternions(earth, ideal), error)
        start = 0
        if self.noise > 0.0:
            value = multiply_quaternions(value, quaternion_exponential(self.noise * normals[..., :3]))
            start = 3
        if self._moves:
            turn = zeros((3,), normals) + np.array(self.drift) * period
            if self.random_walk > 0.0:
                turn = turn + self.random_walk * math.sqrt(period) * normals[..., start : start + 3]
            memory = normalized(multiply_quaternions(memory, quaternion_exponential(turn)))
        return upright(value), memory


def normalized(quaternion: Array) -> Array:
    """A quaternion (..., 4) of unit length again, after rounding."""
    entries = components(quaternion, 4)
    square = sum(entry * entry for entry in entries)
    return vector([entry / np.sqrt(square) for entry in entries], quaternion)


def upright(quaternion: Array) -> Array:
    """The one of the two quaternions of a rotation that has w >= 0."""
    return np.where(real(quaternion[..., :1]) < 0.0, -quaternion, quaternion)
