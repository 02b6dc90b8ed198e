"""Swiss by FIDE's book, two at a table (`dutch`): tables that a package has worked out come with the command.

What is absolute is checked here: everybody once, nobody twice with the same, no third rest. The rest is the package's,
and whoever has the same edition of it works every round out again from the report that it reads.

Source: FIDE Handbook C.04.3, the Dutch system; the report is a TRF with the lines that JaVaFo adds to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.errors import Refused
from domain.tournaments.commands import GivenPairing
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, any_number, bad_option, has_played_all, keeps_apart
from domain.tournaments.formats.pods import ROUNDS_MIN, logarithm
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.law import CannotPair
from domain.tournaments.ranking.outcomes import outcomes_of
from domain.tournaments.ranking.results import Bye, TableResult
from domain.tournaments.ranking.standings import standings
from domain.tournaments.ranking.trf import TrfHead, trf_lines
from domain.tournaments.rules import Dutch, TournamentRules

ENTRANTS_MAX: Final = 512
"""So many entrants a package pairs in a few seconds."""
LAW: Final = "dutch/"
"""What the name of every edition begins with."""
RESTS_MAX: Final = 2
SEATS: Final = 2
HEAD: Final = TrfHead("", "", "", "")
PLAYER: Final = "001"


class DutchReport(Struct, frozen=True):
    """What a round is paired from.

    Attributes:
        text: The report, as a package reads it.
        order: Who has which pairing number, from 1: the seeds in order, then who came late.
    """

    text: str
    order: tuple[int, ...]


def dutch_report(field: StageField, number: int) -> DutchReport:
    """Return what a round is paired from; points of it that are no halves, a package cannot read."""
    order = field.numbers
    ids = {entrant: at for at, entrant in enumerate(order, start=1)}

    def named(numbers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(ids[each] for each in numbers)

    results = [
        TableResult(
            each.round, each.table, named(each.numbers), tuple(map(named, each.ranking)), named(each.absent),
            None if each.points is None else {ids[entrant]: points for entrant, points in each.points.items()},
        )
        for each in field.results
    ]  # fmt: skip
    byes = [Bye(each.round, ids[each.number], each.kind) for each in field.byes]
    outcomes = outcomes_of(field.scoring, SEATS, field.upto, ids.values(), results, byes)
    names = {each: str(order[each - 1]) for each in outcomes.of}
    lines = trf_lines(HEAD, names, outcomes, results, byes, standings(outcomes, ()))
    playing = set(field.playing(number))
    away = [str(at) for entrant, at in ids.items() if entrant not in playing]
    forbidden = [f"XXP {ids[one]} {ids[other]}" for one, other in field.forbidden(order)]
    head = [f"XXR {field.stage.rounds_planned}", "XXC white1", *([f"XXZ {' '.join(away)}"] if away else []), *forbidden]
    return DutchReport("\n".join([*head, *(line for line in lines if line.startswith(PLAYER)), ""]), order)


def dutch_round(field: StageField, number: int, given: GivenPairing) -> DrawnRound:
    """Return a round of tables that come with the command.

    Raises:
        Refused: `bad_tables`, `forbidden_pair`: it breaks what no edition may break.
    """
    seated = [entrant for table in given.tables for entrant in table]
    playing = field.playing(number)
    if not given.law.startswith(LAW):
        raise Refused("bad_tables", why="this is another law")
    if tuple(sorted([*seated, *given.byes])) != playing or len(given.byes) != len(playing) % SEATS:
        raise Refused("bad_tables", why="everybody who plays sits at one table, and of an odd number one rests")
    if any(field.pairing_byes[entrant] >= RESTS_MAX for entrant in given.byes):
        raise Refused("bad_tables", why="nobody rests a third time")
    met = {frozenset(pair[:2]) for pair in field.history.meetings(playing)}
    forbidden = {frozenset(pair) for pair in field.forbidden(playing)}
    for one, other in given.tables:
        if {one, other} in met:
            raise Refused("bad_tables", why="nobody meets the same twice", numbers=[one, other])
        if {one, other} in forbidden:
            raise Refused("forbidden_pair", numbers=[one, other])
    return DrawnRound(given.law, given.tables, given.byes)


def _rounds(stage: Dutch, entrants: int) -> int:
    return stage.rounds or max(ROUNDS_MIN, logarithm(entrants, SEATS))


def _draw(_field: StageField, _lots: Lots, _number: int) -> DrawnRound:
    """Say that nobody is paired who has no tables to give."""
    raise CannotPair(())


def _check(rules: TournamentRules, _stage: Dutch, option: str) -> None:
    """Check that points are those of FIDE's book, and that there are not more than its package can pair."""
    if (rules.scoring.scheme, rules.scoring.bye) != ("share", "1"):
        raise bad_option(f"{option}.format", "here a first place and a rest are worth 1, and nothing else is")
    if rules.entry.max > ENTRANTS_MAX:
        raise bad_option("entry.max", f"in this format no more than {ENTRANTS_MAX} are paired")


def _idle(stage: Dutch, field: int) -> Iterator[tuple[str, str]]:
    """Say that nobody meets the same twice, so that there are no more rounds than others."""
    if stage.rounds is not None and stage.rounds > field - 1 + field % SEATS:
        yield "rounds", f"nobody meets the same twice, and so many rounds there are not, even with {field} entrants"


DUTCH = Format(
    _rounds, _draw, has_played_all, StageField.ranking,
    check=_check, check_rounds=any_number, given=dutch_round, trf="Individual: Swiss-System (Dutch)", idle=_idle,
    keeps_apart=keeps_apart,
)  # fmt: skip
