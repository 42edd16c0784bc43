"""`python -m benchmarks.logs`: an hour of 100 signals at 1 kHz, written, opened, filtered and plotted.

The whole is done by one process, whose peak of memory is read after each step, once in float32, as sensors give
samples, and once in float64. They are slow sines with noise, which compresses badly, and are recorded second by second
by the crash-safe writer, whose file is then finished as Parquet; making them up is not counted. Every one of the 100
signals is read, filtered forward and backward, and drawn.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import describe
from floatbase import logs, report

RATE, GROUP, WIDTH = 1000, 10, 10
CUTOFF, OMEGA = 20.0, 2.0 * np.pi / 900.0
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=3600, help="length of the log")
    parser.add_argument("--dtype", choices=("float32", "float64"), help="measure this one, in this process")
    parser.add_argument("--folder", type=Path, help="where to put the log; by default a temporary folder")
    parser.add_argument("--no-record", action="store_true", help="leave benchmarks/results as it is")
    options = parser.parse_args()
    if options.dtype:
        folder = Path(tempfile.mkdtemp(prefix="floatbase-logs-", dir=options.folder))
        try:
            print("\n".join(measure(folder, options.seconds, np.dtype(options.dtype))))
        finally:
            shutil.rmtree(folder)
        return
    machine = describe()
    parts = [HEADING.format(signals=GROUP, columns=WIDTH, rate=RATE, seconds=options.seconds, cutoff=CUTOFF)]
    for dtype in ("float32", "float64"):  # each in a process of its own, whose peak of memory is its own
        command = [sys.executable, "-m", "benchmarks.logs", "--dtype", dtype, "--seconds", str(options.seconds)]
        if options.folder:
            command += ["--folder", str(options.folder)]
        parts.append(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    parts.append("\n".join(f"* {key}: {value}" for key, value in machine.items() if key != "packages") + "\n")
    text = "\n".join(parts)
    print(text)
    if not options.no_record:
        (RESULTS / "logs.md").write_text(text, encoding="utf-8")


HEADING = """# An hour of 100 signals

{signals} signals of {columns} columns at {rate} Hz over {seconds} s, recorded second by second by the crash-safe
writer, finished as Parquet (lz4), opened, every column read, filtered (Butterworth of order 4 at {cutoff:g} Hz, forward
and backward, in float64), reduced to curves, and drawn for light and dark pages. Making the samples up is not counted.
The filtered curves are compared with the sines without noise. Files are in the cache of the operating system where it
keeps them; on a disk that others keep busy, the first two steps took up to 20 s for float32 here.
"""


class Steps:
    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float]] = []

    @contextmanager
    def __call__(self, name: str, without: list[float] | None = None) -> Iterator[None]:
        start = time.perf_counter()
        yield
        seconds = time.perf_counter() - start - sum(without or [])
        self.rows.append((name, seconds, peak()))
        print(f"{name}: {seconds:.2f} s, {peak():.2f} GB", file=sys.stderr, flush=True)


def peak() -> float:
    """The largest resident memory of this process so far, GB."""
    scale = 1e9 if sys.platform == "darwin" else 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def measure(folder: Path, seconds: int, dtype: np.dtype[Any]) -> list[str]:
    names = [f"sensor_{k}" for k in range(GROUP)]
    columns = [f"channel_{k}" for k in range(WIDTH)]
    layout = logs.Log(
        tuple(logs.channel(f"robot/{name}", "N m", columns=columns, dtype=dtype) for name in names),
        {"robot": RATE},
    )
    rng = np.random.default_rng(0)
    noise = (0.1 * rng.standard_normal((64 * RATE, GROUP * WIDTH))).astype(dtype)
    phases = np.linspace(0.0, 6.0, GROUP * WIDTH)
    path = folder / "hour.parquet"
    steps, made = Steps(), []
    before = peak()
    with steps("record, second by second", made):
        writer = logs.LogWriter(path, layout)
        for second in range(seconds):
            start = time.perf_counter()
            clock = second + np.arange(RATE) / RATE
            begin = int(rng.integers(0, 63 * RATE))
            table = noise[begin : begin + RATE] + np.sin(OMEGA * clock[:, None] + phases).astype(dtype)
            blocks = {name: table[:, WIDTH * k : WIDTH * (k + 1)] for k, name in enumerate(names)}
            made.append(time.perf_counter() - start)
            writer.append("robot", clock, blocks)
    journal = next(folder.glob("*.journal")).stat().st_size
    with steps("finish as Parquet"):
        writer.finish()
    size = path.stat().st_size
    with steps("open, read the clock"):
        file = logs.open_log(path)
        stamps = file.time("robot")
    filtered = (logs.lowpass(signal, CUTOFF) for signal in file.signals())
    with steps("read, filter and reduce to curves"):
        drawing = logs.drawing(filtered)
    file.close()
    with steps("draw as PNG, light and dark"):
        pictures = report.draw_png(drawing.draw, drawing.size)
    total = sum(row[1] for row in steps.rows)
    check(drawing, stamps, seconds)
    samples = 1e-9 * seconds * RATE * GROUP * WIDTH * dtype.itemsize
    return [
        f"## {dtype.name}",
        "",
        f"{samples:.2f} GB of samples; the journal has {journal / 1e9:.2f} GB, the Parquet file {size / 1e9:.2f} GB, "
        f"the pictures {sum(map(len, pictures)) / 1e6:.1f} MB. Before the first step the process has {before:.2f} GB.",
        "",
        "| step | s | peak memory, GB |",
        "|---|---:|---:|",
        *(f"| {name} | {duration:.2f} | {memory:.2f} |" for name, duration, memory in steps.rows),
        f"| **all** | **{total:.2f}** | **{peak():.2f}** |",
    ]


def check(drawing: logs.Drawing, stamps: np.ndarray, seconds: int) -> None:
    """The filtered curves are the sines that were recorded."""
    assert len(stamps) == seconds * RATE
    assert stamps[-1] == seconds - 1 + (RATE - 1) / RATE
    phases = iter(np.linspace(0.0, 6.0, GROUP * WIDTH))
    for panel in drawing.panels:
        for curve in panel.curves:
            error = np.abs(curve.values - np.sin(OMEGA * curve.time + next(phases)))
            assert error.max() < 0.03, error.max()


if __name__ == "__main__":
    main()
