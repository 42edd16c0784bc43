"""Robot files: what kind they are, and reading them with a limit."""

from __future__ import annotations

import os
from pathlib import Path

from floatbase.compiler.files import read_regular
from floatbase.errors import ArgumentError, RobotFileError


def as_path(path: object) -> Path:
    """A path, from text or something that stands for a path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"a robot file is given by its path, got {path!r}")
    return Path(path)


def root_tag(content: bytes) -> str:
    """The tag of the first element, found without reading the rest: "robot" for URDF, "mujoco" for MJCF."""
    rest = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    while rest.startswith((b"<?", b"<!--")):
        end = b"?>" if rest.startswith(b"<?") else b"-->"
        rest = rest.partition(end)[2].lstrip()
    word = rest[1:].split(None, 1)[0] if rest.startswith(b"<") and len(rest) > 1 else b""
    return word.partition(b">")[0].rstrip(b"/").decode("utf-8", "replace")


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """The content of a robot file, one byte more than allowed at most."""
    try:
        return read_regular(path, max_bytes + 1)
    except OSError as error:
        raise RobotFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a null character in the name
        raise RobotFileError(f"{str(path)!r} is not the name of a file: {error}") from None
