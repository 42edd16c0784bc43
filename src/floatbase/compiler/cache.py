"""Compiled code and programs kept on disk between processes.

The directory is `FLOATBASE_CACHE`, or else the user's cache directory; `FLOATBASE_CACHE=off` does without. Entries are
written to a temporary file and moved into place, so that processes may fill one cache at once; each carries its
length and SHA-256, so that a truncated or damaged one reads as absent and is made again. The least recently used
entries go when the total passes `FLOATBASE_CACHE_BYTES` (1 GiB).

The checksum guards against accident, not against malice: the cache holds machine code, and the directory is trusted as
the user's own programs are. It is therefore created with mode 0700, and refused if it is a symbolic link, belongs to
somebody else, or can be written by others. A cache that cannot be used costs one warning and recompilation, no more.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import sys
import tempfile
import time
from functools import cache as memoize
from pathlib import Path

from floatbase.compiler.environment import whole_number
from floatbase.compiler.locking import making_code
from floatbase.errors import warn

MAGIC = b"floatbase cache\n"
VERSION = 1
MAX_ENTRY = 1 << 30
SUFFIX = ".entry"

_HEAD = struct.Struct("<IQ32s")
_STALE_SECONDS = 3600.0
# no links, and no waiting for somebody to write into a pipe that has taken an entry's place
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"))


class Cache:
    """Bytes by key in a directory; every failure reads as absence."""

    def __init__(self, directory: str | Path, limit: int = 1 << 30) -> None:
        self.directory = Path(directory)
        self.limit = limit
        self._usable: bool | None = None  # None: not looked at yet
        self._writable = True
        self._warned = False
        self._written = limit  # makes the first entry written by a process look at the total

    def __repr__(self) -> str:
        return f"Cache({str(self.directory)!r})"

    def get(self, key: str) -> bytes | None:
        """The bytes stored under a key, or None if there are none or they are damaged."""
        if not self._is_usable():
            return None
        path = self._path(key)
        try:
            descriptor = os.open(path, _READ)
        except OSError:
            return None
        try:
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ENTRY or not _is_own(status):
                    return None
                data = file.read(status.st_size)
            payload = _unwrap(data, key)
            if payload is not None:
                with contextlib.suppress(OSError):
                    os.utime(path)  # marks the entry as used
            return payload
        except OSError:
            return None

    def put(self, key: str, data: bytes) -> bool:
        """Store bytes under a key, replacing what was there; False if that was not possible."""
        if len(data) + 256 > min(MAX_ENTRY, self.limit) or not self._is_usable() or not self._writable:
            return False
        try:
            descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.directory)  # mode 0600
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(_wrap(data, key))
                os.replace(temporary, self._path(key))
            except BaseException:  # an interrupt leaves nothing behind either
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise
        except OSError as error:
            self._writable = False
            self._warn(f"cannot be written ({error.strerror})")
            return False
        self._count(len(data))
        return True

    def clear(self) -> None:
        """Remove every entry."""
        if self._is_usable():
            for entry in self._entries():
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)

    def size(self) -> int:
        """Bytes in use."""
        return sum(_size(entry) for entry in self._entries()) if self._is_usable() else 0

    def _path(self, key: str) -> str:
        return os.path.join(self.directory, hashlib.sha256(key.encode()).hexdigest() + SUFFIX)

    def _is_usable(self) -> bool:
        if self._usable is None:
            with making_code:
                if self._usable is None:
                    problem = _prepare(self.directory)
                    self._usable = problem is None
                    if problem is not None:
                        self._warn(problem)
        return self._usable

    def _warn(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            warn(
                f"the cache directory {self.directory} {problem}; programs are compiled anew in every process. "
                "Set FLOATBASE_CACHE to a directory of your own, or to 'off'",
                RuntimeWarning,
            )

    def _entries(self) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.directory) as found:
                return [entry for entry in found if entry.name.endswith(SUFFIX) and not entry.is_symlink()]
        except OSError:
            return []

    def _count(self, size: int) -> None:
        """Evict when enough has been written since the total was last looked at."""
        with making_code:
            self._written += size
            if self._written < self.limit // 16:
                return
            self._written = 0
        self._evict()

    def _evict(self) -> None:
        used = []
        for entry in self._entries():
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                used.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in used)
        if total > self.limit:
            for _, size, path in sorted(used):
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size
                if total <= self.limit * 3 // 4:
                    break
        self._sweep()

    def _sweep(self) -> None:
        """Remove what crashed processes left half written."""
        with contextlib.suppress(OSError), os.scandir(self.directory) as found:
            for entry in found:
                if entry.name.endswith(".part"):
                    with contextlib.suppress(OSError):
                        if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                            os.unlink(entry.path)


@memoize
def default_cache() -> Cache | None:
    """The cache of this user, or None when `FLOATBASE_CACHE` is "off"."""
    where = os.environ.get("FLOATBASE_CACHE", "")
    if where.lower() == "off":
        return None
    if not where:
        import platformdirs

        where = platformdirs.user_cache_dir("floatbase", appauthor=False)
    return Cache(where, whole_number("FLOATBASE_CACHE_BYTES", 1 << 30))


def cache_key(*parts: object) -> str:
    """A key made of the parts' `repr`, the versions of floatbase, of its files, and of Python.

    The parts must have a `repr` that says all that matters and is the same in every process.
    """
    from floatbase.compiler import format as program_format

    text = repr((VERSION, program_format.VERSION, _sources(), sys.version_info[:2], parts))
    return hashlib.sha256(text.encode()).hexdigest()


@memoize
def _sources() -> str:
    """Stands for the version of the installed package, edited files included: names, sizes and times of its sources."""
    package = Path(__file__).resolve().parent.parent
    hasher = hashlib.sha256(str(package).encode())
    for root, directories, files in os.walk(package):
        directories[:] = sorted(name for name in directories if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                status = os.stat(os.path.join(root, name))
                hasher.update(f"{name}:{status.st_size}:{status.st_mtime_ns};".encode())
    return hasher.hexdigest()


def _prepare(directory: Path) -> str | None:
    """Make the directory if it is missing; what is wrong with it, if anything."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        status = os.lstat(directory)
    except OSError as error:
        return f"cannot be made ({error.strerror})"
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link, which is refused"
    if not stat.S_ISDIR(status.st_mode):
        return "is not a directory"
    if not _is_own(status):
        return "belongs to another user, which is refused"
    if hasattr(os, "geteuid") and stat.S_IMODE(status.st_mode) & 0o022:
        return "can be written by other users, which is refused (chmod 700 makes it usable)"
    return None


def _is_own(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def _wrap(data: bytes, key: str) -> bytes:
    body = hashlib.sha256(key.encode()).digest() + data
    return MAGIC + _HEAD.pack(VERSION, len(body), hashlib.sha256(body).digest()) + body


def _unwrap(data: bytes, key: str) -> bytes | None:
    start = len(MAGIC) + _HEAD.size
    if len(data) < start + 32 or not data.startswith(MAGIC):
        return None
    version, length, digest = _HEAD.unpack_from(data, len(MAGIC))
    body = data[start:]
    if version != VERSION or len(body) != length or hashlib.sha256(body).digest() != digest:
        return None
    return body[32:] if body[:32] == hashlib.sha256(key.encode()).digest() else None
