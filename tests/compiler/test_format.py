"""Program files: round trips, damage, and hostile contents under a valid checksum."""

from __future__ import annotations

import copy
import hashlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floatbase.compiler import Program, dumps, guard, interpret, load, loads, save, scan, subprogram, trace, while_loop
from floatbase.compiler.format import MAGIC
from floatbase.errors import ArgumentError, ProgramError

HEAD = struct.Struct("<IQ32s")


def rich_program() -> Program:
    """Every kind of block, guards, constants that are not finite, sub-programs that are shared."""

    @subprogram
    def inner(x):
        return scan(lambda i, c, r, s: (c + np.sin(r) * i, c[:1]), x, np.stack([x, 2.0 * x]))[0]

    def rich(x, A, s):
        guard(s > 0.0, "s must be positive")
        y = inner(inner(x)) + inner(A[0])
        z, steps = while_loop(lambda c, f: c[0] < 3.0, lambda c, f: c + f, np.exp(x), shared=A[1] * A[1] + 0.5, limit=9)
        B = A @ A.T + np.eye(3) * 4.0
        return {
            "y": y, "z": z * steps, "solved": np.linalg.solve(B, x), "L": np.linalg.cholesky(B),
            "odd": np.array([np.inf, np.nan, -0.0, 1.0], like=x), "less": np.where(x < s, np.minimum(x, s), 2.0),
        }  # fmt: skip

    return trace(rich, {"x": 3, "A": (3, 3), "s": ()})


PROGRAM = rich_program()
DATA = dumps(PROGRAM)
BODY = DATA[len(MAGIC) + HEAD.size :]
HEADER_SIZE = struct.unpack_from("<Q", BODY)[0]
HEADER = json.loads(BODY[8 : 8 + HEADER_SIZE])
ARRAYS = BODY[8 + HEADER_SIZE :]


def sealed(body: bytes) -> bytes:
    """A body under a valid head."""
    return MAGIC + HEAD.pack(1, len(body), hashlib.sha256(body).digest()) + body


def with_header(header: object, arrays: bytes = ARRAYS) -> bytes:
    text = json.dumps(header).encode()
    return sealed(struct.pack("<Q", len(text)) + text + arrays)


def refused_or_runs(data: bytes) -> None:
    """Either `ProgramError`, or a program that can be interpreted."""
    try:
        program = loads(data)
    except ProgramError:
        return
    if program.unrolled_count < 20_000 and program.input_size < 10_000:
        interpret(program, *(np.zeros(port.shape) for port in program.inputs))


def test_round_trip(tmp_path, rng):
    save(PROGRAM, tmp_path / "rich.program")
    again = load(tmp_path / "rich.program")
    assert again.digest == PROGRAM.digest and dumps(again) == DATA
    assert (again.inputs, again.outputs, again.guards) == (PROGRAM.inputs, PROGRAM.outputs, PROGRAM.guards)
    inputs = rng.normal(size=3), rng.normal(size=(3, 3)), np.array(0.3)
    for value, expected in zip(interpret(again, *inputs), interpret(PROGRAM, *inputs), strict=True):
        np.testing.assert_array_equal(value, expected)


def test_shared_sub_programs_stay_shared():
    subs = [block.programs[0] for block in loads(DATA).blocks if block.kind == "call"]
    assert len(subs) == 3 and subs[0] is subs[1] is subs[2]


@pytest.mark.parametrize("function", [lambda x: np.zeros(2), lambda x: x, lambda x: np.zeros((0, 3)), lambda x: ()])
def test_small_programs(function):
    program = trace(function, {"x": 2})
    assert dumps(loads(dumps(program))) == dumps(program)


def test_truncated_at_every_position():
    for length in range(0, len(DATA), 7):
        with pytest.raises(ProgramError):
            loads(DATA[:length])


def test_bits_flipped():
    for position in range(0, len(DATA), 5):
        damaged = bytearray(DATA)
        damaged[position] ^= 1 << (position % 8)
        with pytest.raises(ProgramError):
            loads(bytes(damaged))


def test_truncated_under_a_valid_checksum():
    for length in range(0, len(BODY), 11):
        with pytest.raises(ProgramError):
            loads(sealed(BODY[:length]))
    with pytest.raises(ProgramError, match="more data than"):
        loads(sealed(BODY + b"1234"))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(BODY) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_changed_bytes_under_a_valid_checksum(changes):
    body = bytearray(BODY)
    for position, value in changes:
        body[position] = value
    refused_or_runs(sealed(bytes(body)))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(ARRAYS) // 4 - 1), st.integers(-2, 80)), min_size=1, max_size=6))
