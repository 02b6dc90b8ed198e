"""A bare Litestar route behind the same server, as a program: what HTTP costs before anything is done."""

from __future__ import annotations

from typing import Any

import uvicorn
from litestar import Litestar, post
from msgspec import Struct

from services.cli.bench.clients.load import BARE


class BareBid(Struct, frozen=True):
    """A body as short as a bid's."""

    type: str
    quantity: int
    face: int


class BareAnswer(Struct, frozen=True):
    """Something about as long as the answer to a command."""

    match: str
    version: int
    head: str


@post(BARE, status_code=200)
async def bare(data: BareBid) -> BareAnswer:
    """Read a bid, and answer about as much as a command is answered."""
    return BareAnswer("018f4e6a-7c00-4000-8000-000000000001", data.quantity, 64 * "0")


class BareServer(uvicorn.Server):
    """Says where it listens."""

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 - as uvicorn has it
        """Start, then print the address as the service does."""
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"running at http://127.0.0.1:{port}", flush=True)  # noqa: T201 - read by the program that started it


def main() -> None:
    """Serve until interrupted."""
    app = Litestar([bare], openapi_config=None, logging_config=None)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False, ws="none")
    BareServer(config).run()


if __name__ == "__main__":
    main()
