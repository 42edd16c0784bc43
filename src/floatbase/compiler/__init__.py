"""Symbols, programs, and machine code; knows nothing of robots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from floatbase.compiler.importing import imported_when_asked

if TYPE_CHECKING:
    from floatbase.compiler.casadi import casadi_call, from_casadi, to_casadi
    from floatbase.compiler.control import gather, guard, scan, subprogram, while_loop
    from floatbase.compiler.dense import cholesky_solve, dense_matmul, tree_solve, triangular_solve
    from floatbase.compiler.differentiate import gradient, hessian, jacobian, jacobian_program, jvp, vjp
    from floatbase.compiler.format import dumps, load, loads, save
    from floatbase.compiler.function import Function, compile_program
    from floatbase.compiler.graph import Graph
    from floatbase.compiler.interpreter import interpret
    from floatbase.compiler.program import Block, Port, Program
    from floatbase.compiler.replaying import replay
    from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols, casadi_arrays, is_symbolic, symbols
    from floatbase.compiler.tracing import extract, flatten, trace

# imported when first asked for: name -> module
_PLACES = {
    "Block": "program",
    "Function": "function",
    "Graph": "graph",
    "Port": "program",
    "Program": "program",
    "SymbolArray": "symbol_arrays",
    "as_symbols": "symbol_arrays",
    "casadi_arrays": "symbol_arrays",
    "casadi_call": "casadi",
    "cholesky_solve": "dense",
    "compile_program": "function",
    "dense_matmul": "dense",
    "dumps": "format",
    "extract": "tracing",
    "flatten": "tracing",
    "from_casadi": "casadi",
    "gather": "control",
    "gradient": "differentiate",
    "guard": "control",
    "hessian": "differentiate",
    "interpret": "interpreter",
    "is_symbolic": "symbol_arrays",
    "jacobian": "differentiate",
    "jacobian_program": "differentiate",
    "jvp": "differentiate",
    "load": "format",
    "loads": "format",
    "replay": "replaying",
    "save": "format",
    "scan": "control",
    "subprogram": "control",
    "symbols": "symbol_arrays",
    "to_casadi": "casadi",
    "trace": "tracing",
    "tree_solve": "dense",
    "triangular_solve": "dense",
    "vjp": "differentiate",
    "while_loop": "control",
}

__all__ = [
    "Block",
    "Function",
    "Graph",
    "Port",
    "Program",
    "SymbolArray",
    "as_symbols",
    "casadi_arrays",
    "casadi_call",
    "cholesky_solve",
    "compile_program",
    "dense_matmul",
    "dumps",
    "extract",
    "flatten",
    "from_casadi",
    "gather",
    "gradient",
    "guard",
    "hessian",
    "interpret",
    "is_symbolic",
    "jacobian",
    "jacobian_program",
    "jvp",
    "load",
    "loads",
    "replay",
    "save",
    "scan",
    "subprogram",
    "symbols",
    "to_casadi",
    "trace",
    "tree_solve",
    "triangular_solve",
    "vjp",
    "while_loop",
]

__getattr__ = imported_when_asked(__name__, _PLACES)
