"""Inverse kinematics as one compiled function: a loop, a derivative and a linear solve, in machine code.

`solve` runs Levenberg-Marquardt steps on the pose of Panda's hand until the error is small, for each target on its
own. The Jacobian of the error is the derivative of the expression itself, so any other error would do as well.
"""

import numpy as np

import floatbase as fb
from floatbase.spatial import rotation_logarithm

HAND = "panda_hand"
TARGETS = 2000
DAMPING, TOLERANCE, LIMIT = 1e-4, 1e-8, 200


def error(robot: fb.Robot, q: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Position in m and rotation vector in radians (6,) from the hand to a target pose (4, 4), in world axes."""
    hand = robot.pose(q, HAND)
    turn = rotation_logarithm(target[:3, :3] @ hand[:3, :3].T)
    return np.concatenate([target[:3, 3] - hand[:3, 3], turn])


@fb.kernel(target=(4, 4))
def solve(robot, q, target):
    """Joint positions, the norm of the error left, and the number of steps."""

    def goes_on(q, target):
        return np.sum(error(robot, q, target) ** 2) > TOLERANCE**2

    def step(q, target):
        e = error(robot, q, target)
        J = fb.jacobian(e, q)
        damping = DAMPING + 0.01 * np.sum(e**2)
        return q - np.linalg.solve(J.T @ J + damping * np.eye(robot.nq), J.T @ e)

    q, steps = fb.while_loop(goes_on, step, q, shared=target, limit=LIMIT)
    return q, np.sqrt(np.sum(error(robot, q, target) ** 2)), steps


def main() -> None:
    robot = fb.load("panda")
    rng = np.random.default_rng(0)
    there, _ = robot.random(rng, n=TARGETS)
    targets = robot.pose(there, HAND)  # reachable by construction
    start = robot.neutral()  # one start for all: batch axes broadcast

    q, left, steps = solve(robot, start, targets)
    solved = left < 1e-7
    print(f"{TARGETS} poses of {HAND}, from one start: {solved.mean():.1%} reached")
    print(f"steps: median {np.median(steps[solved]):.0f}, nine of ten within {np.quantile(steps[solved], 0.9):.0f}\n")

    again, left, _ = solve(robot, robot.random(rng, n=TARGETS)[0][~solved], targets[~solved])
    q[~solved] = again
    print(f"the others once more, from random starts: {np.mean(left < 1e-7):.1%} of them reached")

    placed = robot.pose(q, HAND)
    worst = np.quantile(np.abs(placed - targets).max(axis=(1, 2)), 0.9)
    print(f"nine of ten poses agree with their targets to {worst:.0e}")
    print(f"the program: {solve.program(robot).operation_count} operations, for any number of steps")


if __name__ == "__main__":
    main()
