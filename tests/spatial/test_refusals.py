"""Numbers that are not what an argument should be are refused everywhere; errors name the argument and the row."""

import functools
import inspect
import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from floatbase import spatial
from floatbase.errors import ArgumentError
from floatbase.spatial import groups
from floatbase.spatial.demands import CHOICES, DEMANDS

R = spatial.rotation_exponential(np.array([0.3, -0.5, 0.7]))
H = spatial.pose_from(R, np.array([0.4, -0.1, 0.2]))
Q = spatial.quaternion_from_rotation(R)
PHI = spatial.parameters_from_center(2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.3, 0.4, 0.5]))
M = spatial.inertia_matrix(PHI)
THREE, SIX = np.array([0.2, -0.4, 0.6]), np.array([0.1, 0.3, -0.2, 0.2, -0.4, 0.6])
UNIT = np.array([0.0, 0.6, 0.8])
POSES = groups.poses
NAN = np.nan


def edited(x, *changes):
    result = np.array(x, dtype=float)
    for place, value in changes:
        result[place] = value
    return result


def rod(*moments):
    return np.array([1.0, 0, 0, 0, moments[0], 0, 0, moments[1], 0, moments[2]])


BAD_ROTATIONS = [
    (1.1 * R, "not orthonormal: R R^T differs from 1 by 0.21"),
    (edited(R, ((0, 0), R[0, 0] + 1e-5)), "not orthonormal"),
    (-R, "reflection"),
]
BAD_PARAMETERS = [(edited(PHI, (0, -1.0)), "mass -1 kg")]
BAD = {  # of each kind: a bad value, and what is said of it
    "Array": [],
    "float": [],
    "RotationMatrix": BAD_ROTATIONS,
    "Pose": [
        (2.0 * np.eye(4), "not orthonormal"),
        *((spatial.pose_from.__wrapped__(bad, THREE), message) for bad, message in BAD_ROTATIONS),
        (edited(H, ((3, 3), 2.0)), "last row that differs by 1 from 0 0 0 1"),
        (edited(H, ((3, 0), 1e-3)), "last row"),
    ],
    "Quaternion": [(0.0 * Q, "length 0"), (1.01 * Q, "length 1.01"), (Q + 1e-5, "unit length")],
    "UnitVector": [(2.0 * UNIT, "length 2"), (0.0 * UNIT, "length 0")],
    "RegularVector": [(2.0 * np.pi * UNIT, "turns by 6.28"), (-4.0 * np.pi * UNIT, "turns by 12.5")],
    "RegularTwist": [(np.r_[THREE, 2.0 * np.pi * UNIT], "turns by 6.28")],
    "SkewMatrix": [(np.eye(3), "not skew"), (R, "not skew")],
    "SymmetricMatrix": [(np.triu(np.ones((3, 3))), "not symmetric: opposite entries differ by 1")],
    "TwistMatrix": [(np.eye(4), "not skew"), (edited(np.zeros((4, 4)), ((3, 3), 1.0)), "last row")],
    "NotNegative": [(-1.0, "negative")],
    "Positive": [(0.0, "must be positive, and is 0")],
    "Times": [(np.array([0.2, 0.1]), "times[1] is -0.1 s ahead of the one before it")],
    "CentralTensor": [(edited(np.eye(3), ((0, 1), 0.1)), "not symmetric")],
    "Parameters": BAD_PARAMETERS,
    "HeavyParameters": [*BAD_PARAMETERS, (0.0 * PHI, "mass 0 kg; it must be positive")],
    "BodyParameters": [
        *BAD_PARAMETERS,
        (0.0 * PHI, "mass 0 kg"),
        (rod(1.0, 1.0, 0.0), "moment of inertia 0 kg"),
        (rod(1.0, 1.0, -0.1), "moment of inertia -0.1 kg"),
        (edited(PHI, (1, 3.0)), "moment of inertia -"),
    ],
    "InertiaMatrix": [
        (edited(M, ((3, 4), 1.0)), "not symmetric"),
        (-M, "mass -2 kg"),
        (M + np.diag([1.0, 0, 0, 0, 0, 0]), "blocks"),
        (np.diag([1.0, 1, 1, 1, 1, -1]), "eigenvalue -1"),
    ],
}
DOUBTFUL = {
    "CentralTensor": [np.diag([1.0, 1.0, 3.0]), np.diag([1.0, 1.0, -0.1])],
    "Parameters": [rod(1.0, 1.0, 3.0), rod(1.0, 1.0, -0.1), np.r_[0.0, 1.0, np.zeros(8)]],
    "BodyParameters": [rod(1.0, 1.0, 3.0)],
}

