"""Settings shared by all tests: where compiled code is kept, and robots that several tests use."""

from __future__ import annotations

import os
import signal
from functools import cache
from pathlib import Path

import pytest

# kept between runs, shared by parallel workers; set before floatbase is imported
os.environ.setdefault("FLOATBASE_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "floatbase"))

import numpy as np

import floatbase as fb

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; some tests interrupt processes
    signal.signal(signal.SIGINT, signal.default_int_handler)


@cache
def _robot(name: str, representation: str) -> fb.Robot:
    return fb.load(name, representation=representation)


@pytest.fixture
def load_robot():
    """Robots by name and representation, loaded once for all tests of a process."""
    return _robot


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20170411)
