"""A GPU that is not there, known to the package while a test runs."""

import pytest
from tests.compiler.gpu import fake

from floatbase.compiler.gpu import function, libraries


@pytest.fixture
def library(monkeypatch):
    found = fake.Library()
    monkeypatch.setitem(libraries._libraries, fake.Array, found)
    return found


@pytest.fixture
def gpus(monkeypatch, library):
    """Two GPUs, by number; a test says which program they run."""
    devices = {number: fake.Device(number) for number in range(2)}
    monkeypatch.setattr(function, "device", devices.__getitem__)
    return devices
