"""A tumbling quadrotor with an arm, integrated on its manifold: what must not change, and how fast errors vanish.

Attitudes have no addition: `integrate` moves a configuration along a velocity, by exponentials. With the midpoint
rule, energy and momentum in free flight drift with the square of the time step, and quaternions stay of unit length.
"""

import numpy as np

import floatbase as fb

TIME = 2.0  # s


def fly(robot: fb.Robot, q: np.ndarray, v: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The state after a free flight, joints without friction, by the midpoint rule."""
    dt = TIME / steps
    nothing = np.zeros(robot.nv)
    for _ in range(steps):
        v_middle = v + 0.5 * dt * robot.forward_dynamics(q, v, nothing)
        q_middle = robot.integrate(q, v, 0.5 * dt)
        v = v + dt * robot.forward_dynamics(q_middle, v_middle, nothing)
        q = robot.integrate(q, v_middle, dt)
    return q, v


def main() -> None:
    robot = fb.load("quadrotor_with_arm")
    q = robot.neutral()
    v = np.array([1.0, 0.0, 5.0, 2.0, 1.5, 1.0, 1.0, -2.0])

    def energy(q: np.ndarray, v: np.ndarray) -> float:
        return float(robot.kinetic_energy(q, v) + robot.potential_energy(q))

    spin = robot.centroidal_momentum(q, v)[3:]
    landing = robot.com(q) + TIME * robot.com_velocity(q, v) + 0.5 * TIME**2 * np.array([0.0, 0.0, -9.81])
    print(f"{robot.name}: {robot.mass:.2f} kg, energy {energy(q, v):.3f} J, {TIME:g} s of free flight\n")
    print("steps   error of energy, J   of angular momentum   of landing point, m   of quaternion's length")
    for steps in (250, 500, 1000, 2000, 4000):
        q_end, v_end = fly(robot, q, v, steps)
        errors = (
            abs(energy(q_end, v_end) - energy(q, v)),
            np.abs(robot.centroidal_momentum(q_end, v_end)[3:] - spin).max(),
            np.linalg.norm(robot.com(q_end) - landing),
            abs(np.linalg.norm(q_end[3:7]) - 1.0),
        )
        print(f"{steps:5}" + "".join(f"{error:20.1e}" for error in errors))


if __name__ == "__main__":
    main()
