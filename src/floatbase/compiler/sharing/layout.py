"""The structures through which threads share a batch.

Words that several threads write stand 128 bytes away from the rest, so that they do not slow one another down.
"""

from __future__ import annotations

import ctypes

ASLEEP, AWAKE, BUSY = 0, 1, 2  # what a mailbox says; anything else is the address of a job


class Job(ctypes.Structure):
    """A batch to be computed. Whoever takes part moves `next` on by a piece and computes it, until none is left."""

    _fields_ = (
        ("next", ctypes.c_int64),  # the first row that nobody has taken
        ("next_apart", ctypes.c_int64 * 15),
        ("active", ctypes.c_int64),  # helpers that have the job or may take it
        ("status", ctypes.c_int64),  # union of status bits
        ("active_apart", ctypes.c_int64 * 14),
        ("rows", ctypes.c_int64),
        ("lanes", ctypes.c_int64),  # every piece but the last is a multiple of this
        ("parts", ctypes.c_int64),  # a piece is this fraction of what is left,
        ("smallest", ctypes.c_int64),  # but not less than this
        ("largest", ctypes.c_int64),  # and not more than this
        ("kernel", ctypes.c_void_p),
        ("addresses", ctypes.c_void_p),  # of the first rows of inputs and outputs
        ("strides", ctypes.c_void_p),
        ("inputs", ctypes.c_int64),
        ("ports", ctypes.c_int64),
        ("mailboxes", ctypes.c_void_p),  # array of their addresses
        ("mailbox_count", ctypes.c_int64),
        ("wanted", ctypes.c_int64),  # how many helpers at once
        ("wake", ctypes.c_void_p),  # function that releases a lock
        ("cede", ctypes.c_void_p),  # function that lets other threads have the processor, or null
        ("patience", ctypes.c_int64),  # turns to wait for the last helpers before giving the processor away
        ("scratch", ctypes.c_void_p),  # of the calling thread
        ("budget", ctypes.c_int64),  # rows after which the calling thread looks for interrupts
        ("done", ctypes.c_int64),  # rows computed by the calling thread in its last turn
    )


class Mailbox(ctypes.Structure):
    """Where a helper gets its jobs."""

    _fields_ = (
        ("job", ctypes.c_int64),
        ("turns", ctypes.c_int64),  # to look for another job before falling asleep
        ("scratch", ctypes.c_void_p),  # large enough for every job offered
        ("lock", ctypes.c_void_p),  # held while there is no reason to wake up
        ("sleep", ctypes.c_void_p),  # function that acquires a lock
        ("cede", ctypes.c_void_p),  # function that lets other threads have the processor, or null
        ("apart", ctypes.c_int64 * 10),
    )
