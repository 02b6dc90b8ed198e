"""Luck and skill: where the change of what a match is worth to a seat came from.

The law of the file, an identity in integers, for each seat:

    end - start = table + own + theirs + skill + unseen + others

`table` is what the policy makes of a round before anybody acts, less what the match table made of it. `own` is how well
the seat's own dice fell, `theirs` how they stand against those of others, at the deal and at every later roll. `skill`
is how much better the seat chose than the policy does on average, `unseen` what hidden dice did to good and bad ideas
alike, and `others` is everything that others decided, with the rounding of the rest.

If everybody played as the policy does, every part but `table` would be 0 on average: own, theirs and unseen are luck.
Source: backgammon programs, which have one viewpoint, as their dice lie open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, Literal

from msgspec import Struct

from domain.analysis.figures import MILLION, ppm_of
from domain.analysis.grades.decisions import POINT
from domain.analysis.worths.estimates import Estimate, sum_of
from domain.ids import Seat

DealtMark = Literal["very_lucky", "lucky", "unlucky", "very_unlucky"]
LUCKY, VERY_LUCKY = 30 * POINT, 60 * POINT
PerSeat = Mapping[Seat, Estimate]


class Swing(Struct, frozen=True):
    """Something that changed what a round is worth by all dice.

    Attributes:
        after: What it is worth after it, by seat.
        decided: Who decided it; None for a roll, and for what nobody decided.
        rolled: Who rolled dice by it; None for a decision.
        skill: How much better than the policy the seat decided.
    """

    after: PerSeat
    decided: Seat | None = None
    rolled: Seat | None = None
    skill: Estimate = Estimate(Fraction(0))


class RoundOfLuck(Struct, frozen=True):
    """A round whose dice were all shown: what it was worth once they lay and nobody had acted, and what followed.

    Attributes:
        before: What the match was worth before the round, by seat.
        public: By what everybody knew of the dice.
        seat: By what each seat knew.
        all: By all dice.
        swings: In their order, up to the verdict.
    """

    before: PerSeat
    public: PerSeat
    seat: PerSeat
    all: PerSeat
    swings: tuple[Swing, ...]


class SeatLuck(Struct, frozen=True):
    """The parts of a seat, in millionths of the match or of the unit.

    Attributes:
        half: Half the width of the interval of each part that was estimated, by its name.
        proved: Half the width of what each part is proved to lie within that is.
    """

    start: int
    table: int
    own: int
    theirs: int
    skill: int
    unseen: int
    others: int
    end: int
    half: Mapping[str, Fraction] = {}
    proved: Mapping[str, Fraction] = {}

    @property
    def luck(self) -> int:
        """What dice brought the seat: the rest is what tournaments print as its result adjusted for luck."""
        return self.own + self.theirs + self.unseen


class _Part(Struct, frozen=True):
    name: Literal["table", "own", "theirs", "skill", "unseen"]
    change: Estimate


def luck_of(seat: Seat, start: Fraction, end: Fraction, rounds: Iterable[RoundOfLuck]) -> SeatLuck:
    """Return the parts of a seat over a match.

    Args:
        seat: Whose.
        start: What the match was worth to it at first.
        end: And in the end.
        rounds: The rounds of which all dice were shown; the others are left out, and fall to `others`.
    """
    parts = [part for each in rounds if seat in each.all for part in _parts(seat, each)]
    sums = {name: sum_of([part.change for part in parts if part.name == name]) for name in _NAMES}
    told = {name: ppm_of(each.value) for name, each in sums.items()}
    whole = ppm_of(end) - ppm_of(start)
    return SeatLuck(
        start=ppm_of(start),
        end=ppm_of(end),
        others=whole - sum([told[name] for name in _NAMES]),
        half={name: each.half for name, each in sums.items() if each.half is not None},
        proved={name: each.proved for name, each in sums.items() if each.proved is not None},
        **told,
    )


_NAMES: Final[tuple[Literal["table", "own", "theirs", "skill", "unseen"], ...]] = (
    "table",
    "own",
    "theirs",
    "skill",
    "unseen",
)


def _parts(seat: Seat, each: RoundOfLuck) -> list[_Part]:
    found = [
        _Part("table", each.public[seat].less(each.before[seat])),
        _Part("own", each.seat[seat].less(each.public[seat])),
        _Part("theirs", each.all[seat].less(each.seat[seat])),
    ]
    stood = each.all[seat]
    for swing in each.swings:
        change = swing.after[seat].less(stood)
        stood = swing.after[seat]
        if swing.rolled is not None:
            found.append(_Part("own" if swing.rolled == seat else "theirs", change))
        elif swing.decided == seat:
            found += [_Part("skill", swing.skill), _Part("unseen", change.less(swing.skill))]
    return found


def mark_of(own: int, stake: int) -> DealtMark | None:
    """Return what is said of dice that brought a seat so many millionths, of what was at stake; None for nothing."""
    if abs(own) * MILLION < LUCKY * stake or not stake:
        return None
    very = abs(own) * MILLION >= VERY_LUCKY * stake
    if own > 0:
        return "very_lucky" if very else "lucky"
    return "very_unlucky" if very else "unlucky"
