"""Throughput on a GPU: `python -m benchmarks.gpu`, on a machine that has one.

Arrays are CuPy's and stay on the GPU. `kernel` is the time of one of several kernels that the public call inside
`floatbase.gpu.deferred` has put into a graph, writing to memory that is used again; `call` is the public call with its
checks, waiting for the result; `host` is how long the call takes where it need not wait. Results are compared with
float64 on the CPU before and after timing, for the first and the last states of the batch, norm-wise for each state.
The arithmetic floor is the program's operations over the processors' rate of fused operations, the memory floor its
inputs and outputs over the bandwidth of a copy measured in the same run; the larger of both is what no kernel of this
program could undercut.

Three parts, each with its own files in `benchmarks/results/`, written while it runs: `sizes` is time against the size
of the batch (`gpu.json`, `gpu.md`, plots), `peers` libraries on JAX beside floatbase (`gpu-peers.json`, `.md`), and
`functions` every quantity that a robot can be asked for (`gpu-functions.json`, `.md`).
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import gpu_functions, gpu_peers, gpu_peers_report, gpu_report, machine, robots
from benchmarks.gpu_measure import FUNCTIONS, bandwidth, measure
from benchmarks.gpu_peer import COMPARED, PEERS
from benchmarks.gpu_records import Records
from floatbase.compiler.gpu.driver import device

HERE = Path(__file__).resolve().parent
PARTS = ("sizes", "peers", "functions")
SIZES = tuple(4**power for power in range(4, 12))  # 256 to 4 M
SWEPT = tuple(name for name in FUNCTIONS if name != "bias")


def main() -> None:
    """Measure, print, and write the results."""
    options = _arguments()
    import cupy

    console = Console(width=150)
    gpu = device(0)
    about = {**machine.describe(), "gpu": repr(gpu), "driver": gpu.driver_version, "copy GB/s": bandwidth(cupy)}
    console.print(about)
    options.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("FLOATBASE_CACHE", str(Path(folder) / "cache"))
        if "sizes" in options.parts:
            _sizes(cupy, options, about, console, Path(folder))
        if "peers" in options.parts:
            _peers(cupy, options, about, console, Path(folder))
        if "functions" in options.parts:
            records = Records(options.results / "gpu-functions", about, gpu_functions.markdown, console)
            plain = robots.prepare(options.functions_robot, Path(folder))
            frames = (plain.frame, plain.other)
            for record in gpu_functions.measure(cupy, plain.name, frames, options.functions_seconds):
                records.add([record])


def _arguments() -> argparse.Namespace:
    limits = gpu_peers.Limits()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parser.add_argument("--robots", nargs="+", default=["icub", "g1", "talos", "anymal_c", "panda"], metavar="ROBOT")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="N", help="states in a batch")
    parser.add_argument("--quick", action="store_true", help="two sizes")
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=PEERS)
    parser.add_argument("--peer-robots", nargs="+", default=["icub"], metavar="ROBOT")
    parser.add_argument("--peer-sizes", nargs="+", type=int, default=list(gpu_peers.SIZES), metavar="N")
    parser.add_argument("--compiling", type=float, default=limits.compiling, help="seconds for peers to compile")
    parser.add_argument("--measuring", type=float, default=limits.measuring, help="seconds for each peer and dtype")
    parser.add_argument("--functions-robot", default="icub", metavar="ROBOT")
    parser.add_argument("--functions-seconds", type=float, default=400.0, help="seconds for the table of functions")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    return parser.parse_args()


def _sizes(cupy: Any, options: argparse.Namespace, about: dict[str, Any], console: Console, folder: Path) -> None:
    records = Records(options.results / "gpu", about, gpu_report.markdown, console)
    for name in options.robots:
        plain = robots.prepare(name, folder)
        for function in SWEPT:
            for dtype in gpu_peers.DTYPES:
                sizes = (1024, 16384) if options.quick else options.sizes
                records.add(measure(cupy, plain, function, dtype, sizes, about["copy GB/s"]))
    gpu_report.plot(records.found, options.results / "gpu-batch")


def _peers(cupy: Any, options: argparse.Namespace, about: dict[str, Any], console: Console, folder: Path) -> None:
    records = Records(options.results / "gpu-peers", about, gpu_peers_report.markdown, console)
    sizes = (1024, 16384) if options.quick else options.peer_sizes
    ours = sorted({*sizes, *(size // 4 for size in sizes if size > 1 << 18)})  # what peers without memory fall back to
    for name in options.peer_robots:
        plain = robots.prepare(name, folder)
        for function in COMPARED:
            for dtype in gpu_peers.DTYPES:
                records.add(measure(cupy, plain, function, dtype, ours, about["copy GB/s"]))
    cupy.get_default_memory_pool().free_all_blocks()
    limits = gpu_peers.Limits(compiling=options.compiling, measuring=options.measuring)
    found, libraries = gpu_peers.measure(options.peers, options.peer_robots, sizes, limits=limits)
    about["libraries"] = libraries
    records.add(found)


if __name__ == "__main__":
    main()
