"""Last longer: levels of so many rounds at every table, until one is left; dice go along (`last_longer`).

A round of the stage is a level, and its results say what everybody has left and who went out in which round of it. Who
withdraws between two levels, or does not come to one, goes out before its first round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from domain.table.decide import initial_state
from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.format import DrawnRound, Format, bad_option
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.rules import LastLonger, TournamentRules, match_rules
from domain.tournaments.schedules.survivors import NextLevel, SurvivorTable, first_level, next_level, survivor_places
from domain.tournaments.tournament import HeldRound

LAW = "survivors/1"


class PlayedLevel(Struct, frozen=True):
    """A level that has been played.

    Attributes:
        tables: Who sat where, in the order of play.
        out: Who went out, and in which of its rounds.
        starters: By the table, who would open its next round.
        left: What everybody has left who is still in.
    """

    tables: tuple[SurvivorTable, ...]
    out: dict[int, int]
    starters: dict[int, int]
    left: dict[int, int]


def initial_units(field: StageField) -> int:
    """Return what everybody has who has not played yet."""
    game = match_rules(field.tournament.rules, field.rules)
    return initial_state(game, (1, 2)).balance(game.match.unit or "", 1)


def levels_of(field: StageField) -> list[PlayedLevel]:
    """Return the levels that have been played."""
    left = dict.fromkeys(field.stage.seeds, initial_units(field))
    found: list[PlayedLevel] = []
    for held in field.rounds():
        level = _level(held, left)
        found.append(level)
        left = level.left
    return found


def _level(held: HeldRound, had: Mapping[int, int]) -> PlayedLevel:
    """Return what a level came to for those who had so much before it."""
    out: dict[int, int] = {}
    starters: dict[int, int] = {}
    left: dict[int, int] = {}
    for number, table in held.tables.items():
        counts = result_of(table)
        assert counts is not None, "the level is over"
        # A ruling says who was ahead, and not what anybody has left: that is what was played.
        units = {} if table.result is None else dict(table.result.units)
        starters[number] = next(iter(units), table.seats[0])
        for entrant in table.seats:
            has = units.get(entrant, had[entrant])
            if entrant in counts.absent:
                out[entrant] = 0
            elif has > 0:
                left[entrant] = has
            else:
                out[entrant] = -has
    tables = tuple(SurvivorTable(number, table.seats) for number, table in sorted(held.tables.items()))
    return PlayedLevel(tables, out, starters, left)


def _still_in(field: StageField, levels: list[PlayedLevel]) -> list[int]:
    """Return who is still in and has not withdrawn."""
    had = levels[-1].left if levels else field.stage.seeds
    return [number for number in had if field.entrant(number).plays]


def _after(field: StageField, level: PlayedLevel, staying: Collection[int], moves: Mapping[int, int]) -> NextLevel:
    """Return what stands after a level for those who stay, of whom some have changed tables before."""
    gone = {number for table in level.tables for number in table.seats if number not in staying}
    return next_level(level.tables, gone, level.starters, moves, _lots(field), _rules(field).high)


def _draw(field: StageField, _lots_of_round: Lots, _number: int) -> DrawnRound:
    levels = levels_of(field)
    staying = _still_in(field, levels)
    if not levels:
        return _drawn(first_level([number for number in _lots(field) if number in staying], _rules(field).high))
    moves: Counter[int] = Counter()
    for before, later in pairwise(levels):
        seated = {number for table in later.tables for number in table.seats}
        moves.update(each.number for each in _after(field, before, seated, moves).transfers)
    return _drawn(_after(field, levels[-1], staying, moves).tables)


def _drawn(tables: Sequence[SurvivorTable]) -> DrawnRound:
    return DrawnRound(LAW, tuple(each.seats for each in tables), numbers=tuple(each.table for each in tables))


def _lots(field: StageField) -> list[int]:
    """Return the entrants of the stage in its lot order."""
    return Lots(field.stage.lots, field.stage.number, 0).order(field.stage.seeds)


def _rules(field: StageField) -> LastLonger:
    assert isinstance(field.rules, LastLonger), "the table has it so"
    return field.rules


def _is_over(field: StageField) -> bool:
    return len(_still_in(field, levels_of(field))) <= 1


def _ranking(field: StageField) -> Ranking:
    levels = levels_of(field)
    there: list[Collection[int]] = [field.stage.seeds, *(level.left for level in levels)]
    sat: list[Collection[int]] = [*(level.left | level.out for level in levels), _still_in(field, levels)]
    # Who withdrew before a level went out before its first round.
    withdrew = [
        dict.fromkeys((n for n in before if n not in after), 0) for before, after in zip(there, sat, strict=True)
    ]
    out = [early | level.out for early, level in zip(withdrew, levels, strict=False)]
    places = survivor_places([*out, withdrew[-1]], _still_in(field, levels))
    kept = (tuple(sorted(n for n in level if not field.entrant(n).disqualified)) for level in places)
    return tuple(level for level in kept if level)


def _rounds(_stage: LastLonger, _entrants: int) -> None:
    """Say that it shows in the end how many levels there are."""


def _rounds_max(stage: LastLonger) -> int:
    return stage.level_rounds


def _idle(stage: LastLonger, _field: int) -> Iterator[tuple[str, str]]:
    if stage.rounds_max is not None:
        yield "rounds_max", "here `level_rounds` says how many rounds a match lasts"


def _stacks(field: StageField) -> Mapping[int, int]:
    """Return what everybody begins the next level with; in the first it is what the game says."""
    levels = levels_of(field)
    return levels[-1].left if levels else {}


def _is_out(field: StageField, number: int) -> bool:
    levels = levels_of(field)
    return bool(levels) and number not in levels[-1].left


def _check(rules: TournamentRules, stage: LastLonger, option: str) -> None:
    game = match_rules(rules, stage)
    if game.match.unit not in {"die", "life", "token"} or game.match.out_at != 0:
        raise bad_option(f"{option}.format", "this needs a game in which dice or lives are lost until none is left")


LAST_LONGER = Format(
    _rounds, _draw, _is_over, _ranking,
    by_score=False, rounds_max=_rounds_max, stacks=_stacks, check=_check, sized_by="high", is_out=_is_out, rests=False,
    by_hand="never", idle=_idle,
)  # fmt: skip
