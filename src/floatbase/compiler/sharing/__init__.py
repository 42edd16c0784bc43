"""Sharing the rows of a batch among threads, in machine code: nothing here needs the interpreter or its lock."""

from floatbase.compiler.sharing.layout import ASLEEP, AWAKE, BUSY, Job, Mailbox
from floatbase.compiler.sharing.loading import SharingCode, sharing_code

__all__ = ["ASLEEP", "AWAKE", "BUSY", "Job", "Mailbox", "SharingCode", "sharing_code"]
