"""LLVM IR: the head of the entry, and the loop that checks the inputs."""

from __future__ import annotations

import ctypes

from floatbase.compiler.entry.emit import (
    ARRAY_DATA,
    FLOAT_VALUE,
    OBJECT_TYPE,
    PORT_SIZE,
    PORTS,
    READABLE,
    STRUCTURE_DATA,
    TUPLE_SIZE,
    item,
    load,
    of,
    put,
)
from floatbase.compiler.entry.layout import (
    MAX_AXES,
    MAX_PORTS,
    MAX_THREADS,
    Batch,
    Descriptor,
    Interpreter,
    KernelSlot,
    PortSlot,
)


def begin(tuple_items: int) -> str:
    """Locals, the number of arguments, and the keywords `out` and `threads`."""
    return f"""
define ptr @fb_entry(ptr %self, ptr %arguments, i64 %count, ptr %names) {{
start:
  %pointers = alloca [{MAX_PORTS} x ptr], align 16
  %strides = alloca [{MAX_PORTS} x i64], align 16
  %lengths = alloca [{MAX_PORTS} x i64], align 16
  %values = alloca [{MAX_PORTS} x double], align 16
  %made = alloca [{MAX_PORTS} x ptr], align 16
  %shape = alloca [{MAX_AXES + 1} x i64], align 16
  %large.batch = alloca [{ctypes.sizeof(Batch)} x i8], align 16
  %large.arguments = alloca [2 x ptr], align 16
  %overflow = alloca i32, align 4
{load("d", "ptr", "self", STRUCTURE_DATA)}
{of(Descriptor, "api", "interpreter", "d")}
{of(Descriptor, "inputs", "inputs", "d", "i64")}
{of(Descriptor, "outputs", "outputs", "d", "i64")}
{of(Descriptor, "packs.word", "packs", "d", "i64")}
  %packs = icmp ne i64 %packs.word, 0
{of(Interpreter, "array.type", "array_type", "api")}
{of(Interpreter, "increment", "increment", "api")}
{of(Interpreter, "decrement", "decrement", "api")}
  %double = getelementptr i8, ptr %d, i64 {Descriptor.float64.offset}
  %single = getelementptr i8, ptr %d, i64 {Descriptor.float32.offset}
  %ports = getelementptr i8, ptr %d, i64 {PORTS}
  %counted = icmp eq i64 %count, %inputs
  br i1 %counted, label %keywords, label %slow
keywords:
  %no.names = icmp eq ptr %names, null
  br i1 %no.names, label %in.head, label %named
named:
{load("name.count", "i64", "names", TUPLE_SIZE)}
{of(Interpreter, "out.name", "out", "api")}
{of(Interpreter, "threads.name", "threads", "api")}
{of(Interpreter, "none", "none", "api")}
  %name.items = getelementptr i8, ptr %names, i64 {tuple_items}
  br label %name.head
name.head:
  %m = phi i64 [ 0, %named ], [ %m.next, %name.next ]
  %out.before = phi ptr [ null, %named ], [ %out.after, %name.next ]
  %threads.before = phi ptr [ null, %named ], [ %threads.after, %name.next ]
  %name.more = icmp slt i64 %m, %name.count
  br i1 %name.more, label %name.body, label %in.head
name.body:
{item("name", "ptr", "name.items", "m")}
  %place = add i64 %count, %m
{item("given", "ptr", "arguments", "place")}
  %given.none = icmp eq ptr %given, %none
  %given.said = select i1 %given.none, ptr null, ptr %given
  %is.out = icmp eq ptr %name, %out.name
  %is.threads = icmp eq ptr %name, %threads.name
  %is.known = or i1 %is.out, %is.threads
  br i1 %is.known, label %name.next, label %slow
name.next:
  %out.after = select i1 %is.out, ptr %given.said, ptr %out.before
  %threads.after = select i1 %is.threads, ptr %given.said, ptr %threads.before
  %m.next = add i64 %m, 1
  br label %name.head
"""


