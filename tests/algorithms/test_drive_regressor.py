"""Thirteen parameters for each joint of an arm: inertia of the link, rotor and friction of the drive."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from floatbase import algorithms, spatial
from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.model import build_tree, library, set_inertia
from floatbase.model.inertia import inertia_from_parameters
from floatbase.model.library.denavit_hartenberg import Row, serial_robot

RIGHT = np.pi / 2
BALL = inertia_from_parameters(
    spatial.parameters_from_center(1.5, np.array([0.1, 0.2, 0.3]), np.diag([0.1, 0.2, 0.25]))
)


def arm(*rows):
    return build_tree(serial_robot("arm", rows, [BALL] * len(rows), "proximal"), floating=False)


def states(tree, rng, n):
    return rng.uniform(-2.0, 2.0, (n, tree.nq)), rng.standard_normal((n, tree.nv)), rng.standard_normal((n, tree.nv))


@pytest.mark.parametrize("base", [None, "link3", "link6"])  # held by another link
@pytest.mark.parametrize("make", [library.staubli_tx40, library.mitsubishi_rv2sq, library.ur5_dh])
def test_torques_are_linear_in_thirteen_parameters(make, base, rng):
    model = make()
    tree = build_tree(set_inertia(model, model.root, BALL), base, floating=False)
    q, v, a = states(tree, rng, 20)
    viscous, coulomb = rng.uniform(0.0, 2.0, (2, tree.nv))
    chi = algorithms.arm_parameters(tree, viscous, coulomb)
    tau = algorithms.inverse_dynamics(tree, q, v, a) + viscous * v + coulomb * np.sign(v)
    found = algorithms.arm_regressor(tree, q, v, a) @ chi
    assert np.linalg.norm(found - tau) < 1e-10 * np.linalg.norm(tau)
    equations = (algorithms.mass_matrix(tree, q) @ a[..., None])[..., 0] + algorithms.bias(tree, q, v)
    assert np.linalg.norm(equations - algorithms.inverse_dynamics(tree, q, v, a)) < 1e-9 * np.linalg.norm(equations)


def test_columns_are_those_of_the_closed_form(rng):
    """Jacobians and accelerations of the link frames in base axes, with gravity added to the acceleration."""
    tree = build_tree(library.staubli_tx40(), floating=False, representation="mixed")
    q, v, a = (x[0] for x in states(tree, rng, 1))
    Y = algorithms.arm_regressor(tree, q, v, a)
    for j in range(6):
        frame = f"link{j + 1}"
        J, R = algorithms.jacobian(tree, q, frame), algorithms.pose(tree, q, frame)[:3, :3]
        omega = J[3:] @ v
        rate = algorithms.acceleration(tree, q, v, a, frame)
        lifted, turning = rate[:3] + np.array([0.0, 0.0, 9.81]), rate[3:]
        W = spatial.hat(omega)

        def dot(w):
            return spatial.momentum_of_parameters(np.r_[np.zeros(3), w])[3:, 4:]

        first = J[3:].T @ (R @ dot(R.T @ turning) + W @ R @ dot(R.T @ omega))
        second = (J[:3].T @ (spatial.hat(turning) + W @ W) - J[3:].T @ spatial.hat(lifted)) @ R
        third = (J[:3].T @ lifted)[:, None]
        fourth = np.eye(6)[:, [j]] * np.array([a[j], v[j], np.sign(v[j])])
        assert_allclose(Y[:, 13 * j : 13 * j + 13], np.hstack([first, second, third, fourth]), atol=1e-11)


def test_it_is_the_derivative_of_the_torques(rng):
    tree = build_tree(library.mitsubishi_rv2sq(), floating=False)
    q, v, a = (x[0] for x in states(tree, rng, 1))
    chi = algorithms.arm_parameters(tree)
    Y = algorithms.arm_regressor(tree, q, v, a)
    ten = [9, 6, 7, 8, 0, 1, 2, 3, 4, 5]

    def torque(change):
        parts = (chi + change).reshape(6, 13)
        phi = np.concatenate([np.zeros(10), parts[:, ten].ravel()])
        order = [0, *(tree.frames[f"link{j + 1}"][0] for j in range(6))]
        phi = phi.reshape(7, 10)[np.argsort(order)].ravel()
        return algorithms.inverse_dynamics(tree, q, v, a, parameters=phi)

    for j in range(6):
        for k in range(10):
            unit = 1e-20j * np.eye(78)[13 * j + k]
            assert_allclose(torque(unit).imag / 1e-20, Y[:, 13 * j + k], atol=1e-10)


def rank(tree, rng, keep, couplings=()):
    q, v, a = states(tree, rng, 200)
    Y = algorithms.arm_regressor(tree, q, v, a, couplings)
    columns = [13 * j + k for j in range(tree.nv) for k in keep] + list(range(13 * tree.nv, Y.shape[-1]))
    W = Y[..., columns].reshape(-1, len(columns))
    sizes = np.linalg.norm(W, axis=0)
    W = W[:, sizes > 1e-9 * sizes.max()]
    return np.linalg.matrix_rank(W / np.linalg.norm(W, axis=0), tol=1e-9)


@pytest.mark.parametrize(
    ("rows", "without", "with_friction"),
    [
        ([Row(0, 0, 0, 0)], 1, 3),
        ([Row(0, 0, 0, RIGHT)], 3, 5),
        ([Row(0, 0, 0, 0), Row(0, 0, 0.4, 0)], 5, 9),
        ([Row(0, 0, 0, -RIGHT), Row(0, 0, 0.4, 0)], 7, 11),
    ],
    ids=["vertical axis", "horizontal axis", "two in a horizontal plane", "two in a vertical plane"],
)
def test_how_many_parameters_torques_tell_apart(rows, without, with_friction, rng):
    tree = arm(*rows)
    assert rank(tree, rng, range(11)) == without
    assert rank(tree, rng, range(13)) == with_friction


def test_how_many_parameters_arms_have(rng):
    ur5 = build_tree(library.ur5_dh(), floating=False)
    assert rank(ur5, rng, range(11)) == 40
    assert rank(ur5, rng, range(13)) == 52
    for make in (library.staubli_tx40, library.mitsubishi_rv2sq):
        assert rank(build_tree(make(), floating=False), rng, range(13)) == 52
    tx40 = build_tree(library.staubli_tx40(), floating=False)
    assert rank(tx40, rng, range(13), [("joint5", "joint6")]) == 54


def test_two_links_in_a_vertical_plane(rng):
    """The closed form, with moments about the joints."""
    length, g = 0.4, 9.81
    rows = [Row(0.0, 0.0, 0.0, -RIGHT), Row(0.0, 0.0, length, 0.0)]
    phis = [rng.uniform(0.1, 1.0, 10) for _ in range(2)]
    tree = arm(*rows)
    bodies = [tree.bodies[0], *(replace(body, parameters=phi) for body, phi in zip(tree.bodies[1:], phis, strict=True))]
    tree = replace(tree, bodies=tuple(bodies))
    q, v, a = (x[0] for x in states(tree, rng, 1))
    (_, X1, Y1, *_), (M2, X2, Y2, *_) = phis
    ZZ1, ZZ2 = phis[0][9], phis[1][9]
    (c1, s1), (c2, s2), (c12, s12) = ((np.cos(x), np.sin(x)) for x in (q[0], q[1], q[0] + q[1]))
    tau2 = (
        ZZ2 * (a[0] + a[1])
        + X2 * length * (c2 * a[0] + s2 * v[0] ** 2)
        + Y2 * length * (-s2 * a[0] + c2 * v[0] ** 2)
        - g * (X2 * c12 - Y2 * s12)
    )
    tau1 = (
        (ZZ1 + length**2 * M2) * a[0]
        + ZZ2 * (a[0] + a[1])
        + X2 * length * (2 * c2 * a[0] + c2 * a[1] - s2 * (2 * v[0] * v[1] + v[1] ** 2))
        - Y2 * length * (2 * s2 * a[0] + s2 * a[1] + c2 * (2 * v[0] * v[1] + v[1] ** 2))
        - g * ((X1 + length * M2) * c1 - Y1 * s1 + X2 * c12 - Y2 * s12)
    )
    assert_allclose(algorithms.inverse_dynamics(tree, q, v, a), [tau1, tau2], atol=1e-12)


def test_what_is_refused(rng):
    tree = build_tree(library.quadrotor_with_arm())
    with pytest.raises(ArgumentError, match="fixed base"):
        algorithms.arm_parameters(tree)
    tree = arm(Row(0, 0, 0, 0), Row(0, 0, 0.4, 0))
    with pytest.raises(UnknownNameError, match="joint"):
        algorithms.arm_regressor(tree, np.zeros(2), np.zeros(2), np.zeros(2), [("joint1", "joint9")])
