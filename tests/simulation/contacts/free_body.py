"""A rigid body on the ground, followed by semi-implicit steps in one program, as an independent small simulator."""

from __future__ import annotations

import numpy as np

import floatbase as fb
from floatbase import spatial
from floatbase.spatial import poses, rotations

GRAVITY = 9.81


def follow(law, ground, mass, inertia, dt, steps, every=1):
    """A function of pose and twist that gives poses, twists, wrenches and memories at every so many steps.

    The frame is at the centre of mass, with principal inertia (3,); `push` (6,) is a constant wrench on the body.
    """

    def advance(pose, twist, memory, push):
        wrench = law.wrench(pose, twist, memory, ground)
        R = poses.rotation_of(pose)
        angular = R.T @ twist[3:]
        torque = R.T @ (wrench[3:] + push[3:]) - np.cross(angular, inertia * angular)
        weight = np.array([0.0, 0.0, -GRAVITY])
        linear = twist[:3] + dt * ((wrench[:3] + push[:3]) / mass + weight)
        angular = R @ (angular + dt * torque / inertia)
        turned = rotations.rotation_exponential(dt * angular) @ R
        pose = poses.pose_from(turned, poses.position_of(pose) + dt * linear)
        twist = np.concatenate([linear, angular])
        return pose, twist, law.remember(pose, twist, memory, ground, dt), wrench

    def run(pose, twist, push):
        def one(index, carry, row, shared):
            wrench = carry[:6] * 0.0
            pose, twist, memory = carry[:16].reshape(4, 4), carry[16:22], carry[22:]
            for _ in range(every):
                pose, twist, memory, wrench = advance(pose, twist, memory, shared)
            carry = np.concatenate([pose.reshape(16), twist, memory])
            return carry, np.concatenate([carry, wrench])

        carry = np.concatenate([pose.reshape(16), twist, law.begin(pose, ground)])
        return fb.scan(one, carry, length=steps // every, shared=push)[1]

    ports = {"pose": (4, 4), "twist": (6,), "push": (6,)}
    program = fb.compile_program(fb.trace(run, ports, "free_body"))

    def result(pose, twist, push=None):
        path = program(pose, twist, np.zeros((*twist.shape[:-1], 6)) if push is None else push)
        memory = 22 + law.memory_size
        return (
            path[..., :16].reshape(*path.shape[:-1], 4, 4),
            path[..., 16:22],
            path[..., memory:],
            path[..., 22:memory],
        )

    return result


def resting(depth, tilt=0.0):
    """A pose so deep in level ground, pitched by an angle."""
    return spatial.pose_from(spatial.rotation_exponential(np.array([0.0, tilt, 0.0])), np.array([0.0, 0.0, -depth]))
