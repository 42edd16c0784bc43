"""The motion of a robot in a log: which of its signals are positions of joints, the pose of the base, forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from floatbase.errors import LogError
from floatbase.logs.log import Log
from floatbase.logs.plots import Panel, drawing
from floatbase.logs.signals import Array, Signal
from floatbase.logs.signals import signal as make_signal
from floatbase.logs.units import UNITS
from floatbase.model import Tree
from floatbase.viewer.poses import body_poses
from floatbase.viewer.trajectory import Trajectory, interpolated

MOST_SAMPLES = 200_000  # of configurations that are kept
MOST_PANELS = 8
WRENCHES = ("contact", "contacts", "wrench", "wrenches", "contact_wrenches", "contact_forces")
MEASURED = ("position", "positions", "q", "joint_positions", "state", "angle", "angles")


def log_trajectory(tree: Tree, neutral: Array, log: Log, plots: Sequence[str] = ()) -> Trajectory:
    """The motion in a log.

    * A signal `q` whose columns are those of a configuration is one.
    * Else every joint is looked for among the columns, by its name and in a unit of angle or length; of several
      signals that have it one called position, positions or q is taken, or else the first. Joints without one stay at
      `neutral`.
    * The base follows an orientation and a signal of three lengths with `base` in their names, or stays.
    * Signals of forces whose group is called contacts or wrenches, named like a frame, are arrows there.

    plots: names of signals that are shown as curves; by default the first few.
    """
    given, log = log, Log(tuple(_joined(log)))
    chosen = next((signal for signal in log if _last(signal) == "q" and len(signal.columns) == tree.nq), None)
    if chosen is not None:
        time, q = _clean(chosen)
    else:
        time, q = _assembled(tree, neutral, log)
    if len(time) > MOST_SAMPLES:
        times = np.linspace(time[0], time[-1], MOST_SAMPLES)
        time, q = times, interpolated(tree, time, q, times)
    return Trajectory(time, q, _forces(tree, log, time, q), _panels(given, plots))


def _assembled(tree: Tree, neutral: Array, log: Log) -> tuple[Array, Array]:
    head = 7 if tree.floating else 0
    names = tree.coordinate_names[head:]
    found: dict[int, tuple[Signal, int]] = {}
    for signal in sorted(log, key=lambda item: not _measured(item)):  # stable: else the order of the log
        for place, column in enumerate(signal.columns or (_last(signal),)):
            unit = signal.units[place]
            if column in names and (not unit or UNITS[unit].quantity in ("angle", "length", "ratio")):
                found.setdefault(head + names.index(column), (signal, place))
    position, orientation = _base(log) if tree.floating else (None, None)
    if not found and position is None and orientation is None:
        shown = ", ".join(names[:6])
        raise LogError(
            f"the log has no motion of {tree.name!r}: no signal has columns called like its joints ({shown}, ...) in "
            "rad or m, and none is called q"
        )
    leaders = [signal for signal, _ in found.values()] or [item for item in (position, orientation) if item is not None]
    leader = max(leaders, key=lambda signal: len(signal.time))
    time, _ = _clean(leader)
    q = np.tile(neutral, (len(time), 1))
    tables: dict[str, tuple[Array, Array]] = {}
    for place, (signal, number) in found.items():
        if signal.name not in tables:
            tables[signal.name] = _clean(signal)
        stamps, table = tables[signal.name]
        unit = signal.units[number]
        factor = UNITS[unit].factor if unit else 1.0
        q[:, place] = np.interp(time, stamps, table[:, number]) * factor
    if position is not None:
        stamps, table = _clean(position)
        for k in range(3):
            q[:, k] = np.interp(time, stamps, table[:, k]) * UNITS[position.units[k]].factor
    if orientation is not None:
        stamps, table = _clean(orientation)
        after = np.clip(np.searchsorted(stamps, time), 0, len(stamps) - 1)
        q[:, 3:7] = table[after]
    return time, q


def _base(log: Log) -> tuple[Signal | None, Signal | None]:
    """Signals of the position and the orientation of the base."""
    about = [signal for signal in log if "base" in signal.name.lower()]
    position = next(
        (
            item
            for item in about
            if len(item.columns) == 3 and all(unit and UNITS[unit].quantity == "length" for unit in item.units)
        ),
        None,
    )
    return position, next((item for item in about if item.orientation), None)


def _forces(tree: Tree, log: Log, time: Array, q: Array) -> dict[str, Array]:
    """Forces (n, 3) in world axes by frame, from signals of wrenches there."""
    found = {}
    for frame, signal in _wrenches(tree, log):
        if not all(unit and UNITS[unit].quantity == "force" for unit in signal.units[:3]):
            continue
        stamps, table = _clean(signal)
        factors = [UNITS[unit].factor for unit in signal.units[:3]]
        force = np.stack([np.interp(time, stamps, table[:, k]) * factors[k] for k in range(3)], axis=-1)
        if signal.frame in tree.frames:
            body, body_H_frame = tree.frames[signal.frame]
            turns = body_poses(tree, q)[:, body, :3, :3] @ body_H_frame[:3, :3]
            force = np.einsum("nij,nj->ni", turns, force)
        found[frame] = force
    return found


def _wrenches(tree: Tree, log: Log) -> Iterator[tuple[str, Signal]]:
    """Frames and signals that begin with the force there: one for each frame, or columns such as `l_sole.fx` of one."""
    for signal in log:
        frame, group = _last(signal), signal.group.rpartition("/")[2].lower()
        if group in WRENCHES and frame in tree.frames and len(signal.columns) in (3, 6):
            yield frame, signal
        if frame in WRENCHES:
            for k, column in enumerate(signal.columns):
                name, _, part = column.rpartition(".")
                columns = tuple(f"{name}.{part}" for part in ("fx", "fy", "fz"))
                if part == "fx" and name in tree.frames and signal.columns[k : k + 3] == columns:
                    force, units = signal.values[:, k : k + 3], signal.units[k : k + 3]
                    yield name, make_signal(f"{frame}/{name}", signal.time, force, units, frame=signal.frame)


def _panels(log: Log, plots: Sequence[str]) -> tuple[Panel, ...]:
    """Curves of chosen signals, or of the first few, where the clock allows to draw them."""
    if plots:
        return drawing(log.select(*plots).signals, stretches=400).panels
    panels: list[Panel] = []
    for signal in log:
        if len(signal.time) > 1 and (np.diff(signal.time) > 0.0).all():
            panels += drawing([signal], stretches=400).panels
        if len(panels) >= MOST_PANELS:
            break
    return tuple(panels[:MOST_PANELS])


def _clean(signal: Signal) -> tuple[Array, Array]:
    """Time (n,) and samples (n, k) that are later than all before and finite."""
    time = signal.time
    table = np.asarray(signal.values, dtype=np.float64).reshape(len(time), -1)
    before = np.maximum.accumulate(np.concatenate(([-np.inf], time[:-1]))) if time.size else time
    kept = (time > before) & np.isfinite(table).all(axis=1)
    if not kept.any():
        raise LogError(f"signal {signal.name!r} has no finite samples in order")
    return time[kept], table[kept]


def _joined(log: Log) -> Iterator[Signal]:
    """All signals, and those that are in three or four of one number each, as in a table: x, y, z or w, x, y, z."""
    single: dict[str, dict[str, Signal]] = {}
    for signal in log:
        yield signal
        if not signal.columns:
            single.setdefault(signal.group, {})[_last(signal)] = signal
    for name, parts in single.items():
        for columns in (("x", "y", "z"), ("w", "x", "y", "z")):
            if name and name not in log and set(parts) == set(columns):
                chosen = [parts[column] for column in columns]
                values = np.stack([np.asarray(part.values, dtype=np.float64) for part in chosen], axis=1)
                units = [part.units[0] for part in chosen]
                # in a group of its own: the name of a group cannot be that of a signal
                yield make_signal(
                    f"joined/{name}", chosen[0].time, values, units, columns=columns, orientation=len(columns) == 4
                )


def _measured(signal: Signal) -> bool:
    """Whether it is called like positions of joints, or is in a group that is."""
    return _last(signal) in MEASURED or (not signal.columns and signal.group.rpartition("/")[2] in MEASURED)


def _last(signal: Signal) -> str:
    return signal.name.rpartition("/")[2]
