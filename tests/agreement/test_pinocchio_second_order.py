"""Second derivatives of inverse dynamics against differences of Pinocchio's first ones, in body representation.

Its wheel has `ComputeRNEASecondOrderDerivatives` in C++ alone, which gives the same tensors to fourteen digits: `dqdq`,
`dqdv` and `dvdv` with indices in our order, `dqda` with the last two exchanged.
"""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb

pin = pytest.importorskip("pinocchio")

from tests.agreement.pinocchio_peer import make_peer

from floatbase.algorithms import (
    inverse_dynamics_second_derivatives,
    second_derivative_pattern,
)

ROBOTS = ("panda", "anymal_c", "g1", "talos", "icub")
WIDTH = 5e-3
STENCIL = ((1, 45.0), (2, -9.0), (3, 1.0))  # central differences of sixth order, in sixtieths


@pytest.mark.parametrize("name", ROBOTS)
def test_tensors(name):
    robot = fb.load(name, representation="body", free_mimic=True)
    tree, peer = robot.tree, make_peer(name, robot.floating, robot.joint_names)
    q, v = robot.random(np.random.default_rng(3))
    a = np.random.default_rng(4).standard_normal(robot.nv)
    x, y, z = peer.q(q), peer.v(v), peer.v(a)
    order = np.ix_(range(3), peer.order, peer.order)

    def first(x, y):
        found = pin.computeRNEADerivatives(peer.model, peer.data, x, y, z)
        dq, dv, mass = (np.array(part) for part in found)
        return np.stack([dq, dv, mass])[order]

    def differences(function):
        columns = []
        for k in peer.order:
            step = np.zeros(peer.model.nv)
            step[k] = WIDTH
            columns.append(sum(c * (function(s * step) - function(-s * step)) for s, c in STENCIL) / (60.0 * WIDTH))
        return np.stack(columns, axis=-1)

    by_q = differences(lambda step: first(pin.integrate(peer.model, x, step), y))
    by_v = differences(lambda step: first(x, y + step))
    ours = second_derivative_pattern(tree).dense(inverse_dynamics_second_derivatives(tree, q, v, a))
    for mine, other in (
        (ours.dqdq, by_q[0]),
        (ours.dqdv, by_v[0]),
        (ours.dqdv.swapaxes(1, 2), by_q[1]),
        (ours.dvdv, by_v[1]),
        (ours.dqda.swapaxes(1, 2), by_q[2]),
    ):
        assert np.linalg.norm(mine - other) < 1e-10 * np.linalg.norm(other)
