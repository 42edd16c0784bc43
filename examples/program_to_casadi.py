"""A robot's functions inside an optimisation: the pose in which Panda holds a weight with the least torque.

Gravity torques and the pose of the hand become CasADi expressions, with derivatives, and IPOPT finds the joint
positions. The program behind them is data as well: it is saved, loaded without the robot, and run in long precision.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import floatbase as fb
from floatbase.compiler import load, save

HAND, WEIGHT = "panda_hand", 2.0  # kg


@fb.kernel
def holding(robot, q):
    """Torques that hold the arm and the weight in its hand, with the hand's position."""
    carried = robot.jacobian(q, HAND)[2] * WEIGHT * 9.81
    return robot.gravity(q) + carried, robot.pose(q, HAND)[:3, 3]


def least_torque(robot: fb.Robot, target: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Joint positions (nq,) with the hand at a point."""
    import casadi

    q = casadi.SX.sym("q", robot.nq)
    torque, position = holding(robot, q)
    problem = {"x": q, "f": casadi.sumsqr(torque), "g": position}
    silent = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"}
    solver = casadi.nlpsol("solver", "ipopt", problem, silent)
    lower, upper = robot.position_limits
    solution = solver(x0=start, lbx=lower, ubx=upper, lbg=target, ubg=target)
    return np.asarray(solution["x"]).ravel()


def main() -> None:
    if find_spec("casadi") is None:
        print("this example needs CasADi: pip install 'floatbase[ocp]'")
        return
    robot = fb.load("panda")
    start = np.mean(robot.position_limits, axis=0)
    print(f"{WEIGHT:g} kg in the hand\n")
    print("height of the hand, m     norm of torques, N m     largest torque     distance from the target, m")
    for height in (0.2, 0.4, 0.6, 0.8):
        target = np.array([0.4, 0.0, height])
        q = least_torque(robot, target, start)
        torque, position = holding(robot, q)
        print(
            f"{height:19.1f}{np.linalg.norm(torque):25.2f}{np.abs(torque).max():19.2f}"
            f"{np.linalg.norm(position - target):26.0e}"
        )

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "holding.program")
        save(holding.program(robot), file)
        program = load(file)
        exact = fb.interpret(program, q.astype(np.longdouble))
    values = list(exact.values()) if isinstance(exact, dict) else list(exact)
    print(f"\n{program!r}")
    print(f"rounding errors of the compiled torques: {np.abs(values[0] - holding(robot, q)[0]).max():.0e} N m")


if __name__ == "__main__":
    main()
