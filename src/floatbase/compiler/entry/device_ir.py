"""LLVM IR: calls with arrays on a GPU, of a form that has been computed before.

`ptr @route(api, routes, arguments, count, names)`: the result, null with an error set, or `UNSERVED`. A `Route` says
what arrays must look like, attribute by attribute, and how its kernel is started. Arrays that look otherwise, kernels
that cannot be started and bad states are not served: the slow path does the same again, and explains.

The interpreter lock is given up while a kernel is started and waited for. `users` counts the calls that are inside a
route, which must not be freed then; only one of them at a time can wait, since a route has one status word.
"""

from __future__ import annotations

from floatbase.compiler.entry.emit import OBJECT_TYPE, TUPLE_SIZE, item, load, of, put, store
from floatbase.compiler.entry.layout import MAX_PORTS, Interpreter, Route, Routes
from floatbase.compiler.entry.looks_ir import APART, LOOK

UNSERVED = 1
_WORDS = 2 + 3 * MAX_PORTS

_START = f"""
; Start the kernel on the caller's stream, and wait for it if `waits`; whether that went well and the states were good.
define internal i1 @start(ptr %api, ptr %route, ptr %first, i64 %stream, i64 %status, i1 %waits) {{
start:
  %words = alloca [{_WORDS} x i64], align 16
  %places = alloca [{_WORDS} x ptr], align 16
{of(Route, "inputs", "inputs", "route", "i64")}
{of(Route, "outputs", "outputs", "route", "i64")}
{of(Route, "strides", "strides", "route")}
{of(Route, "rows", "rows", "route", "i64")}
{of(Route, "function", "function", "route")}
{of(Route, "grid.x", "grid_x", "route", "i32")}
{of(Route, "grid.y", "grid_y", "route", "i32")}
{of(Route, "block", "block", "route", "i32")}
{of(Route, "shared", "shared", "route", "i32")}
{of(Route, "launch", "launch", "route")}
{of(Route, "wait", "wait", "route")}
{of(Route, "word", "word", "route")}
{of(Interpreter, "save", "save_thread", "api")}
{of(Interpreter, "restore", "restore_thread", "api")}
  store i64 %rows, ptr %words
  br label %in.head
in.head:
  %i = phi i64 [ 0, %start ], [ %i.next, %in.body ]
  %w = phi i64 [ 1, %start ], [ %w.next, %in.body ]
  %in.more = icmp slt i64 %i, %inputs
  br i1 %in.more, label %in.body, label %out.head
in.body:
{item("from", "i64", "first", "i")}
{item("stride", "i64", "strides", "i")}
  %w.stride = add i64 %w, 1
{put("put.from", "i64", "from", "words", "w")}
{put("put.stride", "i64", "stride", "words", "w.stride")}
  %i.next = add i64 %i, 1
  %w.next = add i64 %w, 2
  br label %in.head
out.head:
  %j = phi i64 [ 0, %in.head ], [ %j.next, %out.body ]
  %v = phi i64 [ %w, %in.head ], [ %v.next, %out.body ]
  %out.more = icmp slt i64 %j, %outputs
  br i1 %out.more, label %out.body, label %last
out.body:
  %place = add i64 %inputs, %j
{item("to", "i64", "first", "place")}
{put("put.to", "i64", "to", "words", "v")}
  %j.next = add i64 %j, 1
  %v.next = add i64 %v, 1
  br label %out.head
last:
{put("put.status", "i64", "status", "words", "v")}
  %count = add i64 %v, 1
  br label %at.head
at.head:
  %a = phi i64 [ 0, %last ], [ %a.next, %at.body ]
  %at.more = icmp slt i64 %a, %count
  br i1 %at.more, label %at.body, label %go
at.body:
  %at = getelementptr i64, ptr %words, i64 %a
{put("put.at", "ptr", "at", "places", "a")}
  %a.next = add i64 %a, 1
  br label %at.head
go:
  %lane = inttoptr i64 %stream to ptr
  %thread = call ptr %save()
  %started = call i32 %launch(ptr %function, i32 %grid.x, i32 %grid.y, i32 1, i32 %block, i32 1, i32 1, i32 %shared,
    ptr %lane, ptr %places, ptr null)
  %well = icmp eq i32 %started, 0
  %stays = and i1 %well, %waits
  br i1 %stays, label %stay, label %back
stay:
  %waited = call i32 %wait(ptr %lane)
  br label %back
back:
  %answer = phi i32 [ %started, %go ], [ %waited, %stay ]
  call void %restore(ptr %thread)
  %ended = icmp eq i32 %answer, 0
  br i1 %waits, label %see, label %unseen
see:
  %bits = load volatile i32, ptr %word
  store volatile i32 0, ptr %word
  %clean = icmp eq i32 %bits, 0
  %good = and i1 %ended, %clean
  ret i1 %good
unseen:
  ret i1 %ended
}}
"""


