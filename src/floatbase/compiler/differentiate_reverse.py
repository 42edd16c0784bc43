"""Reverse differentiation: every value collects the derivatives of a set of outputs with respect to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from floatbase.compiler.differentiate_blocks import REVERSE, BlockUse
from floatbase.compiler.differentiate_forward import alive
from floatbase.compiler.differentiate_scalars import (
    CHOICES,
    CONSTANT_BETWEEN_STEPS,
    Tangent,
    add_scaled,
    branch,
    choose,
    operands_of,
    partials,
)
from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import Op

_BLOCK, _PROJECT = int(Op.BLOCK), int(Op.PROJECT)


def pull_back(graph: Graph, seeds: Mapping[int, Tangent], inputs: Iterable[int]) -> list[Tangent]:
    """Adjoints of the instructions `inputs`, which count as independent, given those of the instructions in `seeds`."""
    wanted = list(inputs)
    order = alive(graph, seeds, dict.fromkeys(wanted))
    moving = set(wanted)
    for index in order:
        if graph.code[index][0] in CONSTANT_BETWEEN_STEPS:
            continue
        if any(operand in moving for operand in operands_of(graph, index)):
            moving.add(index)
    stops = set(wanted)
    adjoints: dict[int, Tangent] = {index: dict(adjoint) for index, adjoint in seeds.items()}
    block_adjoints: dict[int, dict[int, Tangent]] = {}
    for index in reversed(order):
        if index not in moving or index in stops:
            continue
        key = graph.code[index]
        op = key[0]
        if op == _BLOCK:
            use = BlockUse.of(graph, index)
            arguments = operands_of(graph, index)
            given = block_adjoints.pop(index, {})
            outputs = [given.get(k, {}) for k in range(use.block.size)]
            active = [argument in moving for argument in arguments]
            for argument, adjoint in zip(arguments, REVERSE[use.block.kind](use, outputs, active), strict=True):
                if argument in moving and adjoint:
                    add_scaled(adjoints.setdefault(argument, {}), 1.0, adjoint)
            continue
        own = adjoints.pop(index, None)
        if not own:
            continue
        if op == _PROJECT:
            block_adjoints.setdefault(key[1], {})[key[2]] = own
        elif op in CHOICES:
            condition, if_true, if_false = branch(graph, index)
            if if_true in moving:
                add_scaled(adjoints.setdefault(if_true, {}), 1.0, choose(condition, own, {}))
            if if_false in moving:
                add_scaled(adjoints.setdefault(if_false, {}), 1.0, choose(condition, {}, own))
        else:
            for operand, partial in partials(graph, index):
                if operand in moving:
                    add_scaled(adjoints.setdefault(operand, {}), partial, own)
    return [adjoints.get(index, {}) for index in wanted]
