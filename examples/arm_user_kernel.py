"""A function of your own, compiled: inverse kinematics of an arm by damped Gauss-Newton steps.

`reach` is plain NumPy over the robot's methods. It is traced for the arm and compiled; called on a batch it does one
step for a thousand targets at once. `frame` is static: each frame is a program of its own.
"""

from dataclasses import dataclass

import numpy as np

import floatbase as fb

TARGETS = 1000
DAMPING = 1e-3


@dataclass(frozen=True)
class Reach:
    """Where a frame is relative to its target."""

    error: np.ndarray  # (3,) in the world, from the frame to the target
    jacobian: np.ndarray  # (3, nv) of the frame's origin
    manipulability: np.ndarray  # () square root of det(J J^T)


@fb.kernel(target=(3,))
def reach(robot, q, target, *, frame):
    """Error, Jacobian and manipulability of a frame's position."""
    jacobian = robot.jacobian(q, frame)[:3]
    a, b, c = jacobian @ jacobian.T
    determinant = a @ np.cross(b, c)
    return Reach(target - robot.pose(q, frame)[:3, 3], jacobian, np.sqrt(determinant))


def main() -> None:
    robot = fb.load("panda", floating=False)
    frame = "panda_hand"
    rng = np.random.default_rng(0)

    there, _ = robot.random(rng, n=TARGETS)
    targets = robot.pose(there, frame)[:, :3, 3]  # reachable by construction
    q = np.tile(np.mean(robot.position_limits, axis=0), (TARGETS, 1))  # every joint in the middle of its range

    print("step   median error     95 %      median manipulability")
    for step in range(31):
        now = reach(robot, q, targets, frame=frame)
        if step % 5 == 0:
            distance = np.linalg.norm(now.error, axis=-1)
            median, high = np.quantile(distance, [0.5, 0.95])
            print(f"{step:4}{median:12.2e} m{high:12.2e} m{np.median(now.manipulability):15.4f}")
        square = now.jacobian @ now.jacobian.swapaxes(-1, -2) + DAMPING * np.eye(3)
        move = now.jacobian.swapaxes(-1, -2) @ np.linalg.solve(square, now.error[..., None])
        q += move[..., 0]


if __name__ == "__main__":
    main()
