"""What a file may ask for before it is refused."""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.errors import ArgumentError, LogError

GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Bounds of what reading a file may use, checked before memory is taken.

    memory: bytes of samples, and of what has to be unpacked to find them.
    columns: columns of numbers.
    text: bytes of one piece of text, such as a header or a line.
    """

    memory: int = 8 * GIGABYTE
    columns: int = 20_000
    text: int = 1 << 24

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, int) or value <= 0:
                raise ArgumentError(f"the limit {name!r} is {value!r}; it must be a positive whole number")

    def require_memory(self, path: object, what: str, count: int) -> None:
        """Raise if something needs more bytes than allowed."""
        if count > self.memory:
            raise LogError(
                f"{path}: {what} would take {bytes_text(count)}, more than the {bytes_text(self.memory)} allowed; "
                "give limits=Limits(memory=...) if that is right"
            )

    def require_columns(self, path: object, count: int) -> None:
        """Raise if there are more columns than allowed."""
        if count > self.columns:
            raise LogError(f"{path}: it has {count} columns, more than the {self.columns} allowed")


STANDARD = Limits()


def bytes_text(count: int) -> str:
    """A number of bytes for readers."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
