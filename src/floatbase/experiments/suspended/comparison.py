r"""How well a model follows logs: costs, parameters fitted to logs, and how sharply these are determined.

The cost of a trajectory is the mean over its samples of $|\log(H^{-1} \tilde H)|^2$, rad and m weighed alike: what is
called the sum of squared norms in Rothammer 2021, (4.2), whose table has means. Mass and length are fitted by steps of
Gauss and Newton on the errors of all samples; for the sensitivity a parameter is varied alone, and the second
derivative of a parabola through the costs tells how sharply it is determined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floatbase.experiments.suspended.logs import Log
from floatbase.experiments.suspended.models import IDENTIFIED, HangingModel
from floatbase.experiments.suspended.trajectories import simulate, state_of
from floatbase.spatial import invert_pose, pose_logarithm
from floatbase.spatial.arrays import Array

STEP = 1e-4  # relative, of derivatives
ITERATIONS = 5
RANGE = 0.02  # relative, of a scan


def errors(model: HangingModel, thetas: Array, log: Log) -> Array:
    """Twists (k, samples, 6) from measured poses to those of the model with each of the parameters (k, 3).

    They are infinite where the model diverges.
    """
    states = np.array([state_of(model.start(theta[1], log.poses[0])) for theta in thetas])
    poses, _ = simulate(model.name, thetas, states, log.rows)
    diverged = ~np.isfinite(poses).all(axis=(-3, -2, -1))
    poses = np.where(diverged[:, None, None, None], log.poses, poses)
    twists = pose_logarithm(invert_pose(log.poses) @ poses)
    return np.where(diverged[:, None, None], np.inf, twists)


def cost(twists: Array) -> Array:
    """The mean squared norms (...) of twists (..., samples, 6)."""
    return np.mean(np.sum(twists * twists, axis=-1), axis=-1)


def fit(model: HangingModel, logs: Sequence[Log]) -> Array:
    """Parameters (3,) with the mass and the length that follow logs best, from those that were identified."""
    theta = IDENTIFIED.copy()
    for _ in range(ITERATIONS):
        steps = STEP * np.diag(theta)[:2]
        tried = np.concatenate([[theta], theta + steps, theta - steps])
        residuals, slopes = [], []
        for log in logs:
            found = errors(model, tried, log).reshape(5, -1) / np.sqrt(len(log.poses))
            residuals.append(found[0])
            slopes.append((found[1:3] - found[3:]).T / (2.0 * np.diag(steps)))
        change = np.linalg.lstsq(np.concatenate(slopes), -np.concatenate(residuals), rcond=None)[0]
        theta[:2] += np.clip(change / theta[:2], -0.2, 0.2) * theta[:2]
    return theta


def scan(model: HangingModel, theta: Array, logs: Sequence[Log], points: int) -> tuple[Array, Array]:
    """Relative changes (points,) of a parameter, and the sum of costs of logs (3, points) for each parameter."""
    changes = np.linspace(-RANGE, RANGE, points)
    found = []
    for parameter in range(3):
        thetas = np.tile(theta, (points, 1))
        thetas[:, parameter] *= 1.0 + changes
        found.append(sum(cost(errors(model, thetas, log)) for log in logs))
    return changes, np.array(found)


def curvature(changes: Array, costs: Array) -> Array:
    """Second derivatives (n,) of parabolas through costs (n, points)."""
    return np.array([2.0 * np.polyfit(changes, row, 2)[0] for row in costs])
