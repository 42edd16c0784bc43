"""LLVM IR: what type of elements an array has, and whether its shape fits a port."""

from __future__ import annotations

from floatbase.compiler.entry.emit import (
    ARRAY_AXES,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    DTYPE_BYTE_ORDER,
    DTYPE_NUMBER,
    NATIVE,
    item,
    load,
    of,
)
from floatbase.compiler.entry.layout import Descriptor, KernelSlot, PortSlot

CHOOSE = f"""
; The kernels for an array's type of elements; null if there are none.
define internal ptr @choose(ptr %d, ptr %array) {{
{load("dtype", "ptr", "array", ARRAY_DTYPE)}
  %double = getelementptr i8, ptr %d, i64 {Descriptor.float64.offset}
  %single = getelementptr i8, ptr %d, i64 {Descriptor.float32.offset}
{of(KernelSlot, "double.dtype", "dtype", "double")}
  %is.double = icmp eq ptr %dtype, %double.dtype
  br i1 %is.double, label %found, label %maybe
maybe:
{of(KernelSlot, "single.dtype", "dtype", "single")}
  %is.single = icmp eq ptr %dtype, %single.dtype
  br i1 %is.single, label %found, label %equal
equal: ; an equal dtype that is another object, as in unpickled arrays
{load("order", "i8", "dtype", DTYPE_BYTE_ORDER)}
{load("number", "i32", "dtype", DTYPE_NUMBER)}
  %wide = sext i32 %number to i64
{of(KernelSlot, "double.number", "type_number", "double", "i64")}
{of(KernelSlot, "single.number", "type_number", "single", "i64")}
  %like.double = icmp eq i64 %wide, %double.number
  %like.single = icmp eq i64 %wide, %single.number
  %maybe.single = select i1 %like.single, ptr %single, ptr null
  %candidate = select i1 %like.double, ptr %double, ptr %maybe.single
  %native = icmp eq i8 %order, {NATIVE}
  %last = select i1 %native, ptr %candidate, ptr null
  ret ptr %last
found:
  %kernel = phi ptr [ %double, %0 ], [ %single, %maybe ]
  ret ptr %kernel
}}
"""

ROWS_OF = f"""
; -1: the array has the port's shape; n >= 0: that shape with n rows before it; -2: neither, or a flag is missing.
define internal i64 @rows_of(ptr %array, ptr %port, i32 %flags) {{
start:
{load("have", "i32", "array", ARRAY_FLAGS)}
  %common = and i32 %have, %flags
  %flagged = icmp eq i32 %common, %flags
{load("axes32", "i32", "array", ARRAY_AXES)}
  %axes = sext i32 %axes32 to i64
{load("shape", "ptr", "array", ARRAY_SHAPE)}
{of(PortSlot, "wanted", "axes", "port", "i64")}
  %port.shape = getelementptr i8, ptr %port, i64 {PortSlot.shape.offset}
  br i1 %flagged, label %count, label %misfit
count:
  %single = icmp eq i64 %axes, %wanted
  br i1 %single, label %compare, label %batch
batch:
  %one.more = add i64 %wanted, 1
  %batched = icmp eq i64 %axes, %one.more
  br i1 %batched, label %leading, label %misfit
leading:
  %length = load i64, ptr %shape
  %rest = getelementptr i64, ptr %shape, i64 1
  br label %compare
compare:
  %rows = phi i64 [ -1, %count ], [ %length, %leading ]
  %inner = phi ptr [ %shape, %count ], [ %rest, %leading ]
  br label %head
head:
  %k = phi i64 [ 0, %compare ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %wanted
  br i1 %more, label %next, label %done
next:
{item("given", "i64", "inner", "k")}
{item("needed", "i64", "port.shape", "k")}
  %same = icmp eq i64 %given, %needed
  %k.next = add i64 %k, 1
  br i1 %same, label %head, label %misfit
done:
  ret i64 %rows
misfit:
  ret i64 -2
}}
"""