def _serve(tuple_items: int) -> str:
    return f"""
; Compute with arrays of a route's form; the result, or `UNSERVED`.
define internal ptr @serve(ptr %api, ptr %route, ptr %arguments, ptr %out) {{
start:
  %first = alloca [{MAX_PORTS} x i64], align 16
  %alone = alloca ptr, align 8
  %found = alloca ptr, align 8
{of(Interpreter, "increment", "increment", "api")}
{of(Interpreter, "decrement", "decrement", "api")}
{of(Interpreter, "call.none", "call_none", "api")}
{of(Interpreter, "call.one", "call_one", "api")}
{of(Interpreter, "tuple.new", "tuple_new", "api")}
{of(Interpreter, "tuple.set", "tuple_set", "api")}
{of(Interpreter, "tuple.type", "tuple_type", "api")}
{of(Interpreter, "as.long", "as_long", "api")}
{of(Interpreter, "none", "none", "api")}
{of(Route, "inputs", "inputs", "route", "i64")}
{of(Route, "outputs", "outputs", "route", "i64")}
{of(Route, "packs.word", "packs", "route", "i64")}
{of(Route, "makers", "makers", "route")}
{of(Route, "result", "result", "route")}
  %packs = icmp ne i64 %packs.word, 0
  %fresh = icmp eq ptr %out, null
  br label %in.head
in.head:
  %i = phi i64 [ 0, %start ], [ %i.next, %in.fit ]
  %in.more = icmp slt i64 %i, %inputs
  br i1 %in.more, label %in.body, label %device
in.body:
{item("input", "ptr", "arguments", "i")}
  %from = call i64 @fits(ptr %api, ptr %route, ptr %input, i64 %i)
  %in.bad = icmp eq i64 %from, -1
  br i1 %in.bad, label %other, label %in.fit
in.fit:
{put("put.from", "i64", "from", "first", "i")}
  %i.next = add i64 %i, 1
  br label %in.head
device:
{of(Route, "current", "current", "route")}
{of(Route, "context", "context", "route")}
  %context.status = call i32 %current(ptr %found)
  %context.now = load ptr, ptr %found
  %here = icmp eq ptr %context.now, %context
  %context.good = icmp eq i32 %context.status, 0
  %at.home = and i1 %here, %context.good
  br i1 %at.home, label %whence, label %other
whence:
  br i1 %fresh, label %make, label %given
make:
  %pack = call ptr %tuple.new(i64 %outputs)
  %no.pack = icmp eq ptr %pack, null
  br i1 %no.pack, label %other, label %make.head
make.head:
  %j = phi i64 [ 0, %make ], [ %j.next, %make.fit ]
  %make.more = icmp slt i64 %j, %outputs
  br i1 %make.more, label %make.body, label %stream
make.body:
{item("maker", "ptr", "makers", "j")}
  %made = call ptr %call.none(ptr %maker)
  %no.made = icmp eq ptr %made, null
  br i1 %no.made, label %discard, label %make.set
make.set:
  %set = call i32 %tuple.set(ptr %pack, i64 %j, ptr %made) ; takes over the reference
  %made.place = add i64 %inputs, %j
  %made.address = call i64 @address(ptr %api, ptr %route, ptr %made)
  %made.lost = icmp eq i64 %made.address, -1
  br i1 %made.lost, label %discard, label %make.fit
make.fit:
{put("put.made", "i64", "made.address", "first", "made.place")}
  %j.next = add i64 %j, 1
  br label %make.head
given:
  store ptr %out, ptr %alone
  br i1 %packs, label %given.tuple, label %given.head
given.tuple:
{load("out.type", "ptr", "out", OBJECT_TYPE)}
{of(Interpreter, "is.subtype", "is_subtype", "api")}
  %out.subtype = call i32 %is.subtype(ptr %out.type, ptr %tuple.type)
  %out.is = icmp ne i32 %out.subtype, 0
  br i1 %out.is, label %given.count, label %other
given.count:
{load("out.count", "i64", "out", TUPLE_SIZE)}
  %out.full = icmp eq i64 %out.count, %outputs
  %out.items = getelementptr i8, ptr %out, i64 {tuple_items}
  br i1 %out.full, label %given.head, label %other
given.head:
  %items = phi ptr [ %alone, %given ], [ %out.items, %given.count ], [ %items, %given.fit ]
  %g = phi i64 [ 0, %given ], [ 0, %given.count ], [ %g.next, %given.fit ]
  %given.more = icmp slt i64 %g, %outputs
  br i1 %given.more, label %given.body, label %given.apart
given.body:
{item("target", "ptr", "items", "g")}
  %given.place = add i64 %inputs, %g
  %to = call i64 @fits(ptr %api, ptr %route, ptr %target, i64 %given.place)
  %given.bad = icmp eq i64 %to, -1
  br i1 %given.bad, label %other, label %given.fit
given.fit:
{put("put.to", "i64", "to", "first", "given.place")}
  %g.next = add i64 %g, 1
  br label %given.head
given.apart:
  %apart = call i1 @apart(ptr %route, ptr %first)
  br i1 %apart, label %stream, label %other
stream:
  %owned = phi ptr [ %pack, %make.head ], [ null, %given.apart ]
{of(Route, "stream.of", "stream", "route")}
  %stream.number = call ptr %call.none(ptr %stream.of)
  %no.stream = icmp eq ptr %stream.number, null
  br i1 %no.stream, label %discard, label %stream.value
stream.value:
  %lane = call i64 %as.long(ptr %stream.number)
  call void %decrement(ptr %stream.number)
{of(Interpreter, "variable.get", "context_get", "api")}
{of(Route, "pending.of", "pending_variable", "route")}
  %asked = call i32 %variable.get(ptr %pending.of, ptr null, ptr %found)
  %unknown = icmp ne i32 %asked, 0
  br i1 %unknown, label %discard, label %pending
pending:
  %pending.now = load ptr, ptr %found
  call void %decrement(ptr %pending.now) ; the variable, or the route, keeps it
  %waits = icmp eq ptr %pending.now, %none
  br i1 %waits, label %alone.check, label %later
alone.check:
{of(Route, "waiting", "waiting", "route", "i64")}
{of(Route, "own.status", "status", "route", "i64")}
  %vacant = icmp eq i64 %waiting, 0
  br i1 %vacant, label %begin, label %discard
later:
{of(Route, "pending.seen", "pending", "route")}
{of(Route, "pending.stream", "pending_stream", "route", "i64")}
{of(Route, "pending.status", "pending_status", "route", "i64")}
  %seen = icmp eq ptr %pending.now, %pending.seen
  %same.stream = icmp eq i64 %pending.stream, %lane
  %noted = and i1 %seen, %same.stream
  br i1 %noted, label %begin, label %discard
begin:
  %status = phi i64 [ %own.status, %alone.check ], [ %pending.status, %later ]
  %waits.word = zext i1 %waits to i64
  %waiting.place = getelementptr i8, ptr %route, i64 {Route.waiting.offset}
  %waiting.before = load i64, ptr %waiting.place
  %waiting.more = add i64 %waiting.before, %waits.word
  store i64 %waiting.more, ptr %waiting.place
  %good = call i1 @start(ptr %api, ptr %route, ptr %first, i64 %lane, i64 %status, i1 %waits)
  %waiting.after = load i64, ptr %waiting.place
  %waiting.less = sub i64 %waiting.after, %waits.word
  store i64 %waiting.less, ptr %waiting.place
  br i1 %good, label %finish, label %discard
discard: ; give back what was made
  %thrown = phi ptr [ %pack, %make.body ], [ %pack, %make.set ], [ %owned, %stream ], [ %owned, %stream.value ],
    [ %owned, %alone.check ], [ %owned, %later ], [ %owned, %begin ]
  %throws = icmp ne ptr %thrown, null
  br i1 %throws, label %throw, label %other
throw:
  call void %decrement(ptr %thrown)
  br label %other
other: ; the slow path says what is wrong, if anything is
{of(Interpreter, "clear", "clear_error", "api")}
  call void %clear()
  ret ptr inttoptr (i64 {UNSERVED} to ptr)
finish:
  br i1 %fresh, label %finish.fresh, label %finish.given
finish.given:
  call void %increment(ptr %out)
  br label %deliver
finish.fresh:
  br i1 %packs, label %deliver, label %unpack
unpack:
  %pack.items = getelementptr i8, ptr %owned, i64 {tuple_items}
  %only = load ptr, ptr %pack.items
  call void %increment(ptr %only)
  call void %decrement(ptr %owned)
  br label %deliver
deliver:
  %value = phi ptr [ %out, %finish.given ], [ %owned, %finish.fresh ], [ %only, %unpack ]
  %plain = icmp eq ptr %result, null
  br i1 %plain, label %return, label %wrap
wrap:
  %wrapped = call ptr %call.one(ptr %result, ptr %value)
  call void %decrement(ptr %value)
  ret ptr %wrapped
return:
  ret ptr %value
}}
"""


