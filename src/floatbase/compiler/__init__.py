"""Symbols, programs, and machine code; knows nothing of robots."""

from floatbase.compiler.control import gather, guard, scan, subprogram, while_loop
from floatbase.compiler.dense import cholesky_solve, dense_matmul, triangular_solve
from floatbase.compiler.format import dumps, load, loads, save
from floatbase.compiler.graph import Graph
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.program import Block, Port, Program
from floatbase.compiler.symbols import SymbolArray, as_symbols, casadi_arrays, is_symbolic, symbols
from floatbase.compiler.trace import extract, flatten, trace

__all__ = [
    "Block",
    "Graph",
    "Port",
    "Program",
    "SymbolArray",
    "as_symbols",
    "casadi_arrays",
    "cholesky_solve",
    "dense_matmul",
    "dumps",
    "extract",
    "flatten",
    "gather",
    "guard",
    "interpret",
    "is_symbolic",
    "load",
    "loads",
    "save",
    "scan",
    "subprogram",
    "symbols",
    "trace",
    "triangular_solve",
    "while_loop",
]
