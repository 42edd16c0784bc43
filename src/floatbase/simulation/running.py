"""Simulating for a while under a policy, with recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from floatbase.compiler.gpu.libraries import on_device
from floatbase.errors import ArgumentError
from floatbase.progress import counting
from floatbase.robot import Robot
from floatbase.simulation.numbers import seconds, whole
from floatbase.simulation.recording import LARGEST, Recorder, Recording, Signal, signals_of
from floatbase.simulation.simulator import Simulator, State

Policy = Callable[[float, State], Any]


def simulate(
    simulator: Simulator | Robot,
    policy: Policy | Any = None,
    state: State | Any = None,
    duration: float = 1.0,
    *,
    record: Sequence[Signal] = ("q", "v"),
    every: int = 1,
    pushes: Callable[[float, State], Any] | Any = None,
    threads: int | None = None,
    progress: bool = False,
    largest: int = LARGEST,
) -> Recording:
    """Advance one state or a batch for a `duration` [s], the nearest whole number of periods of the simulator.

    A policy is called at the beginning of every period.

    simulator: or a robot, which then moves freely in periods of 1 ms. policy: a function of time and state that gives
    the command (..., command_size), a command that is held all the time, or None for none. state: from `init`, or a
    configuration at rest. record: signals, see `Recording`: fields of the state, "command", frames in contact (their
    wrenches), quantities of the robot such as "com" or ("pose", "l_sole"), kernels, and functions of the state; `every`
    so many periods, the first and the last state included if they fit, in arrays of at most `largest` bytes. pushes:
    wrenches at the simulator's frames of pushes, or a function of time and state that gives them. progress: show a bar.

    States of a batch on a CPU that the policy sees are written over two periods later: copy what is to be kept. An
    interrupt from the keyboard ends the simulation; what was recorded until then is returned.
    """
    if isinstance(simulator, Robot):
        simulator = Simulator(simulator)
    if not isinstance(simulator, Simulator):
        raise ArgumentError(f"simulate needs a Simulator or a Robot, got {simulator!r}")
    duration, every = seconds("duration", duration, zero=True), whole("every", every, 1)
    if state is None:
        state = simulator.robot.neutral()
    if not isinstance(state, State):
        state = simulator.init(state)
    periods = round(duration / simulator.dt)
    recorder = Recorder(signals_of(simulator, record), periods // every + 1, largest)
    commanded = policy if callable(policy) else lambda time, state: policy
    pushed = pushes if callable(pushes) else lambda time, state: pushes
    recorder.add(state, None)
    step, start = simulator.step, state.time
    reuses = not on_device((state.q,)) and state.q.ndim > 1
    spare: State | None = None
    try:
        with counting(periods, "simulating", progress) as report:
            for k in range(1, periods + 1):
                command = commanded(state.time, state)
                after = step(state, command, pushed(state.time, state), out=spare, threads=threads)
                spare = state if reuses and k > 1 else None  # the first is the caller's
                state = after._replace(time=start + k * simulator.dt)
                if k % every == 0:
                    recorder.add(state, command)
                report(k)
    except KeyboardInterrupt:
        return recorder.result(state, True)
    return recorder.result(state, False)
