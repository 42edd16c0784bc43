"""What the torques of an arm say about its masses: base parameters of UR5 from noisy torques, by least squares.

The torques are linear in the inertial parameters, `tau = Y phi`, but not all parameters show: only as many
combinations as the stacked regressors have rank. These are chosen by the singular vectors of the regressors.
"""

import numpy as np

import floatbase as fb

NOISE = 0.1  # N m


def states(robot: fb.Robot, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random positions, velocities and accelerations."""
    q, v = robot.random(rng, n=n)
    return q, v, 3.0 * rng.standard_normal(v.shape)


def main() -> None:
    robot = fb.load("ur5")
    rng = np.random.default_rng(0)
    truth = robot.inertial_parameters

    Y = robot.regressor(*states(robot, rng, 200)).reshape(-1, truth.size)
    _, values, directions = np.linalg.svd(Y, full_matrices=False)
    rank = int((values > 1e-9 * values[0]).sum())
    base = directions[:rank]  # orthonormal combinations of parameters that torques show
    print(f"{robot.name}: {truth.size} inertial parameters, of which {rank} combinations show in the torques")
    last, gap = values[rank - 1 : rank + 1] / values[0]
    print(f"singular values relative to the first: down to {last:.0e}, then {gap:.0e}\n")

    check = states(robot, rng, 500)
    expected = robot.inverse_dynamics(*check)
    print("samples   error of base parameters   error of torques on new motions")
    for samples in (20, 200, 2000, 20000):
        motion = states(robot, rng, samples)
        measured = robot.inverse_dynamics(*motion)
        measured += NOISE * rng.standard_normal(measured.shape)
        Y = robot.regressor(*motion).reshape(-1, truth.size)
        found, *_ = np.linalg.lstsq(Y @ base.T, measured.ravel(), rcond=None)
        error = np.linalg.norm(found - base @ truth) / np.linalg.norm(base @ truth)
        predicted = robot.regressor(*check) @ (base.T @ found)
        print(f"{samples:7}{error:20.2%}{np.sqrt(np.mean((predicted - expected) ** 2)):25.4f} N m")

    hidden = directions[-1]  # a change of parameters that no torque shows
    other = robot.inverse_dynamics(*check, parameters=truth + hidden)
    print(f"\na change of the parameters by 1 that changes torques by {np.abs(other - expected).max():.0e} N m")


if __name__ == "__main__":
    main()