CALLS = {
    "adaptive_motion": (POSES, lambda time, g: SIX, np.array([0.0, 0.1]), H, 1e-6),
    "adjoint": (H,),
    "angular_first": (SIX,),
    "angular_first_matrix": (M,),
    "apparent_acceleration": (SIX, SIX, H, SIX),
    "apply_pose": (H, THREE),
    "axis_angle_from_rotation": (R,),
    "body_acceleration": (PHI, SIX, H, SIX, THREE),
    "body_kinetic_energy": (PHI, SIX),
    "body_lagrangian": (PHI, H, SIX, THREE),
    "body_momentum": (PHI, SIX, "mixed", H),
    "body_momentum_rate": (PHI, SIX, H, THREE),
    "body_potential_energy": (PHI, H, THREE),
    "box_moments": (2.0, abs(THREE)),
    "center_of_parameters": (PHI,),
    "central_momentum_rate": (PHI, SIX, H, THREE),
    "central_tensor": (PHI,),
    "change_acceleration": (SIX, "mixed", "sensor", H, SIX),
    "change_twist": (SIX, "mixed", "body", H),
    "change_wrench": (SIX, "mixed", "body", H),
    "compose_accelerations": (SIX, SIX, SIX, SIX, H),
    "compose_inertial_accelerations": (SIX, SIX, SIX, SIX, H),
    "compose_inertial_twists": (SIX, SIX, H),
    "compose_mixed_accelerations": (SIX, SIX, SIX, SIX, H, H),
    "compose_mixed_twists": (SIX, SIX, H, H),
    "compose_sensor_accelerations": (SIX, SIX, THREE, SIX, H),
    "compose_twists": (SIX, SIX, H),
    "cylinder_moments": (2.0, 0.3, 0.5),
    "ellipsoid_moments": (2.0, abs(THREE)),
    "euler_poincare_wrench": (lambda pose, xi: xi @ xi, H, SIX, SIX),
    "external_wrench": (PHI, SIX, "sensor", H, SIX, THREE),
    "group_error": (POSES, H, H, "left"),
    "hamel_forces": (lambda pose, xi, s, rate: xi @ xi + rate @ rate, H, SIX, THREE, THREE, SIX, THREE),
    "hat": (THREE,),
    "inertia_matrix": (PHI,),
    "invert_pose": (H,),
    "is_consistent": (PHI, 1e-9),
    "is_physical": (PHI, 1e-9),
    "joint_transform": (SIX, 0.3),
    "joint_transform_derivative": (SIX, 0.3),
    "left_inverse": (M, M),
    "linearize": (POSES, lambda g, u: u, H, SIX, 1e-6),
    "log_cholesky_of_parameters": (PHI,),
    "midpoint_step": (POSES, lambda time, g: SIX, 0.1, H, 0.01),
    "momentum_cross": (SIX,),
    "momentum_of_parameters": (SIX,),
    "motion_subspace": ("helical", UNIT, 0.4),
    "multiply_quaternions": (Q, Q),
    "nearest_rotation": (R,),
    "parameters_from_center": (2.0, THREE, np.eye(3)),
    "parameters_from_log_cholesky": (np.ones(10),),
    "parameters_from_principal": (2.0, THREE, R, abs(THREE)),
    "parameters_of_inertia_matrix": (M,),
    "parameters_of_points": (abs(THREE), R),
    "pose_exponential": (SIX,),
    "pose_from": (R, THREE),
    "pose_left_jacobian": (SIX,),
    "pose_left_jacobian_inverse": (SIX,),
    "pose_logarithm": (H,),
    "pose_right_jacobian": (SIX,),
    "pose_right_jacobian_inverse": (SIX,),
    "position_of": (H,),
    "principal_inertia": (PHI,),
    "projected_step": (lambda time, g: SIX, 0.1, H, 0.01),
    "projected_stacked_step": (lambda time, g: np.r_[g[-1], g[-1]], 0.1, (H, SIX), 0.01),
    "proper_acceleration": (SIX, "mixed", H, THREE),
    "proportional_derivative_acceleration": (POSES, H, SIX, H, SIX, SIX, 2.0, 3.0, "left"),
    "proportional_velocity": (POSES, H, H, SIX, 2.0, "left"),
    "pseudo_inertia": (PHI,),
    "quaternion_exponential": (THREE,),
    "quaternion_from_rotation": (R,),
    "quaternion_logarithm": (Q,),
    "representation_matrix": ("mixed", H),
    "right_inverse": (M, M),
    "rotation_about_axis": (UNIT, 0.3),
    "rotation_exponential": (THREE,),
    "rotation_from_quaternion": (Q,),
    "rotation_from_rpy": (THREE,),
    "rotation_left_jacobian": (THREE,),
    "rotation_left_jacobian_inverse": (THREE,),
    "rotation_logarithm": (R,),
    "rotation_of": (H,),
    "rotation_right_jacobian": (THREE,),
    "rotation_right_jacobian_inverse": (THREE,),
    "rpy_from_rotation": (R,),
    "rpy_rate_matrix": (THREE,),
    "runge_kutta_step": (POSES, lambda time, g: SIX, 0.1, H, 0.01),
    "stacked_acceleration": (PHI[None], SIX, H[None], SIX, THREE),
    "stacked_bias": (PHI[None], SIX),
    "stacked_inertia": (PHI[None],),
    "stacked_velocity": (PHI[None], lambda time, H, V: V, THREE),
    "tensor_of_vech": (SIX,),
    "transform_parameters": (H, PHI),
    "transform_twist": (H, SIX),
    "transform_wrench": (H, SIX),
    "twist_cross": (SIX,),
    "twist_matrix": (SIX,),
    "twist_of_matrix": (spatial.twist_matrix(SIX),),
    "vec": (R,),
    "vech": (np.eye(3),),
    "vee": (spatial.hat(THREE),),
    "wrench_adjoint": (H,),
    "wrench_cross": (SIX,),
    "wrench_of_parameters": (SIX, THREE),
}


