"""A robot written in Python, tested against a formula: a chain of rods approaches a hanging rope.

A rope of length L swings at the frequencies `j_k / 2 * sqrt(g / L)`, with the zeros j_k of the Bessel function J0.
A chain of n rods on hinges has n frequencies, from its mass matrix and the derivative of its gravity torques.
"""

import numpy as np

import floatbase as fb
from floatbase import model

LENGTH, MASS, GRAVITY = 2.0, 1.0, 9.81
ZEROS = np.array([2.404825557695773, 5.520078110286311, 8.653727912911013])


def chain(n: int) -> model.Model:
    """Rods on hinges about y, hanging down at zero, from a fixed point."""
    length, mass = LENGTH / n, MASS / n
    slender = np.diag([1.0, 1.0, 0.0]) * mass * length**2 / 12 + 1e-9 * np.eye(3)
    inertia = model.Inertia(mass, np.array([0.0, 0.0, -length / 2]), slender)
    rods = [model.Link(f"rod_{k}", inertia) for k in range(n)]
    below = np.eye(4)
    below[2, 3] = -length
    joints = [
        model.Joint(
            f"hinge_{k}",
            "continuous",
            "world" if k == 0 else f"rod_{k - 1}",
            f"rod_{k}",
            np.eye(4) if k == 0 else below,
            np.array([0.0, 1.0, 0.0]),
        )
        for k in range(n)
    ]
    return model.Model(f"chain_{n}", (model.Link("world"), *rods), tuple(joints), root="world")


@fb.kernel
def stiffness(robot, q):
    """Derivative of the gravity torques: the Hessian of the potential energy."""
    return fb.jacobian(robot.gravity(q), q)


def frequencies(robot: fb.Robot) -> np.ndarray:
    """Of small oscillations, in rad/s, the lowest first."""
    rest = robot.neutral()
    squares = np.linalg.eigvals(robot.inverse_mass_matrix(rest) @ stiffness(robot, rest))
    return np.sqrt(np.sort(squares.real))


def main() -> None:
    rope = ZEROS / 2 * np.sqrt(GRAVITY / LENGTH)
    print("frequencies in rad/s\n")
    print("rods      first   second    third    error of the first")
    for n in (1, 2, 4, 8, 16):
        found = frequencies(fb.load(chain(n)))[:3]
        columns = "".join(f"{value:9.4f}" for value in found)
        print(f"{n:4}{columns:29}{abs(found[0] / rope[0] - 1):16.2%}")
    print("rope" + "".join(f"{value:9.4f}" for value in rope))


if __name__ == "__main__":
    main()
