"""The steps of the experiment: each returns arrays by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from floatbase.experiments.suspended import compliance, forms
from floatbase.experiments.suspended.comparison import cost, curvature, errors, fit, scan
from floatbase.experiments.suspended.logs import CALM, LOGS, Log, make_log
from floatbase.experiments.suspended.models import IDENTIFIED, MODELS
from floatbase.experiments.suspended.trajectories import simulate, state_of
from floatbase.spatial.arrays import Array

DROP_DURATION = 2  # s, at most: later the platform swings as in the other logs


def make_logs(seed: int, duration: int) -> dict[str, Log]:
    """All logs."""
    return {name: make_log(name, min(duration, DROP_DURATION) if name == "drop" else duration, seed) for name in LOGS}


def follow(name: str, seed: int, duration: int) -> Mapping[str, Array]:
    """Costs of a model for each log, with identified and with fitted parameters; its motion in two logs."""
    (model,) = (item for item in MODELS if item.name == name)
    logs = make_logs(seed, duration)
    fitted = fit(model, [logs[log] for log in CALM])
    thetas = np.array([IDENTIFIED, fitted])
    costs = np.array([cost(errors(model, thetas, log)) for log in logs.values()])
    result = {"fitted": fitted, "identified costs": costs[:, 0], "fitted costs": costs[:, 1]}
    for shown in ("passive", "drop"):
        log = logs[shown]
        (poses,), _ = simulate(name, fitted[None], state_of(model.start(fitted[1], log.poses[0]))[None], log.rows)
        result |= {f"{shown} motion": poses[:, :3, 3], f"{shown} log": log.poses[:, :3, 3]}
    return result


def sensitivity(name: str, seed: int, duration: int, points: int) -> Mapping[str, Array]:
    """Costs of a model over each parameter, and how sharply each is determined."""
    (model,) = (item for item in MODELS if item.name == name)
    logs = make_logs(seed, duration)
    kinds = {"forced": ("constant", "sinusoidal"), "free": ("passive",)}
    fitted = fit(model, [logs[log] for log in CALM])
    result: dict[str, Array] = {}
    for kind, chosen in kinds.items():
        changes, costs = scan(model, fitted, [logs[log] for log in chosen], points)
        result |= {"changes": changes, f"{kind} costs": costs, f"{kind} curvature": curvature(changes, costs)}
    return result


def pendulum_forms(seed: int, draws: int) -> Mapping[str, Array]:
    """The worked example and random states of a pendulum in four forms, and its motion."""
    return {**forms.worked_example(), **forms.random_states(seed, draws), **forms.motion()}


def compliant_laws() -> Mapping[str, Array]:
    """The printed and the consistent law of the compliant pendulum."""
    return compliance.comparison()
