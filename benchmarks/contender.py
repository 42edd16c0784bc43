"""One entry of the comparison: a statement in Python that a user of the library would write, and how to check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from timeit import Timer
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from benchmarks.states import States

Array = npt.NDArray[np.float64]
Function = Literal[
    "inverse dynamics",
    "forward dynamics",
    "mass matrix",
    "inverse mass matrix",
    "bias",
    "centre of mass",
    "jacobian",
    "centroidal momentum matrix",
    "torque regressor",
    "inverse dynamics derivatives",  # by q, v and a, as are those of forward dynamics by q, v and tau
    "forward dynamics derivatives",
    "control tick",  # mass matrix, bias, Jacobians of two frames and their drift, centroidal momentum matrix
]
FUNCTIONS: tuple[Function, ...] = get_args(Function)
LARGEST_BATCH: dict[str, int] = {"torque regressor": 1024}  # a humanoid's takes 100 kB

Mode = Literal["one state", "batch"]
Output = Literal["fresh", "reused"]


@dataclass(frozen=True, eq=False)
class Contender:
    """What is timed is `statement`, and nothing else.

    In mode "one state" it runs once per state, `variables` bound to the items of `states` by a `for` loop. In mode
    "batch" it runs once and treats all states. `result` is an expression that gives the result afterwards, and
    `convert` turns results, stacked over states, into the reference convention.
    """

    peer: str
    function: Function
    mode: Mode
    output: Output  # whether results land in memory that is used again
    statement: str
    result: str
    namespace: dict[str, Any]
    convert: Callable[[Array], Array]
    count: int  # how many states
    variables: str = ""
    states: list[Any] = field(default_factory=list)
    threads: int = 1
    variant: str = ""  # tells apart two entries of one peer, function, mode and output
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The entry's name within its table."""
        return f"{self.peer} {self.variant}".strip()

    def timer(self) -> Timer:
        """A timer whose one repetition treats all `count` states."""
        if self.mode == "batch":
            return Timer(self.statement, globals=dict(self.namespace))
        body = self.statement.replace("\n", "\n    ")
        return Timer(f"for {self.variables} in states:\n    {body}", globals={**self.namespace, "states": self.states})

    def evaluate(self) -> Array:
        """Results of the very statement that is timed, in the reference convention, (count, ...)."""
        code = compile(self.statement, f"<{self.label}>", "exec")
        result = compile(self.result, f"<{self.label}>", "eval")
        scope = dict(self.namespace)
        if self.mode == "batch":
            exec(code, scope)
            return self.convert(np.array(eval(result, scope), dtype=float))
        rows = []
        bind = compile(f"{self.variables} = state", "<state>", "exec")
        for state in self.states:
            scope["state"] = state
            exec(bind, scope)
            exec(code, scope)
            rows.append(np.array(eval(result, scope), dtype=float))
        return self.convert(np.stack(rows))


def limited(function: Function, states: States) -> States:
    """The states of a batch on which a function is timed."""
    return states.first(LARGEST_BATCH.get(function, len(states)))
