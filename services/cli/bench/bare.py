"""A bare Litestar route behind the same server, as a program: what HTTP costs before anything is done."""

from __future__ import annotations

from typing import Any

import uvicorn
from litestar import Litestar, Request, Response, post

from services.cli.bench.load import BARE


@post(BARE, status_code=200)
async def bare(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Answer about as much as a command is answered."""
    body = await request.body()
    return Response(b'{"match":"018f4e6a","version":1,"head":"00"}' + body[:0], media_type="application/json")


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
