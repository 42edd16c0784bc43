"""How a falling humanoid turns itself round: iCub swings its arms in circles, and its body turns the other way.

Without contact the angular momentum about the centre of mass is conserved: here it stays zero. The base's twist then
follows from the joints' rates, `A_b v_b = -A_j s_dot`. After each circle the joints are back where they were, and the
body is not.
"""

import numpy as np

import floatbase as fb

STEPS = 400  # for each circle
LIFT, SWING = 1.2, 0.8  # radians: how far the arms are lifted and how wide their circles are


def arms(robot: fb.Robot, phase: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the joints, and their derivative by the phase of the circles. phase: radians."""
    s, s_rate = np.zeros(robot.nv - 6), np.zeros(robot.nv - 6)
    for side in ("l", "r"):
        pitch, roll = (robot.joint_names.index(f"{side}_shoulder_{axis}") for axis in ("pitch", "roll"))
        s[pitch], s_rate[pitch] = SWING * np.sin(phase), SWING * np.cos(phase)
        s[roll], s_rate[roll] = LIFT + SWING * (np.cos(phase) - 1.0) / 2, -SWING * np.sin(phase) / 2
    return s, s_rate


def main() -> None:
    robot = fb.load("icub")
    step = robot.function(["centroidal_momentum_matrix", "locked_inertia"])
    q = robot.neutral()
    q[7:] = arms(robot, 0.0)[0]
    start = q.copy()

    print("circles   turned about x, y, z in degrees      largest momentum    joints moved")
    largest = 0.0
    for count in range(5 * STEPS + 1):
        if count % STEPS == 0:
            turned = np.degrees(robot.difference(start, q)[3:6])
            moved = np.abs(q[7:] - start[7:]).max()
            print(f"{count // STEPS:7}{turned[0]:12.3f}{turned[1]:9.3f}{turned[2]:9.3f}{largest:20.1e}{moved:16.1e}")
        middle = 2 * np.pi * (count + 0.5) / STEPS
        s_rate = arms(robot, middle)[1] * 2 * np.pi / STEPS
        v = np.concatenate([np.zeros(6), s_rate])
        for _ in range(2):  # the momentum is made zero in the middle of the step
            A, _ = step(robot.integrate(q, v, 0.5))
            v[:6] = -np.linalg.solve(A[:, :6], A[:, 6:] @ s_rate)
        largest = max(largest, np.abs(A @ v).max())
        q = robot.integrate(q, v)
        q[7:] = arms(robot, 2 * np.pi * (count + 1) / STEPS)[0]

    inertia = step(start)[1][4, 4]
    print(f"\nlocked inertia about the axis it turns about: {inertia:.3f} kg m^2, mass {robot.mass:.1f} kg")


if __name__ == "__main__":
    main()
