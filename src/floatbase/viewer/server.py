"""The server of viser, for this machine's own pages alone.

A browser lets any page that is open in it connect to servers on its machine, and says in the header `Origin` which page
it is. Where the server listens on this machine only, connections of other pages are refused. viser can also open a way
from the internet to the server on the request of a page; here it does not.
"""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator
from typing import Any

from floatbase.errors import ArgumentError, missing_dependency

LOCAL = "127.0.0.1"
_LOCAL_NAMES = (LOCAL, "localhost", "::1")
_starting = threading.Lock()


def start_server(host: str, port: int, label: str) -> Any:
    """A running server of viser at a port, or the next one that is free; it prints nothing."""
    try:
        from viser import ViserServer
    except ImportError:
        raise missing_dependency("viser", "view", "showing a robot in a browser") from None
    if isinstance(port, bool) or not isinstance(port, int) or not 1 <= port <= 65535:
        raise ArgumentError(f"port is {port!r}; it must be a whole number from 1 to 65535")
    with _starting, contextlib.redirect_stdout(io.StringIO()), _own_pages_only(host):
        server: Any = ViserServer(host=host, port=port, label=label, verbose=False)
    server.request_share_url = _not_shared
    return server


def stop_server(server: Any) -> None:
    """Stop it, without a word."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def _not_shared(verbose: bool = True) -> None:
    """In the place of what opens a way from the internet."""


@contextlib.contextmanager
def _own_pages_only(host: str) -> Iterator[None]:
    """While a server starts on this machine, let it refuse connections of pages that are not its own."""
    import websockets.asyncio.server as asynchronous

    original: Any = asynchronous.serve
    if host not in _LOCAL_NAMES:  # by which names it is reached is not known
        yield
        return

    def serve(handler: Any, address: Any, port: Any, **settings: Any) -> Any:
        origins = [f"http://{name if ':' not in name else f'[{name}]'}:{port}" for name in _LOCAL_NAMES]
        return original(handler, address, port, origins=[*origins, None], **settings)

    setattr(asynchronous, "serve", serve)  # noqa: B010
    try:
        yield
    finally:
        setattr(asynchronous, "serve", original)  # noqa: B010
