"""A built-in function that looks one of its arguments up among few, and calls the entry that goes with it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from floatbase.compiler.entry.binding import Place, built_in
from floatbase.compiler.entry.interpreter import probe
from floatbase.compiler.entry.layout import MAX_CHOICES, Selector


class Selection:
    """Entries by the object that selects them, and the built-in function that finds them.

    address: of `fb_select`. position: of the argument that selects; entries get the others. slow: called with all
    arguments when it is another object than those known. place: where the built-in function is found.
    """

    def __init__(
        self, address: int, name: str, doc: str, position: int, slow: Callable[..., Any], place: Place
    ) -> None:
        found = probe()
        assert found is not None
        self._kept = [found[0], slow]
        self._selector = Selector(interpreter=ctypes.addressof(found[0]), slow=id(slow), position=position)
        self._selector.again = place.again
        text = f"{name}{place.usage}\n--\n\n{doc}"
        self.function = built_in(name, address, text, self._selector, self._kept)

    def add(self, key: object, entry: Callable[..., Any]) -> None:
        """Let an object select a built-in function made by `bind`, while there is room."""
        selector = self._selector
        if selector.size < MAX_CHOICES:
            descriptor = entry.__self__  # type: ignore[attr-defined]
            self._kept += (key, entry)
            choice = selector.choices[selector.size]
            choice.key, choice.entry = id(key), id(descriptor)
            selector.size += 1
