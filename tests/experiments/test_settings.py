"""Settings are checked, from Python and from texts."""

from dataclasses import dataclass

import pytest
from tests.experiments.toys import Settings, plan

from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.experiments import Experiment, Step, option
from floatbase.experiments.settings import assignments, make, options


def test_texts_become_values():
    texts = {"draws": "12", "scale": "1e-3", "kind": "uniform", "loud": "Yes", "note": "a=b"}
    assert make(Settings, texts, text=True) == Settings(12, 1e-3, "uniform", True, "a=b")
    assert make(Settings, {"loud": "off"}, text=True) == Settings()


def test_values_from_python_keep_their_types():
    assert make(Settings, {"scale": 2}).scale == 2.0
    assert isinstance(make(Settings, {"scale": 2}).scale, float)


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("draws", "many", "a whole number, at least 1, at most 100"),
        ("draws", "1.5", "a whole number"),
        ("draws", "0", "at least 1"),
        ("draws", "101", "at most 100"),
        ("scale", "nan", "a number"),
        ("scale", "inf", "a number"),
        ("kind", "cauchy", "one of 'normal', 'uniform'"),
        ("loud", "maybe", "true or false"),
    ],
)
def test_wrong_texts_say_what_would_be_right(name, value, wanted):
    with pytest.raises(ArgumentError, match=f"setting {name} is '{value}'; it must be .*{wanted}"):
        make(Settings, {name: value}, text=True)


@pytest.mark.parametrize(("name", "value"), [("draws", True), ("draws", 2.0), ("scale", "1"), ("loud", 1), ("note", 1)])
def test_wrong_values_are_refused(name, value):
    with pytest.raises(ArgumentError, match=f"setting {name} is"):
        make(Settings, {name: value})


def test_unknown_settings_list_near_matches():
    with pytest.raises(UnknownNameError, match="did you mean 'draws'"):
        make(Settings, {"draw": 3})


def test_assignments():
    assert assignments(["a=1", " b = x=y "]) == {"a": "1", "b": "x=y"}
    for wrong in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(ArgumentError):
            assignments(wrong)


def test_options_are_described():
    described = {item.name: item for item in options(Settings)}
    assert described["draws"].help == "number of draws (1 to 100)"
    assert described["kind"].kind == "normal | uniform"


def test_experiments_that_could_not_run_are_refused_when_defined():
    @dataclass
    class Thawed:
        draws: int = option(1, "draws")

    @dataclass(frozen=True)
    class Silent:
        draws: int = 1

    @dataclass(frozen=True)
    class Reserved:
        seed: int = option(1, "taken")

    @dataclass(frozen=True)
    class Wrong:
        draws: int = option(0, "draws", minimum=1)

    @dataclass(frozen=True)
    class Odd:
        draws: tuple = option((), "draws")

    for settings in (Thawed, Silent, Reserved, Wrong, Odd):
        with pytest.raises(ArgumentError):
            Experiment("name", "", "", settings, plan)
    with pytest.raises(ArgumentError, match="small letters"):
        Experiment("A name", "", "", Settings, plan)
    with pytest.raises(ArgumentError, match="small letters"):
        Step("../escape", dict)
