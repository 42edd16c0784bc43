"""Reading files that may be anything: whoever gives a path need not know what is there."""

from __future__ import annotations

import errno
import os
import stat

# not waiting for somebody to write into a pipe
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a file, `most` bytes at most.

    Whatever is no file with bytes of its own (a folder, a pipe, a device) raises `OSError`, and is not read from.
    """
    descriptor = os.open(path, _READ)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no file, but a pipe or device")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(most)
    finally:
        os.close(descriptor)
