"""Schedules that are known from the start: everybody meets everybody, two by two, or at tables of one size."""

from __future__ import annotations

from domain.tournaments.events import TablesPaired
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, bad_option, has_played_all, seat_law
from domain.tournaments.formats.pods import draw_pods, logarithm, pairing_input
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import PairingInput, Weights
from domain.tournaments.pairing.sizes import TableSizes, split
from domain.tournaments.rules import Balanced, RoundRobin
from domain.tournaments.schedules.berger import BYE, berger
from domain.tournaments.schedules.designs import design

BERGER = "berger/1"
DESIGN = "design/1"
NEW_FACES = Weights(repeat=1_000, club=0, score=0, small=1)
"""What balanced tables are paired by where no design is known: nothing but who has met."""


def _robin_rounds(stage: RoundRobin, entrants: int) -> int:
    whole = _all_rounds(stage, entrants)
    return min(stage.rounds or whole, whole)


def _all_rounds(stage: RoundRobin, entrants: int) -> int:
    return (entrants + entrants % 2 - 1) * stage.cycles


def _check_robin(stage: RoundRobin, option: str, field: int, _exact: bool) -> None:  # noqa: FBT001 - as all of them are called
    if (stage.rounds or 0) > _all_rounds(stage, field):
        raise bad_option(option, f"so many rounds there are not, even with {field} entrants")


def _robin_byes(_stage: RoundRobin, entrants: int) -> int:
    return entrants % 2


def _draw_robin(field: StageField, _lots: Lots, number: int) -> DrawnRound:
    assert isinstance(field.rules, RoundRobin), "the table has it so"
    seeds = field.stage.seeds
    pairs = berger(len(seeds), field.rules.cycles)[number - 1]
    met: list[tuple[int, ...]] = [(seeds[one - 1], seeds[other - 1]) for one, other in pairs if BYE not in {one, other}]
    byes = [seeds[max(pair) - 1] for pair in pairs if BYE in pair]
    return _played(field, BERGER, met, byes)


def _balanced_rounds(stage: Balanced, entrants: int) -> int:
    found = design(entrants, stage.size)
    whole = max(3, logarithm(entrants, stage.size) + 1) if found is None else len(found.rounds())
    return stage.rounds or whole


def _check_balanced(stage: Balanced, option: str, field: int, exact: bool) -> None:  # noqa: FBT001 - as all of them are called
    """Check that a design has as many rounds; where fewer may come, there may be none."""
    planned = design(field, stage.size) if exact else None
    if planned is not None and (stage.rounds or 0) > len(planned.rounds()):
        raise bad_option(option, f"{field} entrants have met as often as they can after {len(planned.rounds())}")


def balanced_sizes(stage: Balanced) -> TableSizes:
    """Return what tables seat where no design is known."""
    return TableSizes(stage.size, max(2, stage.size - 1), stage.size)


def _paired_from(field: StageField, event: TablesPaired) -> PairingInput:
    assert isinstance(field.rules, Balanced), "the table has it so"
    return pairing_input(field, event.round, balanced_sizes(field.rules), NEW_FACES)


def _balanced_byes(stage: Balanced, entrants: int) -> int:
    return split(entrants, balanced_sizes(stage)).byes if design(entrants, stage.size) is None else 0


def _balanced_apart(stage: Balanced, entrants: int) -> bool:
    """Report whether a round is no design's, which seats everybody with everybody."""
    found = design(entrants, stage.size)
    return found is None or (stage.rounds or 0) > len(found.rounds())


def _draw_balanced(field: StageField, lots: Lots, number: int) -> DrawnRound:
    assert isinstance(field.rules, Balanced), "the table has it so"
    size, seeds = field.rules.size, field.stage.seeds
    found = design(len(seeds), size)
    if found is None or number > len(found.rounds()):
        return draw_pods(field, lots, number, balanced_sizes(field.rules), NEW_FACES)
    order = seat_law(field, lots)
    tables = [tuple(seeds[point - 1] for point in table) for table in found.rounds()[number - 1]]
    there = [tuple(n for n in table if field.entrant(n).plays) for table in tables]
    seated = [order.order(table) if len(table) > 1 else table for table in there]
    return _played(field, DESIGN, seated, [])


def _played(field: StageField, law: str, tables: list[tuple[int, ...]], byes: list[int]) -> DrawnRound:
    """Return a round as a schedule has it, without those who have left: who is alone at a table rests."""
    there = [tuple(n for n in table if field.entrant(n).plays) for table in tables]
    alone = [table[0] for table in there if len(table) == 1]
    rested = [number for number in (*byes, *alone) if field.entrant(number).plays]
    return DrawnRound(law, tuple(table for table in there if len(table) > 1), tuple(rested))


ROUND_ROBIN = Format(
    _robin_rounds, _draw_robin, has_played_all, StageField.ranking,
    check_rounds=_check_robin, robin=True, fixed=True, first_byes=_robin_byes, rests=False,
    trf="Individual: Round-Robin",
)  # fmt: skip
BALANCED = Format(
    _balanced_rounds, _draw_balanced, has_played_all, StageField.ranking,
    rolls=True, check_rounds=_check_balanced, sized_by="size", fixed=True, first_byes=_balanced_byes, rests=False,
    paired_from=_paired_from, keeps_apart=_balanced_apart,
)  # fmt: skip
