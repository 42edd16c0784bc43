"""LLVM IR: running the kernel, handing out the results, and the slow path."""

from __future__ import annotations

from floatbase.compiler.entry.device_ir import UNSERVED
from floatbase.compiler.entry.emit import ARRAY_AXES, item, load, of, store
from floatbase.compiler.entry.layout import Batch, Descriptor, Interpreter, Routes

RUN = f"""
run:
  br i1 %use.loop, label %loop.head, label %run.batch
run.batch:
  br i1 %here, label %run.locked, label %run.large
run.locked:
  %batch.status = call i32 %address(
    ptr %pointers, ptr %strides, ptr %out.pointers, ptr %out.strides,
    i64 %run.rows, i64 %run.rows, ptr %scratch)
  br label %ran
run.large:
{of(Interpreter, "from.pointer", "from_pointer", "api")}
{of(Interpreter, "as.long", "as_long", "api")}
{of(Interpreter, "large.call", "vectorcall", "api")}
{of(Interpreter, "large.none", "none", "api")}
  %is.float32 = icmp eq ptr %kernel, %single
  %float32 = zext i1 %is.float32 to i64
{store(Batch, "large.addresses", "addresses", "large.batch", "ptr %pointers")}
{store(Batch, "large.strides", "strides", "large.batch", "ptr %strides")}
{store(Batch, "large.rows.of", "rows", "large.batch", "i64 %run.rows")}
{store(Batch, "large.single", "single", "large.batch", "i64 %float32")}
  %batch.number = call ptr %from.pointer(ptr %large.batch)
  %no.number = icmp eq ptr %batch.number, null
  br i1 %no.number, label %lost, label %large.go
large.go:
  %large.threads = select i1 %unsaid, ptr %large.none, ptr %threads
  %large.second = getelementptr ptr, ptr %large.arguments, i64 1
  store ptr %batch.number, ptr %large.arguments
  store ptr %large.threads, ptr %large.second
  %large.answer = call ptr %large.call(ptr %large, ptr %large.arguments, i64 2, ptr null)
  call void %decrement(ptr %batch.number)
  %no.answer = icmp eq ptr %large.answer, null
  br i1 %no.answer, label %lost, label %large.done
large.done:
  %large.word = call i64 %as.long(ptr %large.answer)
  %large.status = trunc i64 %large.word to i32
  call void %decrement(ptr %large.answer)
  br label %ran
lost: ; an error is set
  br i1 %fresh, label %discard, label %failed
loop.head:
  %row = phi i64 [ 0, %run ], [ %row.next, %advance.head ]
  %status.before = phi i32 [ 0, %run ], [ %status.row, %advance.head ]
  %status.one = call i32 %address(ptr %pointers, ptr %out.pointers, ptr %scratch)
  %status.row = or i32 %status.before, %status.one
  %row.next = add i64 %row, 1
  %row.last = icmp eq i64 %row.next, %run.rows
  br i1 %row.last, label %ran, label %advance
advance:
  %port.count = add i64 %inputs, %outputs
  br label %advance.head
advance.head:
  %p = phi i64 [ 0, %advance ], [ %p.next, %advance.body ]
  %p.more = icmp slt i64 %p, %port.count
  br i1 %p.more, label %advance.body, label %loop.head
advance.body:
{item("pointer", "ptr", "pointers", "p")}
{item("step", "i64", "strides", "p")}
  %moved = getelementptr i8, ptr %pointer, i64 %step
  store ptr %moved, ptr %pointer.at
  %p.next = add i64 %p, 1
  br label %advance.head
ran:
  %status = phi i32 [ %batch.status, %run.locked ], [ %status.row, %loop.head ], [ %large.status, %large.done ]
  %good = icmp eq i32 %status, 0
  br i1 %good, label %finish, label %bad
bad:
  br i1 %fresh, label %bad.head, label %slow
bad.head:
  %b = phi i64 [ 0, %bad ], [ %b.next, %bad.body ]
  %bad.more = icmp slt i64 %b, %outputs
  br i1 %bad.more, label %bad.body, label %slow
bad.body:
{item("bad.made", "ptr", "made", "b")}
  call void %decrement(ptr %bad.made)
  %b.next = add i64 %b, 1
  br label %bad.head
discard: ; an error is set: give back the arrays made
  %x = phi i64 [ %j, %new.make ], [ %outputs, %lost ], [ %x.next, %discard.body ]
  %discard.more = icmp sgt i64 %x, 0
  br i1 %discard.more, label %discard.body, label %failed
discard.body:
  %x.next = sub i64 %x, 1
{item("discarded", "ptr", "made", "x.next")}
  call void %decrement(ptr %discarded)
  br label %discard
failed:
  ret ptr null
"""

