"""Connections of an observed house: bytes to the protocol of its server, and bytes from it, write by write.

What stands between is all that a house has but a network: heads and chunks of HTTP, frames of WebSockets, which message
leaves with which. Whoever taps the line knows how long each write was, whatever is encrypted of it.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Final

from litestar import Litestar

from services.http.front.drain import Drain
from services.http.front.server import BoundedServer
from tests.socket.framing import frame

DATED: Final = re.compile(rb"\r\nDate: [^\r]*")
"""What a clock of the machine has written."""
SWITCHES: Final = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


class Server:
    """The server of a house, which listens nowhere."""

    def __init__(self, app: Litestar, doors: Drain) -> None:
        self._server = BoundedServer(app, doors, "house", 80)
        self._server.config.load()

    def connect(self) -> Wire:
        """Return a connection to it."""
        config: Any = self._server.config
        protocol = config.http_protocol_class(config=config, server_state=self._server.server_state, app_state={})
        return Wire(protocol)


class Wire(asyncio.Transport):
    """A connection.

    Attributes:
        writes: What the house has written, as it was written.
    """

    def __init__(self, protocol: Any) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self._protocol = protocol
        self._is_closed = False
        protocol.connection_made(self)

    @property
    def chunks(self) -> tuple[bytes, ...]:
        """What has come so far."""
        return tuple(self.writes)

    def ask(self, method: str, path: str, **fields: str) -> None:
        """Ask for something without a body."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "localhost", **fields}.items())
        self._protocol.data_received(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode())

    def say(self, message: dict[str, Any]) -> None:
        """Send a message over what has become a socket."""
        self._protocol.data_received(frame(json.dumps(message).encode()))

    # ---- as the server has it -------------------------------------------------------------------

    def write(self, data: Any) -> None:
        self.writes.append(DATED.sub(b"", bytes(data)))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": ("192.0.2.1", 1), "sockname": ("192.0.2.2", 80)}.get(name, default)

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Take whatever is written."""

    def can_write_eof(self) -> bool:
        return False

    def pause_reading(self) -> None:
        """Bring nothing of itself."""

    def resume_reading(self) -> None:
        """Bring nothing of itself."""

    def is_closing(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.close()
