"""Many states at once: forward dynamics of iCub for a large set of random states, in chunks, on one and more threads.

A batch goes through the vector registers of the processor, several states per instruction. Results do not depend on
the number of threads, nor on how the set is cut into chunks. `--states 1000000` takes under a minute.
"""

import argparse
import os
import time

import numpy as np

import floatbase as fb

CHUNK = 4096


def sweep(
    robot: fb.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, states: int, threads: int
) -> tuple[float, float]:
    """Seconds, and the largest joint acceleration, for `states` states taken chunk after chunk from the given ones."""
    a = np.empty_like(v)
    largest = 0.0
    start = time.perf_counter()
    for _ in range(0, states, len(q)):
        robot.forward_dynamics(q, v, tau, out=a, threads=threads)
        largest = max(largest, float(np.abs(a[:, 6:]).max()))
    return time.perf_counter() - start, largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=8 * CHUNK)
    states = parser.parse_args().states

    robot = fb.load("icub")
    q, v = robot.random(np.random.default_rng(0), n=CHUNK)
    tau = np.zeros_like(v)
    robot.forward_dynamics(q, v, tau)  # compiles

    one = robot.forward_dynamics(q[0], v[0], tau[0])
    print(f"row 0 of the batch equals the single call: {np.array_equal(robot.forward_dynamics(q, v, tau)[0], one)}")

    start = time.perf_counter()
    for row in range(256):
        robot.forward_dynamics(q[row], v[row], tau[row])
    alone = (time.perf_counter() - start) / 256
    print(f"{'one state per call':22}{1e6 * alone:8.2f} us per state")

    for threads in sorted({1, min(2, os.cpu_count() or 1), os.cpu_count() or 1}):
        seconds, largest = sweep(robot, q, v, tau, states, threads)
        name = f"batch, {threads} thread(s)"
        print(f"{name:22}{1e6 * seconds / states:8.2f} us per state, {1e-6 * states / seconds:6.2f} million per second")
    print(f"largest joint acceleration met: {largest:.3g} rad/s^2")


if __name__ == "__main__":
    main()
