"""Trees with every kind of joint against Pinocchio, whose planar joints have velocities in the axes of the body."""

from dataclasses import replace

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, error
from tests.algorithms.change_of_variables import base_matrix, base_matrix_rate, extended
from tests.random_trees import depth_first, random_state, random_tree

from floatbase import algorithms

pin = pytest.importorskip("pinocchio")
KINDS = ("revolute", "spherical", "helical", "planar", "prismatic", "floating")


class Twin:
    """The tree in Pinocchio: `v_theirs = P v` and `a_theirs = P a + p`."""

    def __init__(self, tree):
        self.tree, self.model = tree, pin.Model()
        self.model.gravity.linear = np.array(tree.gravity)
        numbers = {0: self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")}
        for i in depth_first(tree)[1:]:
            body, H = tree.bodies[i], tree.bodies[i].joint.parent_H_joint
            place = pin.SE3(H[:3, :3], H[:3, 3])
            numbers[i] = self.model.addJoint(numbers[body.parent], self.joint(body.joint), place, body.joint.name)
        for i, body in enumerate(tree.bodies):
            m, hx, hy, hz, xx, xy, xz, yy, yz, zz = body.parameters
            inertia = pin.Inertia.FromDynamicParameters(np.array([m, hx, hy, hz, xx, xy, yy, xz, yz, zz]))
            self.model.appendBodyToJoint(numbers[i], inertia, pin.SE3.Identity())
        self.numbers, self.data = numbers, self.model.createData()

    @staticmethod
    def joint(joint):
        if joint.kind == "helical":
            return pin.JointModelHelicalUnaligned(np.array([0.0, 0.0, 1.0]), joint.pitch)
        return {
            "revolute": pin.JointModelRZ,
            "prismatic": pin.JointModelPZ,
            "spherical": pin.JointModelSpherical,
            "planar": pin.JointModelPlanar,
            "floating": pin.JointModelFreeFlyer,
        }[joint.kind]()

    def state(self, q, v):
        """Their configuration, P and p."""
        theirs = pin.neutral(self.model)
        P, p = np.zeros((self.model.nv, self.tree.nv)), np.zeros(self.model.nv)
        theirs[:7], P[:6, :6] = q[[0, 1, 2, 4, 5, 6, 3]], np.eye(6)
        for i, body in enumerate(self.tree.bodies[1:], start=1):
            joint, their = body.joint, self.model.joints[self.numbers[i]]
            s = q[7 + joint.q_index : 7 + joint.q_index + joint.nq]
            rate = v[6 + joint.index : 6 + joint.index + joint.nv]
            here = slice(their.idx_v, their.idx_v + their.nv)
            block, rest = np.eye(joint.nv), np.zeros(joint.nv)
            if joint.kind in ("spherical", "floating"):
                s = np.concatenate([s[:-4], s[-3:], s[-4:-3]])
            if joint.kind == "planar":
                x, y, turn = s
                c, d = np.cos(turn), np.sin(turn)
                s = np.array([x, y, c, d])
                block[:2, :2] = [[c, d], [-d, c]]
                rest[:2] = rate[2] * (np.array([[-d, c], [-c, -d]]) @ rate[:2])
            theirs[their.idx_q : their.idx_q + their.nq] = s
            P[here, 6 + joint.index : 6 + joint.index + joint.nv], p[here] = block, rest
        return theirs, P, p


@pytest.fixture(params=range(20))
def example(request):
    rng = np.random.default_rng(100 + request.param)
    tree = random_tree(rng, int(rng.integers(7, 13)), True, "body", kinds=tuple(rng.permutation(KINDS)))
    q, v = random_state(rng, tree)
    twin = Twin(tree)
    return tree, twin, q, v, rng.standard_normal(tree.nv), *twin.state(q, v)


def test_dynamics(example):
    tree, twin, q, v, a, their_q, P, p = example
    tau = P.T @ pin.rnea(twin.model, twin.data, their_q, P @ v, P @ a + p)
    assert error(algorithms.inverse_dynamics(tree, q, v, a), tau) < 1e-11
    assert error(algorithms.forward_dynamics(tree, q, v, tau), a) < 1e-9
    upper = np.triu(pin.crba(twin.model, twin.data, their_q))
    M = upper + np.triu(upper, 1).T
    assert error(algorithms.mass_matrix(tree, q), P.T @ M @ P) < 1e-11
    assert error(algorithms.inverse_mass_matrix(tree, q), np.linalg.inv(P.T @ M @ P)) < 1e-9


def test_momentum(example):
    tree, twin, q, v, a, their_q, P, p = example
    pin.computeCentroidalMomentumTimeVariation(twin.model, twin.data, their_q, P @ v, P @ a + p)
    assert error(algorithms.centroidal_momentum(tree, q, v), twin.data.hg.vector) < 1e-11
    assert error(algorithms.centroidal_momentum_rate(tree, q, v, a), twin.data.dhg.vector) < 1e-11
    Ag = pin.computeCentroidalMap(twin.model, twin.data, their_q)
    assert error(algorithms.centroidal_momentum_matrix(tree, q), Ag @ P) < 1e-11


def test_kinematics(example):
    tree, twin, q, v, _a, their_q, P, _p = example
    pin.computeJointJacobiansTimeVariation(twin.model, twin.data, their_q, P @ v)
    for i in (1, len(tree.bodies) - 1):
        name, number = tree.bodies[i].name, twin.numbers[i]
        assert error(algorithms.pose(tree, q, name), twin.data.oMi[number].homogeneous) < 1e-11
        J = pin.getJointJacobian(twin.model, twin.data, number, pin.LOCAL) @ P
        assert error(algorithms.jacobian(tree, q, name), J) < 1e-11
        if "planar" not in {body.joint.kind for body in tree.bodies[1:]}:
            rate = pin.getJointJacobianTimeVariation(twin.model, twin.data, number, pin.LOCAL)
            assert error(algorithms.jacobian_rate(tree, q, v, name), rate @ P) < 1e-11


def test_regressor(example):
    tree, twin, q, v, a, their_q, P, p = example
    Y = P.T @ pin.computeJointTorqueRegressor(twin.model, twin.data, their_q, P @ v, P @ a + p)
    order = [10 * (twin.numbers[i] - 1) + k for i in range(len(tree.bodies)) for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)]
    assert error(algorithms.regressor(tree, q, v, a), Y[:, order]) < 1e-11


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_representations(example, representation):
    tree, _, q, v, a, *_ = example
    T = base_matrix(representation, q)
    there = replace(tree, representation=representation)
    whole = extended(T, tree.nv)
    new_a = whole @ a
    new_a[:6] += base_matrix_rate(representation, q, v[:6]) @ v[:6]
    tau = algorithms.inverse_dynamics(there, q, whole @ v, new_a)
    assert error(whole.T @ tau, algorithms.inverse_dynamics(tree, q, v, a)) < 1e-11
