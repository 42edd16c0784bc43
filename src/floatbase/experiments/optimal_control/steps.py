"""What the experiment computes: solved problems, and how good the sensitivities are that they are solved by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from floatbase.algorithms import deviation
from floatbase.algorithms.derivatives.differences import quotients
from floatbase.experiments.optimal_control.box_ddp import Solution, solve
from floatbase.experiments.optimal_control.euler_angles import OnEulerAngles
from floatbase.experiments.optimal_control.flip import first_guess, flip
from floatbase.experiments.optimal_control.reach import FEET, HAND, SOLE, TARGET, Stance, reach
from floatbase.experiments.optimal_control.systems import Dynamics, OnManifold, System
from floatbase.experiments.optimal_control.task import Task
from floatbase.spatial import rotation_from_quaternion
from floatbase.spatial.arrays import Array

KINDS: dict[str, Callable[[Dynamics], System]] = {"manifold": OnManifold, "angles": OnEulerAngles}
FLOWN = 1e-3  # s, the steps in which a flight is integrated again


def flip_over(axis: str, kind: str, guess: int, steps: int, iterations: int) -> Mapping[str, Any]:
    """The flip from a first guess: states q, v, inputs u and what the solver says."""
    problem = flip(KINDS[kind], axis, steps)
    solution = solve(problem.task, first_guess(problem, steps, guess), iterations=iterations)
    system = problem.task.system
    q, v = system.parts(solution.X)
    flown, h = (q[0], v[0]), system.dynamics.step_size
    substeps = int(np.ceil(h / FLOWN))
    for u in solution.U:
        for _ in range(substeps):
            flown = system.dynamics.robot.step(*flown, problem.forces @ u, h / substeps, method="rk4")
    bounds = np.maximum(solution.U - problem.task.upper, problem.task.lower - solution.U).max()
    return {
        **_summary(solution),
        "q": q,
        "v": v,
        "u": solution.U,
        "lowest": rotation_from_quaternion(q[:, 3:7])[:, 2, 2].min(),
        "beyond bounds": max(0.0, float(bounds)),
        "miss": np.linalg.norm(q[-1, :3]),
        "flown miss": np.linalg.norm(flown[0][:3]),
    }


def reach_out(base: str, kind: str, steps: int, iterations: int) -> Mapping[str, Any]:
    """The reach seen from a base link; `points` are the frames of the robot along the motion."""
    problem = reach(KINDS[kind], base, steps)
    solution = solve(problem.task, np.tile(problem.hold, (steps, 1)), iterations=iterations)
    q, v = problem.task.system.parts(solution.X)
    robot = problem.dynamics.robot
    return {
        **_summary(solution),
        **_contacts(problem, q[:-1], v[:-1], solution.U),
        "u": solution.U,
        "miss": np.linalg.norm(robot.pose(q[-1], HAND)[:3, 3] - TARGET),
        "drift": np.abs(problem.dynamics.drifts(q)).max(),
        "speed": np.abs(v[-1]).max(),
        "com": robot.com(q),
        "hand": robot.pose(q, HAND)[..., :3, 3],
        "points": np.stack([robot.pose(q, body.name)[..., :3, 3] for body in robot.tree.bodies], axis=1),
        "parents": [body.parent for body in robot.tree.bodies],
    }


def sensitivity_errors(seed: int) -> Mapping[str, Any]:
    """The largest errors of A and B of single steps, of all four systems, against central differences."""
    rng = np.random.default_rng(seed)
    found = {}
    for kind, make in KINDS.items():
        flying, standing = flip(make, "pitch").task, reach(make, "root_link").task
        found[f"flip {kind}"] = _sensitivity_error(flying, rng)
        found[f"reach {kind}"] = _sensitivity_error(standing, rng)
    return found


def _sensitivity_error(task: Task, rng: np.random.Generator) -> float:
    system, n = task.system, 2 * task.system.dynamics.robot.nv
    x = system.move(task.start, 0.1 * rng.standard_normal(n))
    u = task.lower + rng.uniform(0.2, 0.8, task.lower.shape) * (task.upper - task.lower)
    end = system.step(x, u)

    def moved(z: Array) -> Array:
        return system.difference(end, system.step(system.move(x, z[:n]), u + z[n:]))

    near, far = (quotients(moved, np.concatenate([u, x]), n + u.size, step=k * 1e-4) for k in (1, 2))
    A, B = system.sensitivities(x[None], u[None])
    return deviation(np.concatenate([A[0], B[0]], axis=-1), (4.0 * near - far) / 3.0).largest


def _summary(solution: Solution) -> dict[str, Any]:
    return {
        "costs": solution.costs,
        "cost": solution.cost,
        "iterations": solution.iterations,
        "converged": solution.converged,
        "shortened": solution.shortened + solution.rejected,
    }


def _contacts(problem: Stance, q: Array, v: Array, u: Array) -> dict[str, Any]:
    """Least normal force, largest ratio of friction, and how far centres of pressure are within soles."""
    wrenches = problem.dynamics.motion(q, v, u)[1].reshape(len(u), len(FEET), 6)
    force, moment = wrenches[..., :3], wrenches[..., 3:]
    x, y = -moment[..., 1] / force[..., 2], moment[..., 0] / force[..., 2]
    toes, heel, half = SOLE
    margin = np.minimum(np.minimum(x - toes, heel - x), half - np.abs(y))
    return {
        "normal": force[..., 2].min(),
        "friction": (np.linalg.norm(force[..., :2], axis=-1) / force[..., 2]).max(),
        "margin": margin.min(),
        "pressure": np.stack([x, y], axis=-1),
    }
