"""How hard a push can iCub take? One simulation, then a thousand with grounds and masses of their own.

The robot stands on two visco-elastic soles, its joints held by drives. A push at the chest lasts 0.1 s. First one robot
is followed, then a batch in which every row has another push, another ground and other masses, in one compiled step.
"""

import numpy as np

import floatbase as fb
from floatbase.simulation import Simulator, simulate
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.joints import PositionDrive

ROWS, PUSHED = 1000, (0.5, 0.6)  # s


def standing(robot: fb.Robot, stiffness: float | np.ndarray = 2e6, inertial: np.ndarray | None = None) -> Simulator:
    """A simulator of the robot on its soles, its joints held by drives."""
    sole = SoleContact(length=0.2, width=0.1, stiffness=stiffness, damping=1e4, friction=0.6)
    drive = PositionDrive(proportional=600.0, derivative=10.0)
    contacts = {"l_sole": sole, "r_sole": sole}
    return Simulator(robot, contacts, joints=drive, method="stiff", pushes=("chest",), inertial=inertial)


def upright(robot: fb.Robot) -> np.ndarray:
    """The posture, with the soles in the ground as deep as the weight takes them."""
    q = robot.neutral()
    q[2] -= robot.pose(q, "l_sole")[2, 3] + robot.mass * 9.81 / (2 * 0.2 * 0.1 * 2e6)
    return q


def run(simulator: Simulator, q: np.ndarray, push: np.ndarray, duration: float = 2.0) -> np.ndarray:
    """Heights of the base (time, ...) under a push forwards, in newtons."""
    state = simulator.init(q)
    rest = simulator.rest(state)
    wrench = np.stack([push, *[np.zeros_like(push)] * 5], axis=-1)
    heights = []
    for tick in range(round(duration / simulator.dt)):
        acts = PUSHED[0] <= tick * simulator.dt < PUSHED[1]
        state = simulator.step(state, rest, pushes=wrench if acts else np.zeros_like(wrench))
        heights.append(state.q[..., 2])
    return np.array(heights)


def main() -> None:
    robot = fb.load("icub")
    q = upright(robot)

    simulator = standing(robot)
    found = simulate(simulator, None, simulator.init(q), duration=0.5, record=["wrenches", "com"])
    carried = found["wrenches"][-1, [2, 8]]
    print(
        f"standing: the feet carry {carried[0]:.1f} N and {carried[1]:.1f} N, the weight is {robot.mass * 9.81:.1f} N"
    )
    for force in (20.0, 200.0):
        height = run(simulator, q, np.array(force))
        print(f"a push of {force:3.0f} N: the base ends {'up' if height[-1] > 0.8 * height[0] else 'down'}")

    rng = np.random.default_rng(0)
    pushes = rng.uniform(0.0, 200.0, ROWS)
    masses = rng.uniform(0.9, 1.1, (ROWS, 1))
    many = standing(robot, stiffness=rng.uniform(1e6, 3e6, ROWS), inertial=masses * robot.inertial_parameters)
    heights = run(many, np.broadcast_to(q, (ROWS, robot.nq)), pushes)
    stood = heights[-1] > 0.8 * heights[0]
    print(f"{ROWS} robots with masses and grounds of their own, 2 s each:")
    for low in range(0, 200, 50):
        rows = (pushes >= low) & (pushes < low + 50)
        print(f"  {low:3d} to {low + 50:3d} N: {100 * stood[rows].mean():5.1f} % stay up")


if __name__ == "__main__":
    main()
