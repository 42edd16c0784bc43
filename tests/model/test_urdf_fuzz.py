"""Whatever bytes come in, a model or a `FloatbaseError` comes out."""

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from floatbase.errors import FloatbaseError
from floatbase.model import ModelWarning, build_tree, find, parse_urdf

FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

NAMES = st.sampled_from(["a", "b", "c", "d", "", " ", "world", "é", "${x}", "a" * 300])
NUMBERS = st.one_of(
    st.sampled_from(
        ["0", "1", "-1", "nan", "inf", "-inf", "1e400", "1e-400", "", "x", "1,5", "0x10", "1_0", "٣", "1e308"]
    ),
    st.floats(-10, 10).map(repr),
)


def vector(size=3):
    return st.lists(NUMBERS, min_size=size - 1, max_size=size + 1).map(" ".join)


def element(tag, attributes, children=None):
    """An element with some of its attributes, and some children."""
    pairs = st.fixed_dictionaries({}, optional=attributes)
    inner = st.lists(children, max_size=4).map("".join) if children is not None else st.just("")

    def render(parts):
        written, content = parts
        text = "".join(f" {name}={_quote(value)}" for name, value in written.items())
        return f"<{tag}{text}>{content}</{tag}>"

    return st.tuples(pairs, inner).map(render)


def _quote(value):
    return '"' + value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") + '"'


ORIGIN = element("origin", {"xyz": vector(), "rpy": vector()})
TENSOR = element("inertia", dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), NUMBERS))
INERTIAL = element("inertial", {}, st.one_of(ORIGIN, element("mass", {"value": NUMBERS}), TENSOR))
SHAPE = st.one_of(
    element("box", {"size": vector()}),
    element("sphere", {"radius": NUMBERS}),
    element("cylinder", {"radius": NUMBERS, "length": NUMBERS}),
    element("mesh", {"filename": st.text(max_size=20).filter(lambda t: t.isprintable()), "scale": vector()}),
)
VISUAL = element("visual", {}, st.one_of(ORIGIN, element("geometry", {}, SHAPE), element("material", {"name": NAMES})))
LINK = element("link", {"name": NAMES}, st.one_of(INERTIAL, VISUAL))
KINDS = st.sampled_from(["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "x"])
JOINT = element(
    "joint",
    {"name": NAMES, "type": KINDS},
    st.one_of(
        element("parent", {"link": NAMES}),
        element("child", {"link": NAMES}),
        element("axis", {"xyz": vector()}),
        element("limit", dict.fromkeys(("lower", "upper", "effort", "velocity"), NUMBERS)),
        element("mimic", {"joint": NAMES, "multiplier": NUMBERS, "offset": NUMBERS}),
        ORIGIN,
    ),
)
SENSOR = element(
    "sensor",
    {"name": NAMES, "type": st.sampled_from(["imu", "force_torque", ""])},
    st.one_of(element("parent", {"link": NAMES, "joint": NAMES}), ORIGIN, st.just("<pose>1 2 3</pose>")),
)
GAZEBO = element("gazebo", {"reference": NAMES}, SENSOR)
ROBOT = element("robot", {"name": NAMES}, st.one_of(LINK, LINK, JOINT, SENSOR, GAZEBO))


def survives(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ModelWarning)
        try:
            model = parse_urdf(data)
            tree = build_tree(model, allow_massless=True)
            assert np.isfinite([body.parameters for body in tree.bodies]).all()
            assert len(model.digest) == 64
        except FloatbaseError as error:
            assert str(error)


@FUZZ
@given(ROBOT)
def test_generated_files(text):
    survives(text)


@FUZZ
@given(st.binary(max_size=200))
def test_random_bytes(data):
    survives(data)


@cache
def sample(name):
    return find(name).read_bytes()


@FUZZ
@pytest.mark.parametrize("name", ["panda", "left_hand_mk3", "double_pendulum"])
@given(data=st.data())
def test_mutated_files(name, data):
    content = bytearray(sample(name))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(["byte", "cut", "end", "repeat", "number"])):
            case "byte":
                content[start] = data.draw(st.integers(0, 255))
            case "cut":
                del content[start : start + data.draw(st.integers(1, 400))]
            case "end":
                del content[start:]
            case "repeat":
                content[start:start] = content[start : start + data.draw(st.integers(1, 2000))]
            case "number":
                digits = [k for k in range(start, min(start + 500, len(content))) if 48 <= content[k] <= 57]
                if digits:
                    content[digits[0] : digits[0] + 1] = data.draw(NUMBERS).encode()
        if not content:
            break
    survives(bytes(content))


@FUZZ
@given(data=st.data())
def test_mutated_trees(data):
    """Valid XML with names exchanged, so that the structure is wrong more often than the syntax."""
    text = sample("double_pendulum").decode()
    words = ["base_link", "link1", "link2", "joint1", "joint2", "revolute", "fixed", "parent", "child", "link", "joint"]
    for _ in range(data.draw(st.integers(1, 3))):
        old, new = data.draw(st.sampled_from(words)), data.draw(st.sampled_from(words))
        text = text.replace(old, new, data.draw(st.integers(1, 4)))
    survives(text)
