"""What holds a humanoid up: joint torques of iCub standing on two feet, and what each of them is made of.

The torques that a pose needs are those of gravity less what the ground takes through the feet. With the right contact
wrenches the base needs nothing from elsewhere: the first six components of the inverse dynamics vanish.
"""

import numpy as np

import floatbase as fb

FEET = ("l_sole", "r_sole")
SQUAT = {"hip_pitch": 0.6, "knee": -1.0, "ankle_pitch": -0.4}


def crouch(robot: fb.Robot) -> np.ndarray:
    """A pose with bent knees. q: (nq,)."""
    q = robot.neutral()
    joints = q[7:]
    for side in ("l", "r"):
        for name, angle in SQUAT.items():
            joints[robot.joint_names.index(f"{side}_{name}")] = angle
    return q


def foot_wrenches(robot: fb.Robot, q: np.ndarray) -> dict[str, np.ndarray]:
    """Two wrenches that carry the robot at rest: each is the least-norm share of what gravity asks of the base."""
    base_rows = np.hstack([robot.jacobian(q, foot)[:, :6].T for foot in FEET])
    shares, *_ = np.linalg.lstsq(base_rows, robot.gravity(q)[:6], rcond=None)
    return dict(zip(FEET, shares.reshape(2, 6), strict=True))


def main() -> None:
    robot = fb.load("icub")
    q = crouch(robot)
    rest = np.zeros(robot.nv)
    wrenches = foot_wrenches(robot, q)

    hanging = robot.inverse_dynamics(q, rest, rest)
    standing = robot.inverse_dynamics(q, rest, rest, wrenches=wrenches)

    print(
        f"{robot.name}: {robot.mass:.1f} kg, {robot.nv - 6} joints, centre of mass at {robot.com(q).round(3) + 0.0} m"
    )
    for foot, wrench in wrenches.items():
        print(f"{foot}: force {wrench[:3].round(1) + 0.0} N, moment {wrench[3:].round(2) + 0.0} N m")
    without, within = np.abs(hanging[:6]).max(), np.abs(standing[:6]).max()
    print(f"the base needs {without:.1f} N without the feet, {within:.1e} N with them\n")

    print(f"{'joint':24}{'held by the base':>18}{'standing':>12}   N m")
    order = np.argsort(-np.abs(standing[6:]))[:12]
    for index in order:
        print(f"{robot.joint_names[index]:24}{hanging[6 + index]:18.2f}{standing[6 + index]:12.2f}")


if __name__ == "__main__":
    main()
