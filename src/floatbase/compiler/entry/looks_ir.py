"""LLVM IR: looking at arrays on a GPU, attribute by attribute, and at where their memory is."""

from __future__ import annotations

from floatbase.compiler.entry.emit import OBJECT_TYPE, item, load, of
from floatbase.compiler.entry.layout import Interpreter, Probe, Route

LOOK = f"""
; What an array says of itself: an attribute, called if it is a method, or an attribute of that.
define internal ptr @look(ptr %api, ptr %probe, ptr %array) {{
start:
{of(Interpreter, "get", "get_attribute", "api")}
{of(Interpreter, "call.none", "call_none", "api")}
{of(Interpreter, "decrement", "decrement", "api")}
{of(Probe, "name", "name", "probe")}
{of(Probe, "second", "second", "probe")}
{of(Probe, "calls", "calls", "probe", "i64")}
  %first = call ptr %get(ptr %array, ptr %name)
  %lost = icmp eq ptr %first, null
  br i1 %lost, label %nothing, label %kind
kind:
  %method = icmp ne i64 %calls, 0
  br i1 %method, label %called, label %plain
called:
  %answer = call ptr %call.none(ptr %first)
  call void %decrement(ptr %first)
  ret ptr %answer
plain:
  %single = icmp eq ptr %second, null
  br i1 %single, label %found, label %further
further:
  %inner = call ptr %get(ptr %first, ptr %second)
  call void %decrement(ptr %first)
  ret ptr %inner
found:
  ret ptr %first
nothing:
  ret ptr null
}}

; The address of an array's first number, or -1 with an error set.
define internal i64 @address(ptr %api, ptr %route, ptr %array) {{
start:
{of(Interpreter, "as.long", "as_long", "api")}
{of(Interpreter, "decrement", "decrement", "api")}
  %probe = getelementptr i8, ptr %route, i64 {Route.address.offset}
  %number = call ptr @look(ptr %api, ptr %probe, ptr %array)
  %lost = icmp eq ptr %number, null
  br i1 %lost, label %nothing, label %found
found:
  %value = call i64 %as.long(ptr %number)
  call void %decrement(ptr %number)
  ret i64 %value
nothing:
  ret i64 -1
}}

; The address of an array that looks as the one at this place has to, or -1, maybe with an error set.
define internal i64 @fits(ptr %api, ptr %route, ptr %array, i64 %place) {{
start:
{of(Interpreter, "equal", "equal", "api")}
{of(Interpreter, "decrement", "decrement", "api")}
{of(Route, "kind", "kind", "route")}
{of(Route, "probes", "probes", "route")}
{of(Route, "probe.count", "probe_count", "route", "i64")}
{of(Route, "expected", "expected", "route")}
{of(Route, "masks", "masks", "route")}
{load("type", "ptr", "array", OBJECT_TYPE)}
  %same.type = icmp eq ptr %type, %kind
  br i1 %same.type, label %begin, label %misfit
begin:
  %before = mul i64 %place, %probe.count
  br label %head
head:
  %k = phi i64 [ 0, %begin ], [ %k.next, %agrees ]
  %more = icmp slt i64 %k, %probe.count
  br i1 %more, label %body, label %where
body:
  %probe = getelementptr [{3} x i64], ptr %probes, i64 %k
  %index = add i64 %before, %k
{item("wanted", "ptr", "expected", "index")}
  %k.next = add i64 %k, 1
  %said = call ptr @look(ptr %api, ptr %probe, ptr %array)
  %lost = icmp eq ptr %said, null
  br i1 %lost, label %misfit, label %compare
compare:
  %identical = icmp eq ptr %said, %wanted
  br i1 %identical, label %drop, label %ask
ask:
  %answer = call i32 %equal(ptr %said, ptr %wanted, i32 2)
  %yes = icmp eq i32 %answer, 1
  br label %drop
drop:
  %fit = phi i1 [ true, %compare ], [ %yes, %ask ]
  call void %decrement(ptr %said)
  br i1 %fit, label %agrees, label %misfit
agrees:
  br label %head
where:
  %address = call i64 @address(ptr %api, ptr %route, ptr %array)
{item("mask", "i64", "masks", "place")}
  %odd = and i64 %address, %mask
  %even = icmp eq i64 %odd, 0
  %known = icmp ne i64 %address, -1
  %good = and i1 %even, %known
  br i1 %good, label %leave, label %misfit
leave:
  ret i64 %address
misfit:
  ret i64 -1
}}
"""

APART = f"""
; Whether memory that is written to is read nowhere, and written to once. `first` are addresses of inputs and outputs.
define internal i1 @apart(ptr %route, ptr %first) {{
start:
{of(Route, "inputs", "inputs", "route", "i64")}
{of(Route, "outputs", "outputs", "route", "i64")}
{of(Route, "near", "near", "route")}
{of(Route, "far", "far", "route")}
  %all = add i64 %inputs, %outputs
  br label %head
head:
  %j = phi i64 [ %inputs, %start ], [ %j.next, %next ]
  %more = icmp slt i64 %j, %all
  br i1 %more, label %body, label %yes
body:
{item("target", "i64", "first", "j")}
{item("target.size", "i64", "far", "j")}
  %target.end = add i64 %target, %target.size
  br label %other.head
other.head:
  %k = phi i64 [ 0, %body ], [ %k.next, %other.next ]
  %other.more = icmp slt i64 %k, %j
  br i1 %other.more, label %other.body, label %next
other.body:
{item("other", "i64", "first", "k")}
{item("other.near", "i64", "near", "k")}
{item("other.far", "i64", "far", "k")}
  %other.begin = add i64 %other, %other.near
  %other.end = add i64 %other, %other.far
  %before = icmp sle i64 %other.end, %target
  %after = icmp sge i64 %other.begin, %target.end
  %clear = or i1 %before, %after
  br i1 %clear, label %other.next, label %no
other.next:
  %k.next = add i64 %k, 1
  br label %other.head
next:
  %j.next = add i64 %j, 1
  br label %head
yes:
  ret i1 true
no:
  ret i1 false
}}
"""
