"""`floatbase.gpu`, with a driver that is not there."""

import subprocess
import sys
from enum import IntEnum
from types import SimpleNamespace

import pytest

import floatbase as fb
from floatbase.compiler.gpu import driver
from floatbase.errors import FloatbaseError, GpuError, MissingDependencyError

MAJOR, MINOR = "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"


class Result(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_NO_DEVICE = 100


def bindings(*capabilities):
    """What is called to look at GPUs of the given capabilities; there is nothing to open one with."""
    names = (MAJOR, MINOR, "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT", "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK")
    values = {MAJOR: lambda number: capabilities[number][0], MINOR: lambda number: capabilities[number][1]}
    return SimpleNamespace(
        CUresult=Result,
        CUdevice_attribute=SimpleNamespace(**{name: name for name in names}),
        cuInit=lambda flags: (Result.CUDA_SUCCESS if capabilities else Result.CUDA_ERROR_NO_DEVICE,),
        cuGetErrorString=lambda status: (Result.CUDA_SUCCESS, b"no CUDA-capable device is detected"),
        cuDeviceGetCount=lambda: (Result.CUDA_SUCCESS, len(capabilities)),
        cuDeviceGet=lambda number: (Result.CUDA_SUCCESS, number),
        cuDeviceGetName=lambda size, number: (Result.CUDA_SUCCESS, b"Fake GPU %d\0\0" % number),
        cuDeviceGetAttribute=lambda name, number: (Result.CUDA_SUCCESS, values.get(name, lambda _: 100)(number)),
        cuDriverGetVersion=lambda: (Result.CUDA_SUCCESS, 13000),
    )


@pytest.fixture
def install(monkeypatch):
    monkeypatch.setattr(driver, "_devices", {})
    return lambda *capabilities: monkeypatch.setattr(driver, "_bindings", lambda: bindings(*capabilities))


def test_gpus_that_are_recent_enough_are_listed_unopened(install):
    install((9, 0), (7, 5), (12, 1))
    found = fb.gpu.devices()
    assert [(gpu.number, gpu.name, gpu.capability) for gpu in found] == [
        (0, "Fake GPU 0", (9, 0)),
        (2, "Fake GPU 2", (12, 1)),
    ]
    assert repr(found[0]) == "<GPU 0: Fake GPU 0, compute capability 9.0>"
    assert fb.gpu.devices() == found
    with pytest.raises(GpuError, match=r"GPU 1 \(Fake GPU 1\) has compute capability 7\.5; programs need 8\.0"):
        driver.device(1)
    with pytest.raises(GpuError, match="no GPU 3; the GPUs are numbered from 0 to 2"):
        driver.device(3)


@pytest.mark.parametrize("number", ["0", 1.0, True])
def test_a_gpu_is_chosen_by_number(install, number):
    install((9, 0), (9, 0))
    with pytest.raises(FloatbaseError, match="a GPU is chosen by its number"):
        driver.device(number)


def test_a_driver_without_gpus_is_an_error(install):
    install()
    with pytest.raises(GpuError, match="no CUDA-capable device"):
        fb.gpu.devices()


def test_missing_bindings_are_named(monkeypatch):
    driver._bindings.cache_clear()
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    with pytest.raises(MissingDependencyError, match=r"floatbase\[gpu\]"):
        fb.gpu.devices()
    driver._bindings.cache_clear()


def test_the_module_is_imported_when_asked_for():
    code = (
        "import sys, floatbase as fb\n"
        "assert 'floatbase.gpu' not in sys.modules and 'gpu' in dir(fb)\n"
        "with fb.gpu.deferred():\n    fb.gpu.check()\n"
        "assert not any(name.startswith('cuda') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
