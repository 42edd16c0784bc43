"""Whether states were good: a word in this computer's memory that a kernel writes to if one was not.

By default each call waits for its kernel and looks. Inside `deferred` calls return at once, and the words are looked at
in the end, or when `check` is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.artifact import Signature
from floatbase.compiler.execution import NON_FINITE
from floatbase.compiler.gpu.driver import Device
from floatbase.errors import GpuError, StateError


@dataclass(frozen=True, eq=False)
class StatusWord:
    """A word as this process sees it, and its address on the GPU."""

    word: Any
    address: int

    def take(self) -> int:
        """Its bits, which are cleared."""
        bits = int(self.word.value)
        if bits:
            self.word.value = 0
        return bits


class StatusWords:
    """Words of one GPU that are free."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._free: list[StatusWord] = []

    def get(self) -> StatusWord:
        """A word that nobody uses, zero."""
        try:
            return self._free.pop()
        except IndexError:
            return StatusWord(*self._device.host_word())

    def put(self, word: StatusWord) -> None:
        """Give a word back."""
        self._free.append(word)


@dataclass(frozen=True, eq=False)
class _Pending:
    device: Device
    stream: int
    status: StatusWord
    words: StatusWords
    signature: Signature


PENDING: ContextVar[dict[Any, _Pending] | None] = ContextVar("floatbase_deferred", default=None)
"""What deferred calls have used; None where calls wait."""


def is_deferred() -> bool:
    """Whether calls return before their kernels have ended."""
    return PENDING.get() is not None


def deferred_word(device: Device, stream: int, words: StatusWords, signature: Signature) -> StatusWord:
    """The word that all calls of a function on a stream share until they are checked."""
    pending = PENDING.get()
    assert pending is not None
    key = (device.number, stream, id(words), signature.name)
    found = pending.get(key)
    if found is None:
        found = pending[key] = _Pending(device, stream, words.get(), words, signature)
    return found.status


@contextmanager
def deferred() -> Iterator[None]:
    """Let calls with arrays on a GPU return as soon as they have started their kernels.

    Work is done in the order of the caller's stream, as everything else is there. Bad states (NaN, a quaternion that is
    not of unit length) are reported at the end, or by `check`, with the function's name but not the row. Without it
    each call waits for its result, and says which row of which argument was bad.
    """
    token = PENDING.set({})
    try:
        yield
        check()
    finally:
        left = PENDING.get() or {}
        PENDING.reset(token)
        for item in left.values():
            item.words.put(item.status)


def check() -> None:
    """Wait for the calls made inside `deferred` so far; an error if states were bad."""
    pending = PENDING.get()
    if pending is None:
        raise GpuError("check: there is nothing to check outside of `with deferred():`, where each call checks itself")
    said = []
    for item in pending.values():
        with item.device.current():
            item.device.synchronize(item.stream)
        status = item.status.take()
        if status:
            said.append(f"{item.signature.name}: {describe(item.signature, status)}")
    if said:
        raise StateError(f"{'; '.join(said)} (in some row of a call since the last check)")


def describe(signature: Signature, status: int) -> str:
    """What status bits say."""
    texts = [text for bit, text in enumerate(signature.guards) if status >> bit & 1]
    if status & NON_FINITE:
        texts.insert(0, f"the arguments ({', '.join(port.name for port in signature.inputs)}) must be finite")
    return "; ".join(texts)
