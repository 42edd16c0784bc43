"""Forward differentiation: every value carries its derivatives along a set of directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from floatbase.compiler.differentiate_blocks import FORWARD, BlockUse
from floatbase.compiler.differentiate_scalars import (
    CHOICES,
    CONSTANT_BETWEEN_STEPS,
    Tangent,
    add_scaled,
    branch,
    choose,
    operands_of,
    partials,
    value_of,
)
from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import Op

_ADD, _SUB, _MUL, _NEG = int(Op.ADD), int(Op.SUB), int(Op.MUL), int(Op.NEG)
_BLOCK, _PROJECT = int(Op.BLOCK), int(Op.PROJECT)


def alive(graph: Graph, wanted: Iterable[int], stops: Mapping[int, Any]) -> list[int]:
    """The instructions that `wanted` depends on, in order, without looking behind those in `stops`."""
    stack = list(wanted)
    marks = bytearray(max(stack, default=-1) + 1)
    for index in stack:
        marks[index] = 1
    for index in range(len(marks) - 1, -1, -1):
        if marks[index] and index not in stops:
            for operand in operands_of(graph, index):
                marks[operand] = 1
    return [index for index, mark in enumerate(marks) if mark]


def push_forward(graph: Graph, wanted: list[int], seeds: Mapping[int, Tangent]) -> list[Tangent]:
    """Derivatives of instructions, given those of the instructions in `seeds`, which count as independent."""
    tangents: dict[int, Tangent] = {}
    block_tangents: dict[int, list[Tangent]] = {}
    nothing: Tangent = {}
    for index in alive(graph, wanted, seeds):
        if index in seeds:
            tangents[index] = seeds[index]
            continue
        key = graph.code[index]
        op = key[0]
        if op == _PROJECT:
            outputs = block_tangents.get(key[1])
            if outputs is not None and outputs[key[2]]:
                tangents[index] = outputs[key[2]]
            continue
        active = [operand in tangents for operand in operands_of(graph, index)]
        if not any(active) or op in CONSTANT_BETWEEN_STEPS:
            continue
        result: Tangent
        if op == _BLOCK:
            use = BlockUse.of(graph, index)
            given = [tangents.get(operand, nothing) for operand in operands_of(graph, index)]
            block_tangents[index] = FORWARD[use.block.kind](use, given)
            continue
        if op in CHOICES:
            condition, if_true, if_false = branch(graph, index)
            result = choose(condition, tangents.get(if_true, nothing), tangents.get(if_false, nothing))
        elif op == _MUL and not all(active):
            constant, moving = key[1:] if active[1] else (key[2], key[1])
            result = {}
            add_scaled(result, value_of(graph, constant), tangents[moving])
        else:
            result = {}
            for operand, partial in partials(graph, index):
                if operand in tangents:
                    add_scaled(result, partial, tangents[operand])
        if result:
            tangents[index] = result
    return [tangents.get(index, nothing) for index in wanted]
