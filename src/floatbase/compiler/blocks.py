"""The sizes of blocks: how many arguments each kind takes and how many outputs it gives.

The kinds are described in `floatbase.compiler.program`.
"""

from __future__ import annotations

from floatbase.compiler.program import Block, Program

MAX_LENGTH = 1_000_000

_PROGRAMS = {"call": 1, "scan": 1, "while": 2}
_SETTINGS: dict[str, tuple[str, ...]] = {
    "call": (),
    "scan": ("length", "carry", "shared", "row", "collect"),
    "while": ("carry", "shared", "limit"),
    "gather": ("rows", "columns"),
    "matmul": ("n", "k", "m"),
    "cholesky": ("n",),
    "cholesky_solve": ("n", "m"),
    "triangular_solve": ("n", "m", "transposed"),
    "lu_solve": ("n", "m"),
    "tree_solve": ("n", "m"),
}


def block_sizes(block: Block) -> tuple[int, int]:
    """Numbers of arguments and outputs that the block's kind, settings and programs call for.

    Raises `ValueError` or `KeyError` if they contradict one another.
    """
    settings = dict(block.settings)
    if block.kind not in _SETTINGS:
        raise ValueError("unknown kind")
    needed = list(_SETTINGS[block.kind])
    if block.kind == "tree_solve":
        needed += [f"parent{k}" for k in range(min(int(settings.get("n", 0)), len(settings)))]
    if sorted(name for name, _ in block.settings) != sorted(needed):
        raise ValueError(f"settings {list(settings)}, needs {needed}")
    for name, value in settings.items():
        if not isinstance(value, int) or not 0 <= value <= MAX_LENGTH:
            raise ValueError(f"setting {name}={value!r} is out of range")
    if len(block.programs) != _PROGRAMS.get(block.kind, 0):
        raise ValueError(f"{len(block.programs)} programs")
    if block.kind == "call":
        return block.programs[0].input_size, block.programs[0].output_size
    if block.kind == "scan":
        return _scan_sizes(settings, block.programs[0])
    if block.kind == "while":
        return _while_sizes(settings, *block.programs)
    if block.kind == "gather":
        rows, columns = settings["rows"], settings["columns"]
        if rows < 1:
            raise ValueError("an empty table")
        return rows * columns + 1, columns
    n = settings["n"]
    if block.kind == "cholesky":
        return n * n, n * n
    m = settings["m"]
    if block.kind == "matmul":
        k = settings["k"]
        return n * k + k * m, n * m
    if block.kind == "tree_solve":
        return n + sum(len(row) for row in tree_rows(block)) + n * m, n * m
    if block.kind in ("cholesky_solve", "lu_solve"):
        return n * n + n * m, n * m
    if settings["transposed"] not in (0, 1):
        raise ValueError("transposed must be 0 or 1")
    return n * n + n * m, n * m


def tree_rows(block: Block) -> list[list[int]]:
    """The columns of the entries of L, row by row, of a `tree_solve`."""
    settings = dict(block.settings)
    rows: list[list[int]] = []
    for k in range(settings["n"]):
        parent = settings[f"parent{k}"] - 1
        if parent >= k:
            raise ValueError(f"the parent of row {k} is {parent}; it must be an earlier row")
        rows.append([*rows[parent], parent] if parent >= 0 else [])
    return rows


def block_operations(block: Block) -> int:
    """About how many operations the block carries out at most, when it is run once."""
    settings = dict(block.settings)
    inner = sum(program.unrolled_count for program in block.programs)
    if block.kind == "call":
        return inner
    if block.kind == "scan":
        return settings["length"] * (inner + 1)
    if block.kind == "while":
        return settings["limit"] * (inner + settings["carry"] + 1)
    if block.kind == "gather":
        return settings["rows"] * settings["columns"]
    n, m = settings["n"], settings.get("m", 0)
    if block.kind == "matmul":
        return 2 * n * m * settings["k"]
    if block.kind == "tree_solve":
        return (4 * sum(len(row) for row in tree_rows(block)) + n) * m
    return n**3 + 2 * n * n * m


def _scan_sizes(settings: dict[str, int], body: Program) -> tuple[int, int]:
    length, carry, shared = settings["length"], settings["carry"], settings["shared"]
    row, collect = settings["row"], settings["collect"]
    if body.input_size != 1 + carry + shared + row or body.output_size != carry + collect:
        raise ValueError("the body's inputs and outputs do not fit the settings")
    return carry + shared + length * row, carry + length * collect


def _while_sizes(settings: dict[str, int], condition: Program, body: Program) -> tuple[int, int]:
    carry, shared = settings["carry"], settings["shared"]
    if condition.input_size != carry + shared or condition.output_size != 1:
        raise ValueError("the condition does not fit the settings")
    if body.input_size != carry + shared or body.output_size != carry:
        raise ValueError("the body does not fit the settings")
    return carry + shared, carry + 1
