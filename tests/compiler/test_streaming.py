"""Large results of batches, which are written past the caches."""

import numpy as np
import pytest
from tests.compiler.machine_code import Assembler, MachineCode

from floatbase.compiler.lowering import batch
from floatbase.compiler.lowering.rows import STAGE
from floatbase.compiler.operations import Op


def program(size):
    """Sums, repeated values, inputs and zeros side by side, and a narrow result beside the wide one."""
    assembler = Assembler((7,))
    values, zero = assembler.inputs[0], assembler.constant(0.0)
    sums = [assembler.add(Op.ADD, values[k % 7], assembler.constant(float(k))) for k in range(size // 2)]
    mixed = [item for k, total in enumerate(sums) for item in (total, zero if k % 3 else values[k % 5])]
    return assembler.program((mixed + sums[:size])[:size], sums[:5])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("size", [STAGE, STAGE + 1, 2 * STAGE + 3, 3 * STAGE - 2])
def test_streamed_rows_equal_others(monkeypatch, size, lanes, dtype):
    plain = program(size)
    ordinary = MachineCode(plain, lanes, dtype)
    monkeypatch.setattr(batch, "STREAMED_BYTES", 0)
    streamed = MachineCode(plain, lanes, dtype)
    assert "!nontemporal" in streamed.ir
    rng = np.random.default_rng(size)
    for rows, shift, padding in ((1, 0, 0), (lanes, 1, 0), (2 * lanes + 1, 3, 1), (3 * lanes, 6, 5)):
        x = rng.normal(size=(rows, 7))
        width = size + padding
        memory = np.full(rows * width + 2 * STAGE, 7.5, dtype)
        wide = memory[shift + 9 : shift + 9 + rows * width].reshape(rows, width)
        narrow = np.zeros((rows, 5), dtype)
        status, _ = streamed.batch(x, out=[wide, narrow])
        expected = ordinary.batch(x)
        assert status == expected[0] == 0
        np.testing.assert_array_equal(wide[:, :size], expected[1][0])
        np.testing.assert_array_equal(narrow, expected[1][1])
        written = memory != 7.5
        assert written.sum() == (expected[1][0] != 7.5).sum() and not written[: shift + 9].any()
