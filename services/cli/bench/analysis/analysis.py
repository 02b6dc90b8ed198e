"""`truecup bench analysis`: moves of the levels, records told, what is said live, and the memory of a job."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct

from infra.clock import ticks_s
from services.cli.bench.analysis.decisions import measure_moves
from services.cli.bench.analysis.played import whole_match
from services.cli.bench.analysis.records import measure_caster, measure_memory, measure_odds, measure_whole
from services.cli.bench.sheets.machine import bare_machine
from services.cli.bench.sheets.sheets import REPETITIONS, BenchSheet, Samples, run

Say = Callable[[str], None]


class MatchSizes(Struct, frozen=True):
    """How large what is measured is.

    Attributes:
        dice: How many dice a seat begins with.
        moves: Of how many seats matches are in which moves are measured.
        turns: How many turns of each.
        whole: Of how many seats those are that are told as a whole.
    """

    dice: int
    moves: tuple[int, ...]
    turns: int
    whole: tuple[int, ...]


FULL: Final = MatchSizes(5, (2, 6, 10), 100, (2, 6))
SMALL: Final = MatchSizes(2, (2, 3), 5, (2,))


def analysis(
    *,
    repetitions: Annotated[int, Parameter(validator=Number(gte=1, lte=100))] = REPETITIONS,
    quick: bool = False,
    json: bool = False,
) -> int:
    """Measure analyses.

    Args:
        repetitions: In how many matches of each size.
        quick: Measure small matches only.
        json: Print one JSON document.
    """
    return run(partial(_analysis, SMALL if quick else FULL, repetitions), json=json)


async def _analysis(sizes: MatchSizes, repetitions: int, say: Say) -> BenchSheet:
    samples, begun = Samples(), ticks_s()
    for number in range(1, repetitions + 1):
        for seats in sizes.moves:
            say(f"repetition {number} of {repetitions}: moves of {seats} seats")
            measure_moves(seats, sizes.dice, number, sizes.turns, samples)
        for seats in sizes.whole:
            what = f"{seats} x {sizes.dice}"
            say(f"repetition {number} of {repetitions}: records of {seats} seats")
            match = whole_match(seats, sizes.dice, number)
            measure_odds(match, what, samples)
            measure_caster(match, what, samples)
            measure_whole(match, seats, what, samples)
    seats = max(sizes.whole)
    say(f"the memory of a job of {seats} seats")
    measure_memory(seats, sizes.dice, f"{seats} x {sizes.dice}", samples)
    return BenchSheet("analysis", bare_machine(), round(ticks_s() - begun, 1), repetitions, samples.rows())