def arguments(name):
    """Position, name and kind of each argument of a function that is checked."""
    for position, item in enumerate(inspect.signature(getattr(spatial, name)).parameters.values()):
        kind = str(item.annotation).removesuffix(" | None")
        if kind == "Element":
            kind = "Pose"  # the group of all calls above
        if kind in DEMANDS or kind in CHOICES:
            yield position, item.name, kind


def replaced(name, position, value):
    call = list(CALLS[name])
    call[position] = value
    return getattr(spatial, name), call


ARGUMENTS = [(name, *argument) for name in CALLS for argument in arguments(name)]
NUMBERS = [item for item in ARGUMENTS if item[-1] in DEMANDS]


def test_every_function_and_kind_is_in_the_tables():
    functions = {name for name in spatial.__all__ if inspect.isfunction(getattr(spatial, name))}
    assert {name for name in functions if hasattr(getattr(spatial, name), "__wrapped__")} == set(CALLS)
    assert functions - set(CALLS) <= {*(name for name in functions if name.startswith("check_")), "stacked_group"}
    assert set(BAD) == set(DEMANDS)
    assert {item[-1] for item in ARGUMENTS} == set(DEMANDS) | set(CHOICES)


@pytest.mark.parametrize("name", CALLS)
def test_good_numbers_pass_unchanged(name):
    function, call = replaced(name, 0, CALLS[name][0])
    guarded, plain = function(*call), function.__wrapped__(*call)
    if name == "stacked_velocity":
        guarded, plain = (velocity(0.0, (H, SIX)) for velocity in (guarded, plain))
    pairs = zip(guarded, plain, strict=True) if isinstance(guarded, tuple) else [(guarded, plain)]
    for one, other in pairs:
        assert_array_equal(one, other)
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize(("name", "position", "argument", "kind"), NUMBERS)
def test_bad_numbers_are_refused(name, position, argument, kind):
    good = np.asarray(CALLS[name][position], dtype=float)
    good = good.reshape(DEMANDS[kind].shape or good.shape)
    nowhere = np.array(good)
    nowhere.flat[-1] = NAN
    entry = f"its entry {[int(k) - 1 for k in good.shape]} is nan" if good.ndim else "it is nan"
    one_kind = name.endswith("_step") or name in ("group_error", "linearize") or "proportional" in name
    for bad, message in [*BAD[kind], (nowhere, "NaN or infinity: " + entry), (np.full(good.shape, np.inf), "infinity")]:
        function, call = replaced(name, position, bad)
        with pytest.raises(ArgumentError, match=re.escape(message)) as caught:
            function(*call)
        assert re.match(rf"{name}: {argument}(\[1\])? ", str(caught.value))
        if (one_kind and kind == "Pose") or not DEMANDS[kind].shape:
            continue  # without batch axes
        function, call = replaced(name, position, np.array([[good, good], [good, bad]]))
        with pytest.raises(ArgumentError, match="infinity" if "infinity" in message else re.escape(message)) as caught:
            function(*call)
        row = "[1, 1, " if "infinity" in message else f"{argument}[1, 1] "
        assert str(caught.value).startswith(f"{name}: {argument}") and row in str(caught.value)


