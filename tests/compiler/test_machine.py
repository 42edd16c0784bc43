"""Objects: compiled once, loaded any number of times, refused when they make no sense."""

import ctypes
import gc

import pytest

from floatbase.compiler.lowering import Target
from floatbase.compiler.machine import compile_object, load_object, preferred_lanes
from floatbase.errors import CompilationError

SEVEN = "define i32 @seven() {\n  ret i32 7\n}\n"


def test_an_object_can_be_loaded_again_and_again():
    data = compile_object(SEVEN, Target.host(), 1)
    for _ in range(3):
        code = load_object(data)
        assert ctypes.CFUNCTYPE(ctypes.c_int32)(code.address("seven"))() == 7
        assert code.address("seven") == code.address("seven")
        del code
        gc.collect()


def test_objects_do_not_change_between_compilations():
    assert compile_object(SEVEN, Target.host(), 1) == compile_object(SEVEN, Target.host(), 1)


def test_what_llvm_cannot_read_is_refused():
    with pytest.raises(CompilationError, match="LLVM refuses"):
        compile_object("define i32 @seven( {", Target.host(), 1)


def test_bytes_that_are_no_object_are_refused():
    with pytest.raises(CompilationError, match="cannot be loaded"):
        load_object(b"not an object at all").address("seven")


def test_a_name_that_is_not_there_is_refused():
    code = load_object(compile_object(SEVEN, Target.host(), 1))
    with pytest.raises(CompilationError, match="no function 'eight'"):
        code.address("eight")


@pytest.mark.parametrize(("bits", "double", "single"), [(128, 4, 8), (256, 4, 8), (512, 8, 16)])
def test_lanes_follow_the_width_of_vectors(bits, double, single):
    target = Target("x86_64-unknown-linux-gnu", "generic", "", bits)
    assert preferred_lanes(target, "float64") == double
    assert preferred_lanes(target, "float32") == single
