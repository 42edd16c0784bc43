"""Work that takes a while, with a bar in the terminal that says how far it is: compiling, and whatever is counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from floatbase.compiler.function import Function
from floatbase.compiler.parallel import compile_all


def compile_with_progress(
    functions: Iterable[Function],
    *,
    dtypes: Sequence[str] = ("float64",),
    batch: bool = True,
    gpu: int | None = None,
    show: bool = True,
    console: Console | None = None,
) -> None:
    """Compile functions in parallel, see `floatbase.compiler.parallel.compile_all`, with a progress bar.

    gpu: the number of a GPU to compile for, one function after another, in place of this processor.
    The bar goes to standard error (or to `console`), if that is a terminal and `show` is true. An interrupt ends the
    workers, leaves the terminal in order and is raised again; what was compiled until then is in the cache.
    """
    functions = list(functions)
    console = console if console is not None else Console(stderr=True)
    if not show or not functions or not console.is_terminal:
        _compile(functions, dtypes, batch, gpu)
        return
    columns = (
        TextColumn("compiling"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=None)

        def report(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=name)

        _compile(functions, dtypes, batch, gpu, report)
        bar.update(task, description="")


@contextmanager
def counting(
    total: int, description: str, show: bool = True, console: Console | None = None
) -> Iterator[Callable[[int], None]]:
    """A function that is told how many of `total` are done, often: it moves a bar ten times a second at most.

    The bar goes to standard error (or to `console`), if that is a terminal and `show` is true.
    """
    console = console if console is not None else Console(stderr=True) if show else None
    if not show or console is None or not console.is_terminal:
        yield lambda done: None
        return
    columns = (TextColumn(description), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=total)
        next_time = 0.0

        def report(done: int) -> None:
            nonlocal next_time
            now = time.monotonic()
            if now >= next_time or done == total:
                bar.update(task, completed=done)
                next_time = now + 0.1

        yield report


def _compile(
    functions: Sequence[Function],
    dtypes: Sequence[str],
    batch: bool,
    gpu: int | None,
    report: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> None:
    if gpu is None:
        compile_all(functions, dtypes=dtypes, batch=batch, progress=report)
        return
    report(0, len(functions), "")
    for done, function in enumerate(functions, 1):
        function.prepare(dtypes, gpu=gpu)
        report(done, len(functions), function.signature.name)
