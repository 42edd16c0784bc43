"""Every function of twists and wrenches against the formulas of the literature that has their angular part first.

Everything here is written with g = (R, r), V = (omega, v), f = (torque, force): Rothammer 2021, chapter 1.
"""

import inspect
import math
import re

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose
from tests.random_trees import random_parameters, random_pose

from floatbase import spatial

DRAWS = 100
ZERO = np.zeros((3, 3))
GRAVITY = np.array([0.3, -0.2, -9.6])
G = np.r_[np.zeros(3), GRAVITY]


def cross(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def Ad(g):
    R, r = g[:3, :3], g[:3, 3]
    return np.block([[R, ZERO], [cross(r) @ R, R]])


def ad(V):
    return np.block([[cross(V[:3]), ZERO], [cross(V[3:]), cross(V[:3])]])


def inverse(g):
    R, r = g[:3, :3], g[:3, 3]
    return np.block([[R.T, -(R.T @ r)[:, None]], [np.eye(4)[3]]])


def wedge(V):
    return np.block([[cross(V[:3]), V[3:, None]], [np.zeros(4)]])


def vee(X):
    return np.array([X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]])


def logarithm(g):
    R, r = g[:3, :3], g[:3, 3]
    t = math.acos((np.trace(R) - 1.0) / 2.0)
    alpha = t / (2.0 * math.sin(t)) * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    a = cross(alpha)
    return np.r_[alpha, (np.eye(3) - a / 2 + (1 / t**2 - (1 + math.cos(t)) / (2 * t * math.sin(t))) * a @ a) @ r]


def left_jacobian(x):
    result = np.eye(6)
    for k in range(30, 1, -1):
        result = np.eye(6) + ad(x) @ result / k
    return result


def inertia(phi):
    """Lambda of a body whose frame need not be in its centre of mass."""
    m, c, (xx, xy, xz, yy, yz, zz) = phi[0], cross(phi[1:4]), phi[4:]
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), c], [-c, m * np.eye(3)]])


def in_form(form, g):
    """The pose of the body's frame in the frame of a form."""
    if form == "inertial":
        return g
    result = np.eye(4)
    result[:3, :3] = g[:3, :3] if form == "mixed" else np.eye(3)
    return result


def classical(form, rate, V, g):
    """The derivative of a twist's components in a form, or its sensor form, from that of the body twist."""
    if form == "body":
        return rate
    if form == "inertial":
        return Ad(g) @ rate
    sensor = rate + np.r_[np.zeros(3), np.cross(V[:3], V[3:])]
    return sensor if form == "sensor" else Ad(in_form("mixed", g)) @ sensor


class Draw:
    """One case, everything angular-first."""

    def __init__(self, rng):
        self.g, self.h = random_pose(rng), random_pose(rng)
        self.V, self.W, self.A, self.B, self.f = rng.standard_normal((5, 6))
        self.gamma = rng.uniform(-1.2, 1.2, 6)
        self.phi, self.s = random_parameters(rng), rng.uniform(-2.0, 2.0)

    def force(self):
        """The external wrench in the body's frame without the weight: Lambda A - ad^T Lambda V."""
        Lambda = inertia(self.phi)
        weight = Lambda @ Ad(in_form("mixed", self.g)).T @ G
        return Lambda @ self.A - ad(self.V).T @ Lambda @ self.V - weight


