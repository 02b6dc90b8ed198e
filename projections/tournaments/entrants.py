"""Entrants: the list of all, and one with the whole way through the event."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.ids import Version
from domain.seasons.members import is_player
from domain.tournaments import commands
from domain.tournaments.deciding.decide import decide
from domain.tournaments.deciding.people import MILLION, PLAYER
from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.points import points_of
from domain.tournaments.tournament import Entrant, Tournament
from projections.tournaments.numbers import ExactNumber, exact
from projections.tournaments.parts import Explanation
from projections.tournaments.people import Names, Status, entrant_in, name_of, status_of
from projections.tournaments.standings import StandingRow, field_of, standing_row


class RequestedBye(Struct, frozen=True):
    """A round that somebody asked to be left out of."""

    stage: int
    round: int
    kind: str


class EntrantRow(Struct, frozen=True):
    """An entrant in the list.

    Attributes:
        club: The opaque id of a club, if it has one.
        draws: Whether it gives a seed to the lots.
        since: The first stage and round it plays in.
        gone: The first stage and round it does not play in, once withdrawn.
        byes: The rounds it asked to be left out of.
        player: The id of a player, who is known beyond this tournament; null for guests and bots.
        rating: The rating at entry, (mu, sigma) in millionths.
        seed: The place among the seeds that a host has set.
        key: The key of its seats, as hex; null while it has none.
        key_named: The key that a host has named, which its next word decides of.
    """

    number: int
    name: str
    bot: bool
    status: Status
    club: str | None
    draws: bool
    since: tuple[int, int]
    gone: tuple[int, int] | None
    byes: tuple[RequestedBye, ...]
    player: str | None
    rating: tuple[int, int] | None
    seed: int | None = None
    key: str | None = None
    key_named: str | None = None


class PenaltyView(Struct, frozen=True):
    """A penalty that counts.

    Attributes:
        line: The place of it in the stream, from 0.
        kind: `warning`, `points`, `table_loss` or `disqualified`.
        points: What is taken.
    """

    line: int
    kind: str
    points: ExactNumber | None
    stage: int | None
    round: int | None


class StageOfEntrant(Struct, frozen=True):
    """A stage as an entrant went through it: the row of its standings, all of it explained."""

    stage: int
    round: int
    row: StandingRow


class PrizeView(Struct, frozen=True):
    """What somebody wins: the exact share, and what is paid, in whole units."""

    unit: str
    share: ExactNumber
    whole: int


class EntrantView(Struct, frozen=True):
    """An entrant with tables, points and parts of tie-breaks.

    Attributes:
        version: How many lines of the tournament it shows.
        place: The place in the end, from 1; null before, or without one.
        stages: Those it was in, in order.
        prize: What it wins, once that is said.
    """

    tournament: str
    version: Version
    entrant: EntrantRow
    place: int | None
    stages: tuple[StageOfEntrant, ...]
    penalties: tuple[PenaltyView, ...]
    prize: PrizeView | None


def entrant_rows(tournament: Tournament, names: Names) -> tuple[EntrantRow, ...]:
    """Return everybody who ever entered, by number."""
    return tuple(entrant_row(names, entrant) for _, entrant in sorted(tournament.entrants.items()))


def entrant_row(names: Names, entrant: Entrant) -> EntrantRow:
    """Return an entrant for the list."""
    return EntrantRow(
        number=entrant.number,
        name=name_of(names, entrant.number),
        bot=entrant.bot,
        status=status_of(entrant),
        club=entrant.club,
        draws=entrant.draws,
        since=entrant.since,
        gone=entrant.gone,
        byes=tuple(RequestedBye(*place, kind) for place, kind in sorted(entrant.byes.items())),
        player=entrant.player if is_player(entrant.player) else None,
        rating=entrant.rating,
        seed=entrant.seed,
        key=None if entrant.keyed is None else entrant.keyed.key,
        key_named=None if entrant.keyed is None or entrant.keyed.named is None else entrant.keyed.named[0],
    )


def may_enter(tournament: Tournament) -> bool:
    """Report whether somebody may enter now, if need be late: a guest, or a player who is as strong as it takes."""
    entry = tournament.rules.entry
    who = (PLAYER if entry.player else "e") + "0" * 24
    rating = None if entry.rating is None else (entry.rating[0] * MILLION, 0)
    try:
        # Entering has nothing to do with lots, whose secrets nobody has here.
        bare = replace(tournament, ceremony=None)
        decide(bare, commands.Register(by=who, player=who, rating=rating), tournament.at, "", None)
    except Refused:
        return False
    return True


def entrant_view(tournament: Tournament, names: Names, number: int) -> EntrantView:
    """Return an entrant with the whole way through the event.

    Raises:
        Refused: `unknown_number`.
    """
    entrant = entrant_in(tournament, number)
    return EntrantView(
        tournament=str(tournament.id),
        version=tournament.version,
        entrant=entrant_row(names, entrant),
        place=final_place(tournament, number),
        stages=tuple(
            _stage(field_of(tournament, each.number, number), names, number)
            for each in tournament.stages
            if number in StageField(tournament, each.number).numbers
        ),
        penalties=tuple(
            PenaltyView(line, each.kind, None if each.points is None else _points(each.points), each.stage, each.round)
            for line, each in sorted(tournament.penalties.items())
            if each.number == number
        ),
        prize=prize_of(tournament, number),
    )


def final_place(tournament: Tournament, number: int) -> int | None:
    """Return the place in the end, from 1, once it is said."""
    return place_in(tournament.ranking, number)


def place_in(ranking: Ranking, number: int) -> int | None:
    """Return somebody's place in a ranking, from 1; None for who has none there."""
    place = 1
    for level in ranking:
        if number in level:
            return place
        place += len(level)
    return None


def prize_of(tournament: Tournament, number: int) -> PrizeView | None:
    """Return what somebody wins."""
    prizes = tournament.rules.prizes
    found = next(((share, whole) for who, share, whole in tournament.paid if who == number), None)
    return None if found is None or prizes is None else PrizeView(prizes.unit, _points(found[0]), found[1])


def _stage(field: StageField, names: Names, number: int) -> StageOfEntrant:
    row = next(each for each in field.rows if each.number == number)
    return StageOfEntrant(field.stage.number, field.upto, standing_row(Explanation(field), names, row, explained=True))


def _points(text: str) -> ExactNumber:
    return exact(points_of(text))
