"""Hindrances of pairing: what keeps the next round of a tournament from being paired, for officials to see to.

A director tries at every version once and then waits for somebody to change something; here it is worked out once for
all who ask at that version, where the question costs anything at all.
"""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import msgspec
from cachetools import LRUCache
from msgspec import Struct

from domain.ids import Version
from domain.tournaments.deciding.supposing import may_be_hindered, what_hinders
from domain.tournaments.tournament import Tournament
from services.audit.dutch import given_pairing

KEPT_MAX: Final = 256


class Hindrance(Struct, frozen=True):
    """What keeps a round from being paired.

    Attributes:
        pairs: Who may not meet, and would.
        sizes: How many sit at a table, where too few are left for any.
        entrants: Who is left then, by number.
    """

    stage: int
    round: int
    pairs: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    entrants: tuple[int, ...]


class Hindrances:
    """What was worked out, of each tournament at its last version."""

    def __init__(self) -> None:
        self._known: LRUCache[UUID, tuple[Version, Hindrance | None]] = LRUCache(KEPT_MAX)

    async def of(self, tournament: Tournament) -> Hindrance | None:
        """Return what keeps the next round from being paired, if anything does. Cost: `what_hinders`, in a thread."""
        if not may_be_hindered(tournament):
            return None
        version, found = self._known.get(tournament.id, (0, None))
        if version != tournament.version:
            found = await asyncio.to_thread(_found, tournament)
            self._known[tournament.id] = (tournament.version, found)
        return found


def _found(tournament: Tournament) -> Hindrance | None:
    refused, stage = what_hinders(tournament, given_pairing(tournament)), tournament.stage
    if refused is None or stage is None:
        return None
    place = {"stage": stage.number, "round": stage.next_number}
    return msgspec.convert({"sizes": (), "entrants": (), **refused.facts, **place}, Hindrance)
