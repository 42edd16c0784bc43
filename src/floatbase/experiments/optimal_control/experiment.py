"""The experiment `optimal-control`: box-constrained trajectory optimisation on the manifold, and on Euler angles."""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.experiments.optimal_control import steps
from floatbase.experiments.optimal_control.flip import AXES
from floatbase.experiments.optimal_control.pictures import motions, plots
from floatbase.experiments.optimal_control.rows import flip_rows, reach_rows, sensitivity_rows
from floatbase.experiments.plan import Experiment, Outcome, Plan, Step
from floatbase.experiments.settings import option

BASES = ("root_link", "chest", "r_upper_arm", "r_hand")  # the last one pitches by a quarter turn


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    flip_steps: int = option(60, "time steps of the flip", minimum=50, maximum=10_000)
    reach_steps: int = option(50, "time steps of the reach", minimum=50, maximum=10_000)
    guesses: int = option(4, "first guesses of the flip's inputs", minimum=1, maximum=100)
    iterations: int = option(200, "of the solver, at most", minimum=1, maximum=10_000)


def plan(settings: Settings, seed: int) -> Plan:
    """Every problem is a step."""
    flips = [
        Step(
            f"flip-{axis}-{kind}-{k}",
            steps.flip_over,
            (axis, kind, k + settings.guesses * seed, settings.flip_steps, settings.iterations),
        )
        for axis in AXES
        for kind in steps.KINDS
        for k in range(settings.guesses)
    ]
    reaches = [
        Step(
            f"reach-{base.replace('_', '-')}-{kind}",
            steps.reach_out,
            (base, kind, settings.reach_steps, settings.iterations),
        )
        for kind in steps.KINDS
        for base in BASES
    ]
    sensitivities = Step("sensitivities", steps.sensitivity_errors, (seed,))
    data = iter((yield [sensitivities, *flips, *reaches]))
    errors = {name: float(error) for name, error in next(data).items()}
    flipped = {axis: {kind: [next(data) for _ in range(settings.guesses)] for kind in steps.KINDS} for axis in AXES}
    reached = {kind: [next(data) for _ in BASES] for kind in steps.KINDS}
    rows = [
        *sensitivity_rows(errors),
        *(row for axis in AXES for row in flip_rows(axis, flipped[axis])),
        *reach_rows(BASES, reached),
    ]
    return Outcome(rows, plots(flipped, reached, BASES), motions(flipped))


EXPERIMENT = Experiment(
    "optimal-control",
    "Optimal control through every attitude",
    "A quadrotor with an arm flips, and iCub on both feet reaches down, by differential dynamic programming with exact "
    "sensitivities of each step: once with states on the manifold, once with roll, pitch and yaw, by the same "
    "solver and the same cost. On the manifold both flips are found from every first guess, and the reach costs the "
    "same from every base link. On angles the flip over the roll axis is found at the same cost, and the reach from "
    "base links that stay away from a quarter turn of pitch; the flip over the pitch axis is not, nor the reach from "
    "the hand. Flights are planned in Runge and Kutta's steps of fourth order and flown again in steps of 1 ms.",
    Settings,
    plan,
)
