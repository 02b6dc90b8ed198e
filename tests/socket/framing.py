"""A WebSocket spoken in bytes, so that they need not be what the protocol allows."""

from __future__ import annotations

import base64
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.door.sending import Client, connected

TEXT, CLOSE, PING = 0x1, 0x8, 0x9


@contextmanager
def opened(
    port: int, source: str = "127.0.0.1", receives: int | None = None, headers: Mapping[str, str] | None = None
) -> Iterator[Client]:
    """Open a socket from this address, with room for so many bytes unread, and with these headers as well."""
    fields = {
        "Host": "127.0.0.1",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        **(headers or {}),
    }
    lines = "".join(f"{name}: {text}\r\n" for name, text in fields.items())
    with connected(port, source, receives) as client:
        client.send(f"GET /api/v1/socket HTTP/1.1\r\n{lines}\r\n".encode())
        yield client


def frame(data: bytes, kind: int = TEXT, *, fin: bool = True, length: int | None = None) -> bytes:
    """Return a masked frame; `length` is what its head says."""
    size = len(data) if length is None else length
    head = bytes([kind | 0x80 * fin])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65_536:
        head += b"\xfe" + struct.pack("!H", size)
    else:
        head += b"\xff" + struct.pack("!Q", size)
    return head + b"\0\0\0\0" + data


def closed_with(said: bytes) -> int:
    """Return the code of the close frame that ends what was said."""
    at = said.rindex(b"\x88")
    return int.from_bytes(said[at + 2 : at + 4])
