"""Tournaments for tests of their pages: a site that holds one, moved on by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from domain.ids import Seat
from domain.statistics.luck import LuckRow
from domain.tournaments.evolve import evolve
from domain.tournaments.tournament import Place
from infra.store import TOP, RowPlace
from projections.tournaments.overview import TournamentRow, tournament_row
from projections.tournaments.pairings import PastPairing, pairings_of
from projections.tournaments.rulings.acts import PublicAct, act_of
from projections.tournaments.standings import StandingsView, standings_view
from projections.tournaments.watching.luck import LuckView, luck_view
from projections.view import View
from services.web.tournaments.sites import ShownTournament
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, busy, created

PATHS: Final = (
    *("", "/pairings", "/pairings?stage=1&round=1", "/standings", "/standings?stage=1&round=1", "/bracket"),
    *(
        "/entrants/1",
        "/me",
        "/host",
        "/screen",
        "/print",
        "/print?stage=1&round=1",
        "/print/tables",
        "/print/slips",
        "/tables",
        "/standings?name=name%203",
        "/luck",
        "/why",
        "/why?number=1",
        "/why?number=1&with=2&stage=1&round=1",
    ),
)
"""The pages of a tournament."""
LISTED: Final = 70
"""How often it stands in the list."""
_NUMBERS: Final = count(1)


class OneTournament:
    """A site that holds a tournament.

    Attributes:
        event: The tournament, which may be moved on.
        title: What its host calls it.
        names: What people call the entrants.
        views: What spectators see of matches of it, and `ranked`, who would be where.
        said: What everybody may read beside lines, by its hash.
    """

    def __init__(self, event: WrittenEvent, title: str = "", names: Mapping[int, str] = NAMES) -> None:
        self.event = event
        # Pages are kept by what they show: tournaments of tests have one id, and so each a title of its own.
        self.title = title or f"Event {next(_NUMBERS)}"
        self.names = names
        self.views: dict[str, View] = {}
        self.ranked: dict[str, Sequence[Sequence[Seat]]] = {}
        self.said: dict[str, str] = {}

    async def tournament(self, tournament_id: UUID) -> ShownTournament | None:
        if tournament_id != TOURNAMENT:
            return None
        return ShownTournament(self.event.tournament, self.title, self.names, acts_of(self.event))

    async def texts(self, tournament_id: UUID) -> Mapping[str, str]:
        assert tournament_id == TOURNAMENT
        return self.said

    async def tournaments(self, state: str, limit: int, before: RowPlace = TOP) -> Sequence[TournamentRow]:
        row = tournament_row(self.event.tournament, self.title)
        rows = [replace(row, at=at) for at in range(min(before[0] - 1, LISTED), 0, -1)]
        return rows[:limit] if state == row.state else ()

    async def standings(
        self,
        shown: ShownTournament,
        stage: int | None,
        number: int | None,
        group: int | None,
        *,
        explained: bool,
    ) -> StandingsView:
        return standings_view(shown.tournament, shown.names, stage, number, group, explained=explained)

    async def awaited(self, matches: Sequence[str]) -> Mapping[str, Sequence[int]]:
        return dict.fromkeys(matches, (1,))

    async def pairings(self, tournament_id: UUID) -> Mapping[Place, tuple[PastPairing, ...]]:
        assert tournament_id == TOURNAMENT
        return pairings_of(created(self.event), [(each, 0) for each in self.event.events])

    async def luck(self, shown: ShownTournament) -> LuckView:
        rows = (LuckRow(number, 9, f"{number - 3:+}.50") for number in sorted(shown.tournament.entrants))
        return luck_view(shown.tournament, shown.names, rows)

    async def seen(self, matches: Sequence[str]) -> Mapping[str, View]:
        return {match: self.views[match] for match in matches if match in self.views}

    async def rankings(self, matches: Sequence[str]) -> Mapping[str, Sequence[Sequence[Seat]]]:
        return {match: self.ranked[match] for match in matches if match in self.ranked}


def acts_of(event: WrittenEvent) -> tuple[PublicAct, ...]:
    """Return what officials did in an event."""
    tournament, found = created(event), []
    for each in event.events:
        tournament = evolve(tournament, each, tournament.at)
        found.append(act_of(tournament, each))
    return tuple(act for act in found if act is not None)


def busy_site() -> OneTournament:
    """Return a site that holds a tournament about which officials had much to say, in its second round."""
    event = busy()
    event.step()
    return OneTournament(event)
