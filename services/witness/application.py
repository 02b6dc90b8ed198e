"""The program of a witness: its folder, its routes, and its end."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import structlog
from litestar import Litestar, Request, Response, get, post
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from domain.log.notes import COSIGNATURE, Key
from infra.files.limit import raise_limit
from infra.files.whole import write_first, write_whole
from infra.keys import Ed25519Signer
from services.http.front.drain import Drain
from services.http.front.proxies import Proxies
from services.http.front.server import NOBODY, BoundedServer
from services.http.front.sockets import terms_within
from services.http.paths import is_at
from services.matches.secrets.keys import load_or_make_key
from services.witness.store import WitnessStore
from services.witness.witness import TEXT, Witness

log = structlog.get_logger(__name__)

BODY_MAX: Final = 64 * 1024
"""The longest request, in bytes: 63 hashes and sixteen of the longest signatures have room in it."""
STARTED_LOOK_S: Final = 0.01
RETRY_S: Final = "1"
Ready = Callable[[str, str], None]
"""Told the address and the verifier key once the witness answers."""


class NotOurs(Exception):  # noqa: N818 - named for what happened
    """The folder belongs to a witness of another name: one key signs under one name only."""


def create_app(witness: Witness) -> Litestar:
    """Return the application that lets this witness be asked."""
    return Litestar(
        _routes(witness),
        exception_handlers={sqlite3.Error: _unavailable},
        logging_config=None,
        openapi_config=None,
        request_max_body_size=BODY_MAX,
    )


def _routes(witness: Witness) -> list[ControllerRouterHandler]:
    # The register waits for its disk, so every answer is made in a thread.

    @post("/add-checkpoint")
    async def add_checkpoint(request: Request[Any, Any, Any]) -> Response[str]:
        """Sign a checkpoint."""
        reply = await asyncio.to_thread(witness.add_checkpoint, await request.body())
        # As a header: the framework would add a charset to the type, and the standard's type has none.
        return Response(reply.text, status_code=reply.status, headers={"Content-Type": reply.media_type})

    @get("/{origin_hash:str}/checkpoint")
    async def checkpoint(request: Request[Any, Any, Any], origin_hash: FromPath[str]) -> Response[str]:
        """Return the checkpoint that was signed last for a log."""
        known = is_at(request, f"/{origin_hash}/checkpoint")
        note = await asyncio.to_thread(witness.checkpoint, origin_hash) if known else None
        said = "nothing was signed for such a log\n" if note is None else note
        return Response(said, status_code=404 if note is None else 200, media_type=TEXT)

    @get(["/", "/health"])
    async def about() -> dict[str, object]:
        """Return who this is."""
        return await asyncio.to_thread(witness.about)

    return [add_checkpoint, checkpoint, about]


def _unavailable(_request: Request[Any, Any, Any], trouble: sqlite3.Error) -> Response[str]:
    log.error("the register cannot be written", exc_info=trouble)
    said = "the register of this witness cannot be written now; nothing was signed\n"
    return Response(said, status_code=503, media_type=TEXT, headers={"Retry-After": RETRY_S})


async def run(
    host: str, port: int, folder: Path, name: str, logs: Sequence[Key], ready: Ready, proxies: Proxies = NOBODY
) -> None:
    """Witness until told to stop.

    Args:
        host: The address to listen on.
        port: The port; 0 takes a free one.
        folder: Where the key and the register are kept; made the first time.
        name: The witness's name, which is its key's.
        logs: Keys of logs to know from now on; those noted earlier are known too.
        ready: Told the address and the verifier key.
        proxies: Who is believed to speak for others.

    Raises:
        NotOurs: The folder belongs to a witness of another name.
        sqlite3.Error: The register cannot be opened.
    """
    signer = Ed25519Signer(load_or_make_key(folder / "key"))
    _claim(folder, str(Key(name, COSIGNATURE, signer.public_key)))
    register = WitnessStore(folder / "witness.db")
    try:
        with register.turn():
            register.know(logs)
        witness = Witness(name, signer, register)
        server = BoundedServer(create_app(witness), Drain(), host, port, terms_within(raise_limit()), proxies)
        await _application_of(server, host, folder, witness, ready)
    finally:
        register.close()


def _claim(folder: Path, vkey: str) -> None:
    """Note the verifier key of this folder, unless another stands there; an address of an earlier run goes."""
    path = folder / "vkey"
    if write_first(path, f"{vkey}\n".encode()).decode().strip() != vkey:
        raise NotOurs(f"{path} says that this folder belongs to another witness: give each a folder of its own")
    (folder / "url").unlink(missing_ok=True)


async def _application_of(server: BoundedServer, host: str, folder: Path, witness: Witness, ready: Ready) -> None:
    serving = asyncio.create_task(server.serve())
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(STARTED_LOOK_S)
        if server.started:
            address = f"http://{f'[{host}]' if ':' in host else host}:{server.port}"
            write_whole(folder / "url", f"{address}\n".encode(), durably=False)
            ready(address, str(witness.key))
        await asyncio.shield(serving)
    finally:
        # Told to stop: requests under way are answered first.
        server.should_exit = True
        await asyncio.gather(serving, return_exceptions=True)