def _route(tuple_items: int) -> str:
    return f"""
; Compute with arrays on a GPU if one of the routes fits; the result, or `UNSERVED`.
define internal ptr @route(ptr %api, ptr %routes, ptr %arguments, i64 %count, ptr %names) {{
start:
{of(Routes, "route.first", "first", "routes")}
{of(Interpreter, "none", "none", "api")}
{of(Interpreter, "out.name", "out", "api")}
{of(Interpreter, "threads.name", "threads", "api")}
  %unnamed = icmp eq ptr %names, null
  br i1 %unnamed, label %head, label %named
named:
{load("name.count", "i64", "names", TUPLE_SIZE)}
  %name.items = getelementptr i8, ptr %names, i64 {tuple_items}
  br label %name.head
name.head:
  %n = phi i64 [ 0, %named ], [ %n.next, %name.known ]
  %out.before = phi ptr [ null, %named ], [ %out.after, %name.known ]
  %name.more = icmp slt i64 %n, %name.count
  br i1 %name.more, label %name, label %head
name:
{item("said", "ptr", "name.items", "n")}
  %place = add i64 %count, %n
{item("given", "ptr", "arguments", "place")}
  %is.out = icmp eq ptr %said, %out.name
  %is.threads = icmp eq ptr %said, %threads.name
  %is.none = icmp eq ptr %given, %none
  %nothing = and i1 %is.threads, %is.none
  %known = or i1 %is.out, %nothing
  %given.said = select i1 %is.none, ptr null, ptr %given
  br i1 %known, label %name.known, label %unserved
name.known:
  %out.after = select i1 %is.out, ptr %given.said, ptr %out.before
  %n.next = add i64 %n, 1
  br label %name.head
head:
  %out = phi ptr [ null, %start ], [ %out.before, %name.head ], [ %out, %next ]
  %at = phi ptr [ %route.first, %start ], [ %route.first, %name.head ], [ %following, %next ]
  %end = icmp eq ptr %at, null
  br i1 %end, label %unserved, label %body
body:
{of(Route, "inputs", "inputs", "at", "i64")}
{of(Route, "users.before", "users", "at", "i64")}
  %counted = icmp eq i64 %inputs, %count
  br i1 %counted, label %try, label %unserved
try:
  %users.more = add i64 %users.before, 1
{store(Route, "put.more", "users", "at", "i64 %users.more")}
  %answer = call ptr @serve(ptr %api, ptr %at, ptr %arguments, ptr %out)
{of(Route, "users.after", "users", "at", "i64")}
{of(Route, "following", "next", "at")}
  %users.less = sub i64 %users.after, 1
{store(Route, "put.less", "users", "at", "i64 %users.less")}
  %passed = icmp eq ptr %answer, inttoptr (i64 {UNSERVED} to ptr)
  br i1 %passed, label %next, label %leave
next:
  br label %head
leave:
  ret ptr %answer
unserved:
  ret ptr inttoptr (i64 {UNSERVED} to ptr)
}}
"""


def device_ir(tuple_items: int) -> str:
    """The functions' text; as `entry_ir`."""
    return "".join((LOOK, APART, _START, _serve(tuple_items), _route(tuple_items)))
