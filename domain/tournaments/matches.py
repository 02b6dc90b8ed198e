"""Matches of tournaments: the rules object of one at a table, and the result that it is, once it is over.

The law of the file: both follow from the record of the tournament and that of the match, so that an audit holds either
against the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.match.evolve import Match
from domain.match.ranking import ranking_of, units_of
from domain.match.settings import rules_object, settings_of
from domain.tournaments.boards.rules import OF_HOSTS, shared_board
from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.rules import template_of
from domain.tournaments.tournament import Entrant, HeldRound, PairedTable, Tournament

OPENS: Final = 1
"""The seat that opens: seats are given in the order that the pairing says."""

EDITION: Final = "edition"


class MatchOutcome(Struct, frozen=True):
    """What a match comes to at its table.

    Attributes:
        ranking: Numbers of those who played, the best first; who shares a place together.
        absent: Numbers of those who did not come.
        units: What each has left of what one is out without, from whoever would open next; who went out has the round
            in which that was, below 0.
    """

    ranking: Ranking
    absent: tuple[int, ...]
    units: tuple[tuple[int, int], ...]


class MatchAtTable(Struct, frozen=True):
    """What the record of a match has to say.

    Attributes:
        rules: A hash of its rules object (`rules_digest`).
        players: Who sits there, in seat order.
        keys: Of each, the keys that have held since they were paired; none of whoever has registered none.
    """

    rules: str
    players: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]


def keys_at(entrants: Sequence[Entrant], line: int) -> tuple[tuple[str, ...], ...]:
    """Return, of each entrant, the keys that have held at a line of the tournament or since."""
    return tuple(() if each.keyed is None else each.keyed.since(line) for each in entrants)


def match_object(tournament: Tournament, stage: int, held: HeldRound, table: PairedTable) -> dict[str, Any]:
    """Return the rules object of the match that a table plays, with what says which match it is.

    Args:
        tournament: The tournament.
        stage: Which stage of it, from 1.
        held: The round, which is paired.
        table: The table, at the attempt that counts.
    """
    rules = tournament.rules.stages[stage - 1]
    chosen = format_of(rules)
    event = {
        "tournament": str(tournament.id),
        "stage": stage,
        "round": held.number,
        "table": table.number,
        "attempt": table.attempt,
    }
    found = {name: value for name, value in template_of(tournament.rules, rules).items() if name not in OF_HOSTS}
    found |= {"seats": len(table.seats), "event": event, "starter": OPENS}
    rounds_max = chosen.rounds_max(rules)
    if rounds_max is not None:
        found["rounds_max"] = rounds_max
    stacks = chosen.stacks(StageField(tournament, stage, held.number - 1))
    if stacks:
        found["stacks"] = {str(seat): stacks[number] for seat, number in enumerate(table.seats, start=1)}
    if chosen.boards:
        found["board"] = shared_board(tournament, stage, held, table)
    return rules_object(settings_of(found))


def rules_digest(rules: dict[str, Any]) -> str:
    """Return a hash of a match's rules object, as hex: of all of it but how its game was read when it was opened."""
    said = {name: value for name, value in rules.items() if name != EDITION}
    return hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()


def match_outcome(match: Match, numbers: tuple[int, ...]) -> MatchOutcome:
    """Return what a match that is over comes to.

    Args:
        match: The match.
        numbers: Who was paired, in seat order.
    """
    played = () if match.table is None else match.table.seats
    ranking = tuple(tuple(numbers[seat - 1] for seat in level) for level in ranking_of(match) if played)
    absent = tuple(number for seat, number in enumerate(numbers, start=1) if seat not in played)
    return MatchOutcome(ranking, absent, tuple((numbers[seat - 1], units) for seat, units in units_of(match)))
