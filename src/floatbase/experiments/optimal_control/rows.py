"""The rows of the experiment: what was asked for, and whether it depends on coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from floatbase.experiments.criteria import Criterion, at_least, at_most
from floatbase.experiments.plan import Data
from floatbase.experiments.results import Row, compare

SINGULAR = ("pitch",)  # axes about which a flip turns through attitudes where angles are no coordinates
NAMES = {"manifold": "on the manifold", "angles": "on Euler angles"}


def sensitivity_rows(errors: Mapping[str, float]) -> list[Row]:
    """That both kinds of states are treated alike."""
    section = "Sensitivities of one step, against central differences of the step"
    rows = []
    for name, error in errors.items():
        problem, kind = name.split()
        rows.append(compare(f"{problem}, {NAMES[kind]}", error, at_most(1e-6), section=section))
    return rows


def flip_rows(axis: str, solved: Mapping[str, Sequence[Data]]) -> list[Row]:
    """The flip over an axis, from every first guess."""
    section = f"Flip of a quadrotor with an arm, over its {axis} axis"
    rows = []
    for kind, found in solved.items():
        ours = kind == "manifold"
        costs = np.array([data["cost"] for data in found])
        for quantity, name, unit, criterion in (
            ("converged", "converged", "", at_least(1.0)),
            ("iterations", "iterations", "", at_most(100.0)),
            ("cost", "cost", "", at_most(1.001 * float(costs.min()))),
            ("inverted: least z component of the base's z axis", "lowest", "", at_most(-0.999)),
            ("distance to where it began", "miss", "m", at_most(0.01)),
            ("inputs beyond their bounds", "beyond bounds", "N, N m", at_most(0.0)),
            ("distance when flown again in steps of 1 ms", "flown miss", "m", at_most(0.01)),
        ):
            rows.append(_row(f"{quantity}, {NAMES[kind]}", found, name, unit, section, criterion if ours else None))
    angles, manifold = (min(float(data["cost"]) for data in solved[kind]) for kind in ("angles", "manifold"))
    limit = at_least(2.0) if axis in SINGULAR else at_most(1.001)
    rows.append(compare("cost on Euler angles, times that on the manifold", angles / manifold, limit, section=section))
    return rows


def reach_rows(bases: Sequence[str], solved: Mapping[str, Sequence[Data]]) -> list[Row]:
    """The reach, for every base link."""
    section = "ICub reaches down, described from the base links " + ", ".join(bases)
    rows = []
    for kind, found in solved.items():
        where, ours = NAMES[kind], kind == "manifold"
        costs = np.array([data["cost"] for data in found])
        spread = float(np.ptp(costs) / costs.min())
        limit = at_most(0.01) if ours else at_least(0.1)
        rows.append(compare(f"cost, {where}", costs, section=section))
        rows.append(compare(f"dependence of the cost on the base, {where}", spread, limit, section=section))
        for quantity, name, unit, criterion in (
            ("converged", "converged", "", at_least(1.0)),
            ("iterations", "iterations", "", at_most(100.0)),
            ("distance of the hand from its target", "miss", "m", at_most(0.003)),
            ("largest drift of the feet", "drift", "m, rad", at_most(0.005)),
            ("largest velocity at the end", "speed", "m/s, rad/s", at_most(0.15)),
            ("least normal force of a foot", "normal", "N", at_least(20.0)),
            ("largest ratio of tangential and normal force", "friction", "", at_most(0.5)),
            ("least distance of a centre of pressure from the sole's edge", "margin", "m", at_least(0.0)),
        ):
            rows.append(_row(f"{quantity}, {where}", found, name, unit, section, criterion if ours else None))
    return rows


def _row(quantity: str, found: Sequence[Data], name: str, unit: str, section: str, criterion: Criterion | None) -> Row:
    return compare(quantity, [float(data[name]) for data in found], criterion, unit=unit, section=section)
