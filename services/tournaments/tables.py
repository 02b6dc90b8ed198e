"""Matches of tables: which there are and under which rules, which no longer count, and who gets time back there.

All of it follows from the tournament's stream, so any number of directors find the same, whatever was killed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from domain.commands import Join
from domain.errors import Refused
from domain.ids import Milliseconds, Seat
from domain.log import canonical
from domain.match.decide import Newcomer
from domain.match.evolve import open_match
from domain.match.record import event_of
from domain.tournaments import events
from domain.tournaments.formats.table import format_of
from domain.tournaments.matches import match_object
from domain.tournaments.pairing.lots import board_id, match_id
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament

_PAIRED: Final = b'"type":"tables.paired","v":1}'
"""How the lines end that say who sits where."""


class TableMatch(Struct, frozen=True):
    """The match at a table: the attempt that counts.

    Attributes:
        seats: The numbers of the entrants, in seat order.
    """

    id: UUID
    stage: int
    held: HeldRound
    table: PairedTable

    @property
    def seats(self) -> tuple[int, ...]:
        """The numbers of the entrants who sit there, in seat order."""
        return self.table.seats


class TimeGift(Struct, frozen=True):
    """Time that an official gives somebody back at a table.

    Attributes:
        line: The line of the tournament that says so.
        ms: How much, in milliseconds.
    """

    line: int
    seat: Seat
    ms: Milliseconds


def match_at(tournament: Tournament, stage: int, held: HeldRound, table: PairedTable) -> TableMatch:
    """Return the match of an attempt at a table."""
    name = match_id(str(tournament.id), stage, held.number, table.number, table.attempt)
    return TableMatch(UUID(name), stage, held, table)


def open_tables(tournament: Tournament) -> list[TableMatch]:
    """Return the matches of the rounds that are played which have no result, ascending by round and table."""
    stage = tournament.stage
    rounds = [] if stage is None else stage.open_rounds
    number = 0 if stage is None else stage.number
    return [match_at(tournament, number, held, held.tables[table]) for held in rounds for table in held.missing]


def rules_at(tournament: Tournament, at: TableMatch) -> dict[str, Any]:
    """Return the rules object of a match, which says at which table it is; whoever sits first opens."""
    return match_object(tournament, at.stage, at.held, at.table)


def is_another(line: bytes, tournament: Tournament, at: TableMatch) -> bool:
    """Report whether the first line of a match is not that of the match at this table."""
    return event_of(line)[0] != open_match(at.id, rules_at(tournament, at))


def gift_of(before: Tournament, event: events.TournamentEvent) -> tuple[UUID, TimeGift] | None:
    """Return in which match somebody gets time back by an event, and how much.

    Args:
        before: The tournament before it.
        event: What happened.
    """
    if not isinstance(event, events.TournamentTimeGiven):
        return None
    held = before.stages[event.stage - 1].rounds[event.round]
    table = held.tables[event.table]
    gift = TimeGift(before.seq + 1, table.seats.index(event.number) + 1, event.ms)
    return match_at(before, event.stage, held, table).id, gift


def matches_ever(tournament: Tournament, lines: Iterable[bytes]) -> list[UUID]:
    """Return every match that a tournament may have had, in the order of rounds, tables and attempts.

    Those of tables that were taken back are among them; not each of them was ever opened.

    Args:
        tournament: The tournament.
        lines: Its lines.
    """
    said = [canonical.decode(line)["data"] for line in lines if line.endswith(_PAIRED)]
    places = {(data["stage"], data["round"], table) for data in said for table, _ in data["tables"]}
    found = []
    for stage, number, table in sorted(places):
        held = tournament.stages[stage - 1].rounds[number]
        last = max((each.attempt for each in held.tables.values()), default=0)
        attempts = range(1, max(held.used, last) + 1)
        found += [UUID(match_id(str(tournament.id), stage, number, table, attempt)) for attempt in attempts]
    return found


def boards_ever(tournament: Tournament) -> Iterator[UUID]:
    """Yield every board that a tournament may have had; not each of them was ever opened."""
    for stage in tournament.stages:
        if format_of(tournament.rules.stages[stage.number - 1]).boards:
            for held in stage.rounds.values():
                yield from _boards_of(tournament, stage.number, held)


def _boards_of(tournament: Tournament, stage: int, held: HeldRound) -> Iterator[UUID]:
    last = max((table.attempt for table in held.tables.values()), default=0)
    for number in range(1, max(held.used, last) + 1):
        yield UUID(board_id(str(tournament.id), stage, held.number, number))


def taken_back(before: Tournament, event: events.TournamentEvent) -> Iterator[UUID]:
    """Yield the matches that are of no use after an event: whoever plays there need not go on.

    Args:
        before: The tournament before it.
        event: What happened.
    """
    match event:
        case events.TablesUnpaired():
            held = before.stages[event.stage - 1].rounds[event.round]
            numbers = held.tables if event.tables is None else event.tables
            yield from (match_at(before, event.stage, held, held.tables[number]).id for number in numbers)
        case events.ResultRuled() | events.ResultRecorded():
            held = before.stages[event.stage - 1].rounds[event.round]
            table = held.tables[event.table]
            if not table.is_over and not (isinstance(event, events.ResultRecorded) and event.match is not None):
                yield match_at(before, event.stage, held, table).id
        case events.TournamentCancelled():
            yield from (table.id for table in open_tables(before))
        case _:
            return


def newcomers(tournament: Tournament, at: TableMatch, own: frozenset[str]) -> list[Newcomer | None]:
    """Return who is seated as a table is opened, in seat order; None for whoever has a key, and takes the seat with it.

    Args:
        tournament: The tournament.
        at: The table.
        own: Whose programs draw the seeds of their seats.
    """
    entrants = [tournament.entrants[number] for number in at.seats]
    return [
        (each.player, "client" if each.player in own else "server") if each.keyed is None else None for each in entrants
    ]


def latecomer(tournament: Tournament, at: TableMatch, seat: Seat) -> Join:
    """Return what seats whoever has not come for a seat that was kept, so that the match can say who it was."""
    return Join(tournament.entrants[at.seats[seat - 1]].player, "server", seat)


def check_sits(tournament: Tournament, match_id: UUID, seat: Seat, player: str, key: str | None) -> None:
    """Check that a seat is the player's own at a table that is played, and that the key is the one registered.

    Raises:
        Refused: `not_yours`; `bad_signature`.
    """
    found = next((at for at in open_tables(tournament) if at.id == match_id and 0 < seat <= len(at.seats)), None)
    entrant = None if found is None else tournament.entrants[found.seats[seat - 1]]
    if entrant is None or entrant.player != player:
        raise Refused("not_yours")
    if key is not None and (entrant.keyed is None or entrant.keyed.key != key):
        raise Refused("bad_signature", why="head_or_key")
