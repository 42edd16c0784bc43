"""The rows of the experiment, section by section: ours beside what Bos 2019 printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from floatbase.experiments.criteria import (
    Criterion,
    at_least,
    at_most,
    no_more_than,
    within,
    within_absolute,
    within_factor,
)
from floatbase.experiments.geometric import published
from floatbase.experiments.geometric.linearization import CHARTS
from floatbase.experiments.geometric.published import SOURCE
from floatbase.experiments.geometric.quantities import QUANTITIES
from floatbase.experiments.plan import Data
from floatbase.experiments.results import Row, compare
from floatbase.spatial.arrays import Array

# of print: three digits, four and five whole digits up to 1 % off; two digits in appendix D.2
_PRINTED, _TWO_DIGITS = within(0.01, of_mean=1e-6), within(0.05)
# their differences are truncation, which is reproduced; those of the others are rounding
_TRUNCATED = ("D1 ID", "D2 ID", "D1 FD", "D2 FD")
_MIXED = "SI, mixed"
_BLOCKS = {
    "ID": "the extended inverse dynamics",
    "FD": "forward dynamics",
    "D1": "by H, world twist held",
    "D2": "by s",
    "D3": "by v",
    "D4": "by r",
}


def example_rows(example: Data) -> list[Row]:
    """State, accelerations, torques and every printed matrix."""
    section = "The published example, its faults left in"
    place = SOURCE + "section 5.1"
    rows = [
        compare("rotation of the base", example["rotation"], within_absolute(5.1e-5), published.ROTATION, source=place),
        compare(
            "base acceleration v'",
            example["v_dot"],
            within(2e-5),
            published.BASE_ACCELERATION,
            unit="m/s², rad/s²",
            source=place,
        ),
        compare(
            "joint forces",
            example["tau"] / 1e8,
            within_absolute(5.1e-5),
            published.TORQUES,
            unit="1e8 N, N m",
            source=SOURCE + "section 5.5",
        ),
    ]
    for name, (matrix, source) in published.matrices().items():
        criterion = _TWO_DIGITS if name == "M^-1" else _PRINTED
        rows.append(compare(_spelled(name), example[name], criterion, matrix, unit=_MIXED, source=source))
    return _in(section, rows)


def difference_rows(example: Data, like_published: bool) -> list[Row]:
    """Table of errors against forward differences; rounding errors as medians over steps near the one asked for."""
    rows = []
    for k, name in enumerate(QUANTITIES):
        rounding = name not in _TRUNCATED
        ours = example["nearby errors"][k] if rounding else example["errors"][0][k]
        criterion = (within_factor(3.0) if rounding else within(0.02)) if like_published else None
        printed = published.DERIVATIVE_ERRORS[name]
        note = " (rounding: median of nearby steps)" if rounding else ""
        for label, value, expected in zip(("largest", "mean"), ours, printed[:2], strict=True):
            source = SOURCE + printed.source
            rows.append(compare(f"{name}, {label} error{note}", value, criterion, expected, source=source))
    return _in("Forward differences on the example", rows)


def inverse_rows(example: Data) -> list[Row]:
    """The inverse mass matrix on the example: the algorithm in the literature, and the corrected ones."""
    faulty = (published.FAULTY_LARGEST, published.FAULTY_MEAN)
    rows = []
    for label, value, expected in zip(("largest", "mean"), example["faulty error"], faulty, strict=True):
        criterion, source = within_absolute(5.1e-5), SOURCE + published.FAULTY_SOURCE
        rows.append(compare(f"M_fb^-1, faulty algorithm, {label} error", value, criterion, expected, source=source))
    for errors, (name, printed) in zip(example["inverse errors"], published.INVERSE_ERRORS.items(), strict=True):
        for label, value, expected in zip(("largest", "mean"), errors, printed[:2], strict=True):
            source = SOURCE + printed.source
            rows.append(compare(f"{name}, {label} error", value, no_more_than(10.0), expected, source=source))
    return _in("Inverse mass matrix on the example", rows)


def random_rows(errors: Array, inverses: Array, draws: int, like_published: bool) -> list[Row]:
    """The worst of the random systems; how the thesis drew its own is not said, so that only orders compare."""
    rows = []
    table = [*zip(QUANTITIES, errors[0], strict=True), *zip(published.INVERSE_ERRORS, inverses, strict=True)]
    for name, ours in table:
        printed = (published.DERIVATIVE_ERRORS | published.INVERSE_ERRORS)[name]
        criterion = no_more_than(10.0) if like_published or name in published.INVERSE_ERRORS else None
        for label, value, expected in zip(("largest", "mean"), ours, printed[2:4], strict=True):
            source = SOURCE + printed.source
            rows.append(compare(f"{name}, worst {label} error", value, criterion, expected, source=source))
    return _in(f"Random systems that exist, forward differences: the worst of {draws}", rows)


def corrected_rows(example: Array, drawn: Array, inverses: Array, step: float) -> list[Row]:
    """The same derivatives against better references than forward differences."""
    rows = []
    for k, name in enumerate(QUANTITIES):
        rows.append(compare(f"{name}, example, complex step", example[2, k, 0], at_most(1e-12)))
        rows.append(compare(f"{name}, random systems, complex step", drawn[2, k, 0], at_most(1e-12)))
        criterion = at_most(1e-7) if step == published.STEP else None
        rows.append(compare(f"{name}, random systems, central differences", drawn[1, k, 0], criterion))
    for name, errors in zip(published.INVERSE_ERRORS, inverses, strict=True):
        rows.append(compare(f"{name}, random systems", errors[0], at_most(1e-12)))
    return _in("Corrected: the derivatives themselves, largest errors", rows)


def existing_rows(example: Data) -> list[Row]:
    """The example with bodies and joints that exist: nothing was published of it, and the faults are not small."""
    acceleration, forces = example["corrected v_dot"], example["corrected tau"] / 1e8
    place = SOURCE + "section 5.1, with both faults"
    rows = [
        compare(
            "base acceleration v', corrected",
            acceleration,
            None,
            published.BASE_ACCELERATION,
            unit="m/s², rad/s²",
            source=place,
        ),
        compare("joint forces, corrected", forces, None, published.TORQUES, unit="1e8 N, N m", source=place),
    ]
    return _in("Corrected: the example with joints and bodies that exist (16 kg m² added to every moment)", rows)


def identity_rows(errors: Mapping[str, float]) -> list[Row]:
    """What holds for every system that exists."""
    named = (
        ("gravity, ID", "D1 ID, body chart, is -M g× in the base's columns", 1e-12),
        ("gravity, FD", "D1 FD, body chart, is (g×, 0)", 1e-12),
        ("charts", "D1 ID, world chart, is D1 body + D3 v×", 1e-12),
        ("Galilei", "D3 FD in linear velocity is (-ω^, 0, 0)", 1e-11),
        ("homogeneity", "D3 ID v + D4 ID r = 2 (h - G)", 1e-12),
        ("power", "power of h - G is that of dM/dt", 1e-12),
        ("momentum", "momentum in the world is constant without gravity", 1e-12),
        ("rigid body", "one body obeys Euler's equations", 1e-12),
    )
    rows = [compare(text, errors[name], at_most(limit)) for name, text, limit in named]
    text = "power of h - G is that of dM/dt, printed joint origins (must fail)"
    rows.append(compare(text, errors["power, printed origins"], at_least(0.1)))
    for chart, name in (("body", "state matrix"), ("tangent", "tangent"), ("world", "world")):
        reference = "complex steps of the field" if chart == "body" else "its change from the body chart"
        rows.append(compare(f"state matrix, {chart} chart, and {reference}", errors[name], at_most(1e-12)))
    return _in("Corrected: identities, largest relative errors", rows)


def chart_rows(errors: Array, duration: float) -> list[Row]:
    """Whether state matrices predict the flow."""
    rows = []
    for chart, error in zip(CHARTS, errors, strict=True):
        printed = chart == "printed"
        text = "state matrix as printed, (3.20) (must fail)" if printed else f"state matrix, {chart} chart"
        rows.append(compare(text, error, at_least(0.1) if printed else at_most(1e-7)))
    return _in(f"Corrected: state transition over {1e3 * duration:g} ms and the flow, largest relative errors", rows)


def engine_rows(errors: Mapping[str, float], printed_D1: Array) -> list[Row]:
    """The package's functions, and what the base's pose really does to accelerations."""
    rows = [
        compare(f"{name}, floatbase.algorithms", error, at_most(1e-11))
        for name, error in errors.items()
        if name != "D1 FD norm"
    ]
    norm = np.sqrt(2.0) * 9.81
    criterion = Criterion("√2 · 9.81", lambda ours, _: abs(ours - norm) <= 1e-9, needs_published=False)
    matrix, source = published.matrices()["D1 FD"]
    rows.append(
        compare(
            "norm of D1 FD, body chart",
            errors["D1 FD norm"],
            criterion,
            np.linalg.norm(matrix),
            unit="m/s²",
            source=f"{source}, world twist held",
        )
    )
    return _in("Corrected: the package's own functions beside the recursions, largest relative errors", rows)


def _spelled(name: str) -> str:
    """A printed name with its meaning."""
    if name not in QUANTITIES:
        return name
    order, dynamics = name.split()
    return f"{name}: derivative of {_BLOCKS[dynamics]} {_BLOCKS[order]}"


def _in(section: str, rows: list[Row]) -> list[Row]:
    return [replace(row, section=section) for row in rows]
