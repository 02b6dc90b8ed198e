"""Rules of a board: the object that its first line freezes, and who gives seeds to its deal.

Both follow from the record of the tournament: which round it is of, the rules that all its matches share, and the lots
by which the first 254 entrants at its tables draw.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.errors import Refused
from domain.faults import fault_of
from domain.match.settings import rules_object, settings_of
from domain.seats import SEAT_MAX
from domain.tournaments.pairing.lots import Lots, board_id, match_id
from domain.tournaments.rules import template_of
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament

OF_HOSTS: Final = ("host", "start", "starts_at")
"""Members of a template that no table of a tournament has: its officials do what hosts do elsewhere."""


class BoardPlace(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a board is played: a round of a stage, from 1 each, and which board of it, from 1.

    A round that was taken back and paired anew has the next one, since the dice of the first may be known.
    """

    tournament: Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
    stage: Annotated[int, Meta(ge=1, le=2**16 - 1)]
    round: Annotated[int, Meta(ge=1, le=2**32 - 1)]
    board: Annotated[int, Meta(ge=1, le=2**16 - 1)]


class BoardRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules object of a board.

    Attributes:
        board: The edition of these laws.
        event: Where it is played.
        tables: How many tables have it: those with the numbers 1 to this.
        match: What the rules objects of their matches have in common.
    """

    event: BoardPlace
    tables: Annotated[int, Meta(ge=2, le=2**16 - 1)]
    match: dict[str, Any]
    board: Literal[1] = 1

    @property
    def id(self) -> str:
        """The board's UUID, which follows from its place."""
        return board_id(self.event.tournament, self.event.stage, self.event.round, self.event.board)

    def match_at(self, table: int) -> str:
        """Return the UUID of the match at a table, which is the attempt of the board's number."""
        place = self.event
        return match_id(place.tournament, place.stage, place.round, table, place.board)


def board_rules_from(given: dict[str, Any]) -> BoardRules:
    """Return the rules of a board, as its first line has them.

    Raises:
        Refused: `bad_options`, naming the member.
    """
    try:
        rules = msgspec.convert(given, BoardRules)
    except msgspec.ValidationError as error:
        fault = fault_of(error)
        raise Refused("bad_options", option=fault.named or "rules", why=fault.why) from error
    if object_of_board(rules) != given or rules_object(settings_of(rules.match)) != rules.match:
        raise Refused("bad_options", option="match", why="every option is spelled out")
    return rules


def object_of_board(rules: BoardRules) -> dict[str, Any]:
    """Return the rules object as it goes into `board.created`."""
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules))
    return built


def board_rules(tournament: Tournament, stage: int, held: HeldRound) -> BoardRules:
    """Return the rules of the board that a round plays, which is paired."""
    said = tournament.rules.stages[stage - 1]
    template = {name: value for name, value in template_of(tournament.rules, said).items() if name not in OF_HOSTS}
    tables = list(held.tables.values())
    template["seats"] = len(tables[0].seats)
    if said.rounds_max is not None:
        template["rounds_max"] = said.rounds_max
    place = BoardPlace(str(tournament.id), stage, held.number, tables[0].attempt)
    return BoardRules(place, len(tables), rules_object(settings_of(template)))


def shared_board(tournament: Tournament, stage: int, held: HeldRound, table: PairedTable) -> dict[str, Any]:
    """Return the member `board` of the rules object of a match: whose dice they are, and who rolls which cup."""
    name = board_id(str(tournament.id), stage, held.number, table.attempt)
    return {"id": name, "positions": {str(seat): seat for seat in range(1, len(table.seats) + 1)}}


def drawers_of(tournament: Tournament, stage: int, held: HeldRound) -> tuple[int, ...]:
    """Return by number who gives seeds to the board of a round that has just been paired, in the order of their seats.

    They are all who sit at its tables, in lot order, of more than 254 the first.
    """
    seated = [number for table in held.tables.values() for number in table.seats]
    return tuple(Lots(tournament.opened, stage, held.number).order(seated)[:SEAT_MAX])
