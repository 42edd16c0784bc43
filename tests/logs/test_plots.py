"""Plots of signals, and what the commands print and write."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from tests.logs.conftest import assert_same, make_log

from floatbase import logs, report
from floatbase.errors import ArgumentError, LogError


def test_long_curves_keep_their_peaks_in_few_points():
    time = np.arange(200_000) / 1000
    values = np.sin(0.1 * time)
    values[77_777] = 9.0
    (curve,) = logs.envelope(logs.signal("x", time, values))
    assert len(curve.time) == 1200
    assert curve.high.max() == 9.0
    assert curve.low.min() == values.min()
    quiet = np.abs(curve.time - time[77_777]) > 1.0
    np.testing.assert_allclose(curve.values[quiet], np.sin(0.1 * curve.time)[quiet], atol=1e-3)


def test_gaps_and_nan_interrupt_curves():
    time = np.delete(np.arange(100_000) / 1000, slice(40_000, 50_000))
    values = np.cos(time)
    values[1000:5000] = np.nan
    (curve,) = logs.envelope(logs.signal("x", time, values))
    broken = curve.time[np.isnan(curve.values)]
    assert ((broken > 1.0) & (broken < 5.0)).any()
    assert (np.abs(broken - 40.0) < 0.1).any()
    (short,) = logs.envelope(logs.signal("x", [0.0, 1.0, 2.0, 30.0, 31.0], np.arange(5.0)))
    np.testing.assert_array_equal(short.values, [0.0, 1.0, 2.0, np.nan, 3.0, 4.0])
    with pytest.raises(ArgumentError, match="drawing needs time stamps"):
        logs.envelope(logs.signal("x", [1.0, 0.0], [0.0, 0.0]))


def test_panels_have_units_names_and_axes(log, tmp_path):
    wrench = logs.signal("foot/wrench", [0.0, 1.0], np.zeros((2, 2)), ["N", "N m"], columns=["f", "m"], frame="sole")
    drawing = logs.drawing([*log, wrench])
    assert [panel.unit for panel in drawing.panels] == ["rad", "", "1", "m/s^2", "quaternion", "N", "N m"]
    from matplotlib.figure import Figure

    figure = Figure(figsize=drawing.size)
    drawing.draw(figure)
    axes = figure.axes
    assert axes[0].get_ylabel() == "rad"
    assert axes[0].get_title() == "joints/position"
    assert axes[-1].get_xlabel() == "time [s]"
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["hip", "knee"]
    light, dark = report.draw_png(drawing.draw, drawing.size)
    assert light.startswith(b"\x89PNG") and dark.startswith(b"\x89PNG") and light != dark
    with pytest.raises(ArgumentError, match="no signal to draw"):
        logs.drawing([])
    with pytest.raises(ArgumentError, match="more than 24 panels"):
        logs.drawing([wrench] * 30)
    with pytest.raises(ArgumentError, match="stretches is 1"):
        logs.drawing([wrench], stretches=1)


def told(path, **options) -> tuple[str, tuple[logs.Finding, ...]]:
    stream = io.StringIO()
    found = logs.info(Console(file=stream, width=140), path, **options)
    return stream.getvalue(), found


def test_info_tells_what_a_file_holds(log, tmp_path):
    logs.save(log, tmp_path / "a.parquet")
    text, found = told(tmp_path / "a.parquet")
    assert found == ()
    for word in (
        "5 signals",
        "joints/position",
        "rad",
        "imu",
        "100 Hz stated",
        "20 Hz by the median",
        "robot: pendulum",
        "nothing",
    ):
        assert word in text
    (tmp_path / "b.csv").write_text("t,a [deg]\n0,1\n0.1,\n0.2,3\n9,5\n")
    text, found = told(tmp_path / "b.csv")
    assert [item.kind for item in found] == ["jump", "NaN"] or [item.kind for item in found] == ["gap", "NaN"]
    assert "! a: 1 values are NaN, the first at 0.1 s" in text
    assert told(tmp_path / "b.csv", check=False)[1] == ()
    writer = logs.LogWriter(tmp_path / "c.parquet", log)
    writer.append("imu", 0.0, {"acceleration": np.zeros(3), "orientation": np.zeros(4)})
    writer.close()
    text, found = told(tmp_path / "c.parquet")
    assert "not finished" in text
    assert [item.kind for item in found] == ["length"]


def test_convert_reads_any_kind_and_writes_parquet_or_csv(log, tmp_path):
    logs.save(log, tmp_path / "a.parquet")
    written = logs.convert(
        tmp_path / "a.parquet", tmp_path / "b.parquet", names=["imu/*"], start=1.0, compression="zstd"
    )
    assert_same(logs.load(tmp_path / "b.parquet"), log.select("imu/*").between(1.0))
    assert_same(written, log.select("imu/*").between(1.0))
    logs.convert(tmp_path / "a.parquet", tmp_path / "a.csv", names=["joints/*"])
    logs.convert(tmp_path / "a.csv", tmp_path / "c.parquet", rate=10.0)
    assert logs.load(tmp_path / "c.parquet")["joints/position/hip"].unit == "rad"
    for target, options, text in (
        ("x.mat", {}, "written as .parquet or .csv"),
        ("b.parquet", {}, "exists"),
        ("x.parquet", {"group": "imu"}, "group is for CSV"),
        ("x.csv", {}, "one clock"),
    ):
        with pytest.raises(ArgumentError, match=text):
            logs.convert(tmp_path / "a.parquet", tmp_path / target, **options)
    with pytest.raises(LogError, match="no such file"):
        logs.convert(tmp_path / "none", tmp_path / "x.csv")


def test_plot_draws_a_file_signal_by_signal(tmp_path):
    logs.save(make_log(20_000), tmp_path / "a.parquet")
    drawing = logs.plot(tmp_path / "a.parquet", names=["position", "imu/*"], start=10.0, stop=180.0)
    assert [panel.title for panel in drawing.panels] == [
        "joints/position",
        "imu/acceleration (imu)",
        "imu/orientation (imu)",
    ]
    assert len(drawing.panels[0].curves[0].time) == 1200
    (tmp_path / "b.csv").write_text("t,a\n0,1\n1,2\n")
    assert logs.plot(tmp_path / "b.csv").panels[0].title == "a"
