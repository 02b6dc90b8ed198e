"""Ladders: whoever is challenged and says yes meets the challenger at once, and the winner from below takes the place.

A round is who sits down at one moment, and waits for no other; each closes with its last result.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from domain.ids import UnixMs
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import WINS, DrawnRound, DueStep, Format, check_wins, keeps_apart
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.law import CannotPair
from domain.tournaments.ranking.orders import ladder_order
from domain.tournaments.rules import CountingLaw, LadderStage, TournamentRules
from domain.tournaments.schedules.brackets import opener
from domain.tournaments.schedules.ladder import LadderChallenge
from domain.tournaments.tournament import PlayedStage, Tournament

LAW: Final = "ladder/1"


def ladder_ends_at(stage: PlayedStage, rules: LadderStage) -> UnixMs:
    """Return until when somebody may be challenged."""
    return stage.opened_at + rules.duration_ms


def waiting(tournament: Tournament, stage: PlayedStage) -> dict[int, LadderChallenge]:
    """Return the challenges that wait for an answer or a table, by number, of those who are still there."""
    there = {number for number, each in tournament.entrants.items() if each.plays}
    return {key: each for key, each in stage.challenges.items() if each.waits and {each.number, each.against} <= there}


def playing_order(field: StageField) -> list[int]:
    """Return the ladder of those who play, the first at the top."""
    assert field.order is not None, "the table has it so"
    return [number for number in field.order if field.entrant(number).plays]


def _order(field: StageField) -> tuple[int, ...]:
    """Return the whole ladder: whoever has left stands behind all others."""
    order = ladder_order(field.stage, field.numbers, field.upto)
    return tuple(sorted(order, key=lambda number: field.entrant(number).gone is not None))


def _next_step(tournament: Tournament, stage: PlayedStage) -> DueStep:
    """Return what a ladder does next: who said yes sits down, and an answer is not waited for longer than it may be."""
    found = waiting(tournament, stage).values()
    if any(each.state == "accepted" for each in found):
        return DueStep("pair", tournament.at)
    if found:
        return DueStep("lapse", max(tournament.at, min(each.until for each in found)))
    rules = tournament.stage_rules
    assert isinstance(rules, LadderStage), "the table has it so"
    return DueStep("close_stage", max(tournament.at, ladder_ends_at(stage, rules)))


def busy(stage: PlayedStage) -> dict[int, int]:
    """Return who sits at a table that has no result, and at which round's."""
    return {
        number: held.number
        for held in stage.open_rounds
        for table in held.missing
        for number in held.tables[table].seats
    }


def _draw(field: StageField, _lots: Lots, _number: int) -> DrawnRound:
    """Return the tables of those who have been challenged and said yes, in the order of the challenges."""
    opened = Counter(table.paired[0] for held in field.stage.rounds.values() for table in held.tables.values())
    order = Lots(field.stage.lots, field.stage.number, 0).order(field.numbers)
    tables = []
    for _, challenge in sorted(waiting(field.tournament, field.stage).items()):
        if challenge.state == "accepted":
            first = opener((challenge.number, challenge.against), opened, order)
            tables.append((first, challenge.number if first == challenge.against else challenge.against))
    if not tables:
        raise CannotPair(())
    return DrawnRound(LAW, tuple(tables))


def _is_over(field: StageField) -> bool:
    """Report whether nobody waits for a table."""
    return all(each.state == "open" for each in waiting(field.tournament, field.stage).values())


def _rounds(_stage: LadderStage, _entrants: int) -> None:
    """Say that it shows in the end how many tables there are."""


def _check(rules: TournamentRules, _stage: LadderStage, _option: str) -> None:
    check_wins(rules)


# Rounds say nothing here but in which order two sat down: all that has been played counts.
LADDER = Format(
    _rounds, _draw, _is_over, StageField.ranking,
    check=_check, tiebreaks=WINS, counting=CountingLaw(begun=True, order=_order), by_hand="never", next_step=_next_step,
    keeps_apart=keeps_apart,
)  # fmt: skip
