"""Numbers as text, short enough for a table."""

from __future__ import annotations


def number_text(value: float | None, digits: int = 4) -> str:
    """A number with some significant digits: 13.87, 1.41e8, 4.8e-13; "-" for none."""
    if value is None:
        return "-"
    text = f"{value:.{digits - 1}e}" if 0.0 < abs(value) < 1e-3 else f"{value:.{digits}g}"
    if "e" not in text:
        return "0" if text == "-0" else text
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}"
