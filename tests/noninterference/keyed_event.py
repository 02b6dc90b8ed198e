"""A table of a tournament whose entrants have keys: their seats are kept, and they sign and draw seeds of their own."""

from __future__ import annotations

import asyncio
from typing import Any, Final
from uuid import UUID

from domain.fairness.signing.entrants import TAKE_KEY, key_message
from domain.log import canonical
from tests.noninterference.course import REST_S, made
from tests.noninterference.event_table import EventTable
from tests.noninterference.keyed_table import KeyedTable
from tests.signed.hands import Hand, signing_after

FIRST: Final = 0
"""Which word of an entrant on the own key registers it."""


class KeyedEventTable(KeyedTable, EventTable):
    """A match at a table of a tournament at which every second entrant has a key.

    Those who sit here draw their own seeds; those who sit elsewhere leave theirs with the server, which waits for none.
    """

    async def _enter(self, number: int) -> None:
        await super()._enter(number)
        if _has_key(number):
            hand, lines = Hand(UUID(self.event), number), self._house.lines_of(self.event, "tournament")
            head = bytes.fromhex(canonical.head(lines[-1]))
            message = key_message(UUID(self.event), number, hand.key, FIRST, len(lines), head)
            signed = {"key": hand.key, "n": FIRST, "version": len(lines), "sig": hand.signer.sign(message).hex()}
            await self._ask_as(number, type=TAKE_KEY, key=hand.key, signed=signed)

    async def _seat_of(self, number: int) -> dict[str, Any]:
        if not _has_key(number):
            return await super()._seat_of(number)
        while (own := await self._get("{event}/me", "entrant"))["ready"] is None:
            await asyncio.sleep(REST_S)
        table = own["card"]["table"]
        is_here = self.match in {"", table["match"]}
        hand, custody = Hand(UUID(table["match"]), number), "client" if is_here else "server"
        seated = await self._sit_with(hand, table["match"], custody)
        hand.seat = table["seat"]
        self.hands |= {table["seat"]: hand} if is_here else {}
        return {**own, **seated}

    async def _sit_with(self, hand: Hand, match: str, custody: str) -> dict[str, Any]:
        """Take a kept seat, signed over the last line of its match, and anew where another line comes before."""
        while True:
            signed = hand.sign_join(signing_after(self._house.lines_of(match)), custody)
            sits = {"custody": custody, "key": hand.key, "signed": signed}
            told = await self._post(self._address("{event}/me/seat"), sits, "entrant")
            if b'"why":"version"' not in b"".join(told.chunks):
                return dict(made(told))

    def _may_resign(self, number: int) -> bool:
        return not _has_key(number)


def _has_key(number: int) -> bool:
    return number % 2 == 1