INPUTS = f"""
in.head:
  %out = phi ptr [ null, %keywords ], [ %out.before, %name.head ], [ %out, %in.done ]
  %threads = phi ptr [ null, %keywords ], [ %threads.before, %name.head ], [ %threads, %in.done ]
  %i = phi i64 [ 0, %keywords ], [ 0, %name.head ], [ %i.next, %in.done ]
  %kernel = phi ptr [ null, %keywords ], [ null, %name.head ], [ %kernel.next, %in.done ]
  %rows = phi i64 [ -1, %keywords ], [ -1, %name.head ], [ %rows.next, %in.done ]
  %in.more = icmp slt i64 %i, %inputs
  br i1 %in.more, label %in.body, label %ready
in.body:
{item("input", "ptr", "arguments", "i")}
{load("input.type", "ptr", "input", OBJECT_TYPE)}
  %port.start = mul i64 %i, {PORT_SIZE}
  %port = getelementptr i8, ptr %ports, i64 %port.start
  %no.kernel = icmp eq ptr %kernel, null
  %is.array = icmp eq ptr %input.type, %array.type
  br i1 %is.array, label %in.array, label %in.scalar
in.array:
  %chosen = call ptr @choose(ptr %d, ptr %input)
  %chosen.none = icmp eq ptr %chosen, null
  br i1 %chosen.none, label %slow, label %in.type
in.type:
  %same.kernel = icmp eq ptr %kernel, %chosen
  %agreed = or i1 %no.kernel, %same.kernel
  br i1 %agreed, label %in.shape, label %slow
in.shape:
  %n = call i64 @rows_of(ptr %input, ptr %port, i32 {READABLE})
  %misfit = icmp eq i64 %n, -2
  br i1 %misfit, label %slow, label %in.rows
in.rows:
  %is.row = icmp eq i64 %n, -1
  %first.rows = icmp eq i64 %rows, -1
  %equal.rows = icmp eq i64 %rows, %n
  %free = or i1 %is.row, %first.rows
  %rows.agree = or i1 %free, %equal.rows
  br i1 %rows.agree, label %in.store, label %slow
in.store:
  %rows.array = select i1 %is.row, i64 %rows, i64 %n
{load("input.data", "ptr", "input", ARRAY_DATA)}
{of(PortSlot, "input.size", "size", "port", "i64")}
{of(KernelSlot, "input.item", "item_size", "chosen", "i64")}
  %input.bytes = mul i64 %input.size, %input.item
  %input.stride = select i1 %is.row, i64 0, i64 %input.bytes
  %input.all = mul i64 %input.bytes, %n
  %input.length = select i1 %is.row, i64 %input.bytes, i64 %input.all
  br label %in.done
in.scalar:
{of(PortSlot, "port.axes", "axes", "port", "i64")}
{of(Interpreter, "float.type", "float_type", "api")}
{of(Interpreter, "double.type", "double_type", "api")}
  %port.scalar = icmp eq i64 %port.axes, 0
  %is.float = icmp eq ptr %input.type, %float.type
  %is.double = icmp eq ptr %input.type, %double.type
  %is.number = or i1 %is.float, %is.double
  %kernel.scalar = select i1 %no.kernel, ptr %double, ptr %kernel
  %is.single = icmp eq ptr %kernel.scalar, %single
  %demotes = and i1 %is.double, %is.single
  %keeps = xor i1 %demotes, true
  %fits = and i1 %port.scalar, %is.number
  %passes = and i1 %fits, %keeps
  br i1 %passes, label %in.value, label %slow
in.value:
{load("value", "double", "input", FLOAT_VALUE)}
  %value.at.i = getelementptr double, ptr %values, i64 %i
  br i1 %is.single, label %in.single, label %in.double
in.single:
  %value.single = fptrunc double %value to float
  store float %value.single, ptr %value.at.i
  br label %in.done
in.double:
  store double %value, ptr %value.at.i
  br label %in.done
in.done:
  %kernel.next = phi ptr [ %chosen, %in.store ], [ %kernel.scalar, %in.single ], [ %kernel.scalar, %in.double ]
  %rows.next = phi i64 [ %rows.array, %in.store ], [ %rows, %in.single ], [ %rows, %in.double ]
  %data = phi ptr [ %input.data, %in.store ], [ %value.at.i, %in.single ], [ %value.at.i, %in.double ]
  %stride = phi i64 [ %input.stride, %in.store ], [ 0, %in.single ], [ 0, %in.double ]
  %length = phi i64 [ %input.length, %in.store ], [ 0, %in.single ], [ 0, %in.double ]
{put("put.data", "ptr", "data", "pointers", "i")}
{put("put.stride", "i64", "stride", "strides", "i")}
{put("put.length", "i64", "length", "lengths", "i")}
  %i.next = add i64 %i, 1
  br label %in.head
ready:
  %batched = icmp ne i64 %rows, -1
  %batched.one = zext i1 %batched to i64
  %run.rows = select i1 %batched, i64 %rows, i64 1
{of(Descriptor, "batch.rows", "batch_rows", "d", "i64")}
{of(Descriptor, "loop.rows", "loop_rows", "d", "i64")}
  %some = icmp ne i64 %run.rows, 0
{of(Descriptor, "large", "large", "d")}
  %unsaid = icmp eq ptr %threads, null
  br i1 %unsaid, label %serve, label %threads.type
threads.type:
{load("threads.kind", "ptr", "threads", OBJECT_TYPE)}
{of(Interpreter, "int.type", "int_type", "api")}
  %threads.int = icmp eq ptr %threads.kind, %int.type
  br i1 %threads.int, label %threads.value, label %serve
threads.value:
{of(Interpreter, "as.long.or.overflow", "as_long_or_overflow", "api")}
{of(Descriptor, "shared.rows", "shared_rows", "d", "i64")}
  %threads.count = call i64 %as.long.or.overflow(ptr %threads, ptr %overflow)
  %threads.less = sub i64 %threads.count, 1
  %threads.valid = icmp ult i64 %threads.less, {MAX_THREADS}
  %threads.one = icmp eq i64 %threads.count, 1
  %threads.rows = select i1 %threads.one, i64 %batch.rows, i64 %shared.rows
  %threads.limit = select i1 %threads.valid, i64 %threads.rows, i64 -1
  br label %serve
serve:
  %limit = phi i64 [ %batch.rows, %ready ], [ -1, %threads.type ], [ %threads.limit, %threads.value ]
  %here = icmp sle i64 %run.rows, %limit
  %use.loop = icmp sle i64 %run.rows, %loop.rows
  %use.batch = xor i1 %use.loop, true
  %outside = icmp ne ptr %large, null
  %may.leave = and i1 %use.batch, %outside
  %served = or i1 %here, %may.leave
  %possible = and i1 %served, %some
  br i1 %possible, label %select, label %slow
select:
{of(KernelSlot, "one", "one", "kernel")}
{of(KernelSlot, "batch", "batch", "kernel")}
{of(KernelSlot, "scratch", "scratch", "kernel")}
{of(KernelSlot, "item", "item_size", "kernel", "i64")}
{of(KernelSlot, "dtype", "dtype", "kernel")}
  %address = select i1 %use.loop, ptr %one, ptr %batch
  %compiled = icmp ne ptr %address, null
  br i1 %compiled, label %destination, label %slow
destination:
  %out.pointers = getelementptr ptr, ptr %pointers, i64 %inputs
  %out.strides = getelementptr i64, ptr %strides, i64 %inputs
  %fresh = icmp eq ptr %out, null
  br i1 %fresh, label %new.prepare, label %given.check
"""
