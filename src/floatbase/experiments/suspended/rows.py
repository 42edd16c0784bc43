"""The rows of the experiment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from floatbase.experiments.criteria import Criterion, at_least, at_most
from floatbase.experiments.plan import Data
from floatbase.experiments.results import Row, compare
from floatbase.experiments.suspended import published
from floatbase.experiments.suspended.forms import FORMS
from floatbase.experiments.suspended.logs import CALM, LOGS
from floatbase.experiments.suspended.models import PARAMETERS

CALM_RMS = 0.1  # of rad and m, up to which the rigid pendulum is good enough
DROP_RATIO = 0.7
# of the worked example and of its motion: the thesis gives the body, and no results
EXAMPLE = (-0.9033074115, 1.0855039677, -0.4668026277)
ROD_FORCE = (14.7891432071, 6.7044907177, 311.3075932372)
END = (-0.1067959978, 0.1481366950, 3.6123511770)
PLACE = (-0.4427864762, -0.3162770321, -2.9502387988)


def form_rows(found: Data) -> list[Row]:
    """The pendulum in four forms; references are of an integration to 1e-11."""
    section = "A platform on a rod in four forms, the body of " + published.SOURCE + "table 5.2"
    rows = []
    for k, form in enumerate(FORMS):
        text = f"acceleration of the angles, {form}"
        rows.append(compare(text, found["example"][k], _near(EXAMPLE, 1e-9), unit="rad/s²", section=section))
    for quantity, key, limit, expected, unit in (
        ("force of the rod", "rod force", 2e-8, ROD_FORCE, "N"),
        ("angles after 5 s", "end", 1e-8, END, "rad"),
        ("centre of mass after 5 s", "place", 1e-8, PLACE, "m"),
    ):
        rows.append(compare(quantity, found[key], _near(expected, limit), unit=unit, section=section))
    for form, difference in zip(FORMS, found["differences"], strict=True):
        text = f"random states: largest relative difference from any other form, {form}"
        rows.append(compare(text, difference, at_most(1e-10), section=section))
    names = ("multipliers of the explicit and the reduced form", "A times the twists of angles", "J from D D^T J")
    for name, error in zip(names, found["identities"], strict=True):
        rows.append(compare(f"random states: {name}, largest difference", error, at_most(1e-9), section=section))
    text = "largest deviation of poses of three forms after 5 s"
    rows.append(compare(text, found["deviation"], at_most(1e-8), unit="rad, m", section=section))
    return rows


def law_rows(found: Data) -> list[Row]:
    """The printed and the consistent compliant pendulum."""
    section = "The compliant pendulum as printed and put right, identified parameters"
    rows = []
    for law, growth in (("printed", at_least(0.002)), ("consistent", at_most(0.0))):
        slow, fast, axial = (found[f"{law} eigenvalues"][k] for k in (0, 2, 4))
        note = f"{law} law" + (" (must grow)" if law == "printed" else "")
        rows.append(compare(f"growth of the swing, {note}", slow[0], growth, unit="1/s", section=section))
        for name, pair in (("swing", slow), ("turns of the platform", fast), ("stretching of the cable", axial)):
            text = f"{name}, {law} law: real and imaginary part of the eigenvalue"
            rows.append(compare(text, pair, unit="1/s", section=section))
    for law, limit in (("printed", at_least(0.1)), ("consistent", at_most(4e-7))):
        note = f"{law} law" + (" (must fail)" if law == "printed" else "")
        text = f"how much the energy of a swing without damping varies, {note}"
        rows.append(compare(text, np.ptp(found[f"{law} energy"]), limit, unit="J", section=section))
    return rows


def cost_rows(found: Mapping[str, Data]) -> list[Row]:
    """Costs of the five models for every log."""
    rows = []
    for k, log in enumerate(LOGS):
        section = f"Costs, log {log!r}" + (" (not part of the comparison)" if log == "varying" else "")
        for name, data in found.items():
            printed = dict(zip(("rigid", "compliant"), published.COSTS[log], strict=True)).get(name)
            source = "" if printed is None else published.COSTS_SOURCE
            rows.append(
                compare(
                    f"{name}, fitted mass and length",
                    data["fitted costs"][k],
                    None,
                    printed,
                    unit="rad², m²",
                    source=source,
                    section=section,
                )
            )
            rows.append(
                compare(f"{name}, as identified", data["identified costs"][k], unit="rad², m²", section=section)
            )
    section = "What follows from the costs"
    for log in CALM:
        root = float(np.sqrt(found["rigid"]["fitted costs"][LOGS.index(log)]))
        text = f"log {log!r}: root of the rigid pendulum's cost"
        rows.append(
            compare(
                text,
                root,
                at_most(CALM_RMS),
                np.sqrt(published.COSTS[log][0]),
                unit="rad, m",
                source=published.COSTS_SOURCE,
                section=section,
            )
        )
    drop = LOGS.index("drop")
    rigid, compliant = (float(found[name]["fitted costs"][drop]) for name in ("rigid", "compliant"))
    rows.append(
        compare(
            "log 'drop': cost of the compliant pendulum, times that of the rigid one",
            compliant / rigid,
            at_most(DROP_RATIO),
            published.COSTS["drop"][1] / published.COSTS["drop"][0],
            source=published.COSTS_SOURCE,
            section=section,
        )
    )
    for name, data in found.items():
        text = f"mass and length of the {name} model that follow the logs best"
        rows.append(compare(text, data["fitted"][:2], unit="kg, m", section=section))
    return rows


def sensitivity_rows(found: Mapping[str, Data]) -> list[Row]:
    """How sharply parameters are determined: second derivatives of the cost by their relative changes."""
    rows = []
    for name, data in found.items():
        section = f"Sensitivity of the {name} pendulum's cost, by relative changes"
        for k, parameter in enumerate(PARAMETERS):
            for kind, logs in (("forced", "logs with forces"), ("free", "passive swings")):
                text = f"second derivative by the {parameter}, {logs}"
                rows.append(compare(text, data[f"{kind} curvature"][k], unit="rad², m²", section=section))
        (mass, length, moment), free = data["forced curvature"], data["free curvature"]
        for text, ratio, limit in (
            ("logs with forces: that of the moment, times that of the mass", moment / mass, 0.05),
            ("logs with forces: that of the mass, times that of the length", mass / length, 0.1),
            ("passive swings: that of the mass, times that of the length", free[0] / free[1], 1e-3),
        ):
            rows.append(compare(text, ratio, at_most(limit), section=section))
    return rows


def _near(expected: tuple[float, ...], limit: float) -> Criterion:
    """Each entry near a reference that was computed otherwise."""
    text = f"each within ±{limit:g} of the reference"
    return Criterion(text, lambda ours, _: np.all(np.abs(ours - expected) <= limit), needs_published=False)
