import numpy as np

from floatbase.compiler import Port, cholesky_solve, dense_matmul, scan, trace, while_loop
from floatbase.compiler.effort import ELEMENT_OPERATIONS, WHILE_STEPS, batch_operations, estimated_operations


def test_straight_lines_count_once():
    program = trace(lambda x: np.sin(x) + 2 * x, (Port("x", (3,)),), "f")
    assert estimated_operations(program) == program.operation_count == 9
    assert batch_operations(program) == 9 + 6 * ELEMENT_OPERATIONS


def test_loops_count_as_often_as_they_run():
    x = Port("x")
    scanned = trace(
        lambda x: scan(lambda index, carry, row, shared: (carry * 1.5, carry), x, length=100)[0], (x,), "scanned"
    )
    assert 100 <= estimated_operations(scanned) <= 110
    looped = trace(lambda x: while_loop(lambda c, s: c < 9, lambda c, s: c + 1, x, limit=1000)[0], (x,), "looped")
    assert WHILE_STEPS <= estimated_operations(looped) <= 3 * WHILE_STEPS


def test_dense_blocks_count_their_products():
    a, b = Port("a", (40, 40)), Port("b", (40, 4))
    assert estimated_operations(trace(dense_matmul, (a, b), "product")) == 2 * 40 * 40 * 4
    assert estimated_operations(trace(cholesky_solve, (a, b), "solve")) == 40**3 // 3 + 2 * 40 * 40 * 4
