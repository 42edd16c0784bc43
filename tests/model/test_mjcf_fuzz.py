"""Damaged MJCF files: a model, or an error of floatbase, never anything else."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.test_mjcf import ARM, WALKER, quiet

from floatbase.errors import FloatbaseError
from floatbase.model import build_tree

VALUES = [
    "",
    "0",
    "-1",
    "1e308",
    "nan",
    "inf",
    "1 2 3",
    "0 0 0",
    "world",
    "torso",
    "hip",
    "free",
    "ball",
    "\0",
    "9" * 30,
]
ATTRIBUTE = re.compile(r'="([^"]*)"')
ELEMENT = re.compile(r"<[^<>]*/>")


@st.composite
def damaged(draw):
    text = draw(st.sampled_from([ARM, WALKER]))
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["value", "value", "without", "twice", "cut"]))
        places = [match.span() for match in (ATTRIBUTE if kind == "value" else ELEMENT).finditer(text)]
        start, end = draw(st.sampled_from(places or [(0, 1)]))
        if kind == "value":
            text = f'{text[:start]}="{draw(st.sampled_from(VALUES))}"{text[end:]}'
        elif kind == "twice":
            text = text[:end] + text[start:end] + text[end:]
        else:
            text = text[:start] + text[end if kind == "without" else start + 3 :]
    return text


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=150, deadline=None)
@given(damaged())
def test_damaged_files_give_a_model_or_an_error_of_ours(text):
    try:
        build_tree(quiet(text))
    except FloatbaseError as error:
        assert str(error)
