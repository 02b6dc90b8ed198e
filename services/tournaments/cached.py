"""A tournament in memory: the fold of its stream, what that means for matches of its tables, standings as shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Final
from uuid import UUID

from cachetools import LRUCache
from msgspec import Struct

from domain.fairness.openings import DealSecrets
from domain.ids import Version
from domain.tournaments.deciding.decide import TournamentDecision
from domain.tournaments.events import TournamentEvent
from domain.tournaments.record import TournamentAtHead, step, stream_of
from domain.tournaments.tournament import Tournament
from projections.tournaments.parts import Explanation
from projections.tournaments.people import Names
from projections.tournaments.rulings.acts import Audience, PublicAct, act_of, audience_of
from projections.tournaments.standings import StandingsView, standings_again
from services.tournaments.tables import TimeGift, gift_of, taken_back
from services.work.failures import Unreadable
from services.work.single_flight import Once

Gifts = dict[UUID, tuple[TimeGift, ...]]
"""By match, the time that officials have given there."""

KEPT_MAX: Final = 32
"""Standings that are kept, those of a thousand some megabytes each."""

StandingsAsked = tuple[UUID, int | None, int | None, int | None, bool]
"""Which they are: of what, stage, round, group, and whether they are explained."""


class CachedTournament(Struct, frozen=True):
    """A tournament as of its last line, with the secrets of its current deal of lots where they may be had.

    Attributes:
        stops: The matches that no longer count, each with the line that took it back: nobody plays there any more.
        gifts: The time that officials have given, by match, in the order of the lines.
        notes: The hashes of texts that its lines name, with whom each concerns.
        acts: What officials did, in the order of the lines.
    """

    written: TournamentAtHead
    stops: dict[UUID, int]
    keeper: DealSecrets | None = None
    gifts: Gifts = {}
    notes: Audience = {}
    acts: tuple[PublicAct, ...] = ()

    @property
    def tournament(self) -> Tournament:
        """The tournament as of its last line."""
        return self.written.tournament

    @property
    def version(self) -> Version:
        """How many lines its stream has."""
        return self.tournament.version


class _Tally:
    """What lines of a tournament add up to, besides where it stands."""

    def __init__(self, known: CachedTournament | None) -> None:
        """Begin with what is known."""
        self._stops: dict[UUID, int] = {} if known is None else dict(known.stops)
        self._gifts: Gifts = {} if known is None else dict(known.gifts)
        self._notes: dict[str, int | None] = {} if known is None else dict(known.notes)
        self._acts: list[PublicAct] = [] if known is None else list(known.acts)

    def take(self, before: Tournament | None, after: Tournament, event: TournamentEvent) -> None:
        """Add a line, by the tournament before and behind it; before the first there is none."""
        if before is not None:
            self._stops.update(dict.fromkeys(taken_back(before, event), after.seq))
            self._give(gift_of(before, event))
        self._notes.update(audience_of(after, event))
        act = act_of(after, event)
        if act is not None:
            self._acts.append(act)

    def _give(self, given: tuple[UUID, TimeGift] | None) -> None:
        if given is not None:
            match_id, gift = given
            self._gifts[match_id] = (*self._gifts.get(match_id, ()), gift)

    def cached(self, written: TournamentAtHead, keeper: DealSecrets | None = None) -> CachedTournament:
        """Return the tournament as it stands now, with all of that."""
        return CachedTournament(written, self._stops, keeper, self._gifts, self._notes, tuple(self._acts))


def moved(cached: CachedTournament, made: TournamentDecision, head: str) -> CachedTournament:
    """Return a tournament after a decision that is stored, and ends in this hash."""
    before, tally = cached.tournament, _Tally(cached)
    for after, event in zip(made.steps, made.events, strict=True):
        tally.take(before, after, event)
        before = after
    return tally.cached(TournamentAtHead(made.tournament, head), made.keeper)


def fold(stream: str, lines: Iterable[bytes], known: CachedTournament | None = None) -> CachedTournament | None:
    """Return the tournament after some more lines of its stream; without the secrets of its deal.

    Raises:
        Unreadable: A line of it is not known here, or does not follow from those before it.
    """
    written, tally = None if known is None else known.written, _Tally(known)
    for line in lines:
        before = None if written is None else written.tournament
        try:
            written, event = step(written, line)
            assert before is not None or stream_of(written.tournament.id) == stream, "it says that it is another"
        except Exception as fault:
            raise Unreadable(stream, line) from fault
        tally.take(before, written.tournament, event)
    return None if written is None else tally.cached(written)


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
