"""Units of signals: a closed table of names, and the change from one to another.

A value in a unit is `factor * value + offset` in the first unit of its quantity. Angles count as a quantity of their
own, so that degrees are never taken for plain numbers. The empty unit means that it is not known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, UnknownNameError, name_hint

_PI = float(np.pi)
_GRAVITY = 9.80665  # standard acceleration of free fall, m/s^2


class Unit(NamedTuple):
    """What a unit measures, and how its values become those of the quantity's first unit."""

    name: str
    quantity: str
    factor: float
    offset: float = 0.0


_TABLE: dict[str, tuple[tuple[str, float], ...]] = {
    "ratio": (("1", 1.0), ("%", 0.01)),
    "angle": (("rad", 1.0), ("deg", _PI / 180), ("turn", 2 * _PI), ("mrad", 1e-3)),
    "angular velocity": (("rad/s", 1.0), ("deg/s", _PI / 180), ("rpm", _PI / 30)),
    "angular acceleration": (("rad/s^2", 1.0), ("deg/s^2", _PI / 180)),
    "length": (("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("km", 1e3), ("in", 0.0254), ("ft", 0.3048)),
    "velocity": (("m/s", 1.0), ("cm/s", 1e-2), ("mm/s", 1e-3), ("km/h", 1 / 3.6)),
    "acceleration": (("m/s^2", 1.0), ("mm/s^2", 1e-3), ("g0", _GRAVITY)),
    "time": (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("min", 60.0), ("h", 3600.0)),
    "frequency": (("Hz", 1.0), ("kHz", 1e3)),
    "mass": (("kg", 1.0), ("g", 1e-3)),
    "force": (("N", 1.0), ("mN", 1e-3), ("kN", 1e3), ("lbf", 4.4482216152605)),
    "torque": (("N m", 1.0), ("mN m", 1e-3), ("N mm", 1e-3), ("kN m", 1e3)),
    "momentum": (("kg m/s", 1.0),),
    "angular momentum": (("kg m^2/s", 1.0),),
    "energy": (("J", 1.0), ("kJ", 1e3), ("Wh", 3600.0)),
    "power": (("W", 1.0), ("mW", 1e-3), ("kW", 1e3)),
    "pressure": (("Pa", 1.0), ("kPa", 1e3), ("MPa", 1e6), ("bar", 1e5)),
    "voltage": (("V", 1.0), ("mV", 1e-3)),
    "current": (("A", 1.0), ("mA", 1e-3)),
    "magnetic field": (("T", 1.0), ("mT", 1e-3), ("uT", 1e-6), ("G", 1e-4)),
    "temperature": (("K", 1.0),),
}
UNITS = {name: Unit(name, quantity, factor) for quantity, units in _TABLE.items() for name, factor in units} | {
    "degC": Unit("degC", "temperature", 1.0, 273.15)
}
_ALIASES = {
    "radian": "rad",
    "radians": "rad",
    "degree": "deg",
    "degrees": "deg",
    "°": "deg",
    "°/s": "deg/s",
    "°C": "degC",
    "metre": "m",
    "meter": "m",
    "second": "s",
    "seconds": "s",
    "sec": "s",
    "µs": "us",
    "µm": "um",
    "µT": "uT",
    "Nm": "N m",
    "mNm": "mN m",
    "Nmm": "N mm",
    "kNm": "kN m",
    "dps": "deg/s",
    "Newton": "N",
    "-": "1",
}
_DERIVED = {"length": "velocity", "velocity": "acceleration", "angle": "angular velocity"} | {
    "angular velocity": "angular acceleration",
    "energy": "power",
    "momentum": "force",
    "angular momentum": "torque",
}


def unit(name: str) -> Unit:
    """The unit of a name: `N m`, `N*m`, `Nm` and `N·m` are the same, so are `m/s^2`, `m/s2` and `m/s²`."""
    if not isinstance(name, str):
        raise ArgumentError(f"a unit is given by its name, got {name!r}")
    plain = _plain(name)
    found = UNITS.get(_ALIASES.get(plain, plain))
    if found is None:
        raise UnknownNameError(f"unknown unit {name[:40]!r}; {name_hint(plain[:40], UNITS, limit=0)}")
    return found


def canonical(name: str) -> str:
    """The name a unit has in floatbase; the empty unit stays empty."""
    return unit(name).name if name else ""


def conversion(source: str, target: str) -> tuple[float, float]:
    """`factor, offset` with `factor * value + offset` in the target unit."""
    if not source:
        raise ArgumentError(f"the unit of the signal is not known, so it cannot become {target!r}: say it first")
    a, b = unit(source), unit(target)
    if a.quantity != b.quantity:
        same = ", ".join(item.name for item in UNITS.values() if item.quantity == a.quantity)
        raise ArgumentError(
            f"{a.name!r} ({a.quantity}) cannot become {b.name!r} ({b.quantity}); units of {a.quantity}: {same}"
        )
    return a.factor / b.factor, (a.offset - b.offset) / b.factor


def convert(values: Any, source: str, target: str) -> Any:
    """Values of another unit of the same quantity."""
    factor, offset = conversion(source, target)
    if factor == 1.0 and offset == 0.0:
        return values
    return np.asarray(values) * factor + offset if offset else np.asarray(values) * factor


def coherent(name: str) -> str:
    """The first unit of a unit's quantity, that of the international system: `rad` for `deg`."""
    if not name:
        return ""
    quantity = unit(name).quantity
    return next(item.name for item in UNITS.values() if item.quantity == quantity)


def per_second(name: str) -> str:
    """The unit of a time derivative, empty if the table has none; differentiate in coherent units first."""
    if not name or coherent(name) != canonical(name):
        return {"deg": "deg/s", "deg/s": "deg/s^2", "mm": "mm/s", "mm/s": "mm/s^2", "cm": "cm/s"}.get(
            canonical(name), ""
        )
    quantity = _DERIVED.get(unit(name).quantity)
    return "" if quantity is None else next(item.name for item in UNITS.values() if item.quantity == quantity)


def _plain(name: str) -> str:
    text = name.strip().replace("·", " ").replace("*", " ").replace("²", "^2").replace("μ", "µ")
    if text.endswith("s2") and "/" in text:
        text = text[:-1] + "^2"
    return " ".join(text.split())
