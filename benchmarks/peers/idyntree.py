"""iDynTree's `KinDynComputations` with the body-fixed representation."""

from __future__ import annotations

from importlib.metadata import version as installed

import idyntree.bindings as idyn
import numpy as np

from benchmarks.contender import Array, Contender
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order, rotations

NAME = "iDynTree"
NOTES = ("includes setRobotState, with NumPy arrays; KinDynComputations has no forward dynamics",)


def version() -> str:
    return installed("idyntree")


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """One state at a time; the base of a fixed robot floats and stands still."""
    loader = idyn.ModelLoader()
    if not loader.loadReducedModelFromFile(str(robot.path), list(robot.joints)):
        raise RuntimeError(f"iDynTree cannot load {robot.path}")
    model = loader.model()
    if not model.setDefaultBaseLink(model.getLinkIndex(robot.root)) and robot.name != "anymal_c":
        raise RuntimeError(f"iDynTree does not know {robot.root!r} as a link")
    kindyn = idyn.KinDynComputations()
    kindyn.loadRobotModel(model)
    kindyn.setFrameVelocityRepresentation(idyn.BODY_FIXED_REPRESENTATION)
    layout = Layout(robot, joint_order(robot, [model.getJointName(i) for i in range(model.getNrOfDOFs())]))
    base = 6 * robot.floating
    motion = layout.velocity(one), layout.acceleration(one)
    if not robot.floating:
        motion = tuple(np.hstack([np.zeros((len(one), 6)), x]) for x in motion)
    v, a = motion
    q = layout.configuration(one)[:, 7 * robot.floating :]
    poses = _poses(robot, one)
    full = 6 + model.getNrOfDOFs()
    scope = {
        "kindyn": kindyn, "gravity": np.array([0.0, 0.0, -9.81]), "wrenches": idyn.LinkWrenches(model),
        "tau": idyn.FreeFloatingGeneralizedTorques(model),
        "M": idyn.MatrixDynSize(full, full), "J": idyn.MatrixDynSize(6, full),
        "frame": model.getFrameIndex(robot.frame), "concatenate": np.concatenate,
        "Y": idyn.MatrixDynSize(full, 10 * model.getNrOfLinks()),
    }  # fmt: skip
    scope["wrenches"].zero()
    states = list(zip(poses, q, v[:, :6], v[:, 6:], a[:, :6], a[:, 6:], strict=True))
    set_state = "kindyn.setRobotState(H, s, twist, rates, gravity)"
    torques = "concatenate([tau.baseWrench().toNumPy(), tau.jointTorques().toNumPy()])"

    def entry(function: str, statement: str, result: str, convert) -> Contender:
        return Contender(
            NAME, function, "one state", "reused", f"{set_state}; {statement}", result, scope,
            convert, len(one), "H, s, twist, rates, base_acceleration, accelerations", states,
        )  # fmt: skip

    drop = 6 - base
    names = [model.getLinkName(i) for i in range(model.getNrOfLinks())]
    joint_of = dict(zip(robot.moved, robot.joints, strict=True))
    movers = [joint_of.get(name, "") for name in names]
    return [
        entry(
            "inverse dynamics", "kindyn.inverseDynamics(base_acceleration, accelerations, wrenches, tau)", torques,
            lambda r: layout.force_back(one, r[:, drop:]),
        ),
        entry(
            "mass matrix", "kindyn.getFreeFloatingMassMatrix(M)", "M.toNumPy()",
            lambda r: layout.matrix_back(one, r[:, drop:, drop:]),
        ),
        entry(
            "bias", "kindyn.generalizedBiasForces(tau)", torques,
            lambda r: layout.force_back(one, r[:, drop:]),
        ),
        entry("centre of mass", "r = kindyn.getCenterOfMassPosition()", "r.toNumPy()", lambda r: r),
        entry(
            "jacobian", "kindyn.getFrameFreeFloatingJacobian(frame, J)", "J.toNumPy()",
            lambda r: layout.columns_back(one, r[:, :, drop:]),
        ),
        *([
            entry(
                "centroidal momentum matrix", "kindyn.getCentroidalTotalMomentumJacobian(J)", "J.toNumPy()",
                lambda r: layout.columns_back(one, _in_world(one, r)),
            )
        ] if robot.floating else []),
        entry(
            "torque regressor",
            "kindyn.inverseDynamicsInertialParametersRegressor(base_acceleration, accelerations, Y)", "Y.toNumPy()",
            lambda r: layout.regressor_back(one, r[:, drop:], movers, range(10)),
        ),
    ]  # fmt: skip


def _in_world(states: States, momentum: Array) -> Array:
    """Linear and angular momentum (N, 6, nv) in world axes, from the base's."""
    rotation = rotations(states.q)
    return np.concatenate([rotation @ momentum[:, :3], rotation @ momentum[:, 3:]], axis=1)


def _poses(robot: Robot, states: States) -> list[Array]:
    poses = np.tile(np.eye(4), (len(states), 1, 1))
    if robot.floating:
        poses[:, :3, :3] = rotations(states.q)
        poses[:, :3, 3] = states.q[:, :3]
    return list(poses)