@pytest.mark.parametrize(("name", "position", "argument", "kind"), [item for item in NUMBERS if item[-1] in DOUBTFUL])
def test_doubtful_bodies_are_warned_of(name, position, argument, kind):
    for doubtful in DOUBTFUL[kind]:
        function, call = replaced(name, position, doubtful.reshape(CALLS[name][position].shape))
        with pytest.warns(
            spatial.InertiaWarning, match=rf"^{name}: {argument}(\[0\])? (describes an inertia|has no mass)"
        ) as all_:
            function(*call)
        assert {warning.filename for warning in all_} == {__file__}


@pytest.mark.parametrize(("name", "position", "argument", "kind"), [item for item in ARGUMENTS if item[-1] in CHOICES])
def test_unknown_choices_are_refused(name, position, argument, kind):
    function, call = replaced(name, position, "left-handed")
    with pytest.raises(ArgumentError, match=rf"{argument} is 'left-handed'; the valid choices are {CHOICES[kind][0]}"):
        function(*call)


@pytest.mark.parametrize("dtype", [np.float32, np.longdouble, int])
def test_every_real_type_is_checked_to_its_own_precision(rng, dtype):
    W = rng.standard_normal((100, 3))
    turns = np.eye(3, dtype=int)[[1, 2, 0]] if dtype is int else spatial.rotation_exponential(W).astype(dtype)
    product = functools.reduce(np.matmul, [turns] * 5)
    spatial.rotation_logarithm.__wrapped__(product)
    spatial.check_rotation("R", product)
    with pytest.raises(ArgumentError, match="not orthonormal"):
        spatial.rotation_logarithm((2 * product).astype(dtype))


def test_complex_numbers_pass():
    """They are for derivatives: a pose with a derivative is no pose."""
    moving = H + 1e-20j * (H @ spatial.twist_matrix(SIX))
    assert_array_equal(spatial.pose_logarithm(moving).real, spatial.pose_logarithm(H))
    spatial.adjoint(2.0 * moving)


def test_lists_count_as_numbers():
    with pytest.raises(ArgumentError, match=r"gravity contains NaN or infinity: its entry \[2\] is nan"):
        spatial.body_potential_energy(PHI, H, gravity=[0.0, 0.0, NAN])


def test_elements_of_groups_are_checked():
    group = groups.product(groups.rotations, groups.tangent(groups.poses), groups.vectors(2))
    good = (R, (H, SIX), np.zeros(2))
    group.check("g", good)
    for bad, message in (
        ((1.1 * R, *good[1:]), r"g\[0\] is not orthonormal"),
        ((R, (2.0 * H, SIX), good[2]), r"g\[1\]\[0\] has a rotation that is not"),
        ((R, (H, SIX[:5]), good[2]), r"g\[1\]\[1\] has shape \(5,\); it must be \(6,\)"),
        ((R, (H, SIX), np.full(2, NAN)), r"g\[2\] contains NaN"),
        ((R, good[2]), "g must be a tuple of 3, .*; it is a tuple of 2"),
        (H, "g must be a tuple of 3, .*; it is ndarray"),
    ):
        with pytest.raises(ArgumentError, match=message):
            group.check("g", bad)
        with pytest.raises(ArgumentError, match=rf"runge_kutta_step: {message}"):
            spatial.runge_kutta_step(group, lambda time, g: np.zeros(17), 0.0, bad, 0.1)
