"""A run in a process of its own, which may be killed: `python -m tests.simulation.loop.killed PLANT FILE TOLD SECONDS`.

Its controller writes the number of the tick and the time on the wall to the file TOLD, and takes its time.
"""

from __future__ import annotations

import os
import struct
import sys
import time

import numpy as np
from tests.simulation.loop.robots import loop_around, ours, start, theirs

from floatbase.simulation.loop import block, run

PAUSE = 2e-4  # s, in each tick


def main(plant: str, path: str, told: str, seconds: str) -> None:
    descriptor = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def tell(inputs):
        time.sleep(PAUSE)
        tick = round(1000.0 * inputs["time"])
        os.pwrite(descriptor, struct.pack("<qd", tick, time.monotonic()), 16 * tick)
        return np.zeros(1)

    loop = loop_around({"ours": ours, "theirs": theirs}[plant](), rates={"controller": 500.0})
    loop = loop.with_settings(blocks={**loop.blocks, "teller": block(tell, {"time": 1}, {"told": 1})})
    run(loop, start(0.02), duration=float(seconds), seed=5, log=path, resume=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
