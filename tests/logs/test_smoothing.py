"""Filters: polynomials are kept, phases are not shifted, ends behave as told, and equations survive decimation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import sosfreqz

from floatbase import logs
from floatbase.errors import ArgumentError

RATE = 1000.0
TIME = np.arange(2000) / RATE


def sine(frequency: float, phase: float = 0.0) -> logs.Signal:
    return logs.signal("x", TIME, np.sin(2 * np.pi * frequency * TIME + phase), "rad")


def phase_and_gain(signal: logs.Signal, frequency: float) -> tuple[float, float]:
    """Against a sine, away from the ends, over whole periods."""
    inside = signal.rows(slice(500, 1500))
    factor = 2.0 * np.mean(inside.values * np.exp(-2j * np.pi * frequency * inside.time)) * 1j
    return float(np.angle(factor)), float(np.abs(factor))


@pytest.mark.parametrize("placed", ["about", "before"])
@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_savitzky_golay_keeps_polynomials(placed, derivative):
    polynomial = np.polynomial.Polynomial([0.3, -1.0, 2.0, 5.0])
    x = logs.signal("x", TIME, polynomial(TIME), "rad")
    found = logs.savitzky_golay(x, 21, 3, derivative=derivative, placed=placed)
    expected = (polynomial.deriv(derivative) if derivative else polynomial)(TIME)
    start = 20 if placed == "before" else 0  # also at the ends
    np.testing.assert_allclose(found.values[start:], expected[start:], rtol=0, atol=1e-10 * 10 ** (3 * derivative))
    assert np.isnan(found.values[:start]).all()
    assert found.unit == ("rad", "rad/s", "rad/s^2")[derivative]


def test_windows_before_the_sample_do_not_look_ahead():
    step = logs.signal("x", TIME, (TIME >= 1.0).astype(float))
    assert np.abs(logs.savitzky_golay(step, 51, 2, placed="before").values[50:1000]).max() < 1e-14
    assert np.abs(logs.savitzky_golay(step, 51, 2).values[990:1000]).max() > 0.1


def test_savitzky_golay_as_used_for_wrenches_reduces_noise():
    """Window 301 and order 3 at 100 Hz: white noise shrinks by the norm of the weights."""
    noise = np.random.default_rng(0).standard_normal(20_000)
    found = logs.savitzky_golay(logs.signal("x", np.arange(20_000) / 100, noise), 301, 3).values[150:-150]
    assert found.std() == pytest.approx(np.sqrt(9 / 4 / 301), rel=0.1)


@pytest.mark.parametrize("frequency", [1.0, 5.0, 20.0])
def test_the_zero_phase_filter_has_no_phase_and_the_square_of_the_gain(frequency):
    phase, gain = phase_and_gain(logs.lowpass(sine(frequency), 50.0), frequency)
    assert abs(np.rad2deg(phase)) < 0.01
    expected = 1.0 / (1.0 + (np.tan(np.pi * frequency / RATE) / np.tan(np.pi * 50.0 / RATE)) ** 8)
    assert gain == pytest.approx(expected, rel=1e-5)


def test_the_gain_at_the_cutoff_is_a_half():
    assert phase_and_gain(logs.lowpass(sine(50.0), 50.0), 50.0)[1] == pytest.approx(0.5, rel=1e-4)


def test_filtering_forward_alone_delays():
    """By the phase of a Butterworth filter of order 4."""
    from scipy.signal import butter

    phase, gain = phase_and_gain(logs.lowpass(sine(5.0), 50.0, zero_phase=False), 5.0)
    _, response = sosfreqz(butter(4, 50.0, fs=RATE, output="sos"), [5.0], fs=RATE)
    assert phase == pytest.approx(np.angle(response[0]), abs=1e-6)
    assert gain == pytest.approx(np.abs(response[0]), rel=1e-6)


def test_a_chain_of_filter_and_decimation_keeps_a_slow_sine():
    """5 Hz through the chain at 1 kHz: the phase moves by less than 0.1 degree, the gain by less than 0.5 %."""
    x = logs.decimate(logs.lowpass(sine(5.0), 50.0), 4)
    inside = x.rows(slice(100, 400))
    factor = 2.0 * np.mean(inside.values * np.exp(-2j * np.pi * 5.0 * inside.time)) * 1j
    assert abs(np.rad2deg(np.angle(factor))) < 0.1
    assert abs(np.abs(factor) - 1.0) < 0.005


def test_an_equation_between_columns_and_torques_survives_decimation():
    rng = np.random.default_rng(0)
    W = np.cumsum(rng.standard_normal((2000, 6)), axis=0)
    parameters = rng.standard_normal(6)
    torque = logs.decimate(logs.signal("tau", TIME, W @ parameters, "N m"), 4)
    regressor = logs.decimate(logs.signal("W", TIME, W), 4)
    np.testing.assert_allclose(regressor.values @ parameters, torque.values, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(torque.time, TIME[::4])
    assert logs.decimate(torque, 1) is torque


def test_decimation_removes_what_would_fold_back():
    assert np.abs(logs.decimate(sine(200.0), 4).rows(slice(50, -50)).values).max() < 1e-4


@pytest.mark.parametrize(("rate", "frequency", "factor"), [(1000, 500, 1), (1000, 100, 4), (140, 100, 1)])
def test_decimation_factors(rate, frequency, factor):
    assert logs.decimation_factor(rate, frequency) == factor


def test_central_differences_are_exact_for_parabolas():
    x = logs.signal("x", TIME, 3.0 + 2.0 * TIME - 4.0 * TIME**2, "deg")
    np.testing.assert_allclose(logs.differentiate(x).values, 2.0 - 8.0 * TIME, atol=1e-9)
    np.testing.assert_allclose(logs.differentiate(x, 2).values, -8.0, atol=1e-6)
    assert (logs.differentiate(x).unit, logs.differentiate(x, 2).unit) == ("deg/s", "deg/s^2")


def test_adaptive_velocity_is_exact_on_lines_and_within_noise_on_encoders():
    line = logs.signal("x", TIME, 2.0 - 3.0 * TIME, "rad")
    found = logs.adaptive_velocity(line, 1e-9).values
    assert np.isnan(found[0])
    np.testing.assert_allclose(found[1:], -3.0, atol=1e-9)
    tick = 2 * np.pi / 4096
    smooth = np.sin(0.4 * np.pi * TIME)
    encoder = logs.signal("x", TIME, tick * np.round(smooth / tick), "rad")
    exact = 0.4 * np.pi * np.cos(0.4 * np.pi * TIME)
    adaptive = logs.adaptive_velocity(encoder, tick / 2).values[60:] - exact[60:]
    plain = np.diff(encoder.values)[59:] * RATE - exact[60:]
    assert adaptive.std() < 0.15 * plain.std()


def test_columns_are_filtered_each_for_itself_and_types_stay():
    table = np.random.default_rng(0).standard_normal((2000, 3))
    found = logs.lowpass(logs.signal("x", TIME, table.astype(np.float32), ["N", "N", "N m"]), 20.0)
    assert found.values.dtype == np.float32
    assert found.units == ("N", "N", "N m")
    for k in range(3):
        one = logs.lowpass(logs.signal("x", TIME, table[:, k].astype(np.float32)), 20.0)
        np.testing.assert_array_equal(found.values[:, k], one.values)
    whole = logs.lowpass(logs.signal("n", TIME, np.arange(2000)), 20.0)
    np.testing.assert_allclose(whole.values, np.arange(2000), atol=1e-3)


def test_constants_pass_unchanged_to_the_ends():
    x = logs.signal("x", TIME, np.full(2000, 3.0))
    for found in (logs.lowpass(x, 5.0), logs.lowpass(x, 5.0, zero_phase=False), logs.savitzky_golay(x, 11, 2)):
        np.testing.assert_allclose(found.values, 3.0, rtol=1e-9)
    np.testing.assert_allclose(logs.decimate(x, 5).values, 3.0, rtol=1e-9)


X = sine(1.0)
JITTERED = X.with_values(X.values, time=TIME + 2e-4 * np.random.default_rng(0).standard_normal(2000).clip(-2, 2))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: logs.savitzky_golay(X, 20, 3), "window is 20; it must be an odd"),
        (lambda: logs.savitzky_golay(X, 2001, 3), "window is 2001, but 'x' has 2000 samples"),
        (lambda: logs.savitzky_golay(X, 5, 5), "order is 5; it must be from 0 to 4"),
        (lambda: logs.savitzky_golay(X, 5, 3, derivative=3), "derivative is 3"),
        (lambda: logs.savitzky_golay(X, 5, 0, derivative=1), "at most the order, 0"),
        (lambda: logs.savitzky_golay(X, 5, 3, placed="after"), "placed is 'after'"),
        (lambda: logs.savitzky_golay(JITTERED, 5, 3), "are not regular"),
        (lambda: logs.lowpass(X, 500.0), "between 0 and half the rate, 500 Hz"),
        (lambda: logs.lowpass(X, 0.0), "cutoff is 0.0"),
        (lambda: logs.lowpass(X, 5.0, order=0), "order is 0"),
        (lambda: logs.decimate(X, 0), "factor is 0"),
        (lambda: logs.decimate(X, 2.5), "factor is 2.5"),
        (lambda: logs.decimation_factor(0, 1), "must be positive"),
        (lambda: logs.differentiate(X, 3), "times is 3"),
        (lambda: logs.differentiate(X.rows(slice(0, 2))), "central differences need 3"),
        (lambda: logs.adaptive_velocity(X, 0.0), "noise is 0.0"),
        (lambda: logs.adaptive_velocity(X, 1.0, longest=0), "longest is 0"),
        (lambda: logs.sample_rate(X.rows(slice(0, 1))), "a rate needs two"),
        (lambda: logs.lowpass(X.with_values(np.where(TIME == 1.0, np.nan, X.values)), 5.0), "NaN or infinite.*1.0 s"),
        (lambda: logs.lowpass(logs.signal("b", TIME, TIME > 1), 5.0), "truth values"),
        (
            lambda: logs.lowpass(logs.signal("q", TIME, np.tile([1.0, 0, 0, 0], (2000, 1)), orientation=True), 5.0),
            "is an orientation",
        ),
    ],
)
def test_wrong_requests_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
