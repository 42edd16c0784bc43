"""LLVM IR of the loops with which threads share a batch.

* `i64 fb_share(job)`: the calling thread's part. Offers the job to helpers, computes pieces until none is left or its
  budget is used up; 1 in the latter case, otherwise what `fb_finish` says.
* `i64 fb_finish(job)`: hands out no more pieces, takes the job back from helpers that have not begun, and waits for
  those at work; how many still are when patience ends.
* `void fb_serve(mailbox)`: a helper's life. It takes jobs from its mailbox; for a while after each it keeps looking
  for the next one, since waking up takes longer than a small batch; then it sleeps.
* `i64 fb_wait(word, turns, cede)`: waits until a word is zero, at most so many turns; the word.

Who waits cedes the processor now and then (`cede`, a function of the operating system): the thread waited for, or the
caller's, may be one that shares it.

A mailbox says `ASLEEP`, `AWAKE`, `BUSY` or holds a job. A job is offered to a helper by exchanging `AWAKE` for its
address, or `ASLEEP` and waking the helper; whoever then exchanges the address for something else has the job back:
the helper, which begins, or the caller, which withdraws it. So the caller never waits for a helper that has not begun,
and a lock is released exactly once for each time that a helper falls asleep.

`active` is raised before an offer and lowered by whoever took it, as the last thing done with the job.
"""

from __future__ import annotations

from floatbase.compiler.entry.emit import item, of
from floatbase.compiler.sharing.layout import ASLEEP, AWAKE, BUSY, Job, Mailbox
from floatbase.compiler.sharing.work import WORK, field

CEDE_TURNS = 1024  # a power of two; about 20 us

_OFFER = f"""
; Offer a job to helpers that say `state`, until enough have it.
define internal void @offer(ptr %job, i64 %state) {{
start:
{field(Job, "active.at", "active", "job")}
{of(Job, "mailboxes", "mailboxes", "job")}
{of(Job, "count", "mailbox_count", "job", "i64")}
{of(Job, "wanted", "wanted", "job", "i64")}
{of(Job, "wake", "wake", "job")}
  %address = ptrtoint ptr %job to i64
  %rouses = icmp eq i64 %state, {ASLEEP}
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %i.next, %next ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %leave
body:
  %active = load atomic i64, ptr %active.at monotonic, align 8
  %lacking = icmp slt i64 %active, %wanted
  br i1 %lacking, label %look, label %leave
look:
{item("mailbox", "ptr", "mailboxes", "i")}
  %says = load atomic i64, ptr %mailbox monotonic, align 8
  %suits = icmp eq i64 %says, %state
  br i1 %suits, label %try, label %next
try:
  %raised = atomicrmw add ptr %active.at, i64 1 seq_cst
  %pair = cmpxchg ptr %mailbox, i64 %state, i64 %address seq_cst seq_cst
  %offered = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %offered, label %rouse, label %lower
lower:
  %lowered = atomicrmw sub ptr %active.at, i64 1 seq_cst
  br label %next
rouse:
  br i1 %rouses, label %wake.up, label %next
wake.up:
{of(Mailbox, "lock", "lock", "mailbox")}
  call void %wake(ptr %lock)
  br label %next
next:
  %i.next = add i64 %i, 1
  br label %head
leave:
  ret void
}}
"""

_SHARE = f"""
define i64 @fb_share(ptr %job) {{
start:
  call void @offer(ptr %job, i64 {AWAKE})
  call void @offer(ptr %job, i64 {ASLEEP})
{of(Job, "scratch", "scratch", "job")}
{of(Job, "budget", "budget", "job", "i64")}
{of(Job, "rows", "rows", "job", "i64")}
{field(Job, "next.at", "next", "job")}
{field(Job, "done.at", "done", "job")}
  %done = call i64 @work(ptr %job, ptr %scratch, i64 %budget)
  store i64 %done, ptr %done.at
  %next = load atomic i64, ptr %next.at seq_cst, align 8
  %more = icmp slt i64 %next, %rows
  br i1 %more, label %later, label %finish
later:
  ret i64 1
finish:
  %active = call i64 @fb_finish(ptr %job)
  ret i64 %active
}}
"""

