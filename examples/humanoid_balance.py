"""A humanoid stands on one foot by feedback alone: iCub, linearised with `robot.linearize`.

Its left sole does not move and is the base. What is above it is an inverted pendulum of 32 joints, and falls if torques
are constant. The matrices of the motion of small changes and Riccati's equation give the feedback. Pushes, which are no
small changes, show how far it goes: as long as the centre of pressure stays within the sole.
"""

import numpy as np

import floatbase as fb

DT, TIME = 1e-3, 2.0  # s
POSITIONS, RATES, TORQUES = 10.0, 1.0, 0.1  # weights
SOLE = np.array([[-0.10, 0.06], [-0.035, 0.035]])  # m, from the sole's frame: toes and heel, half the width


def lean(robot: fb.Robot) -> np.ndarray:
    """A configuration near the neutral one whose centre of mass is above the middle of the sole."""
    q = robot.neutral()
    for _ in range(5):
        J, away = robot.com_jacobian(q)[:2], robot.com(q)[:2] - SOLE.mean(axis=1)
        q = robot.integrate(q, -np.linalg.pinv(J) @ away)
    return q


def feedback(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The gains that are least costly, by Riccati's equation: the stable half of what Hamilton's matrix does."""
    n = len(A) // 2
    weights = np.diag([POSITIONS] * n + [RATES] * n)
    values, vectors = np.linalg.eig(np.block([[A, -B @ B.T / TORQUES], [-weights, -A.T]]))
    above, below = np.split(vectors[:, values.real < 0.0], 2)
    return B.T @ np.linalg.solve(above.T, below.T).T.real / TORQUES


def stand(robot: fb.Robot, q0: np.ndarray, K: np.ndarray, push: float) -> tuple[float, float, float, float]:
    """After a push sideways in m/s: largest and last way of the centre of mass, margin of the sole, largest torque."""
    free = fb.load("icub", base="l_sole")  # the same, with the wrench of the ground among its forces
    ground, still = free.neutral()[:7], np.zeros(6)
    J = robot.com_jacobian(q0)[1]
    q, v = q0, push * J / (J @ J)  # the smallest rates that move the centre of mass so
    hold, ways, margins, efforts = robot.gravity(q0), [0.0], [], []
    while len(ways) <= TIME / DT and ways[-1] < 0.2:
        tau = hold - K @ np.concatenate([robot.difference(q0, q), v])
        a = robot.forward_dynamics(q, v, tau)
        motion = (np.concatenate(parts) for parts in ((ground, q), (still, v), (still, a)))
        force, moment = np.split(free.inverse_dynamics(*motion)[:6], 2)
        pressure = np.array([-moment[1], moment[0]]) / force[2]
        margins.append(np.min([pressure - SOLE[:, 0], SOLE[:, 1] - pressure]))
        efforts.append(np.abs(tau).max())
        q, v = robot.step(q, v, tau, DT)
        ways.append(np.linalg.norm(robot.com(q) - robot.com(q0)))
    return max(ways), ways[-1], min(margins), max(efforts)


def main() -> None:
    robot = fb.load("icub", base="l_sole", floating=False)
    q0 = lean(robot)
    A, B = robot.linearize(q0, np.zeros(robot.nv), robot.gravity(q0))
    K = feedback(A, B)
    before, after = (np.linalg.eigvals(M).real for M in (A, A - B @ K))
    print(f"{robot.name} on its left foot: {robot.nv} joints, {np.sum(before > 1e-6)} unstable modes; ", end="")
    print(f"with feedback every mode halves in {-np.log(2) / after.max():.2f} s\n")
    print("push, m/s    centre of mass moves, m    after 2 s, m    margin of the sole, m    largest torque, N m")
    for push in (0.0, 0.02, 0.05, 0.1):
        most, last, margin, effort = stand(robot, q0, K, push)
        print(f"{push:9.2f}{most:27.4f}{last:16.4f}{margin:25.4f}{effort:23.1f}")
    print("(below zero, a foot that is not fixed would tip)")
    away = stand(robot, q0, 0.0 * K, 0.001)[1]
    print(f"\nwithout feedback, after a push of 1 mm/s: {away:.2f} m away within {TIME:g} s")


if __name__ == "__main__":
    main()
