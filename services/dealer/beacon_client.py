"""Listens to a public beacon: rounds are fetched when they are due, checked against the beacon's key, and told once.

A beacon that is late is asked again, less and less often, as long as somebody waits for it; its rounds stay what they
are, so nothing is lost by it but time (CUP/1 section 6).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from domain.ids import UnixMs
from infra.abroad.outgoing import OutgoingClient
from infra.clock import now_ms
from infra.drand import Silent, fetch_signature
from services.audit.beacons import BeaconSource

AGAIN_S: Final = (0.3, 0.6, 1.2, 2.5, 5.0, 10.0)
"""How long to wait before asking once more; the last of them for ever."""
ROUNDS_MAX: Final = 256
"""Rounds waited for at once: several matches share one, and one is due every few seconds."""

log = structlog.get_logger(__name__)


class BeaconClient:
    """Hears the rounds of one beacon."""

    def __init__(self, url: str, source: BeaconSource, verify: Callable[[str, int, bytes], bool]) -> None:
        """Ask this relay for rounds of this beacon, and believe only what this check lets through."""
        self._url = url
        self._source = source
        self._verify = verify
        self._asking: dict[int, asyncio.Task[str]] = {}

    def signature_of(self, chain: str, number: int, due_at: UnixMs) -> str | None:
        """Return the signature of a round as hex, if it was heard; else begin to listen for it when it is due.

        Args:
            chain: The chain the round is one of.
            number: Its number.
            due_at: When it is due, in Unix milliseconds.
        """
        asking = self._asking.get(number)
        if asking is not None and asking.done():
            del self._asking[number]
            return asking.result()
        ours = chain == self._source.hash and due_at <= now_ms() and len(self._asking) < ROUNDS_MAX
        if asking is None and ours:
            self._asking[number] = asyncio.create_task(self._ask_relays(number))
        return None

    async def close(self) -> None:
        """Stop listening."""
        for asking in self._asking.values():
            asking.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        self._asking.clear()

    async def _ask_relays(self, number: int) -> str:
        async with OutgoingClient() as client:
            tries = 0
            while True:
                try:
                    signature = await fetch_signature(client, self._url, self._source.hash, number)
                    if self._verify(self._source.chain.public_key, number, signature):
                        return signature.hex()
                    log.warning("beacon.lies", round=number)
                except Silent as trouble:
                    log.warning("beacon.silent", round=number, why=str(trouble))
                await asyncio.sleep(AGAIN_S[min(tries, len(AGAIN_S) - 1)])
                tries += 1