# of each function: how it is called with halves exchanged (s), and what the formulas say
s, S = spatial.angular_first, spatial.angular_first_matrix
CASES = {
    "adjoint": lambda d: (S(spatial.adjoint(d.g)), Ad(d.g)),
    "wrench_adjoint": lambda d: (S(spatial.wrench_adjoint(d.g)), Ad(inverse(d.g)).T),
    "twist_cross": lambda d: (S(spatial.twist_cross(s(d.V))), ad(d.V)),
    "wrench_cross": lambda d: (S(spatial.wrench_cross(s(d.V))), -ad(d.V).T),
    "momentum_cross": lambda d: (S(spatial.momentum_cross(s(d.f))) @ d.V, -ad(d.V).T @ d.f),
    "transform_twist": lambda d: (s(spatial.transform_twist(d.g, s(d.V))), Ad(d.g) @ d.V),
    "transform_wrench": lambda d: (s(spatial.transform_wrench(d.g, s(d.f))), Ad(inverse(d.g)).T @ d.f),
    "twist_matrix": lambda d: (spatial.twist_matrix(s(d.V)), wedge(d.V)),
    "twist_of_matrix": lambda d: (s(spatial.twist_of_matrix(wedge(d.V))), vee(wedge(d.V))),
    "pose_exponential": lambda d: (spatial.pose_exponential(s(d.gamma)), scipy.linalg.expm(wedge(d.gamma))),
    "pose_logarithm": lambda d: (s(spatial.pose_logarithm(scipy.linalg.expm(wedge(d.gamma)))), d.gamma),
    "pose_left_jacobian": lambda d: (S(spatial.pose_left_jacobian(s(d.gamma))), left_jacobian(d.gamma)),
    "pose_right_jacobian": lambda d: (S(spatial.pose_right_jacobian(s(d.gamma))), left_jacobian(-d.gamma)),
    "pose_left_jacobian_inverse": lambda d: (
        S(spatial.pose_left_jacobian_inverse(s(d.gamma))) @ left_jacobian(d.gamma),
        np.eye(6),
    ),
    "pose_right_jacobian_inverse": lambda d: (
        S(spatial.pose_right_jacobian_inverse(s(d.gamma))) @ left_jacobian(-d.gamma),
        np.eye(6),
    ),
    "joint_transform": lambda d: (S(spatial.joint_transform(s(d.gamma), d.s)), scipy.linalg.expm(-d.s * ad(d.gamma))),
    "joint_transform_derivative": lambda d: (
        S(spatial.joint_transform_derivative(s(d.gamma), d.s)),
        -ad(d.gamma) @ scipy.linalg.expm(-d.s * ad(d.gamma)),
    ),
    "motion_subspace": lambda d: (
        s(spatial.motion_subspace("helical", d.g[0, :3], d.s)),
        np.r_[d.g[0, :3], d.s * d.g[0, :3]],
    ),
    "compose_twists": lambda d: (s(spatial.compose_twists(s(d.V), s(d.W), d.h)), Ad(inverse(d.h)) @ d.V + d.W),
    "compose_accelerations": lambda d: (
        s(spatial.compose_accelerations(s(d.A), s(d.B), s(d.V), s(d.W), d.h)),
        Ad(inverse(d.h)) @ d.A + d.B + ad(Ad(inverse(d.h)) @ d.V) @ d.W,
    ),
    "compose_inertial_twists": lambda d: (s(spatial.compose_inertial_twists(s(d.V), s(d.W), d.g)), d.V + Ad(d.g) @ d.W),
    "compose_inertial_accelerations": lambda d: (
        s(spatial.compose_inertial_accelerations(s(d.A), s(d.B), s(d.V), s(d.W), d.g)),
        d.A + Ad(d.g) @ d.B + ad(d.V) @ Ad(d.g) @ d.W,
    ),
    "compose_mixed_twists": lambda d: (
        s(spatial.compose_mixed_twists(s(mixed(d.V, d.g)), s(mixed(d.W, d.h)), d.g, d.h)),
        mixed(Ad(inverse(d.h)) @ d.V + d.W, d.g @ d.h),
    ),
    "compose_mixed_accelerations": lambda d: (
        s(spatial.compose_mixed_accelerations(*(s(x) for x in moving(d, "mixed")), d.g, d.h)),
        composed(d, "mixed"),
    ),
    "compose_sensor_accelerations": lambda d: (
        s(spatial.compose_sensor_accelerations(*(s(x) for x in moving(d, "sensor")[:2]), d.V[:3], s(d.W), d.h)),
        composed(d, "sensor"),
    ),
    "apparent_acceleration": lambda d: (
        s(spatial.apparent_acceleration(s(d.A), s(d.V), d.h, s(d.W))),
        Ad(d.h) @ (d.A + ad(d.V - Ad(inverse(d.h)) @ d.W) @ d.V),
    ),
    "change_twist": lambda d: (s(spatial.change_twist(s(d.V), "body", "mixed", d.g)), mixed(d.V, d.g)),
    "change_wrench": lambda d: (
        s(spatial.change_wrench(s(d.f), "inertial", "mixed", d.g)),
        Ad(inverse(in_form("mixed", d.g))).T @ Ad(d.g).T @ d.f,
    ),
    "change_acceleration": lambda d: (
        s(spatial.change_acceleration(s(classical("inertial", d.A, d.V, d.g)), "inertial", "mixed", d.g, s(d.V))),
        classical("mixed", d.A, d.V, d.g),
    ),
    "proper_acceleration": lambda d: (
        s(spatial.proper_acceleration(s(d.A), "body", d.g, GRAVITY)),
        d.A - Ad(in_form("mixed", d.g)).T @ G,
    ),
    "representation_matrix": lambda d: (S(spatial.representation_matrix("mixed", d.g)), Ad(in_form("mixed", d.g))),
    "inertia_matrix": lambda d: (S(spatial.inertia_matrix(d.phi)), inertia(d.phi)),
    "parameters_of_inertia_matrix": lambda d: (spatial.parameters_of_inertia_matrix(S(inertia(d.phi))), d.phi),
    "transform_parameters": lambda d: (
        S(spatial.inertia_matrix(spatial.transform_parameters(d.g, d.phi))),
        Ad(inverse(d.g)).T @ inertia(d.phi) @ Ad(inverse(d.g)),
    ),
    "momentum_of_parameters": lambda d: (s(spatial.momentum_of_parameters(s(d.V)) @ d.phi), inertia(d.phi) @ d.V),
    "wrench_of_parameters": lambda d: (
        s(spatial.wrench_of_parameters(s(d.A), d.V[:3]) @ d.phi),
        inertia(d.phi) @ d.A - ad(turning(d.V)).T @ inertia(d.phi) @ turning(d.V),
    ),
    "body_kinetic_energy": lambda d: (spatial.body_kinetic_energy(d.phi, s(d.V)), d.V @ inertia(d.phi) @ d.V / 2),
    "body_lagrangian": lambda d: (
        spatial.body_lagrangian(d.phi, d.g, s(d.V), GRAVITY),
        d.V @ inertia(d.phi) @ d.V / 2 + GRAVITY @ (d.g @ np.r_[d.phi[1:4], d.phi[0]])[:3],
    ),
    "body_momentum": lambda d: (
        s(spatial.body_momentum(d.phi, s(d.V), "inertial", d.g)),
        Ad(inverse(d.g)).T @ inertia(d.phi) @ d.V,
    ),
    "body_momentum_rate": lambda d: (
        s(spatial.body_momentum_rate(d.phi, s(d.f), d.g, GRAVITY)),
        Ad(inverse(d.g)).T @ (d.f + inertia(d.phi) @ Ad(in_form("mixed", d.g)).T @ G),
    ),
    "central_momentum_rate": lambda d: (
        s(spatial.central_momentum_rate(d.phi, s(d.f), d.g, GRAVITY)),
        Ad(inverse(central(d))).T @ d.f + d.phi[0] * G,
    ),
    "external_wrench": lambda d: (s(spatial.external_wrench(d.phi, s(d.A), "body", d.g, s(d.V), GRAVITY)), d.force()),
    "body_acceleration": lambda d: (s(spatial.body_acceleration(d.phi, s(d.force()), d.g, s(d.V), GRAVITY)), d.A),
    "stacked_acceleration": lambda d: (
        s(spatial.stacked_acceleration(d.phi[None], s(d.force()), d.g[None], s(d.V), GRAVITY)),
        d.A,
    ),
    "stacked_bias": lambda d: (s(spatial.stacked_bias(d.phi[None], s(d.V))), -ad(d.V).T @ inertia(d.phi) @ d.V),
    "stacked_inertia": lambda d: (S(spatial.stacked_inertia(d.phi[None])), inertia(d.phi)),
}
OTHERS = {  # halves exchanged are what they are about; steps, checked by what they are made of; differences
    "angular_first",
    "angular_first_matrix",
    "stacked_velocity",
    "euler_poincare_wrench",
    "hamel_forces",
}


