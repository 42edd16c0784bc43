"""Running an experiment in a folder, from the beginning or from where it was left."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import floatbase
from floatbase.demo.machine import machine
from floatbase.errors import ArgumentError, MissingDependencyError
from floatbase.experiments import catalog
from floatbase.experiments.folder import REPORT, RESULT, Folder, new_folder, opened, read_request, request
from floatbase.experiments.pages import result_page
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Plot
from floatbase.experiments.results import Result, read_result, to_json
from floatbase.experiments.settings import make
from floatbase.experiments.workers import Workers
from floatbase.report import Picture, draw_png, robot_view

Report: TypeAlias = Callable[[int, int, str], None]  # steps done, steps known so far, name of the one just done


def run(
    experiment: str | Experiment,
    *,
    seed: int = 0,
    out: str | Path | None = None,
    jobs: int = 1,
    console: Console | None = None,
    **settings: Any,
) -> Result:
    """Run an experiment and write its folder: result.json, report.html, log.txt and plots.

    * `experiment`: a name (see `names`), or an experiment of your own.
    * `seed`: of everything random, at least 0. The same settings and seed give the same rows.
    * `out`: the folder; by default a new one, `runs/<name>-<time>`. If it holds the same run, that is continued; if
      it holds anything else, it is left alone and an error is raised.
    * `jobs`: how many worker processes do steps that do not depend on one another. With more than one, a script that
      calls this must do so under `if __name__ == "__main__":`, as everywhere with `multiprocessing`.
    * `console`: where a progress bar is shown, if that is a terminal.
    * `settings`: those of the experiment.
    """
    found = catalog.experiment(experiment) if isinstance(experiment, str) else experiment
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ArgumentError(f"seed is {seed!r}; it must be a whole number, at least 0")
    values = make(found.settings, settings)
    asked = request(found.name, asdict(values), seed)
    with Workers(jobs) as workers:
        path = new_folder(found.name) if out is None else Path(out)
        with opened(path, asked) as folder:
            if folder.finished:
                folder.log("asked again, finished already")
                return read_result(folder.path / RESULT)
            return _carry_out(found, values, seed, folder, workers, console)


def resume(folder: str | Path, *, jobs: int = 1, console: Console | None = None) -> Result:
    """Continue the run in a folder, of an experiment known by name, with the settings and seed it was begun with."""
    asked = read_request(Path(folder))
    return run(asked["experiment"], seed=asked["seed"], out=folder, jobs=jobs, console=console, **asked["settings"])


def _carry_out(
    experiment: Experiment, values: Any, seed: int, folder: Folder, workers: Workers, console: Console | None
) -> Result:
    settings = asdict(values)
    folder.log(f"{experiment.name} {settings}, seed {seed}, {workers.jobs} job(s), floatbase {floatbase.__version__}")
    folder.log(machine())
    try:
        with _progress(console) as report:
            outcome, seconds = _follow(experiment.plan(values, seed), folder, workers, report)
        pictures = _draw(outcome.plots, folder)
        robots = [robot_view(motion.robot(), motion.trajectory, motion.caption) for motion in outcome.motions]
    except KeyboardInterrupt:
        folder.log("interrupted")
        raise
    except Exception:
        folder.log("failed\n" + traceback.format_exc())
        raise
    rows = tuple(outcome.rows)
    result = Result(
        experiment.name, settings, seed, round(seconds, 3), rows, floatbase.__version__, machine(), folder.path
    )
    folder.write(REPORT, result_page(experiment, result, pictures, robots).encode())
    held = sum(row.holds is True for row in rows)
    folder.log(f"finished: {held} of {held + len(result.failures)} rows with a criterion hold")
    folder.write(RESULT, to_json(result).encode())  # last: it says that the run is finished
    return result


def _follow(plan: Plan, folder: Folder, workers: Workers, report: Report) -> tuple[Outcome, float]:
    """Do what a plan asks for, unless it was done before; its outcome, and the seconds that all steps took."""
    seconds, known, done = 0.0, set[str](), 0
    group = next(plan)
    while True:
        found: dict[str, Data] = {}
        missing = []
        for step in group:
            if step.name in known:
                raise ArgumentError(f"two steps are called {step.name!r}")
            known.add(step.name)
            stored = folder.recall(step.name)
            if stored is None:
                missing.append(step)
            else:
                found[step.name] = stored[0]
                seconds, done = seconds + stored[1], done + 1
        report(done, len(known), "")
        for step, data, took in workers.results(missing):
            folder.keep(step.name, data, took)
            folder.log(f"{step.name}: {took:.3f} s")
            found[step.name] = data
            seconds, done = seconds + took, done + 1
            report(done, len(known), step.name)
        try:
            group = plan.send([found[step.name] for step in group])
        except StopIteration as end:
            return end.value, seconds


def _draw(plots: Sequence[Plot], folder: Folder) -> list[Picture]:
    """Draw and store plots; none, and a line in the log, if Matplotlib is not installed."""
    pictures = []
    for plot in plots:
        try:
            light, dark = draw_png(plot.draw, plot.size)
        except MissingDependencyError as error:
            folder.log(f"plots are left out: {error}")
            return []
        folder.write(f"{plot.name}.png", light)
        pictures.append(Picture(plot.caption, light, dark))
    return pictures


@contextmanager
def _progress(console: Console | None) -> Iterator[Report]:
    """A bar on a terminal, or nothing."""
    if console is None or not console.is_terminal:
        yield lambda done, total, name: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name)
