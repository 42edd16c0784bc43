r"""Dense linear algebra as loops over arrays in scratch memory.

Every loop innermost runs along rows, `y[j] += a x[j]`. For one state it takes full vectors of columns; with several
states side by side it takes one column of all. Each element sees the same operations in the same order either way.
Cholesky's factor is computed as \(U = L^T\) for that reason.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from floatbase.compiler.lowering.arrays import copy, spread
from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Frame
from floatbase.compiler.program import Block

_RowBody = Callable[[Builder, str], None]


def emit_matmul(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """`C[i, j] = sum_k A[i, k] B[k, j]`, summed in the order of `k`.

    A tile of a few rows and columns is summed in registers; the last tiles overlap those before, to be of one size. The
    smaller matrix is gone through again and again, because it is more likely to stay in the nearest cache.
    """
    n, depth, m = block.setting("n"), block.setting("k"), block.setting("m")
    if not n or not m:
        return
    element = builder.element
    across = element.across if element.lanes == 1 else 1  # columns of a vector, for one state
    wide = builder.using(element.with_lanes(across)) if across > 1 and m >= across else builder
    across = across if wide is not builder else 1
    tall, broad = min(n, 4), 2 if m >= 2 * across else 1
    if element.lanes > 1 and m >= 4:
        broad = 4
    right = builder.at(arguments, n * depth)
    with ExitStack() as loops:
        if n <= m:
            column = loops.enter_context(builder.loop(m, step=broad * across))
            row = loops.enter_context(builder.loop(n, step=tall))
        else:
            row = loops.enter_context(builder.loop(n, step=tall))
            column = loops.enter_context(builder.loop(m, step=broad * across))
        first, left = _at_most(builder, row, n - tall), _at_most(builder, column, m - broad * across)
        rows = [_sum(builder, first, k) for k in range(tall)]
        columns = [_sum(builder, left, k * across) for k in range(broad)]
        starts = [builder.let(f"mul i64 {i}, {depth}") for i in rows]

        def products(k: str, sums: list[str]) -> list[str]:
            factors = [
                _widened(builder, wide, builder.load(builder.at(arguments, _sum(builder, start, k))))
                for start in starts
            ]
            below = builder.let(f"mul i64 {k}, {m}")
            values = [wide.load(builder.at(right, _sum(builder, below, j)), aligned=False) for j in columns]
            pairs = [(factor, value) for factor in factors for value in values]
            return [wide.fma(factor, value, total) for (factor, value), total in zip(pairs, sums, strict=True)]

        sums = wide.accumulate(depth, [wide.literal(0.0)] * (tall * broad), products)
        places = [_element(builder, outputs, i, j, m) for i in rows for j in columns]
        for total, place in zip(sums, places, strict=True):
            wide.store(total, place, aligned=False)


def emit_cholesky(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """`A = L L^T`; `L` with zeros above the diagonal."""
    n = block.setting("n")
    _factorize(builder, arguments, n)
    with builder.loop(n) as i, builder.loop(n) as j:
        # L[i, j] = U[j, i] on and below the diagonal
        upper = builder.load(_element(builder, arguments, j, i, n))
        inside = builder.let(f"icmp sle i64 {j}, {i}")
        kind = builder.element.value
        value = builder.let(f"select i1 {inside}, {kind} {upper}, {kind} {builder.literal(0.0)}")
        builder.store(value, _element(builder, outputs, i, j, n))


def emit_cholesky_solve(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """`X = A^-1 B` for a symmetric positive definite `A`, of which the lower part is read."""
    n, m = block.setting("n"), block.setting("m")
    _factorize(builder, arguments, n)
    copy(builder, builder.at(arguments, n * n), outputs, n * m)
    # U^T Y = B: forwards, with column k of U^T, which is row k of U
    with builder.loop(n) as k:
        _divide_row(builder, outputs, k, m, builder.load(_element(builder, arguments, k, k, n)))
        with builder.loop(n, start=_sum(builder, k, 1)) as i:
            _subtract_row(builder, outputs, i, k, m, builder.load(_element(builder, arguments, k, i, n)))
    _solve_upper(builder, arguments, outputs, n, m, n)


def emit_triangular_solve(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """`L^-1 B`, or `L^-T B`, for a lower triangular `L`."""
    n, m = block.setting("n"), block.setting("m")
    copy(builder, builder.at(arguments, n * n), outputs, n * m)
    if block.setting("transposed"):
        with builder.loop(n) as step:
            k = builder.let(f"sub i64 {n - 1}, {step}")
            _divide_row(builder, outputs, k, m, builder.load(_element(builder, arguments, k, k, n)))
            with builder.loop(k) as i:
                _subtract_row(builder, outputs, i, k, m, builder.load(_element(builder, arguments, k, i, n)))
        return
    with builder.loop(n) as k:
        _divide_row(builder, outputs, k, m, builder.load(_element(builder, arguments, k, k, n)))
        with builder.loop(n, start=_sum(builder, k, 1)) as i:
            _subtract_row(builder, outputs, i, k, m, builder.load(_element(builder, arguments, i, k, n)))


def emit_lu_solve(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """`A^-1 B` by elimination with partial pivoting; each lane exchanges its own rows."""
    n, m = block.setting("n"), block.setting("m")
    copy(builder, builder.at(arguments, n * n), outputs, n * m)
    with builder.loop(n) as k:
        after = _sum(builder, k, 1)
        # bring the largest element of the column to row k, by exchanging it with every larger one met
        with builder.loop(n, start=after) as i:
            pivot = builder.load(_element(builder, arguments, k, k, n))
            other = builder.load(_element(builder, arguments, i, k, n))
            larger = builder.compare("ogt", builder.abs(other), builder.abs(pivot))

            def exchange(i: str = i, k: str = k, larger: str = larger) -> None:
                _exchange_rows(builder, arguments, i, k, n, larger)
                _exchange_rows(builder, outputs, i, k, m, larger)

            builder.when(builder.any(larger), exchange)
        with builder.loop(n, start=after) as i:
            place = _element(builder, arguments, i, k, n)
            factor = builder.div(builder.load(place), builder.load(_element(builder, arguments, k, k, n)))
            _subtract_row(builder, arguments, i, k, n, factor, start=after)
            _subtract_row(builder, outputs, i, k, m, factor)
    _solve_upper(builder, arguments, outputs, n, m, n)


def _factorize(builder: Builder, matrix: str, n: int) -> None:
    """Overwrite a symmetric matrix, given by its lower part, by `U` (on and above the diagonal), `A = U^T U`."""
    with builder.loop(n) as i, builder.loop(i) as j:
        builder.store(builder.load(_element(builder, matrix, i, j, n)), _element(builder, matrix, j, i, n))
    with builder.loop(n) as k:
        place = _element(builder, matrix, k, k, n)
        diagonal = builder.sqrt(builder.load(place))
        builder.store(diagonal, place)
        after = _sum(builder, k, 1)
        _divide_row(builder, matrix, k, n, diagonal, start=after)
        with builder.loop(n, start=after) as i:
            factor = builder.load(_element(builder, matrix, k, i, n))
            _subtract_row(builder, matrix, i, k, n, factor, start=i)


def _solve_upper(builder: Builder, upper: str, rows: str, n: int, m: int, stride: int) -> None:
    """`U X = Y` backwards, in place of `Y`."""
    with builder.loop(n) as step:
        k = builder.let(f"sub i64 {n - 1}, {step}")
        _divide_row(builder, rows, k, m, builder.load(_element(builder, upper, k, k, stride)))
        with builder.loop(k) as i:
            _subtract_row(builder, rows, i, k, m, builder.load(_element(builder, upper, i, k, stride)))


def _divide_row(builder: Builder, matrix: str, row: str, columns: int, divisor: str, start: str = "0") -> None:
    base = builder.at(matrix, builder.let(f"mul i64 {row}, {columns}"))

    def body(wide: Builder, j: str) -> None:
        place = builder.at(base, j)
        value = wide.div(wide.load(place, aligned=False), _widened(builder, wide, divisor))
        wide.store(value, place, aligned=False)

    _along_row(builder, start, str(columns), body)


def _subtract_row(
    builder: Builder, matrix: str, row: str, other: str, columns: int, factor: str, start: str = "0"
) -> None:
    """`M[row, j] -= factor M[other, j]` for `j` from `start`."""
    base = builder.at(matrix, builder.let(f"mul i64 {row}, {columns}"))
    source = builder.at(matrix, builder.let(f"mul i64 {other}, {columns}"))
    negated = builder.neg(factor)

    def body(wide: Builder, j: str) -> None:
        place = builder.at(base, j)
        value = wide.load(builder.at(source, j), aligned=False)
        total = wide.fma(_widened(builder, wide, negated), value, wide.load(place, aligned=False))
        wide.store(total, place, aligned=False)

    _along_row(builder, start, str(columns), body)


def _exchange_rows(builder: Builder, matrix: str, first: str, second: str, columns: int, where: str) -> None:
    with builder.loop(columns) as j:
        place, other = _element(builder, matrix, first, j, columns), _element(builder, matrix, second, j, columns)
        a, b = builder.load(place), builder.load(other)
        builder.store(builder.select(where, b, a), place)
        builder.store(builder.select(where, a, b), other)


def _along_row(builder: Builder, start: str, stop: str, body: _RowBody) -> None:
    """Run `body` for the columns from `start` to `stop`: full vectors of columns for one state, then one by one."""
    element = builder.element
    if element.lanes > 1:
        with builder.loop(stop, start=start) as j:
            body(builder, j)
        return
    wide = builder.using(element.with_lanes(element.across))
    length = builder.let(f"sub i64 {stop}, {start}")
    whole = builder.let(f"and i64 {length}, {-wide.element.lanes}")
    middle = _sum(builder, start, whole)
    with builder.loop(middle, start=start, step=wide.element.lanes) as j:
        body(wide, j)
    with builder.loop(stop, start=middle) as j:
        body(builder, j)


def _widened(builder: Builder, wide: Builder, value: str) -> str:
    """A value in every column that `wide` takes."""
    return value if wide.element == builder.element else spread(wide, value)


def _element(builder: Builder, matrix: str, row: str, column: str, columns: int) -> str:
    return builder.at(matrix, _sum(builder, builder.let(f"mul i64 {row}, {columns}"), column))


def _at_most(builder: Builder, a: str, limit: int) -> str:
    inside = builder.let(f"icmp slt i64 {a}, {limit}")
    return builder.let(f"select i1 {inside}, i64 {a}, i64 {limit}")


def _sum(builder: Builder, a: str, b: str | int) -> str:
    return builder.let(f"add i64 {a}, {b}")
