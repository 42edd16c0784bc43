"""In which order a program's instructions are carried out.

On a processor with few registers and fast memory near it, the program's own order serves, except that elementary
functions are evaluated together. On a GPU every number that finds no register goes far, so that fewer have to be kept
at a time. Computing values only when they are needed helps, but by whom? By the results, one after another, or by
everything from some place in the program on: algorithms on trees go outwards and inwards again, and the way inwards,
taken as it is written, needs what was computed outwards one branch at a time. Several such places are tried, and the
order is taken that keeps the fewest values, between the mean and the peak.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from floatbase.compiler.operations import Op

PLACES = 16
"""Places of a program from which on values are computed in its own order, as tried for GPUs."""

_PEAK_WEIGHT = 0.5
_UNKEPT = frozenset({int(op) for op in (Op.INPUT, Op.CONSTANT, Op.PROJECT)})  # in memory, or no value at all


@dataclass(frozen=True)
class Group:
    """Evaluations of one elementary function: `arguments[k]` gives the values `results[k]` (-1: not wanted)."""

    function: str
    arguments: tuple[tuple[int, ...], ...]
    results: tuple[tuple[int, ...], ...]

    def needs(self) -> list[int]:
        """The values that all evaluations read."""
        return [argument for arguments in self.arguments for argument in arguments]

    def gives(self) -> list[int]:
        """The values that are wanted of all evaluations."""
        return [result for results in self.results for result in results if result >= 0]


@dataclass(frozen=True)
class Needs:
    """What has to be computed: the operands of every value that is used (None of others), groups, and the results.

    `written` are results that are kept until all of their company are there, since they are written together.
    """

    code: Sequence[Sequence[int]]
    operands: Sequence[list[int] | None]
    groups: dict[int, Group]
    roots: Sequence[int]
    written: Sequence[Sequence[int]] = ()

    def of(self, value: int) -> list[int]:
        """The values that have to be there before a value can be computed."""
        group = self.groups.get(value)
        found = self.operands[value] if group is None else group.needs()
        assert found is not None
        return found


def order_as_written(needs: Needs) -> list[int | Group]:
    """The program's own order, except that a group waits for all of its arguments."""
    return _by_need(needs, _used(needs))


def order_for_registers(needs: Needs) -> list[int | Group]:
    """An order in which few values are kept at a time."""
    used = _used(needs)
    places = [len(used) * place // PLACES for place in range(PLACES)]
    choices = [[*used[place:], *needs.roots] for place in places]
    choices += [list(reversed(needs.roots)), list(needs.roots)]
    orders = [_by_need(needs, choice) for choice in choices]
    return min(orders, key=lambda order: kept_values(needs, order))


def kept_values(needs: Needs, order: Sequence[int | Group]) -> float:
    """How many values an order keeps at a time: the mean over its steps, and part of the peak."""
    last: dict[int, int] = {}
    for number, step in enumerate(order):
        for value in step.needs() if isinstance(step, Group) else needs.of(step):
            last[value] = number
    when = {v: n for n, step in enumerate(order) for v in (step.gives() if isinstance(step, Group) else (step,))}
    for company in needs.written:
        there = max((when.get(value, 0) for value in company), default=0)
        last.update((value, max(last.get(value, 0), there)) for value in company)
    ends = [0] * len(order)
    alive = peak = total = 0
    for number, step in enumerate(order):
        for value in step.gives() if isinstance(step, Group) else (step,):
            if value in last and needs.code[value][0] not in _UNKEPT:
                alive += 1
                ends[last[value]] += 1
        peak = max(peak, alive)
        total += alive
        alive -= ends[number]
    return total / max(len(order), 1) + _PEAK_WEIGHT * peak


def _used(needs: Needs) -> list[int]:
    return [value for value, operands in enumerate(needs.operands) if operands is not None]


def _by_need(needs: Needs, roots: Iterable[int]) -> list[int | Group]:
    """Each value after everything it needs, as late as the roots allow, in their order."""
    done = bytearray(len(needs.operands))
    steps: list[int | Group] = []
    for root in roots:
        stack = [root]
        while stack:
            value = stack[-1]
            if done[value]:
                stack.pop()
                continue
            missing = [other for other in needs.of(value) if not done[other]]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            group = needs.groups.get(value)
            if group is None:
                done[value] = 1
                steps.append(value)
            else:
                steps.append(group)
                for result in group.gives():
                    done[result] = 1
    return steps
