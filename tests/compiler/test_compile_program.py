"""A program that was read from a file runs as machine code."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.compiler import load, save
from floatbase.errors import ArgumentError


def test_a_program_from_a_file_gives_the_same_bits(tmp_path, load_robot, rng):
    robot = load_robot("anymal_c", "mixed")
    save(robot.program("bias"), tmp_path / "bias.program")
    function = fb.compile_program(load(tmp_path / "bias.program"))
    q, v = robot.random(rng, n=5)
    assert np.array_equal(function(q, v), robot.bias(q, v))
    assert np.array_equal(function(q[0], v[0]), robot.bias(q[0], v[0]))


def test_only_programs_are_compiled():
    with pytest.raises(ArgumentError, match=r"compile_program takes a floatbase\.Program, got function"):
        fb.compile_program(lambda x: x)
