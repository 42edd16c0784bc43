"""How a quadruped carries itself: forces on Solo's feet while its trunk sways, and the torques they cost.

The feet stay where they are. The trunk's acceleration asks for a wrench on the base; a least-squares share of it over
the four feet gives contact forces, the inverse dynamics gives joint torques, and the forward dynamics, given these
forces and torques, returns the acceleration that was asked for.
"""

import numpy as np

import floatbase as fb

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
POSE = {"HAA": 0.0, "HFE": 0.8, "KFE": -1.6}  # hind legs mirrored


def standing(robot: fb.Robot) -> np.ndarray:
    """A pose on four bent legs. q: (nq,)."""
    q = robot.neutral()
    for index, name in enumerate(robot.joint_names):
        leg, joint = name.split("_")
        q[7 + index] = POSE[joint] * (1.0 if leg.startswith("F") else -1.0)
    return q


def main() -> None:
    robot = fb.load("solo12")
    q = standing(robot)
    v = np.zeros(robot.nv)
    step = robot.function(["gravity", "mass_matrix", *(("jacobian", foot) for foot in FEET)])
    gravity, mass_matrix, *jacobians = step(q)
    points = np.vstack([jacobian[:3] for jacobian in jacobians])  # (12, nv): the feet carry forces, no moments

    print(f"{robot.name}: {robot.mass:.2f} kg; vertical forces on the feet in N, largest joint torque in N m,")
    print("and how far forward dynamics is from the acceleration asked for\n")
    print("a_y, m/s^2" + "".join(f"{foot:>10}" for foot in FEET) + f"{'torque':>10}{'error':>10}")
    for sideways in np.linspace(-3.0, 3.0, 7):
        trunk = np.array([0.0, sideways, 0.0, 0.0, 0.0, 0.0])
        joints, *_ = np.linalg.lstsq(points[:, 6:], -points[:, :6] @ trunk, rcond=None)  # the feet do not move
        a = np.concatenate([trunk, joints])
        asked = (mass_matrix @ a + gravity)[:6]
        forces, *_ = np.linalg.lstsq(points[:, :6].T, asked, rcond=None)
        wrenches = {
            foot: np.concatenate([force, np.zeros(3)]) for foot, force in zip(FEET, forces.reshape(4, 3), strict=True)
        }

        tau = robot.inverse_dynamics(q, v, a, wrenches=wrenches)
        again = robot.forward_dynamics(q, v, tau, wrenches=wrenches)
        vertical = "".join(f"{force[2]:10.2f}" for force in forces.reshape(4, 3))
        print(f"{sideways:10.1f}{vertical}{np.abs(tau[6:]).max():10.2f}{np.abs(again - a).max():10.0e}")


if __name__ == "__main__":
    main()
