"""Knockout at tables of three to eight: the first of each table go on, until all who are left sit at one."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, bad_option, seat_law
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.seating import ROUND_OF
from domain.tournaments.pairing.sizes import TableSizes, split
from domain.tournaments.rules import KnockoutStage, TournamentRules
from domain.tournaments.schedules.eliminations import knockout_places, knockout_round, who_goes_on

LAW = "knockout/1"


class _Way(Struct, frozen=True):
    """How far a knockout has come.

    Attributes:
        still_in: Who is in, in seed order.
        left: Who went on to the round that comes next, and has left since.
        out: Who went out, by rounds.
        over: Whether the last table was played.
    """

    still_in: tuple[int, ...]
    left: tuple[int, ...]
    out: tuple[tuple[tuple[int, ...], ...], ...]
    over: bool


def _way(field: StageField) -> _Way:
    stage = _stage(field)
    still: tuple[int, ...] = field.stage.seeds
    out: list[tuple[tuple[int, ...], ...]] = []
    over = False
    for held in field.rounds():
        results = [result for result in field.results if result.round == held.number]
        seated = {*held.byes, *(number for result in results for number in result.numbers)}
        # Who went on and left before it was paired goes out in this round, behind all who played it.
        left, still = _parted(still, seated)
        over = len(still) <= (stage.final or stage.size)
        gone: dict[int, list[int]] = {}
        going_on = set(held.byes)
        for result in results:
            through = [] if over else who_goes_on(result.ranking, stage.through, field.stage.seeds)
            going_on.update(through)
            place = 0
            for level in (*result.ranking, *((absent,) for absent in result.absent)):
                gone.setdefault(place, []).extend(number for number in level if number not in through)
                place += len(level)
        levels = (*(gone[place] for place in sorted(gone)), left)
        out.append(tuple(tuple(sorted(level)) for level in levels if level))
        still = tuple(number for number in still if number in going_on)
    left, still = _parted(
        still, {number for number in still if field.entrant(number).plays or field.tournament.earlier}
    )
    return _Way(still, left, tuple(out), over or len(still) <= 1)


def _parted(numbers: tuple[int, ...], there: Collection[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return who of these is not there, and who is."""
    return tuple(n for n in numbers if n not in there), tuple(n for n in numbers if n in there)


def _stage(field: StageField) -> KnockoutStage:
    assert isinstance(field.rules, KnockoutStage), "the table has it so"
    return field.rules


def knockout_sizes(stage: KnockoutStage) -> TableSizes:
    """Return what tables seat before the last one."""
    return TableSizes(stage.size, max(ROUND_OF, stage.size - 1), stage.size)


def _draw(field: StageField, lots: Lots, _number: int) -> DrawnRound:
    stage, still = _stage(field), _way(field).still_in
    halves = split(len(still), knockout_sizes(stage))
    found = knockout_round(still, stage.final or stage.size, halves.byes, len(halves.sizes))
    seats = seat_law(field, lots)
    return DrawnRound(LAW, tuple(seats.order(table) for table in found.tables), found.byes)


def _is_over(field: StageField) -> bool:
    return _way(field).over


def _ranking(field: StageField) -> Ranking:
    way = _way(field)
    places = knockout_places([*way.out, (way.still_in, sorted(way.left))])
    kept = (tuple(n for n in level if not field.entrant(n).disqualified) for level in places)
    return tuple(level for level in kept if level)


def _rounds(_stage: KnockoutStage, _entrants: int) -> None:
    """Say that it shows in the end how many rounds there are."""


def _check(_rules: TournamentRules, stage: KnockoutStage, option: str) -> None:
    if stage.through >= max(ROUND_OF, stage.size - 1):
        raise bad_option(f"{option}.through", "fewer go on than sit at any table")
    if (stage.final or stage.size) > stage.size:
        raise bad_option(f"{option}.final", "the last table is no larger than the others")


def _first_byes(stage: KnockoutStage, entrants: int) -> int:
    last = entrants <= (stage.final or stage.size)
    return 0 if last else split(entrants, knockout_sizes(stage)).byes


def _is_out(field: StageField, number: int) -> bool:
    return number not in _way(field).still_in


KNOCKOUT = Format(
    _rounds, _draw, _is_over, _ranking,
    by_score=False, check=_check, sized_by="size", is_out=_is_out, first_byes=_first_byes, rests=False, by_hand="never",
)  # fmt: skip
