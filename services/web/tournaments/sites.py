"""The site behind the pages of tournaments: what they need to know of those that the house holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol
from uuid import UUID

from msgspec import Struct

from domain.errors import Refused
from domain.ids import Seat
from domain.tournaments.tournament import Place, Tournament
from infra.store import TOP, RowPlace
from projections.tournaments.brackets import has_bracket
from projections.tournaments.overview import TournamentRow, TournamentState
from projections.tournaments.pairings import PastPairing
from projections.tournaments.people import Names, name_of
from projections.tournaments.rulings.acts import PublicAct
from projections.tournaments.standings import StandingsView
from projections.tournaments.watching.luck import LuckView, luck_view
from projections.view import View
from services.http.problems import HttpProblem

ACTS_MAX: Final = 50
"""Acts of officials on a page; the link below them leads to older ones."""


class ShownTournament(Struct, frozen=True):
    """A tournament as it stands, with what people call it and those in it.

    Attributes:
        title: What its host calls it; the title of its game, where it has no name.
        names: What people call the entrants, by number.
        acts: What officials did, in order.
    """

    tournament: Tournament
    title: str
    names: Names
    acts: tuple[PublicAct, ...] = ()


def brackets_of(shown: ShownTournament) -> list[int]:
    """Return the stages that have begun and have a bracket."""
    begun = zip(shown.tournament.stages, shown.tournament.rules.stages, strict=False)
    return [stage.number for stage, rules in begun if has_bracket(rules)]


def names_of(shown: ShownTournament) -> Mapping[int, str]:
    """Return what to call every entrant, by number."""
    return {number: name_of(shown.names, number) for number in shown.tournament.entrants}


class TournamentSite(Protocol):
    """What the pages of tournaments need to know."""

    async def tournament(self, tournament_id: UUID, /) -> ShownTournament | None:
        """Return a tournament as of its last line; None if there is none."""

    async def tournaments(
        self, state: TournamentState, limit: int, before: RowPlace = TOP, /
    ) -> Sequence[TournamentRow]:
        """Return at most `limit` rows of the list in a state before this place, those that moved last first."""

    async def standings(
        self,
        shown: ShownTournament,
        stage: int | None,
        number: int | None,
        group: int | None,
        /,
        *,
        explained: bool,
    ) -> StandingsView:
        """Return standings of a tournament as it is shown; of the same version they are made once for all who ask."""

    async def luck(self, shown: ShownTournament, /) -> LuckView:
        """Return how everybody's dice fell out in the rounds that are closed.

        Cost: a query and a fold for each match that ended since it was asked last.
        """

    async def pairings(self, tournament_id: UUID, /) -> Mapping[Place, tuple[PastPairing, ...]]:
        """Return the pairings of a tournament that stand, with what was known when they were made.

        Cost: its whole stream, read and folded once more.
        """

    async def texts(self, tournament_id: UUID, /) -> Mapping[str, str]:
        """Return by hash what is said beside lines, as far as everybody may read it. Cost: a query."""

    async def seen(self, matches: Sequence[str], /) -> Mapping[str, View]:
        """Return how matches stand as spectators see them; those that are not open yet are left out."""

    async def rankings(self, matches: Sequence[str], /) -> Mapping[str, Sequence[Sequence[Seat]]]:
        """Return who would be where, best first, if matches ended as everybody sees them now; those that are open."""

    async def awaited(self, matches: Sequence[str], /) -> Mapping[str, Sequence[Seat]]:
        """Return the seats that have still to say that they are there, of matches that are open."""


class EmptyTournamentSite:
    """A site that holds none."""

    async def tournament(self, _tournament_id: UUID) -> ShownTournament | None:
        """Return None."""
        return None

    async def tournaments(self, _state: str, _limit: int, _before: RowPlace = TOP) -> Sequence[TournamentRow]:
        """Return no row."""
        return ()

    async def standings(
        self,
        shown: ShownTournament,
        stage: int | None,
        _number: int | None,
        _group: int | None,
        *,
        explained: bool,
    ) -> StandingsView:
        """Refuse: nothing is shown here that could have any."""
        raise Refused("not_paired", stage=stage, of=str(shown.tournament.id), explained=explained)

    async def luck(self, shown: ShownTournament) -> LuckView:
        """Return nobody's."""
        return luck_view(shown.tournament, shown.names, ())

    async def pairings(self, _tournament_id: UUID) -> Mapping[Place, tuple[PastPairing, ...]]:
        """Return none."""
        return {}

    async def texts(self, _tournament_id: UUID) -> Mapping[str, str]:
        """Return none."""
        return {}

    async def seen(self, _matches: Sequence[str]) -> Mapping[str, View]:
        """Return none."""
        return {}

    async def rankings(self, _matches: Sequence[str]) -> Mapping[str, Sequence[Sequence[Seat]]]:
        """Return none."""
        return {}

    async def awaited(self, _matches: Sequence[str]) -> Mapping[str, Sequence[Seat]]:
        """Return none."""
        return {}


async def shown_at(site: TournamentSite, tournament: str) -> ShownTournament:
    """Return the tournament of this id.

    Raises:
        HttpProblem: `not_found`: nothing has such an id.
    """
    try:
        shown = await site.tournament(UUID(tournament))
    except ValueError as fault:
        raise HttpProblem("not_found") from fault
    if shown is None:
        raise HttpProblem("not_found")
    return shown


async def texts_of(site: TournamentSite, shown: ShownTournament, notes: Iterable[str | None]) -> dict[str, str]:
    """Return what everybody may read of the texts that these hashes name. Cost: a query, if there is any."""
    asked = {note for note in notes if note is not None}
    if not asked:
        return {}
    return {note: text for note, text in (await site.texts(shown.tournament.id)).items() if note in asked}


def newest(lines: Iterable[int], before: int | None) -> tuple[frozenset[int], int | None]:
    """Return the newest of these lines before one, as many as a page tells, and the first of them if there are older.

    What officials do has no bound, and a page has one.
    """
    found = sorted(line for line in lines if before is None or line < before)
    told = found[-ACTS_MAX:]
    return frozenset(told), told[0] if len(found) > ACTS_MAX else None