def mixed(V, g):
    return Ad(in_form("mixed", g)) @ V


def turning(V):
    return np.r_[V[:3], np.zeros(3)]


def central(d):
    """The pose of the body's frame in a frame at the centre of mass with the axes of the world."""
    result = in_form("mixed", d.g)
    result[:3, 3] = -(d.g[:3, :3] @ d.phi[1:4]) / d.phi[0]
    return result


def moving(d, form):
    """Accelerations of B in A and of D in B, and twists, in a form."""
    twists = (d.V, d.W) if form == "sensor" else (mixed(d.V, d.g), mixed(d.W, d.h))
    return classical(form, d.A, d.V, d.g), classical(form, d.B, d.W, d.h), *twists


def composed(d, form):
    V = Ad(inverse(d.h)) @ d.V
    return classical(form, Ad(inverse(d.h)) @ d.A + d.B + ad(V) @ d.W, V + d.W, d.g @ d.h)


@pytest.mark.parametrize("name", CASES)
def test_functions_agree_with_their_angular_first_forms(name, rng):
    for _ in range(DRAWS):
        found, expected = CASES[name](Draw(rng))
        assert_allclose(found, expected, rtol=0.0, atol=1e-13 * max(1.0, np.abs(expected).max()))


def test_logarithms_agree_with_the_formula(rng):
    for _ in range(DRAWS):
        d = Draw(rng)
        g = spatial.pose_exponential(s(d.gamma))
        assert_allclose(s(spatial.pose_logarithm(g)), logarithm(g), atol=1e-12)  # of the formula's arc cosine


def test_every_function_of_twists_and_wrenches_is_here():
    words = re.compile("twist|wrench|acceleration|momentum|subspace")
    found = set()
    for name in spatial.__all__:
        function = getattr(spatial, name)
        if inspect.isfunction(function):
            about = [name, *inspect.signature(function).parameters]
            found |= {name} if any(words.search(word) for word in about) else set()
    feedback = {"proportional_derivative_acceleration"}  # on any group
    assert found - set(CASES) <= OTHERS | feedback
