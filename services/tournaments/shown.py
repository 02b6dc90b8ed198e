"""Standings as they are shown: made once for all who ask, of what was worked out for those before them."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final
from uuid import UUID

from cachetools import LRUCache
from msgspec import Struct

from domain.tournaments.tournament import Tournament
from projections.tournaments.parts import Explanation
from projections.tournaments.people import Names
from projections.tournaments.standings import StandingsView, standings_again
from services.work.single_flight import Once

KEPT_MAX: Final = 32
"""Standings that are kept, those of a thousand some megabytes each."""

StandingsAsked = tuple[UUID, int | None, int | None, int | None, bool]
"""Which they are: of what, stage, round, group, and whether they are explained."""


class MadeStandings(Struct, frozen=True):
    """Standings, the names they are shown with, and what is known of them."""

    view: StandingsView
    names: Names
    known: Explanation


class ShownStandings:
    """Those that somebody has asked for lately."""

    def __init__(self) -> None:
        """Begin with none."""
        self._made: LRUCache[StandingsAsked, MadeStandings] = LRUCache(KEPT_MAX)
        self._once = Once()

    async def view(
        self,
        tournament: Tournament,
        names: Names,
        stage: int | None,
        number: int | None,
        group: int | None,
        *,
        explained: bool,
    ) -> StandingsView:
        """Return standings, as `standings_view` does.

        Raises:
            Refused: `not_paired`.
        """
        asked = (tournament.id, stage, number, group, explained)
        made = self._made.get(asked)
        if made is None or made.view.version != tournament.version or made.names != names:
            name = (asked, tournament.version, hash(frozenset(names.items())))
            make = partial(self._make, asked, tournament, names, None if made is None else made.known)
            made = await self._once.get(name, make)
        return made.view

    async def _make(
        self, asked: StandingsAsked, tournament: Tournament, names: Names, known: Explanation | None
    ) -> MadeStandings:
        *place, explained = asked[1:]
        make = partial(standings_again, tournament, names, *place, explained=explained, known=known)
        view, after = await asyncio.to_thread(make)
        found = MadeStandings(view, names, after)
        kept = self._made.get(asked)
        if kept is None or kept.view.version <= view.version:
            self._made[asked] = found
        return found
