"""The experiment `conservation`: order and drift of every integrator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.experiments.criteria import at_least, at_most
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Plot, Step
from floatbase.experiments.results import Row, compare
from floatbase.experiments.settings import option
from floatbase.experiments.simulation import motions
from floatbase.report import COLORS
from floatbase.simulation.integration import METHODS
from floatbase.spatial.arrays import Array

ORDERS = {"semi-implicit": 1, "stiff": 1, "explicit": 1, "rk2": 2, "midpoint": 2, "rk4": 4}
# of energies in steps of 5 ms, relative to the energy that turns a pendulum upside down
BOUNDED = {
    "pendulum": {"semi-implicit": 0.02, "stiff": 0.02, "midpoint": 1e-4, "rk4": 1e-4},
    "planar_double_pendulum": {"midpoint": 1e-4, "rk4": 1e-4},
}
NAMES = {"pendulum": "Pendulum", "planar_double_pendulum": "Double pendulum"}
SAMPLES = 400


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    duration: float = option(100.0, "how long the pendulums swing, s", minimum=1.0, maximum=1e5)
    dt: float = option(5e-3, "their steps, s", minimum=1e-5, maximum=2e-2)
    levels: int = option(5, "step lengths, each half of the one before", minimum=3, maximum=12)


def plan(settings: Settings, seed: int) -> Plan:
    """Every integrator's flight, swing and landing is a step."""
    counts = [20 * 2**k for k in range(settings.levels)]
    many = [16 * count for count in counts]
    times = settings.dt, settings.duration, max(1, round(settings.duration / settings.dt / SAMPLES))
    flights = [Step(f"flight-{method}", motions.convergence, (method, counts, seed)) for method in METHODS]
    swings = [
        Step(f"swing-{name.replace('_', '-')}-{method}", motions.drift, (name, method, *times))
        for name in NAMES
        for method in METHODS
    ]
    landings = [Step(f"landing-{method}", motions.landing, (method, many)) for method in METHODS]
    data = iter((yield [*flights, *swings, *landings]))
    flown = {method: next(data) for method in METHODS}
    swung = {name: {method: next(data) for method in METHODS} for name in NAMES}
    landed = {method: next(data) for method in METHODS}
    lengths = motions.FLIGHT / np.array(counts)
    rows = [
        *order_rows(flown, lengths),
        *(row for name in NAMES for row in drift_rows(name, swung[name])),
        *balance_rows(landed),
    ]
    return Outcome(rows, plots(flown, lengths, swung))


def order_rows(flown: Mapping[str, Data], lengths: Array) -> list[Row]:
    """Orders of the motion, and what the shortest steps leave of energy and momentum."""
    section = "Free flight of a quadrotor with an arm, without gravity"
    rows = []
    for method, found in flown.items():
        measured = motions.order(lengths, found["error"])
        rows.append(compare(f"order, {method}", measured, at_least(ORDERS[method] - 0.2), section=section))
        exact = method == "rk4"
        energy, momentum = float(found["energy"][-1]), float(found["momentum"][-1])
        shortest = f"steps of {1e3 * lengths[-1]:.3g} ms"
        for quantity, number, limit in (("energy", energy, 1e-9), ("momentum", momentum, 1e-9)):
            criterion = at_most(limit) if exact else None
            rows.append(compare(f"change of {quantity}, {method}, {shortest}", number, criterion, section=section))
    return rows


def drift_rows(name: str, swung: Mapping[str, Data]) -> list[Row]:
    """Whether the energy stays within bounds, and whether it goes anywhere."""
    section = f"{NAMES[name]}: change of energy over a long time, relative to what turns it upside down"
    rows = []
    for method, found in swung.items():
        energy = found["energy"]
        fifth = max(1, len(energy) // 5)
        drift = float(np.mean(energy[-fifth:]) - np.mean(energy[:fifth]))
        limit = BOUNDED[name].get(method)
        criterion = None if limit is None else at_most(limit)
        rows.append(compare(f"largest change, {method}", float(np.abs(energy).max()), criterion, section=section))
        criterion = at_least(1e-3) if method == "explicit" else None
        rows.append(compare(f"drift of the mean, {method}", drift, criterion, section=section))
    return rows


def balance_rows(landed: Mapping[str, Data]) -> list[Row]:
    """Energy and work of a box that lands and slides."""
    section = "A box that lands and slides: energy less work of contacts, relative to the work"
    rows = [
        compare(f"missing, {method}, shortest steps", float(found["missing"][-1]), section=section)
        for method, found in landed.items()
    ]
    followed = max(float(found["followed"]) for found in landed.values())
    rows.append(compare("missing, adaptive steps", followed, at_most(1e-6), section=section))
    return rows


def plots(flown: Mapping[str, Data], lengths: Array, swung: Mapping[str, Mapping[str, Data]]) -> list[Plot]:
    """Errors over lengths of steps, and energies over time."""

    def convergence(figure: Any) -> None:
        panels = figure.subplots(1, 3)
        for axes, (name, title) in zip(panels, _PANELS, strict=True):
            for k, (method, found) in enumerate(flown.items()):
                values, color = np.maximum(found[name], 1e-17), COLORS[k % len(COLORS)]
                style = {"color": color, "marker": MARKERS[k % len(MARKERS)], "mfc": "none", "ms": 8}
                axes.loglog(1e3 * lengths, values, label=method, **style)
            axes.set_title(title)
            axes.set_xlabel("step, ms")
            axes.set_xticks(1e3 * lengths, [f"{1e3 * length:.3g}" for length in lengths], minor=False)
            axes.minorticks_off()
        panels[0].set_ylim(bottom=1e-18)
        panels[0].legend(fontsize="small", ncols=2, loc="lower right")

    def energies(figure: Any) -> None:
        panels = figure.subplots(1, 2)
        for axes, (name, methods) in zip(panels, swung.items(), strict=True):
            for k, (method, found) in enumerate(methods.items()):
                if method != "stiff":  # without springs it is the semi-implicit one
                    size = np.maximum(np.abs(found["energy"]), 1e-16)
                    axes.semilogy(found["time"], size, color=COLORS[k % len(COLORS)], lw=0.8, label=method)
            axes.set_ylim(1e-14, 10.0)
            axes.set_title(NAMES[name])
            axes.set_xlabel("time, s")
        panels[1].legend(fontsize="small", ncols=3, loc="lower right")
        panels[0].set_ylabel("size of the change of energy, relative")

    return [
        Plot("orders", "Errors of a flight over the length of steps.", convergence, (10.0, 3.8)),
        Plot("energies", "The energy of pendulums over time.", energies, (10.0, 3.6)),
    ]


MARKERS = ("o", "x", "s", "^", "D", "v")  # hollow, so that those in one place are all seen
_PANELS = (
    ("error", "error of the state"),
    ("energy", "change of energy, relative"),
    ("momentum", "change of momentum, relative"),
)

EXPERIMENT = Experiment(
    "conservation",
    "What integrators conserve",
    "Every method of the simulator on the configuration group: its order on a robot that flies freely, beside an "
    "adaptive integration to 13 digits; what happens to energy and momentum; energies of pendulums over a hundred "
    "seconds. Explicit steps pump energy into both. Semi-implicit ones keep that of a single pendulum within bounds, "
    "but not that of a double one, whose inertia changes with its configuration; the implicit midpoint keeps both. And "
    "the balance of energy and work of a box that lands and slides with friction.",
    Settings,
    plan,
)
