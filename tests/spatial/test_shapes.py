"""Arrays of a wrong shape are refused by every function of the vocabulary, with the shape in the message."""

import inspect

import numpy as np
import pytest

from floatbase import spatial
from floatbase.errors import ArgumentError, FloatbaseError, ShapeError

ONE = {
    name: function
    for name, function in vars(spatial).items()
    if inspect.isfunction(function)
    and sum(item.default is item.empty for item in inspect.signature(function).parameters.values()) == 1
}


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name):
    for shape in ((2,), (5,), (7,), (2, 5)):
        if name == "vec" and len(shape) == 2:
            continue  # any matrix
        if name in ("log_cholesky_of_parameters", "principal_inertia", "is_physical", "is_consistent"):
            continue  # below
        with pytest.raises((ShapeError, ArgumentError)):
            ONE[name](np.zeros(shape))


@pytest.mark.parametrize("name", ["log_cholesky_of_parameters", "principal_inertia", "is_physical", "is_consistent"])
def test_functions_of_parameters(name):
    with pytest.raises(FloatbaseError, match=r"\(..., 10\)"):
        ONE[name](np.ones(9))


def test_lists_are_not_arrays():
    with pytest.raises(ArgumentError, match="got list"):
        spatial.hat([1.0, 2.0, 3.0])


def test_pairs_that_do_not_fit():
    H, twist = np.eye(4), np.zeros(6)
    for call in (
        lambda: spatial.transform_twist(np.eye(3), twist),
        lambda: spatial.transform_twist(H, twist[:5]),
        lambda: spatial.transform_wrench(H, np.zeros(7)),
        lambda: spatial.apply_pose(H, twist),
        lambda: spatial.change_twist(twist[:3], "body", "mixed", H),
        lambda: spatial.change_acceleration(twist, "body", "mixed", np.eye(3), twist),
        lambda: spatial.transform_parameters(H, np.zeros(9)),
        lambda: spatial.multiply_quaternions(np.zeros(3), np.zeros(4)),
        lambda: spatial.compose_twists(twist, twist[:5], H),
        lambda: spatial.external_wrench(np.zeros(10), twist[:5], "body", H, twist),
        lambda: spatial.body_kinetic_energy(np.zeros(10), np.zeros(5)),
        lambda: spatial.proper_acceleration(np.zeros(5), "body", H),
    ):
        with pytest.raises(ShapeError, match="shape"):
            call()