FINISH = f"""
finish:
{of(Interpreter, "scalar.of", "scalar_of", "api")}
{of(Descriptor, "result", "result", "d")}
  %plain = icmp eq ptr %result, null
  br i1 %fresh, label %fresh.kind, label %give.out
give.out:
  call void %increment(ptr %out)
  br label %deliver
fresh.kind:
  br i1 %packs, label %pack, label %fresh.one
fresh.one:
  %first = load ptr, ptr %made
{load("first.axes", "i32", "first", ARRAY_AXES)}
  %first.scalar = icmp eq i32 %first.axes, 0
  br i1 %first.scalar, label %first.convert, label %deliver
first.convert:
  %first.value = call ptr %scalar.of(ptr %first) ; takes over the reference
  br label %deliver
pack:
{of(Interpreter, "tuple.new", "tuple_new", "api")}
{of(Interpreter, "tuple.set", "tuple_set", "api")}
  %tuple = call ptr %tuple.new(i64 %outputs)
  %no.tuple = icmp eq ptr %tuple, null
  br i1 %no.tuple, label %drop.head, label %pack.head
pack.head:
  %t = phi i64 [ 0, %pack ], [ %t.next, %pack.set ]
  %pack.more = icmp slt i64 %t, %outputs
  br i1 %pack.more, label %pack.body, label %deliver
pack.body:
{item("part", "ptr", "made", "t")}
{load("part.axes", "i32", "part", ARRAY_AXES)}
  %t.next = add i64 %t, 1
  %part.scalar = icmp eq i32 %part.axes, 0
  br i1 %part.scalar, label %part.convert, label %pack.set
part.convert:
  %part.value = call ptr %scalar.of(ptr %part)
  %part.failed = icmp eq ptr %part.value, null
  br i1 %part.failed, label %part.lost, label %pack.set
pack.set:
  %piece = phi ptr [ %part, %pack.body ], [ %part.value, %part.convert ]
  %set = call i32 %tuple.set(ptr %tuple, i64 %t, ptr %piece) ; takes over the reference
  br label %pack.head
part.lost:
  call void %decrement(ptr %tuple)
  br label %drop.head
drop.head: ; the tuple or a scalar could not be made: give back the arrays that are not in the tuple
  %z = phi i64 [ 0, %pack ], [ %t.next, %part.lost ], [ %z.next, %drop.body ]
  %drop.more = icmp slt i64 %z, %outputs
  br i1 %drop.more, label %drop.body, label %failed
drop.body:
{item("dropped", "ptr", "made", "z")}
  call void %decrement(ptr %dropped)
  %z.next = add i64 %z, 1
  br label %drop.head
deliver:
  %value.out = phi ptr
    [ %out, %give.out ], [ %first, %fresh.one ], [ %first.value, %first.convert ], [ %tuple, %pack.head ]
  br i1 %plain, label %return, label %wrap
wrap: ; `packs` is set whenever `result` is, so the value is a tuple
{of(Interpreter, "call.one", "call_one", "api")}
  %wrapped = call ptr %call.one(ptr %result, ptr %value.out)
  call void %decrement(ptr %value.out)
  ret ptr %wrapped
return:
  ret ptr %value.out
"""

SLOW = f"""
slow:
{of(Descriptor, "routes", "routes", "d")}
{of(Routes, "route.first", "first", "routes")}
  %routed = icmp ne ptr %route.first, null
  br i1 %routed, label %slow.device, label %slow.python
slow.device:
  %on.device = call ptr @route(ptr %api, ptr %routes, ptr %arguments, i64 %count, ptr %names)
  %unserved = icmp eq ptr %on.device, inttoptr (i64 {UNSERVED} to ptr)
  br i1 %unserved, label %slow.python, label %slow.done
slow.done:
  ret ptr %on.device
slow.python:
{of(Interpreter, "vectorcall", "vectorcall", "api")}
{of(Descriptor, "slow.path", "slow", "d")}
  %answer = call ptr %vectorcall(ptr %slow.path, ptr %arguments, i64 %count, ptr %names)
  ret ptr %answer
"""
