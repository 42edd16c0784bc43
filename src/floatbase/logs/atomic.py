"""Writing files as a whole or not at all, never over others unless asked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from floatbase.errors import ArgumentError, LogError


def as_path(path: object) -> Path:
    """A path, from text or something that stands for a path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"the file of a log is given by its path, got {path!r}")
    if "\0" in str(path):
        raise ArgumentError(f"{str(path)!r} is not the name of a file")
    return Path(path)


def require_free(path: Path, overwrite: bool) -> None:
    """Raise if a file is there that is not to be written over."""
    if path.is_dir():
        raise ArgumentError(f"{path} is a folder; give the name of a file")
    if not overwrite and path.exists():
        raise ArgumentError(f"{path} exists; choose another name, or overwrite=True")


@contextmanager
def written(path: Path, overwrite: bool, part: Path | None = None) -> Iterator[Path]:
    """A temporary file beside `path`, moved there at the end; removed if something goes wrong.

    part: the name of the temporary file, for those who hold a lock; it is written over.
    """
    require_free(path, overwrite)
    try:
        if part is None:
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
            os.close(descriptor)
            part = Path(name)
        try:
            yield part
            with open(part, "rb+") as file:
                os.fsync(file.fileno())
            mask = os.umask(0o077)
            os.umask(mask)
            os.chmod(part, 0o666 & ~mask)
            _move(part, path, overwrite)
        finally:
            with suppress(OSError):
                os.unlink(part)
    except OSError as error:
        raise LogError(f"{path}: cannot be written: {error.strerror or error}") from None


def _move(part: Path, path: Path, overwrite: bool) -> None:
    if overwrite:
        os.replace(part, path)
        return
    try:
        os.link(part, path)  # unlike a rename, it does not take the place of a file that came up meanwhile
    except FileExistsError:
        raise ArgumentError(f"{path} exists; choose another name, or overwrite=True") from None
    except OSError:  # file systems without links
        require_free(path, overwrite)
        os.replace(part, path)
