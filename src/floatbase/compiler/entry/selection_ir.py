"""LLVM IR: finding the entry for an argument that selects it, such as the name of a frame."""

from __future__ import annotations

from floatbase.compiler.entry.emit import STRUCTURE_DATA, TUPLE_SIZE, item, load, of, put
from floatbase.compiler.entry.layout import MAX_PORTS, Choice, Interpreter, Selector

SELECT = f"""
; Take the selecting argument out and call the entry that goes with that very object. Everything else, and an object
; that is not known, is handed to the slow path.
define ptr @fb_select(ptr %self, ptr %arguments, i64 %count, ptr %names) {{
start:
  %rest = alloca [{MAX_PORTS} x ptr], align 16
{load("s", "ptr", "self", STRUCTURE_DATA)}
{of(Selector, "position", "position", "s", "i64")}
{of(Selector, "size", "size", "s", "i64")}
  %choices = getelementptr i8, ptr %s, i64 {Selector.choices.offset}
  %given = icmp sgt i64 %count, %position
  %no.names = icmp eq ptr %names, null
  br i1 %given, label %find, label %slow
find:
{item("key", "ptr", "arguments", "position")}
  br label %head
head:
  %k = phi i64 [ 0, %find ], [ %k.next, %body ]
  %more = icmp slt i64 %k, %size
  br i1 %more, label %body, label %slow
body:
  %choice = getelementptr [2 x ptr], ptr %choices, i64 %k
{of(Choice, "known", "key", "choice")}
  %k.next = add i64 %k, 1
  %same = icmp eq ptr %known, %key
  br i1 %same, label %found, label %head
found:
{of(Choice, "entry", "entry", "choice")}
  br i1 %no.names, label %counted, label %named
named:
{load("name.count", "i64", "names", TUPLE_SIZE)}
  br label %counted
counted:
  %extra = phi i64 [ 0, %found ], [ %name.count, %named ]
  %all = add i64 %count, %extra
  %fits = icmp sle i64 %all, {MAX_PORTS}
  br i1 %fits, label %copy.head, label %slow
copy.head:
  %c = phi i64 [ 0, %counted ], [ %c.next, %copy.body ]
  %copy.more = icmp slt i64 %c, %all
  br i1 %copy.more, label %copy.body, label %call
copy.body:
  %c.next = add i64 %c, 1
  %after = icmp sgt i64 %c, %position
  %back = zext i1 %after to i64
  %place = sub i64 %c, %back
{item("argument", "ptr", "arguments", "c")}
{put("put.argument", "ptr", "argument", "rest", "place")}
  br label %copy.head
call:
  %fewer = sub i64 %count, 1
  %result = call ptr @fb_entry(ptr %entry, ptr %rest, i64 %fewer, ptr %names)
  ret ptr %result
slow:
{of(Selector, "api", "interpreter", "s")}
{of(Selector, "slow.path", "slow", "s")}
{of(Interpreter, "vectorcall", "vectorcall", "api")}
  %answer = call ptr %vectorcall(ptr %slow.path, ptr %arguments, i64 %count, ptr %names)
  ret ptr %answer
}}
"""
