"""What counts as reproduced."""

import numpy as np
import pytest

from floatbase.experiments import at_least, at_most, compare, no_more_than, within, within_absolute, within_factor


@pytest.mark.parametrize(
    ("criterion", "ours", "published", "holds"),
    [
        (within(0.01), 1.009, 1.0, True),
        (within(0.01), 1.011, 1.0, False),
        (within(0.01), [1.0, 1e-9], [1.0, 0.0], False),
        (within(0.01, of_mean=1e-6), [1.0, 1e-9], [1.0, 0.0], True),
        (within(0.01), [1.0, 7.0], [1.0, np.nan], True),
        (within(0.01), [7.0], [np.nan], False),
        (within(0.01), [1.0, 2.0], [1.0], False),
        (within(0.01), 1.0, None, False),
        (within_absolute(0.1), [1.05, -1.0], [1.0, -1.0], True),
        (within_absolute(0.1), [1.2, -1.0], [1.0, -1.0], False),
        (within_factor(3.0), 0.4, 1.0, True),
        (within_factor(3.0), 0.3, 1.0, False),
        (within_factor(3.0), 3.5, 1.0, False),
        (no_more_than(10.0), 1e-9, 1.0, True),
        (no_more_than(10.0), 11.0, 1.0, False),
        (at_most(1e-12), 1e-13, None, True),
        (at_most(1e-12), [1e-13, 1e-11], None, False),
        (at_most(1e-12), np.nan, None, False),
        (at_most(1e-12), -np.inf, None, False),
        (at_least(0.1), 0.5, None, True),
        (at_least(0.1), 0.05, None, False),
    ],
)
def test_criteria(criterion, ours, published, holds):
    assert compare("x", ours, criterion, published).holds is holds


def test_a_row_without_a_criterion_judges_nothing():
    row = compare("x", [[1, 2]], published=[[1.0, np.nan]], unit="m", source="somewhere")
    assert row.ours == ((1.0, 2.0),)
    assert row.published == ((1.0, None),)
    assert row.holds is None
