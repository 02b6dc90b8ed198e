"""Worths of a passed cup: what each way to end brings every seat, and what positions are worth that come to these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from msgspec.structs import replace

from domain.analysis.worths.blind import lifted
from domain.ids import Seat
from domain.strategy.folding.bidding import seats_from
from domain.strategy.folding.passed_cups import CupEnd, CupFold, Ending
from domain.strategy.tables import MatchTable
from domain.table import judging
from domain.table.evolve import evolve_all
from domain.table.state import State, next_seat

Brought = Mapping[Seat, Fraction]
"""What is brought to each seat of a round."""


class CupVerdicts:
    """What the verdicts of a round are worth to its seats.

    Attributes:
        seats: Who plays it.
        every: What each verdict brings, by how the round ended and by whose claim or showing.
    """

    def __init__(self, state: State, fold: CupFold, table: MatchTable) -> None:
        """Ask what each of them leads to.

        Args:
            state: A round that was dealt.
            fold: What its positions come to.
            table: What the state after it is worth.
        """
        self.seats = state.remaining
        self.every: dict[tuple[CupEnd, Seat], Brought] = {}
        for end in fold.ends:
            for seat in self.seats:
                found = {table.worths(after) for after in _led_to(state, end, seat)}
                assert len(found) == 1, "nothing is paid for what was claimed"
                worths = dict(zip(state.seats, found.pop(), strict=True))
                self.every[end, seat] = {each: worths[each] for each in self.seats}

    def brought(self, endings: Iterable[Ending]) -> dict[Seat, Fraction]:
        """Return what a position is worth to each seat that comes to these ends."""
        ends = [(each.share, self.every[each.end, each.seat]) for each in endings]
        whole = sum([share for share, _ in ends])
        return {seat: Fraction(sum([share * brings[seat] for share, brings in ends]), whole) for seat in self.seats}

    def challenged(self, claimant: Seat, true: Fraction) -> dict[Seat, Fraction]:
        """Return what it is worth if a claim is challenged that is so likely true."""
        holds, falls = (self.every[CupEnd(each), claimant] for each in (True, False))
        return {seat: true * holds[seat] + (1 - true) * falls[seat] for seat in self.seats}


def _led_to(state: State, end: CupEnd, seat: Seat) -> Iterator[State]:
    """Yield where a round leads that ends so, whatever was claimed in it."""
    table = lifted(state)
    if end.special is not None:
        target = seats_from(state, seat)[end.to] if end.to else None
        yield evolve_all(table, judging.special_events(table, seat, end.special, target))
        return
    doubter = next_seat(state, seat)
    winner, loser = (seat, doubter) if end.holds else (doubter, seat)
    # A top claim may cost more than others, and nothing else does.
    for hand in (state.ladder.hands[0], state.ladder.hands[-1]):
        verdict = replace(
            judging.new_verdict("challenge", seat, hand),
            doubters=(doubter,),
            holds=end.holds,
            winners=(winner,),
            losers=(loser,),
        )
        yield judging.settled(table, verdict)
