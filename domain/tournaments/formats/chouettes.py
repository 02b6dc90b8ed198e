"""Chouettes: one table for all; who wins stays, who loses waits again, and a round is a bout."""

from __future__ import annotations

from typing import Final

from domain.ids import UnixMs
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import WINS, DrawnRound, Format, bad_option, check_wins
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.law import CannotPair
from domain.tournaments.ranking.orders import ChouetteWay, chouette_way
from domain.tournaments.rules import ChouetteStage, CountingLaw, TournamentRules
from domain.tournaments.schedules.chouettes import next_bout
from domain.tournaments.tournament import PlayedStage

LAW: Final = "chouette/1"


def _ends_at(stage: PlayedStage, rules: ChouetteStage) -> UnixMs | None:
    """Return until when a bout may begin; None where their number says."""
    return None if rules.duration_ms is None else stage.opened_at + rules.duration_ms


def _way(field: StageField) -> ChouetteWay:
    """Return how far a chouette has come."""
    seeds = field.stage.seeds
    late = {number: field.entrant(number).since[1] for number in field.numbers if number not in seeds}
    lots = Lots(field.stage.lots, field.stage.number, 0)
    return chouette_way(field.stage, (*lots.order(seeds), *late), late, field.upto)


def _order(field: StageField) -> tuple[int, ...]:
    places = _way(field).places
    # Who has come since the last bout was paired does not wait yet.
    return (*places, *(number for number in field.numbers if number not in places))


def _next(field: StageField) -> tuple[int, int] | None:
    """Return who sits down next; None where fewer than two are there."""
    there = {number for number in field.numbers if field.entrant(number).plays}
    way = _way(field)
    return next_bout(way.now, way.stays, there)


def _draw(field: StageField, _lots: Lots, _number: int) -> DrawnRound:
    seats = _next(field)
    if seats is None:
        raise CannotPair(())
    return DrawnRound(LAW, (seats,))


def _is_over(field: StageField) -> bool:
    assert isinstance(field.rules, ChouetteStage), "the table has it so"
    played = field.rules.bouts is not None and field.upto >= field.rules.bouts
    return played or _next(field) is None


def _rounds(stage: ChouetteStage, _entrants: int) -> int | None:
    return stage.bouts


def _check(rules: TournamentRules, stage: ChouetteStage, option: str) -> None:
    """Check that it is said when it is over, and that bouts follow each other where the time says so."""
    check_wins(rules)
    if (stage.bouts is None) is (stage.duration_ms is None):
        raise bad_option(f"{option}.bouts", "say how many bouts there are, or how long they may begin")
    if stage.duration_ms is not None and rules.time.start != "auto":
        raise bad_option("time.start", "while a time lasts, one bout follows the other by itself")


CHOUETTE = Format(
    _rounds, _draw, _is_over, StageField.ranking,
    check=_check, tiebreaks=WINS, counting=CountingLaw(order=_order), rests=False, by_hand="never", ends_at=_ends_at,
)  # fmt: skip
