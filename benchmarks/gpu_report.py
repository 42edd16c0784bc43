"""Tables and plots of `python -m benchmarks.gpu`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console

GRID = {"inverse dynamics": 72.9, "inverse dynamics derivatives": 649.0, "forward dynamics": 459.0}
"""Microseconds that GRiD publishes for G1, a batch of 1024, float32, on an RTX 5090: other hardware than here."""

Record = dict[str, Any]


def show(console: Console, records: Sequence[Record]) -> None:
    """A line each."""
    for record in records:
        console.print(_line(record), highlight=False)


def _line(record: Record) -> str:
    if "reason" in record:
        names = f"{record['peer']:9} {record['robot']:9} {record['function']:29} {record.get('dtype', '')}"
        return f"{names} batch {record.get('batch', '')}: not measured: {record['reason']}"
    return (
        f"{record['peer']:9} {record['robot']:9} {record['function']:29} {record['dtype']} batch {record['batch']:8}: "
        f"{1e6 * record['kernel']:10.1f} us, {rate(record['per second'])}/s, error {record['error']:.0e}"
        f"{'' if record['agrees'] else '  DISAGREES'}"
    )


def rate(number: float) -> str:
    """With a unit, in three digits."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


def machine(about: Record) -> list[str]:
    """What was measured on, as a list."""
    return [f"* {key}: {value}" for key, value in about.items() if key not in ("load before", "packages")]


def markdown(about: Record, records: Sequence[Record]) -> str:
    """The results as a page."""
    lines = ["# Results on a GPU", ""]
    lines += [
        "States per second by the time of the kernel on arrays that stay on the GPU; `call` is the public method with "
        "its checks, waiting for the result. 'floor' is the part of that time that arithmetic, or moving inputs and "
        "outputs through memory, would take at the least. Errors are norm-wise for each state against float64 on the "
        "CPU, before and after timing. 'prepare' is tracing, lowering, LLVM and the driver's assembler, from nothing.",
        "",
        "## Machine",
        "",
        *machine(about),
        "",
    ]
    for robot in dict.fromkeys(record["robot"] for record in records):
        lines += [f"## {robot}", ""]
        lines += [
            "| function | type | batch | kernel us | call us | states/s | floor | error |",
            "|---|---|" + "---:|" * 6,
        ]
        for record in (item for item in records if item["robot"] == robot):
            floor = max(record["arithmetic floor"], record["memory floor"]) / record["kernel"]
            which = "arithmetic" if record["arithmetic floor"] > record["memory floor"] else "memory"
            lines.append(
                f"| {record['function']} | {record['dtype']} | {record['batch']} | {1e6 * record['kernel']:.1f} | "
                f"{1e6 * record['call']:.1f} | {rate(record['per second'])} | {100 * floor:.0f} % ({which}) | "
                f"{record['error']:.0e}{'' if record['agrees'] else ' (disagrees)'} |"
            )
        lines.append("")
    lines += ["## What the programs need", ""]
    lines += ["| robot | function | type | operations | registers | local memory, bytes | block | prepare, s |"]
    lines += ["|---|---|---|" + "---:|" * 5]
    seen = set()
    for record in records:
        key = (record["robot"], record["function"], record["dtype"])
        if key not in seen:
            seen.add(key)
            last = [item for item in records if (item["robot"], item["function"], item["dtype"]) == key][-1]
            lines.append(
                f"| {key[0]} | {key[1]} | {key[2]} | {last['operations']} | {last['registers']} | {last['local']} | "
                f"{last['block']} | {last['prepare']:.1f} |"
            )
    hosts = [record for record in records if record.get("host")]
    lines += ["", "## What a call costs in Python", ""]
    lines += ["The public call with all checks and `out=`, a small batch, not waiting for the result:", ""]
    lines += [f"* {item['robot']}, {item['function']}, {item['dtype']}: {1e6 * item['host']:.1f} us" for item in hosts]
    lines += ["", *_grid(records)]
    return "\n".join(lines)


def _grid(records: Sequence[Record]) -> list[str]:
    chosen = [
        record
        for record in records
        if record["robot"] == "g1"
        and record["batch"] == 1024
        and record["dtype"] == "float32"
        and record["function"] in GRID
    ]
    if not chosen:
        return []
    lines = ["## Beside GRiD's published times", ""]
    lines += [
        "G1, 1024 states, float32. GRiD's are from its release tables, on an RTX 5090: other hardware than ours.",
        "",
    ]
    lines += ["| function | GRiD, us | floatbase kernel, us |", "|---|---:|---:|"]
    lines += [f"| {item['function']} | {GRID[item['function']]} | {1e6 * item['kernel']:.1f} |" for item in chosen]
    return [*lines, ""]


def plot(records: Sequence[Record], path: Path) -> None:
    """States per second against the size of the batch, for each function; iCub."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = {key: list(dict.fromkeys(record[key] for record in records)) for key in ("function", "robot", "dtype")}
    colours = {robot: f"C{number}" for number, robot in enumerate(names["robot"])}
    functions = names["function"]
    figure, axes = plt.subplots(
        1, len(functions), figsize=(3.6 * len(functions), 4.2), sharey=True, layout="constrained"
    )
    for axis, function in zip(axes, functions, strict=True):
        for robot, dtype in product(names["robot"], names["dtype"]):
            keys = ("robot", "function", "dtype")
            line = [item for item in records if tuple(item[key] for key in keys) == (robot, function, dtype)]
            if line:
                axis.plot(
                    [item["batch"] for item in line],
                    [item["per second"] for item in line],
                    "-" if dtype == "float32" else "--",
                    marker=".",
                    color=colours[robot],
                    label=f"{robot}, {dtype}",
                )
        axis.set(title=function, xlabel="states in a batch", xscale="log", yscale="log")
        axis.grid(True, alpha=0.3)
    axes[0].set_ylabel("states per second")
    figure.legend(*_labels(axes), loc="outside lower center", ncols=6, fontsize=8)
    for suffix in (".png", ".svg"):
        figure.savefig(path.with_suffix(suffix), dpi=120)
    plt.close(figure)


def _labels(axes: Any) -> tuple[list[Any], list[str]]:
    """Every line of the plots once."""
    found: dict[str, Any] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return list(found.values()), list(found)
