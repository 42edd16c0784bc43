"""LLVM IR: the outputs, freshly allocated or given."""

from __future__ import annotations

from floatbase.compiler.entry.emit import ARRAY_DATA, OBJECT_TYPE, PORT_SIZE, TUPLE_SIZE, WRITEABLE, item, load, of, put
from floatbase.compiler.entry.layout import Descriptor, Interpreter, PortSlot
from floatbase.compiler.recycling import LARGE_BYTES

ALLOCATE = f"""
new.prepare:
{of(Descriptor, "largest", "largest", "d", "i64")}
  %largest.items = mul i64 %largest, %run.rows
  %largest.bytes = mul i64 %largest.items, %item
  %too.large = icmp sge i64 %largest.bytes, {LARGE_BYTES}
  br i1 %too.large, label %slow, label %new.start
new.start:
{of(Interpreter, "new.array", "new_array", "api")}
  store i64 %run.rows, ptr %shape
  %inner.shape = getelementptr i64, ptr %shape, i64 %batched.one
  br label %new.head
new.head:
  %j = phi i64 [ 0, %new.start ], [ %j.next, %new.store ]
  %new.more = icmp slt i64 %j, %outputs
  br i1 %new.more, label %new.body, label %run
new.body:
  %j.port = add i64 %j, %inputs
  %new.offset = mul i64 %j.port, {PORT_SIZE}
  %new.port = getelementptr i8, ptr %ports, i64 %new.offset
{of(PortSlot, "new.axes", "axes", "new.port", "i64")}
{of(PortSlot, "new.size", "size", "new.port", "i64")}
  %new.port.shape = getelementptr i8, ptr %new.port, i64 {PortSlot.shape.offset}
  br label %axis.head
axis.head:
  %axis = phi i64 [ 0, %new.body ], [ %axis.next, %axis.body ]
  %axis.more = icmp slt i64 %axis, %new.axes
  br i1 %axis.more, label %axis.body, label %new.make
axis.body:
{item("extent", "i64", "new.port.shape", "axis")}
{put("put.extent", "i64", "extent", "inner.shape", "axis")}
  %axis.next = add i64 %axis, 1
  br label %axis.head
new.make:
  %all.axes = add i64 %new.axes, %batched.one
  %all.axes32 = trunc i64 %all.axes to i32
  call void %increment(ptr %dtype)
  %new = call ptr %new.array(
    ptr %array.type, ptr %dtype, i32 %all.axes32, ptr %shape, ptr null, ptr null, i32 0, ptr null)
  %new.failed = icmp eq ptr %new, null
  br i1 %new.failed, label %discard, label %new.store
new.store:
{load("new.data", "ptr", "new", ARRAY_DATA)}
  %new.stride = mul i64 %new.size, %item
{put("put.made", "ptr", "new", "made", "j")}
{put("put.new.data", "ptr", "new.data", "out.pointers", "j")}
{put("put.new.stride", "i64", "new.stride", "out.strides", "j")}
  %j.next = add i64 %j, 1
  br label %new.head
"""

GIVEN = f"""
given.check:
  br i1 %packs, label %given.tuple, label %given.head
given.tuple:
{load("out.type", "ptr", "out", OBJECT_TYPE)}
{of(Interpreter, "tuple.type", "tuple_type", "api")}
{of(Interpreter, "tuple.get", "tuple_get", "api")}
  %out.tuple = icmp eq ptr %out.type, %tuple.type
  br i1 %out.tuple, label %given.count, label %given.named
given.named: ; a named tuple, as calls return it
{of(Interpreter, "is.subtype", "is_subtype", "api")}
  %out.subtype = call i32 %is.subtype(ptr %out.type, ptr %tuple.type)
  %out.named = icmp ne i32 %out.subtype, 0
  br i1 %out.named, label %given.count, label %slow
given.count:
{load("out.count", "i64", "out", TUPLE_SIZE)}
  %out.counted = icmp eq i64 %out.count, %outputs
  br i1 %out.counted, label %given.head, label %slow
given.head:
  %g = phi i64 [ 0, %given.check ], [ 0, %given.count ], [ %g.next, %given.next ]
  %getter = phi ptr [ null, %given.check ], [ %tuple.get, %given.count ], [ %getter, %given.next ]
  %given.more = icmp slt i64 %g, %outputs
  br i1 %given.more, label %given.body, label %run
given.body:
  br i1 %packs, label %given.item, label %given.one
given.item:
  %item.g = call ptr %getter(ptr %out, i64 %g)
  br label %given.one
given.one:
  %target = phi ptr [ %out, %given.body ], [ %item.g, %given.item ]
{load("target.type", "ptr", "target", OBJECT_TYPE)}
  %target.array = icmp eq ptr %target.type, %array.type
  br i1 %target.array, label %given.kind, label %slow
given.kind:
  %target.kernel = call ptr @choose(ptr %d, ptr %target)
  %target.fits = icmp eq ptr %target.kernel, %kernel
  br i1 %target.fits, label %given.shape, label %slow
given.shape:
  %g.port = add i64 %g, %inputs
  %given.start = mul i64 %g.port, {PORT_SIZE}
  %given.port = getelementptr i8, ptr %ports, i64 %given.start
  %target.rows = call i64 @rows_of(ptr %target, ptr %given.port, i32 {WRITEABLE})
  %target.exact = icmp eq i64 %target.rows, %rows
  br i1 %target.exact, label %given.place, label %slow
given.place:
{load("target.data", "ptr", "target", ARRAY_DATA)}
{of(PortSlot, "target.size", "size", "given.port", "i64")}
  %target.bytes = mul i64 %target.size, %item
  %target.length = mul i64 %target.bytes, %run.rows
  %target.from = ptrtoint ptr %target.data to i64
  %target.to = add i64 %target.from, %target.length
  br label %over.head
over.head: ; no output may share memory with an input or an earlier output
  %o = phi i64 [ 0, %given.place ], [ %o.next, %over.body ]
  %over.more = icmp slt i64 %o, %g.port
  br i1 %over.more, label %over.body, label %given.next
over.body:
{item("other", "ptr", "pointers", "o")}
{item("other.length", "i64", "lengths", "o")}
  %other.from = ptrtoint ptr %other to i64
  %other.to = add i64 %other.from, %other.length
  %starts.before = icmp ult i64 %target.from, %other.to
  %ends.after = icmp ugt i64 %target.to, %other.from
  %overlap = and i1 %starts.before, %ends.after
  %o.next = add i64 %o, 1
  br i1 %overlap, label %slow, label %over.head
given.next:
{put("put.target", "ptr", "target.data", "pointers", "g.port")}
{put("put.target.stride", "i64", "target.bytes", "strides", "g.port")}
{put("put.target.length", "i64", "target.length", "lengths", "g.port")}
  %g.next = add i64 %g, 1
  br label %given.head
"""