def test_changed_numbers_under_a_valid_checksum(changes):
    arrays = np.frombuffer(ARRAYS, dtype="<i4").copy()
    for position, value in changes:
        arrays[position] = value
    refused_or_runs(with_header(HEADER, arrays.tobytes()))


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 40), st.sampled_from([2**31 - 1, 2**31, 2**63, 2**64, -1, 10**6, 10**30]),
    st.floats(), st.text(max_size=3), st.lists(st.integers(0, 3), max_size=3),
    st.dictionaries(st.text(max_size=2), st.none()),
)  # fmt: skip


def leaves(value, path=()):
    """Paths of everything in a header."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from leaves(item, (*path, key))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(list(leaves(HEADER))), ODD), min_size=1, max_size=3))
def test_changed_headers_under_a_valid_checksum(changes):
    header = copy.deepcopy(HEADER)
    for path, value in changes:
        place = header
        try:
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
        except (TypeError, KeyError, IndexError):
            continue  # an earlier change took this place away
    refused_or_runs(with_header(header))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data):
    for candidate in (data, MAGIC + data, sealed(data), sealed(struct.pack("<Q", len(data)) + data)):
        with pytest.raises(ProgramError):
            loads(candidate)


def minimal(**changes):
    """A header and arrays of a program `y = x[0]`, with changes."""
    block = changes.pop("blocks", [])
    code = changes.pop("rows", [[0, 0, 0, 0]])
    extra = changes.pop("arguments", [])
    header = {
        "name": "f", "inputs": [["x", [1]]], "outputs": [["y", [1]]], "code": len(code), "constants": 0, "results": 1,
        "blocks": block, "guards": [],
    } | changes  # fmt: skip
    arrays = np.array([*np.ravel(code), changes.pop("result", 0), *extra], dtype="<i4").tobytes()
    header.pop("result", None)
    return header, arrays


def block_program(kind, settings, size, arguments=(), programs=()):
    entry = {"kind": kind, "arguments": len(arguments), "size": size, "programs": list(programs)}
    return minimal(
        blocks=[entry | {"settings": list(settings.items())}],
        rows=[[0, 0, 0, 0], [2, 0, 0, 0]], arguments=list(arguments),
    )  # fmt: skip


def test_the_minimal_program_is_right():
    header, arrays = minimal()
    assert interpret(loads(with_header([header], arrays)), [3.0])[0] == [3.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": [["x", [2**31 - 1] * 3]]}, "impossible shape"),
        ({"inputs": [["x", [2**24, 2**24]]]}, "more than"),
        ({"inputs": [["x", [1] * 17]]}, "impossible shape"),
        ({"inputs": [["x", [1]], ["x", [1]]]}, "two inputs"),
        ({"inputs": [["x", [-1]]]}, "expected a count, got -1"),
        ({"inputs": [["x", [True]]]}, "expected a count, got True"),
        ({"inputs": [["x", [1.0]]]}, "expected a count"),
        ({"inputs": [["x\n", [1]]]}, "printable"),
        ({"inputs": [["x" * 2000, [1]]]}, "printable"),
        ({"inputs": [[3, [1]]]}, "expected a name, got 3"),
        ({"outputs": [["y", [2]]]}, "results do not match"),
        ({"code": 2**30}, "count"),
        ({"code": 2**28}, "longer than the program"),
        ({"constants": 2**31 - 1}, "longer than the program"),
        ({"rows": [[99, 0, 0, 0]]}, "unknown operation 99"),
        ({"rows": [[0, 1, 0, 0]]}, "operand of INPUT is out of range"),
        ({"rows": [[11, 0, 0, 0]]}, "operand of ADD is out of range"),
        ({"rows": [[0, 0, 0, 0], [2, 0, 0, 0]]}, "operand of BLOCK is out of range"),
        ({"rows": [[0, 0, 0, 0], [3, 0, 0, 0]]}, "not a block's output"),
        ({"rows": [[0, 0, 0, 0], [64, 0, 0, 0]]}, "AND is of the wrong kind"),
        ({"rows": [[0, 0, 0, 0], [60, 0, 0, 0], [10, 1, 0, 0]]}, "NEG is of the wrong kind"),
        ({"rows": [[0, 0, 0, 0], [60, 0, 0, 0]], "result": 1}, "truth value cannot leave"),
        ({"result": -1}, "results do not match"),
        ({"guards": [[0, "m"]]}, "must be a truth value"),
        ({"guards": [[7, "m"]]}, "bad guards"),
        ({"name": 7}, "expected a name"),
    ],
)  # fmt: skip
def test_hostile_headers(changes, message):
    header, arrays = minimal(**copy.deepcopy(changes))
    with pytest.raises(ProgramError, match=message):
        loads(with_header([header], arrays))


@pytest.mark.parametrize(
    ("kind", "block", "message"),
    [
        ("matmul", ({"n": 10**6, "k": 0, "m": 10**6}, 10**6), "outputs"),
        ("matmul", ({"n": 5000, "k": 0, "m": 5000}, 25_000_000), "more than"),
        ("matmul", ({"n": 10**7, "k": 1, "m": 1}, 1), "n=10000000 is out of range"),
        ("cholesky", ({"n": 1, "m": 1}, 1, [0]), "settings"),
        ("cholesky", ({}, 1, [0]), "settings"),
        ("cholesky", ({"n": 1}, 1, [0], [0]), "malformed"),
        ("cholesky", ({"n": 1}, 1, [1]), "argument of block 0 is out of range"),
        ("cholesky", ({"n": 1}, 1, [-1]), "argument of block 0 is out of range"),
        ("eigen", ({"n": 1}, 1, [0]), "unknown kind"),
        ("gather", ({"rows": 0, "columns": 1}, 1, [0]), "an empty table"),
        ("triangular_solve", ({"n": 1, "m": 1, "transposed": 2}, 1, [0, 0]), "transposed"),
        ("tree_solve", ({"n": 1, "m": 1, "parent0": 1}, 1, [0, 0]), "must be an earlier row"),
        ("tree_solve", ({"n": 2, "m": 1, "parent0": 0}, 2, [0, 0]), "settings"),
        ("tree_solve", ({"n": 10**6, "m": 1, "parent0": 0}, 2, [0, 0]), "settings"),
        ("call", ({}, 1, [0], [5]), "malformed"),
        ("call", ({}, 1, [0]), "0 programs"),
    ],
)
def test_hostile_blocks(kind, block, message):
    header, arrays = block_program(kind, *block)
    with pytest.raises(ProgramError, match=message):
        loads(with_header([header], arrays))


def chain(count, calls):
    """Programs of which each calls the one before it several times."""
    first, arrays = minimal()
    headers = [first]
    for number in range(count):
        entry = {"kind": "call", "arguments": 1, "size": 1, "programs": [number], "settings": []}
        rows = [[0, 0, 0, 0], *([2, k, 0, 0] for k in range(calls))]
        header, part = minimal(blocks=[entry] * calls, rows=rows, arguments=[0] * calls)
        headers.append(header)
        arrays += part
    return with_header(headers, arrays)


def test_nesting():
    loads(chain(20, 2))  # a million calls when unrolled, but only 21 programs
    with pytest.raises(ProgramError, match="nested more than 32 deep"):
        loads(chain(40, 1))


def test_endless_loops_are_refused():
    sub, arrays = minimal(rows=[[0, 0, 0, 0], [30, 0, 0, 0]])
    sub["inputs"] = [["index", []]]
    headers = [sub]
    for number in range(3):
        sizes = {"length": 10**6, "carry": 0, "shared": 0, "row": 0, "collect": 0 if number else 1}
        header, part = block_program("scan", sizes, 0 if number else 10**6, (), [number])
        if number < 2:
            header["inputs"], header["outputs"], header["results"] = [["index", []]], [], 0
            part = part[:32] + part[36:]
        headers.append(header)
        arrays += part
    with pytest.raises(ProgramError, match="operations, more than 1000000000000"):
        loads(with_header(headers, arrays))


def test_deep_json():
    text = b"[" * 100_000
    with pytest.raises(ProgramError):
        loads(sealed(struct.pack("<Q", len(text)) + text))


def test_programs_cannot_use_later_ones():
    header, arrays = block_program("call", {}, 1, [0], [0])
    with pytest.raises(ProgramError, match="malformed"):
        loads(with_header([header], arrays))


def test_files(tmp_path):
    with pytest.raises(ProgramError, match=r"cannot read program file .*missing: No such file"):
        load(tmp_path / "missing")
    with pytest.raises(ProgramError, match="Is a directory"):
        load(tmp_path)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ProgramError, match="text: not a floatbase program"):
        load(tmp_path / "text")
    with pytest.raises(ProgramError, match="embedded null"):
        load("a\0b")
    with pytest.raises(ProgramError, match=r"cannot write program file .*absent/x: No such file"):
        save(loads(DATA), tmp_path / "absent" / "x")
    with pytest.raises(ArgumentError, match=r"dumps takes a floatbase\.Program, got str"):
        save("program", tmp_path / "x")
    with pytest.raises(ArgumentError, match="loads takes the bytes of a program, got str"):
        loads("text")
    newer = MAGIC + HEAD.pack(2, len(BODY), hashlib.sha256(BODY).digest()) + BODY
    with pytest.raises(ProgramError, match="format 2 is not supported; this version of floatbase reads 1"):
        loads(newer)
