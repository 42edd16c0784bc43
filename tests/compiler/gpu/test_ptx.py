"""Programs as PTX: every kind of program is written, and assembled where an assembler is installed."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import floatbase as fb
from floatbase.compiler import Port, trace
from floatbase.compiler.cache import Cache
from floatbase.compiler.gpu.code import compile_device, load_code, nearest_capability, store_code
from floatbase.compiler.lowering import lower, lower_device
from floatbase.compiler.lowering.device import output_groups
from floatbase.compiler.target import CAPABILITIES, Target
from floatbase.errors import ArgumentError

PTXAS = shutil.which("ptxas")


def assembled(code, tmp_path, capability=(9, 0)):
    """What the assembler says of PTX; without one, what can be seen in the text."""
    text = code.ptx.decode()
    entry = re.search(r"\.visible \.entry fb_device\(([^)]*)\)", text)
    assert entry is not None and ".target sm_" in text
    for line in text.splitlines():
        if line.lstrip().startswith(("call", "call.uni")) and "," in line and "(" not in line.split(",")[0]:
            callee = line.split()[1].strip(",")
            assert re.search(rf"\.func.*{re.escape(callee)}", text), f"{callee} is called and not there"
    if PTXAS is None:
        return text
    (tmp_path / "program.ptx").write_text(text)
    target = f"-arch=sm_{capability[0]}{capability[1]}"
    command = [PTXAS, target, "-O0", str(tmp_path / "program.ptx"), "-o", str(tmp_path / "program.cubin")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return text


def every_function(x):
    y = 0.5 * np.tanh(x)
    parts = [f(y) for f in (np.sin, np.tan, np.arcsin, np.arccos, np.arctan, np.exp, np.sinh, np.expm1, np.cosh)]
    parts += [np.log(2.0 + y), np.log1p(y), np.arctan2(y, x), np.abs(x), np.floor(x), np.ceil(x), np.sign(x)]
    parts += [np.sqrt(2.0 + y), np.power(2.0 + y, x), np.minimum(x, y), np.maximum(x, y), np.where(x > y, x, y)]
    return sum(parts[1:], parts[0])


def scanned(x):
    final, rows = fb.scan(
        lambda _, total, row, shared: (total + row, np.sin(total) * row), np.zeros(3, like=x), x.reshape(4, 3)
    )
    return {"final": final, "rows": rows}


def repeated(x):
    return fb.while_loop(lambda y, _: y @ y > 0.1, lambda y, _: 0.5 * y, x, limit=40)[0]


def solved(x):
    matrix = x[:9].reshape(3, 3)
    return np.linalg.solve(matrix @ matrix.T + np.eye(3), x[9:12])


def gathered(x):
    return fb.gather(np.arange(12.0).reshape(4, 3), x[0]) * fb.gather(x.reshape(4, 3), x[0])


PROGRAMS = {f.__name__: f for f in (every_function, scanned, repeated, solved, gathered)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_kind_of_instruction_is_written(name, dtype, tmp_path):
    program = trace(PROGRAMS[name], (Port("x", (12,)),), name)
    assembled(compile_device(program, (dtype, dtype), (9, 0)), tmp_path)


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_may_be_stored_in_another_type(name, tmp_path):
    program = trace(PROGRAMS[name], (Port("x", (12,)),), name)
    code = compile_device(program, ("float32", "float64"), (9, 0))
    assembled(code, tmp_path)
    text = code.ptx.decode()
    assert "ld.global.f32" in text or "ld.global.b32" in text
    assert "cvt.f64.f32" in text and "cvt.rn.f32.f64" in text
    moves = "st" if name == "gathered" else "ld|st"  # a table of constants is of the type of arithmetic
    assert not re.search(rf"({moves})\.global\S*[fb]64", text)


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_every_capability_is_written(capability, tmp_path):
    program = trace(every_function, (Port("x", (12,)),), "f")
    code = compile_device(program, ("float32", "float32"), capability)
    assert f".target sm_{capability[0]}{capability[1]}" in code.ptx.decode()


def test_gpus_take_code_of_earlier_ones():
    assert nearest_capability((9, 0)) == (9, 0) and nearest_capability((8, 8)) == (8, 7)
    assert nearest_capability((13, 0)) == CAPABILITIES[-1]
    with pytest.raises(ArgumentError, match=r"compute capability 8\.0"):
        lower_device(trace(lambda x: x, (Port("x"),), "f"), "float32", (7, 5))
    with pytest.raises(ArgumentError, match="lower_device"):
        lower(trace(lambda x: x, (Port("x"),), "f"), Target.gpu((9, 0)), "float32", 1)


QUANTITIES = [
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_mass_matrix",
    "bias",
    "com",
    ("jacobian", "panda_hand"),
    ("pose", "panda_hand"),
    "regressor",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "integrate",
    "difference",
]


@pytest.mark.parametrize("request_", QUANTITIES, ids=str)
def test_quantities_of_robots_are_written(request_, tmp_path, panda_on_wheels):
    function = panda_on_wheels.function(request_)
    code = compile_device(function.program, ("float32", "float32"), (9, 0))
    assembled(code, tmp_path)


@pytest.fixture(scope="module")
def panda_on_wheels():
    return fb.load("panda", floating=True)


def test_large_outputs_are_computed_apart(panda_on_wheels):
    program = fb.load("icub").function("inverse_dynamics_derivatives").program
    assert output_groups(program) == [[0], [1], [2]]
    small = panda_on_wheels.function("inverse_dynamics_derivatives").program
    assert output_groups(small) == [[0, 1, 2]]


@pytest.mark.parametrize("kind", [("float32", "float32"), ("float64", "float64"), ("float32", "float64")])
def test_warps_have_shared_memory_of_their_own_for_outputs_of_any_width(kind):
    def outputs(x):
        return np.sin(x), np.cos(x[:20]), x[:9] * 2.0, x[:8] * 3.0, x[:5] + 1.0

    program = trace(outputs, (Port("x", (38,)),), "f")
    lowered = lower_device(program, kind[1], (9, 0), kind[0])
    (warp,) = set(re.findall(r"= lshr i32 %thread, (\d+)", lowered.ir))
    starts = re.findall(r"(%\S+) = lshr i32 %thread, 5\n.*\n?.*mul i32 \1, (\d+)", lowered.ir)
    size = 4 if kind[0] == "float32" else 8
    assert warp == "5" and len(starts) >= 5 and {int(step) * size for _, step in starts} == {lowered.shared}


def test_ptx_is_kept_and_read_again(tmp_path):
    program = trace(lambda x: np.sin(x), (Port("x", (5,)),), "f")
    cache = Cache(tmp_path / "cache")
    code = compile_device(program, ("float32", "float32"), (8, 0))
    assert load_code(cache, program.digest, ("float32", "float32"), (8, 0)) is None
    store_code(cache, program.digest, ("float32", "float32"), (8, 0), code)
    assert load_code(cache, program.digest, ("float32", "float32"), (8, 0)) == code
    assert load_code(cache, program.digest, ("float64", "float64"), (8, 0)) is None
