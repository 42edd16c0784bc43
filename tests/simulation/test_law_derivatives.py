"""Derivatives of laws of contact by twist and pose, of numbers and of symbols."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import floatbase as fb
from floatbase import spatial
from floatbase.simulation.laws import ContactLaw, Ground, Law, Number


@dataclass(frozen=True)
class Level(Ground):
    level: Number = 0.0

    def height(self, x, y):
        return self.level + 0.0 * x

    def normal(self, x, y):
        return np.stack([0.0 * x, 0.0 * x, 1.0 + 0.0 * x], axis=-1)

    def softness(self, x, y):
        return 1.0, 1.0


@dataclass(frozen=True)
class Gain(Law):
    value: Number = 1.0


@dataclass(frozen=True)
class Curved(ContactLaw):
    """A law without meaning in which everything depends on everything."""

    stiffness: Number = 5.0
    gain: Gain = Gain(2.0)

    def begin(self, world_H_frame, ground):
        return world_H_frame[..., :0, 0]

    def remember(self, world_H_frame, twist, memory, ground, dt):
        return memory

    def wrench(self, world_H_frame, twist, memory, ground):
        R, p = spatial.rotation_of(world_H_frame), spatial.position_of(world_H_frame)
        depth = ground.height(p[..., 0], p[..., 1]) - p[..., 2]
        force = self.stiffness * depth[..., None] * R[..., 0] + np.cross(twist[..., :3], twist[..., 3:])
        moment = self.gain.value * R[..., 1] * twist[..., 3:] * p[..., :1]
        result = np.concatenate([force, moment], axis=-1)
        return np.where((depth > 0.0)[..., None], result, 0.0 * result)


def test_derivatives_are_those_of_differences() -> None:
    rng = np.random.default_rng(0)
    pose = spatial.pose_exponential(rng.standard_normal((5, 6)))
    pose[:, 2, 3] = [-1.0, -0.5, -0.2, -0.3, 0.7]
    twist, memory = rng.standard_normal((5, 6)), np.zeros((5, 0))
    law, ground, step = Curved(), Level(0.1), 1e-6
    damping, stiffness = (
        law.damping_matrix(pose, twist, memory, ground),
        law.stiffness_matrix(pose, twist, memory, ground),
    )
    assert damping.shape == stiffness.shape == (5, 6, 6)
    for k, direction in enumerate(step * np.eye(6)):
        ahead, behind = (law.wrench(pose, twist + s * direction, memory, ground) for s in (1, -1))
        np.testing.assert_allclose(damping[..., k], (behind - ahead) / (2 * step), atol=1e-8)
        wrenches = []
        for s in (1, -1):
            moved = pose.copy()
            moved[:, :3, :3] = spatial.rotation_exponential(s * direction[3:]) @ pose[:, :3, :3]
            moved[:, :3, 3] += s * direction[:3]
            wrenches.append(law.wrench(moved, twist, memory, ground))
        np.testing.assert_allclose(stiffness[..., k], (wrenches[1] - wrenches[0]) / (2 * step), atol=1e-8)
    assert not damping[4].any() and not stiffness[4].any()


def test_symbols_give_what_numbers_give_with_all_parameters_symbols() -> None:
    rng = np.random.default_rng(1)
    pose = spatial.pose_exponential(rng.standard_normal((3, 6)))
    pose[:, 2, 3] = -1.0
    twist = rng.standard_normal((3, 6))

    def both(pose, twist, parameters):
        law = Curved(parameters[0], Gain(parameters[1]))
        ground = Level(parameters[2])
        memory = twist[:0]
        return law.damping_matrix(pose, twist, memory, ground), law.stiffness_matrix(pose, twist, memory, ground)

    program = fb.trace(both, {"pose": (4, 4), "twist": (6,), "parameters": (3,)}, "both")
    damping, stiffness = fb.interpret(program, pose, twist, np.array([3.0, 0.7, 0.2]))
    law, ground, memory = Curved(3.0, Gain(0.7)), Level(0.2), np.zeros((3, 0))
    np.testing.assert_allclose(damping, law.damping_matrix(pose, twist, memory, ground), atol=1e-14)
    np.testing.assert_allclose(stiffness, law.stiffness_matrix(pose, twist, memory, ground), atol=1e-14)
