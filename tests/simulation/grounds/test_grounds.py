"""Grounds: heights and normals agree, on numbers and on symbols; softness from place to place; bad input."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation import grounds

X, Y = np.linspace(-1.0, 2.0, 7), np.linspace(0.0, 1.0, 5)


def waves(x, y):
    return 0.1 * np.sin(2.0 * x) * np.cos(3.0 * y) + 0.05 * x


ALL = [
    grounds.Flat(0.3),
    grounds.Slope(0.3, 0.7, 0.1),
    grounds.Stairs(0.15, 0.3, count=3, start=0.2, direction=0.4, edge=0.1),
    grounds.Stairs(-0.1, 0.25, edge=0.05),
    grounds.HeightField.of_function(waves, X, Y),
    grounds.HeightField.of_function(waves, X, Y, interpolation="bilinear"),
]


def places(n=200):
    rng = np.random.default_rng(0)
    return rng.uniform(-2.0, 3.0, n), rng.uniform(-1.0, 2.0, n)


@pytest.mark.parametrize("ground", ALL)
def test_normals_are_those_of_the_heights(ground) -> None:
    x, y = places()
    step = 1e-20
    slopes = [
        np.imag(ground.height(x + 1j * step, y + 0j)) / step,
        np.imag(ground.height(x + 0j, y + 1j * step)) / step,
    ]
    slopes = [np.broadcast_to(slope, x.shape) for slope in slopes]
    expected = np.stack([-slopes[0], -slopes[1], np.ones_like(x)], axis=-1)
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    np.testing.assert_allclose(np.broadcast_to(ground.normal(x, y), expected.shape), expected, atol=1e-13)
    differences = (ground.height(x + 1e-6, y) - ground.height(x - 1e-6, y)) / 2e-6
    assert np.mean(np.abs(differences - slopes[0]) < 1e-7) > 0.98  # all but at kinks


@pytest.mark.parametrize("ground", ALL)
def test_symbols_give_what_numbers_give(ground) -> None:
    program = fb.trace(lambda x, y: (ground.height(x, y) + 0.0 * x, ground.normal(x, y)), {"x": (), "y": ()}, "ground")
    x, y = places()
    height, normal = fb.interpret(program, x, y)
    np.testing.assert_allclose(height, np.broadcast_to(ground.height(x, y), x.shape), atol=1e-14)
    np.testing.assert_allclose(normal, np.broadcast_to(ground.normal(x, y), (*x.shape, 3)), atol=1e-14)


def test_a_compiled_height_field_is_the_interpreted_one() -> None:
    ground = ALL[4]
    program = fb.trace(lambda x, y: ground.normal(x, y), {"x": (), "y": ()}, "ground")
    x, y = places()
    np.testing.assert_allclose(fb.compile_program(program)(x, y), ground.normal(x, y), atol=1e-13)


def test_height_fields_go_through_their_nodes_and_are_level_beyond() -> None:
    for ground in ALL[4:]:
        x, y = np.meshgrid(X, Y, indexing="ij")
        np.testing.assert_allclose(ground.height(x, y), waves(x, y), atol=1e-14)
        np.testing.assert_allclose(ground.height(5.0, 0.5), ground.height(2.0, 0.5), atol=1e-14)
        np.testing.assert_allclose(ground.normal(np.array(5.0), np.array(0.5))[0], 0.0)
    between = ALL[5].height(X[0] + 0.25, Y[0] + 0.125)
    corners = waves(X[:2, None], Y[None, :2])
    np.testing.assert_allclose(between, corners.mean())


def test_bicubic_fields_are_exact_for_planes_and_have_continuous_normals() -> None:
    plane = grounds.HeightField.of_function(lambda x, y: 0.2 * x - 0.1 * y, X, Y)
    x, y = places(50)
    x, y = np.clip(x, -1, 2), np.clip(y, 0, 1)
    np.testing.assert_allclose(plane.height(x, y), 0.2 * x - 0.1 * y, atol=1e-14)
    line = np.linspace(0.0, 1.0, 50)
    for edge in X[1:-1]:
        before, after = (ALL[4].normal(np.full(50, edge + s * 1e-12), line) for s in (-1, 1))
        np.testing.assert_allclose(before, after, atol=1e-10)


def test_finer_grids_come_closer_to_the_function() -> None:
    errors = []
    x, y = np.random.default_rng(1).uniform(0.2, 0.8, (2, 400))
    for n in (20, 40):
        line = np.linspace(0.0, 1.0, n + 1)
        errors.append(np.abs(grounds.HeightField.of_function(waves, line, line).height(x, y) - waves(x, y)).max())
    assert errors[0] / errors[1] > 7.0  # of third order at least


def test_stairs_rise_by_one_step_in_each_run() -> None:
    stairs = grounds.Stairs(0.15, 0.3, count=3, start=0.2)
    np.testing.assert_allclose(
        stairs.height(np.array([-5.0, 0.0, 0.2, 0.4, 0.5, 0.8, 4.0]), 0.0), 0.15 * np.array([0, 0, 1, 1, 2, 3, 3])
    )
    np.testing.assert_array_equal(stairs.normal(np.array([0.3, 9.0]), 0.0), [[0, 0, 1], [0, 0, 1]])


def test_softness_from_place_to_place() -> None:
    x = np.array([0.1, 0.3, 0.5, -0.1])
    stripes = grounds.Stripes(0.2, stiffness=0.4, damping=0.5)
    np.testing.assert_array_equal(stripes.factors(x, 0.0)[0], [0.4, 1.0, 0.4, 1.0])
    turned = grounds.Stripes(0.2, stiffness=0.4, direction=np.pi / 2)
    np.testing.assert_array_equal(turned.factors(0.0, x)[0], [0.4, 1.0, 0.4, 1.0])
    checker = grounds.Checker(0.2, stiffness=0.4, damping=0.5)
    np.testing.assert_array_equal(checker.factors(x, 0.1)[1], [0.5, 1.0, 0.5, 1.0])
    np.testing.assert_array_equal(checker.factors(x, 0.3)[1], [1.0, 0.5, 1.0, 0.5])
    values = 1.0 + np.arange(35.0).reshape(7, 5)
    soft = grounds.SoftnessMap(X, Y, values, 2.0 * values)
    ground = grounds.Flat(texture=soft)
    np.testing.assert_allclose(ground.softness(X[2], Y[3]), (values[2, 3], 2.0 * values[2, 3]))
    np.testing.assert_allclose(ground.softness(9.0, -9.0), (values[-1, 0], 2.0 * values[-1, 0]))
    assert grounds.Slope(0.1).softness(0.0, 0.0) == (1.0, 1.0)


def test_parameters_of_grounds_may_differ_from_state_to_state() -> None:
    slope = grounds.Slope(np.array([0.1, 0.2]), 0.0)
    np.testing.assert_allclose(slope.height(1.0, 0.0), np.tan([0.1, 0.2]))
    assert slope.normal(1.0, 0.0).shape == (2, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grounds.Flat(np.nan), "level"),
        (lambda: grounds.Slope(1.6), "85 degrees"),
        (lambda: grounds.Stairs(0.1, -0.3), "run"),
        (lambda: grounds.Stairs(0.1, 0.3, edge=0.3), "shorter than the run"),
        (lambda: grounds.HeightField(X, Y[::-1], np.zeros((7, 5))), "y of the grid must increase"),
        (lambda: grounds.HeightField(X**3, Y, np.zeros((7, 5))), "evenly spaced"),
        (lambda: grounds.HeightField(X, Y, np.full((7, 5), np.nan)), r"heights\[0, 0\] is nan"),
        (lambda: grounds.HeightField(X, Y, np.zeros((7, 5)), interpolation="cubic"), "bicubic, bilinear"),
        (lambda: grounds.Uniform(stiffness=0.0), "stiffness"),
        (lambda: grounds.Stripes(0.0, 1.0), "width"),
        (lambda: grounds.Checker(1.0, 1.0, damping=-1.0), "damping"),
        (lambda: grounds.SoftnessMap(X, Y, np.zeros((7, 5)), np.ones((7, 5))), "stiffness"),
    ],
)
def test_what_is_no_ground_is_refused(make, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()


def test_shapes_of_grids_are_checked() -> None:
    with pytest.raises(ShapeError, match=r"\(7, 5\)"):
        grounds.HeightField(X, Y, np.zeros((5, 7)))
    with pytest.raises(ShapeError, match="two places"):
        grounds.HeightField(X[:1], Y, np.zeros((1, 5)))