_FINISH = f"""
define i64 @fb_finish(ptr %job) {{
start:
{field(Job, "next.at", "next", "job")}
{field(Job, "active.at", "active", "job")}
{of(Job, "rows", "rows", "job", "i64")}
{of(Job, "mailboxes", "mailboxes", "job")}
{of(Job, "count", "mailbox_count", "job", "i64")}
{of(Job, "patience", "patience", "job", "i64")}
{of(Job, "cede", "cede", "job")}
  %address = ptrtoint ptr %job to i64
  store atomic i64 %rows, ptr %next.at seq_cst, align 8
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %i.next, %next ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %body, label %wait
body:
{item("mailbox", "ptr", "mailboxes", "i")}
  %i.next = add i64 %i, 1
  %says = load atomic i64, ptr %mailbox monotonic, align 8
  %ours = icmp eq i64 %says, %address
  br i1 %ours, label %try, label %next
try:
  %pair = cmpxchg ptr %mailbox, i64 %address, i64 {AWAKE} seq_cst seq_cst
  %withdrawn = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %withdrawn, label %lower, label %next
lower:
  %lowered = atomicrmw sub ptr %active.at, i64 1 seq_cst
  br label %next
next:
  br label %head
wait:
  %active = call i64 @fb_wait(ptr %active.at, i64 %patience, ptr %cede)
  ret i64 %active
}}
"""

_SERVE = f"""
define void @fb_serve(ptr %mailbox) {{
start:
{field(Mailbox, "turns.at", "turns", "mailbox")}
{of(Mailbox, "lock", "lock", "mailbox")}
{of(Mailbox, "sleep", "sleep", "mailbox")}
{of(Mailbox, "cede", "cede", "mailbox")}
  br label %awake
awake:
  br label %look
look:
  %turn = phi i64 [ 0, %awake ], [ %turn.next, %stay ]
  %says = load atomic i64, ptr %mailbox seq_cst, align 8
  %offered = icmp ugt i64 %says, {BUSY}
  br i1 %offered, label %claim, label %idle
idle:
  %turns = load atomic i64, ptr %turns.at monotonic, align 8
  %tired = icmp sge i64 %turn, %turns
  br i1 %tired, label %doze, label %stay
stay:
  call void @pause(i64 %turn, ptr %cede)
  %turn.next = add i64 %turn, 1
  br label %look
doze:
  %dozed = cmpxchg ptr %mailbox, i64 {AWAKE}, i64 {ASLEEP} seq_cst seq_cst
  %asleep = extractvalue {{ i64, i1 }} %dozed, 1
  br i1 %asleep, label %rest, label %awake
rest:
  %rested = call i32 %sleep(ptr %lock, i32 1)
  br label %awake
claim:
  %pair = cmpxchg ptr %mailbox, i64 %says, i64 {BUSY} seq_cst seq_cst
  %begun = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %begun, label %begin, label %awake
begin:
  %job = inttoptr i64 %says to ptr
{of(Mailbox, "scratch", "scratch", "mailbox")}
{field(Job, "active.at", "active", "job")}
  %done = call i64 @work(ptr %job, ptr %scratch, i64 {2**62})
  store atomic i64 {AWAKE}, ptr %mailbox seq_cst, align 8
  %lowered = atomicrmw sub ptr %active.at, i64 1 seq_cst
  br label %awake
}}
"""

_WAIT = """
define i64 @fb_wait(ptr %word, i64 %turns, ptr %cede) {
start:
  br label %look
look:
  %turn = phi i64 [ 0, %start ], [ %turn.next, %stay ]
  %value = load atomic i64, ptr %word seq_cst, align 8
  %zero = icmp eq i64 %value, 0
  %over = icmp sge i64 %turn, %turns
  %enough = or i1 %zero, %over
  br i1 %enough, label %leave, label %stay
stay:
  call void @pause(i64 %turn, ptr %cede)
  %turn.next = add i64 %turn, 1
  br label %look
leave:
  ret i64 %value
}
"""

_INTRINSICS = """
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""


def sharing_ir(triple: str) -> str:
    """The module's text for a processor."""
    return "".join((_pause(triple), WORK, _OFFER, _SHARE, _FINISH, _SERVE, _WAIT, _INTRINSICS))


def _pause(triple: str) -> str:
    """A turn of waiting: leaves the core to its other thread, and saves power."""
    declaration, instruction = "", ""
    if triple.startswith(("x86_64", "amd64")):
        declaration, instruction = "declare void @llvm.x86.sse2.pause()\n", "  call void @llvm.x86.sse2.pause()\n"
    elif triple.startswith(("aarch64", "arm64")):  # `yield` does nothing on most of them; `isb` takes a while
        declaration, instruction = "declare void @llvm.aarch64.isb(i32)\n", "  call void @llvm.aarch64.isb(i32 15)\n"
    return f"""
define internal void @pause(i64 %turn, ptr %cede) {{
start:
{instruction}
  %low = and i64 %turn, {CEDE_TURNS - 1}
  %due = icmp eq i64 %low, {CEDE_TURNS - 1}
  %able = icmp ne ptr %cede, null
  %cedes = and i1 %due, %able
  br i1 %cedes, label %offer, label %leave
offer:
  %ignored = call i32 %cede()
  br label %leave
leave:
  ret void
}}
{declaration}"""
