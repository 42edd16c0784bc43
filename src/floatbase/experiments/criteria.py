"""When a number of ours counts as reproducing a published one, or as right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Criterion:
    """`test(ours, published)`, in words. Numbers are finite; unreadable published entries are left out."""

    text: str
    test: Callable[[Numbers, Numbers], bool | np.bool_]
    needs_published: bool = True

    def holds(self, ours: Numbers, published: Numbers | None) -> bool:
        """Whether it is met: not if there should be a published number of the same shape, and there is none."""
        if not self.needs_published:
            return bool(self.test(ours, ours))
        if published is None or published.shape != ours.shape:
            return False
        readable = np.isfinite(published)
        return bool(readable.any()) and bool(self.test(ours[readable], published[readable]))


def within(relative: float, of_mean: float = 0.0) -> Criterion:
    """Each entry within a part of the published one, or of the mean magnitude (for noise beside zeros)."""

    def test(ours: Numbers, published: Numbers) -> np.bool_:
        slack = np.maximum(relative * np.abs(published), of_mean * np.mean(np.abs(published)))
        return np.all(np.abs(ours - published) <= slack)

    slack_text = f" or {_short(of_mean)} of the mean" if of_mean else ""
    return Criterion(f"each within {_short(100.0 * relative)} %{slack_text}", test)


def within_absolute(limit: float) -> Criterion:
    """Each entry no further than `limit` from the published one."""
    return Criterion(f"each within ±{_short(limit)}", lambda ours, published: np.all(np.abs(ours - published) <= limit))


def within_factor(factor: float) -> Criterion:
    """Neither larger nor smaller by more than a factor."""
    return Criterion(
        f"within a factor {_short(factor)}",
        lambda ours, published: np.all((ours <= factor * published) & (published <= factor * ours)),
    )


def no_more_than(factor: float) -> Criterion:
    """At most so many times the published number, for errors that may as well be smaller."""
    return Criterion(
        f"at most {_short(factor)} × published", lambda ours, published: np.all(ours <= factor * published)
    )


def at_most(limit: float) -> Criterion:
    """Each entry at most `limit`, for errors that nobody published."""
    return Criterion(f"at most {_short(limit)}", lambda ours, _: np.all(ours <= limit), needs_published=False)


def at_least(limit: float) -> Criterion:
    """Each entry at least `limit`, for what must fail."""
    return Criterion(f"at least {_short(limit)}", lambda ours, _: np.all(ours >= limit), needs_published=False)


def _short(number: float) -> str:
    return f"{number:.3g}".replace("e-0", "e-").replace("e+0", "e")
