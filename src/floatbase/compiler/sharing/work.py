"""LLVM IR: taking and computing the pieces of a job."""

from __future__ import annotations

from floatbase.compiler.entry.emit import item, of, put
from floatbase.compiler.sharing.layout import Job


def field(structure: type, name: str, member: str, base: str) -> str:
    """Address of a field that several threads use."""
    return f"  %{name} = getelementptr i8, ptr %{base}, i64 {getattr(structure, member).offset}"


WORK = f"""
; Take and compute pieces until none is left or `budget` rows are done; the rows done.
define internal i64 @work(ptr %job, ptr %scratch, i64 %budget) {{
start:
{field(Job, "next.at", "next", "job")}
{field(Job, "status.at", "status", "job")}
{field(Job, "largest.at", "largest", "job")}
{of(Job, "rows", "rows", "job", "i64")}
{of(Job, "lanes", "lanes", "job", "i64")}
{of(Job, "parts", "parts", "job", "i64")}
{of(Job, "smallest", "smallest", "job", "i64")}
{of(Job, "kernel", "kernel", "job")}
{of(Job, "addresses", "addresses", "job")}
{of(Job, "strides", "strides", "job")}
{of(Job, "inputs", "inputs", "job", "i64")}
{of(Job, "ports", "ports", "job", "i64")}
  %pointers = alloca ptr, i64 %ports, align 16
  %output.pointers = getelementptr ptr, ptr %pointers, i64 %inputs
  %output.strides = getelementptr i64, ptr %strides, i64 %inputs
  br label %head
head:
  %done = phi i64 [ 0, %start ], [ %done.next, %ran ], [ %done.next, %failed ]
  %spent = icmp sge i64 %done, %budget
  br i1 %spent, label %leave, label %look
look:
  %next = load atomic i64, ptr %next.at seq_cst, align 8
  br label %take
take:
  %from = phi i64 [ %next, %look ], [ %seen, %choose ]
  %left = sub i64 %rows, %from
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %choose, label %leave
choose:
  %largest = load atomic i64, ptr %largest.at monotonic, align 8
  %part = sdiv i64 %left, %parts
  %enough = call i64 @llvm.smax.i64(i64 %part, i64 %smallest)
  %bounded = call i64 @llvm.smin.i64(i64 %enough, i64 %largest)
  %filled = add i64 %bounded, %lanes
  %filled.less = sub i64 %filled, 1
  %groups = sdiv i64 %filled.less, %lanes
  %one.group = call i64 @llvm.smax.i64(i64 %groups, i64 1)
  %whole = mul i64 %one.group, %lanes
  %piece = call i64 @llvm.smin.i64(i64 %whole, i64 %left)
  %to = add i64 %from, %piece
  %pair = cmpxchg ptr %next.at, i64 %from, i64 %to seq_cst seq_cst
  %seen = extractvalue {{ i64, i1 }} %pair, 0
  %taken = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %taken, label %place.head, label %take
place.head:
  %p = phi i64 [ 0, %choose ], [ %p.next, %place.body ]
  %p.more = icmp slt i64 %p, %ports
  br i1 %p.more, label %place.body, label %run
place.body:
{item("address", "ptr", "addresses", "p")}
{item("stride", "i64", "strides", "p")}
  %distance = mul i64 %stride, %from
  %pointer = getelementptr i8, ptr %address, i64 %distance
{put("put.pointer", "ptr", "pointer", "pointers", "p")}
  %p.next = add i64 %p, 1
  br label %place.head
run:
  %status = call i32 %kernel(
    ptr %pointers, ptr %strides, ptr %output.pointers, ptr %output.strides, i64 %piece, i64 %rows, ptr %scratch)
  %good = icmp eq i32 %status, 0
  br label %ran
ran:
  %done.next = add i64 %done, %piece
  br i1 %good, label %head, label %failed
failed:
  %wide = zext i32 %status to i64
  %joined = atomicrmw or ptr %status.at, i64 %wide seq_cst
  store atomic i64 %rows, ptr %next.at seq_cst, align 8
  br label %head
leave:
  ret i64 %done
}}
"""
