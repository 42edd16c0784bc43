"""Joints that move on their own, each with its inertia: an implicit step of a law, and derivatives by differences."""

from dataclasses import dataclass

import numpy as np


@dataclass
class State:
    """Positions and velocities (..., joints), and the memory of a law."""

    position: np.ndarray
    velocity: np.ndarray
    memory: np.ndarray


def position_command(position, velocity=0.0, torque=0.0):
    """What laws that control positions obey."""
    position = np.atleast_1d(np.asarray(position, dtype=float))
    return np.concatenate([position, np.full_like(position, velocity), np.full_like(position, torque)])


def start(law, position, velocity=None) -> State:
    position = np.asarray(position, dtype=float)
    velocity = np.zeros_like(position) if velocity is None else np.asarray(velocity, dtype=float)
    memory = law.begin(position, velocity)
    assert memory.shape[-1] == law.memory_size(position.shape[-1])
    return State(position, velocity, memory)


def step(law, state, command, inertia, dt, load=0.0) -> State:
    """Semi-implicit Euler with what the law says of its damping and stiffness."""
    q, v = state.position, state.velocity
    memory = law.sample(command, q, v, state.memory, dt)
    torque = law.torque(command, q, v, memory)
    D, K = law.damping(command, q, v, memory), law.stiffness(command, q, v, memory)
    assert torque.shape == D.shape == K.shape == q.shape
    change = dt * (torque + load - dt * K * v) / (inertia + dt * D + dt**2 * K)
    velocity = v + change
    position = q + dt * velocity
    return State(position, velocity, law.remember(command, position, velocity, memory, dt))


def move(law, state, command, inertia, dt, steps, load=0.0) -> list[State]:
    """All states, the first among them; `command` may be a function of the number of the step."""
    states = [state]
    for number in range(steps):
        now = command(number) if callable(command) else command
        states.append(step(law, states[-1], np.asarray(now, dtype=float), inertia, dt, load))
    return states


def derivatives(law, command, position, velocity, memory, h=1e-6):
    """Minus the diagonal derivatives of the torque in velocity and position, and those in commands, by differences."""
    joints, D, K, G = position.shape[-1], [], [], []
    for k in range(joints):
        change = h * np.eye(joints)[k]
        slower, faster = (law.torque(command, position, velocity + sign * change, memory) for sign in (-1, 1))
        below, above = (law.torque(command, position + sign * change, velocity, memory) for sign in (-1, 1))
        D.append((slower - faster)[..., k] / (2 * h))
        K.append((below - above)[..., k] / (2 * h))
    for k in range(law.command_size(joints)):
        change = h * np.eye(command.shape[-1])[k]
        both = [law.torque(command + sign * change, position, velocity, memory) for sign in (1, -1)]
        out = k % both[0].shape[-1] if both[0].shape[-1] == joints else k
        G.append((both[0] - both[1])[..., out] / (2 * h))
    gains = np.stack(G, axis=-1) if G else np.zeros((*position.shape[:-1], 0))
    return np.stack(D, axis=-1), np.stack(K, axis=-1), gains
