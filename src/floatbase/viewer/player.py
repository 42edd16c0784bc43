"""Playing a motion: a clock in a thread of its own that says which time is shown."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

RATE = 30.0  # times a second that something new is shown


class Player:
    """Calls `show(t)` while it plays, with t from 0 to `duration` in seconds of the motion.

    At the end it begins again if `loops`, or stops and calls `stopped()`.
    """

    def __init__(self, duration: float, show: Callable[[float], None], stopped: Callable[[], None]) -> None:
        self.duration, self.time, self.speed, self.loops = duration, 0.0, 1.0, True
        self._show, self._stopped = show, stopped
        self._playing, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="floatbase-player", daemon=True)
        self._thread.start()

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._playing.is_set()

    def play(self) -> None:
        """Go on, from the beginning if at the end."""
        if self.time >= self.duration:
            self.time = 0.0
        self._playing.set()

    def pause(self) -> None:
        """Stop where it is."""
        self._playing.clear()

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._playing.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while True:
            self._playing.wait()
            before = time.monotonic()
            while self._playing.is_set() and not self._closed.wait(1.0 / RATE):
                now = time.monotonic()
                self.time, before = self.time + self.speed * (now - before), now
                if self.time >= self.duration:
                    self.time = self.time % self.duration if self.loops else self.duration
                self._show(self.time)
                if self.time >= self.duration:
                    self._playing.clear()
                    self._stopped()
            if self._closed.is_set():
                return
