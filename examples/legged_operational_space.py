"""How heavy a foot feels: ANYmal's mobility at a foot, its trunk held and free, from a stretched leg to a folded one.

The mobility `J M^-1 J^T` is the acceleration of a foot for a unit force there. Its inverse, seen along one axis, is
the mass that a blow along that axis meets; what stops a foot that falls at 1 m/s is the impulse below.
"""

import warnings

import numpy as np

import floatbase as fb

FOOT = "LF_FOOT"


def folded(robot: fb.Robot, knee: float) -> np.ndarray:
    """A pose whose knees are bent by an angle. q: (nq,)."""
    q = robot.neutral()
    joints = q[-robot.tree.joint_nq :]
    for index, name in enumerate(robot.joint_names):
        sign = 1.0 if name.startswith(("LF", "RF")) else -1.0  # hind legs mirrored
        joints[index] = sign * {"HAA": 0.0, "HFE": 0.5 * knee, "KFE": -knee}[name[3:]]
    return q


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.ModelWarning)  # its cameras have impossible inertias: they do not matter
        free, held = (fb.load("anymal_c", floating=floating) for floating in (True, False))
    angles = np.linspace(0.4, 2.0, 5)

    print(f"{free.name}, {free.mass:.1f} kg: mass in kg that a blow on {FOOT} meets\n")
    print("             trunk held                    trunk free")
    print(" knee        x        y        z           x        y        z   impulse, N s")
    for knee in angles:
        masses = []
        for robot in (held, free):
            mobility = robot.operational_space_mobility(folded(robot, knee), FOOT)[:3, :3]
            masses.append(1.0 / np.diag(mobility))
        impulse = np.linalg.solve(mobility, [0.0, 0.0, 1.0])  # of the free robot: vertical motion stops, nothing slips
        print(
            f"{knee:5.2f}{masses[0][0]:9.2f}{masses[0][1]:9.2f}{masses[0][2]:9.2f}   "
            f"{masses[1][0]:9.2f}{masses[1][1]:9.2f}{masses[1][2]:9.2f}{np.linalg.norm(impulse):12.2f}"
        )

    q = folded(free, 1.2)
    v = np.zeros(free.nv)
    jump = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0])  # asked of the foot, m/s^2
    wrench = free.operational_space_inertia(q, FOOT) @ (jump - free.acceleration(q, v, np.zeros(free.nv), FOOT))
    a = free.inverse_mass_matrix(q) @ (free.jacobian(q, FOOT).T @ wrench)
    got = free.acceleration(q, v, a, FOOT)
    print(f"\nforce for 2 m/s^2 upwards, without turning: {np.linalg.norm(wrench[:3]):.2f} N")
    print(f"largest error of the acceleration it gives: {np.abs(got - jump).max():.0e} m/s^2")


if __name__ == "__main__":
    main()
