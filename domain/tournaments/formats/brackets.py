"""Brackets: two at a table, and who loses is out, at once or the second time. All matches that can be played are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.rules import Double, Single
from domain.tournaments.schedules.brackets import (
    BracketCourse,
    BracketMatch,
    course_of,
    double,
    first_round,
    opener,
    single,
)
from domain.tournaments.schedules.eliminations import bracket_places


def bracket_of(field: StageField) -> list[BracketMatch]:
    """Return the bracket of a stage."""
    entrants = len(field.stage.seeds)
    if isinstance(field.rules, Double) and entrants > 2:  # noqa: PLR2004 - two have one match
        return double(entrants)
    third = isinstance(field.rules, Single) and field.rules.third_place
    return single(entrants, third_place=third)


class BracketState(Struct, frozen=True):
    """A bracket after the rounds that are looked at.

    Attributes:
        matches: All of it.
        course: How far it has come.
        opened: How often each has opened.
        played: The round and the table that each match was played at.
    """

    matches: list[BracketMatch]
    course: BracketCourse
    opened: dict[int, int]
    played: dict[str, tuple[int, int]]


def bracket_state(field: StageField) -> BracketState:
    """Return how far the bracket of a stage has come."""
    matches, seeds = bracket_of(field), field.stage.seeds
    winners: dict[str, int] = {}
    opened: dict[int, int] = {}
    played: dict[str, tuple[int, int]] = {}
    for held in field.rounds():
        called = course_of(matches, seeds, winners).called
        came = {frozenset(result.numbers): result for result in field.results if result.round == held.number}
        for name, pair in called.items():
            result = came[frozenset(pair)]
            opened[result.numbers[0]] = opened.get(result.numbers[0], 0) + 1
            first = result.ranking[0] if result.ranking else pair
            # A match that nobody won goes to the better seed.
            winners[name] = min(first, key=seeds.index)
            played[name] = (held.number, result.table)
    return BracketState(matches, course_of(matches, seeds, winners), opened, played)


def _draw(field: StageField, _lots: Lots, _number: int) -> DrawnRound:
    state = bracket_state(field)
    order = Lots(field.stage.lots, field.stage.number, 0).order(field.stage.seeds)
    tables = []
    for pair in state.course.called.values():
        first = opener(pair, state.opened, order)
        tables.append((first, pair[0] if first == pair[1] else pair[1]))
    law = "double/1" if isinstance(field.rules, Double) else "single/1"
    return DrawnRound(law, tuple(tables))


def _is_over(field: StageField) -> bool:
    return not bracket_state(field).course.called


def _ranking(field: StageField) -> Ranking:
    state = bracket_state(field)
    out = {number for number in field.stage.seeds if field.entrant(number).disqualified}
    places = (tuple(n for n in level if n not in out) for level in bracket_places(state.matches, state.course))
    return tuple(level for level in places if level)


def _rounds(_stage: Single | Double, _entrants: int) -> None:
    """Say that it shows in the end how many rounds there are."""


def _first_byes(_stage: Single | Double, entrants: int) -> int:
    return sum(second is None for _, second in first_round(entrants))


def _is_out(field: StageField, number: int) -> bool:
    """Report whether the way of somebody through a bracket has ended."""
    state = bracket_state(field)
    played = [name for name, pair in state.course.played.items() if number in pair]
    if not played:
        return False
    winner, _ = state.course.played[played[-1]]
    way = ways_on(state.matches).get(("winner" if number == winner else "loser", played[-1]))
    return way is None or is_needless(way, state)


def is_needless(name: str, state: BracketState) -> bool:
    """Report whether a match is the second of a grand final, which is not needed since the first decided."""
    return name == "G2" and "G1" in state.course.played and "G2" not in {*state.course.called, *state.course.played}


def ways_on(matches: Sequence[BracketMatch]) -> dict[tuple[str, str], str]:
    """Return by winner or loser and a match the match they go on to."""
    return {(way[0], way[1]): match.id for match in matches for way in match.of if way is not None and way[0] != "seed"}


def _idle(stage: Single | Double, _field: int) -> Iterator[tuple[str, str]]:
    if isinstance(stage, Double) and stage.third_place:
        yield "third_place", "whoever loses the last match of the lower bracket is third"


BRACKET = Format(
    _rounds, _draw, _is_over, _ranking,
    by_score=False, is_out=_is_out, first_byes=_first_byes, rests=False, by_hand="never", idle=_idle,
)  # fmt: skip
