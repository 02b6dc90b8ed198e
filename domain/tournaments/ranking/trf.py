"""TRF26: the report of an event at tables of two as programs of chess read it.

Lines have fixed columns. The seat that opens is white. Points are those of results and byes, without penalties; whoever
has no place has the last rank there is.

Source:
    FIDE Handbook C.04, the Tournament Report File as of 2026 (TRF26): lines 012, 042, 052, 062, 092, 142 and 001.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from domain.tournaments.ranking.outcomes import ABSENT, PLAYED, WALKOVER, Outcomes, RoundOutcome
from domain.tournaments.ranking.results import Bye, TableResult
from domain.tournaments.ranking.standings import Standing

NAME_MAX: Final = 33
"""How many signs a name has at most."""
_BYES: Final = {"pairing": "U", "full": "F", "half": "H", "zero": "Z"}


class TrfHead(Struct, frozen=True):
    """What stands above the entrants.

    Attributes:
        name: Of the event.
        first_day: As `2026/11/21`.
        last_day: The same.
        kind: What the event is, such as `Individual: Swiss-System`.
    """

    name: str
    first_day: str
    last_day: str
    kind: str


def fits_trf(event: Outcomes) -> bool:
    """Report whether the form has a way to write an event: tables of two, and nothing smaller than half a point."""
    return event.size == 2 and event.unit <= 2 and event.top == event.unit  # noqa: PLR2004 - two seats, halves


def trf_lines(
    head: TrfHead,
    names: Mapping[int, str],
    event: Outcomes,
    results: Iterable[TableResult],
    byes: Iterable[Bye],
    rows: Sequence[Standing],
) -> list[str]:
    """Return the lines of an event that fits, in order, without spaces at their ends.

    Args:
        head: What stands above the entrants.
        names: By the entrant.
        event: What each round was to each entrant.
        results: What came of each table.
        byes: Who had one; who has neither table nor bye in a round has a zero bye.
        rows: The standings after the last round.
    """
    whites = {(result.round, result.numbers[0]) for result in results}
    kinds = {(bye.round, bye.number): _BYES[bye.kind] for bye in byes}
    places = {row.number: row.place for row in rows}
    lines = _head_lines(head, event)
    for number in sorted(event.of):
        course = event.of[number]
        place = places[number] or len(event.of)
        name = f"{names[number][:NAME_MAX]:<{NAME_MAX}}"
        rounds = "".join(
            f"{outcome.met[0]:>6} {'w' if (at, number) in whites else 'b'} {_result(event, outcome)}"
            if outcome.met
            else f"  0000 - {kinds.get((at, number), 'Z')}"
            for at, outcome in enumerate(course, 1)
        )
        lines.append(f"001 {number:>4}      {name}{'':<33}{_points(event, course):>4} {place:>4}{rounds}")
    return [line.rstrip() for line in lines]


def _head_lines(head: TrfHead, event: Outcomes) -> list[str]:
    """Return what stands above the entrants."""
    return [
        f"012 {head.name}",
        f"042 {head.first_day}",
        f"052 {head.last_day}",
        f"062 {len(event.of)}",
        f"092 {head.kind}",
        f"142 {event.rounds}",
    ]


def _points(event: Outcomes, course: Sequence[RoundOutcome]) -> str:
    """Return the sum of what rounds gave, with one digit behind the point."""
    halves = sum(outcome.points for outcome in course) * 2 // event.unit
    return f"{halves // 2}.{halves % 2 * 5}"


def _result(event: Outcomes, outcome: RoundOutcome) -> str:
    """Return the sign of a result at a table, by what it gave."""
    if outcome.how in {WALKOVER, ABSENT}:
        return "+" if outcome.how == WALKOVER else "-"
    assert outcome.how == PLAYED, outcome.how
    return {0: "0", event.unit: "1"}.get(outcome.points, "=")
