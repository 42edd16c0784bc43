"""The process that compiles programs for another: requests on standard input, replies on standard output.

A message is a JSON header and a body of bytes, each preceded by its length. The worker greets first; then each request
carries a program, and each reply its object code or an error. End of input ends the worker.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import IO, Any

_HEAD = struct.Struct("<IQ")

GREETING = {"ready": True}


def send(stream: IO[bytes], header: dict[str, Any], body: bytes = b"") -> None:
    """Write a message."""
    text = json.dumps(header).encode()
    stream.write(_HEAD.pack(len(text), len(body)) + text)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read a message, None at the end of the stream."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    header_size, body_size = _HEAD.unpack(head)
    text = stream.read(header_size)
    body = stream.read(body_size)
    if len(text) < header_size or len(body) < body_size:
        return None
    return json.loads(text), body


def main() -> None:
    """Serve until the input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up among the replies
    requests = sys.stdin.buffer
    from floatbase.compiler import format as program_format
    from floatbase.compiler.artifact import compile_artifact
    from floatbase.compiler.target import Target

    target = Target.host()
    send(replies, GREETING)
    while (message := receive(requests)) is not None:
        header, body = message
        try:
            artifact = compile_artifact(program_format.loads(body), header["dtype"], header["lanes"], target)
        except Exception as error:  # goes to the other process, which knows what it asked for
            send(replies, {"error": f"{type(error).__name__}: {error}"})
        else:
            send(replies, {"scratch": artifact.scratch}, artifact.code)
