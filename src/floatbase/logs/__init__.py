"""Logs: named signals over time with units and frames; recording, files, other programs' files, filters, plots.

Recording and processing need NumPy alone; files and filters need `pip install 'floatbase[logs]'`.
"""

from floatbase.logs.check import Finding, check_clock
from floatbase.logs.columns import Columns
from floatbase.logs.commands import convert, info, plot
from floatbase.logs.layout import channel, layout_of
from floatbase.logs.limits import Limits
from floatbase.logs.loading import load, open_log
from floatbase.logs.log import Log, join, merge
from floatbase.logs.mat import read_mat
from floatbase.logs.parquet import save
from floatbase.logs.plots import Drawing, drawing, envelope
from floatbase.logs.resampling import align, fill, resample
from floatbase.logs.ros import read_ros
from floatbase.logs.signals import Signal, signal
from floatbase.logs.smoothing import (
    adaptive_velocity,
    decimate,
    decimation_factor,
    differentiate,
    lowpass,
    sample_rate,
    savitzky_golay,
)
from floatbase.logs.source import LogFile
from floatbase.logs.tables import read_csv, read_table, write_csv
from floatbase.logs.units import UNITS
from floatbase.logs.writer import LogWriter
from floatbase.logs.yarp import read_yarp

__all__ = [
    "UNITS",
    "Columns",
    "Drawing",
    "Finding",
    "Limits",
    "Log",
    "LogFile",
    "LogWriter",
    "Signal",
    "adaptive_velocity",
    "align",
    "channel",
    "check_clock",
    "convert",
    "decimate",
    "decimation_factor",
    "differentiate",
    "drawing",
    "envelope",
    "fill",
    "info",
    "join",
    "layout_of",
    "load",
    "lowpass",
    "merge",
    "open_log",
    "plot",
    "read_csv",
    "read_mat",
    "read_ros",
    "read_table",
    "read_yarp",
    "resample",
    "sample_rate",
    "save",
    "savitzky_golay",
    "signal",
    "write_csv",
]
