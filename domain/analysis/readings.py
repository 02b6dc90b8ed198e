"""Readings: the chance of a claim by what everybody's moves say, up to just before it and with it.

Which reader follows a round is told by its rules: where each seat has a cup that nobody handles and claims are counts,
hands are read by how many dice count for a face; elsewhere one by one, and a blind cup by its tablebase if it has one.
Of tokens so many that only some hands were drawn, all that follows is estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt, lcm

from msgspec.structs import replace

from domain import events
from domain.analysis.claims import Said
from domain.analysis.record.following import Step
from domain.analysis.record.viewpoints import Viewpoints
from domain.analysis.report import Printed, ToldChance
from domain.analysis.worths.estimates import ROOT, SURE, Estimate
from domain.ids import CupId, Face, Seat
from domain.rules.ladders import Hand
from domain.rules.rules import Rules
from domain.strategy.chance import Words
from domain.strategy.duels.blind_cup import DICE, BlindCup, lowest_after
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.hands import Hands, all_hands
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.beliefs import Belief, prior_of
from domain.strategy.reading.cup_reader import CupReader
from domain.strategy.reading.reader import Beliefs, is_read_by_face
from domain.strategy.reading.serials import hands_or_some
from domain.strategy.reading.solved_reader import SolvedBeliefs
from domain.table.state import PASSED_CUP

Draws = Callable[[Step, CupId], Words]
"""The words by which hands of a cup are drawn that was rolled by an event."""


class CountReading:
    """A round of counts over cups that nobody handles, read.

    Attributes:
        beliefs: What is believed after the last event that was taken.
    """

    def __init__(
        self, params: LevelParams, doubts: Mapping[Seat, Fraction], draws: Draws, table: SolvedTable | None = None
    ) -> None:
        """Begin before the dice lie."""
        level = Beliefs(params, doubts)
        self.beliefs = level if table is None else SolvedBeliefs(params, doubts, table=table)
        self._draws = draws

    def take(self, step: Step) -> None:
        """Read an event of the round."""
        self.beliefs = self.beliefs.after(step.old, step.event)
        if not isinstance(step.event, events.Rolled) or step.event.cup not in self.beliefs.beliefs:
            return
        cup, every = step.event.cup, self.beliefs.beliefs[step.event.cup].hands
        hands = hands_or_some(every.dice, step.new.rules.tokens.faces, self._draws(step, cup))
        if hands is not every:
            self.beliefs = replace(self.beliefs, beliefs={**self.beliefs.beliefs, cup: prior_of(hands)})

    def hands(self, cup: CupId, _seat: Seat | None) -> Mapping[tuple[Face, ...], int]:
        """Return how likely each hand of a cup is to everybody but its owner."""
        belief = self.beliefs.beliefs[cup]
        return {hand: chance for hand, chance in zip(belief.hands.hands, belief.chances, strict=True) if chance}

    def chance(self, said: Said, seat: Seat | None, views: Viewpoints) -> Estimate:
        """Return the chance of a claim as the public or a seat reads it."""
        own = self._own(said, seat, views)
        cup = None if own is None else seat
        # Fixed point may come to a last place more than all.
        chance = min(self.beliefs.chance_of(said.state, said.count, cup, own or ()), Fraction(1))
        others = [belief for each, belief in self.beliefs.beliefs.items() if each != cup]
        return Estimate(chance, _half_width(chance, [each for each in others if is_drawn(each.hands)]))

    @staticmethod
    def _own(said: Said, seat: Seat | None, views: Viewpoints) -> tuple[Face, ...] | None:
        if seat is None or seat not in said.state.places or seat not in said.state.places[seat].knowers:
            return None
        return views.dice[seat]


class HandReading:
    """A round in which hands are claimed, or dice handled, read."""

    def __init__(self, params: LevelParams, doubts: Mapping[Seat, Fraction]) -> None:
        """Begin before the dice lie."""
        self._views = Viewpoints()
        self._reader = CupReader(sorted(doubts), params, doubts.__getitem__, self._sees)

    def take(self, step: Step) -> None:
        """Read an event of the round."""
        self._views = step.views
        self._reader.take(step.old, step.event, step.new)

    def hands(self, cup: CupId, seat: Seat | None) -> Mapping[tuple[Face, ...], int]:
        """Return how likely each hand of a cup is to a seat that may not look at it, or to everybody."""
        return self._reader.hands(cup, seat)

    def chance(self, said: Said, seat: Seat | None, _views: Viewpoints) -> Estimate:
        """Return the chance of a claim as the public or a seat reads it."""
        assert said.claim is not None
        return Estimate(self._reader.chance_of(said.state, said.claim, said.seat, seat))

    def _sees(self, _seat: Seat, cup: CupId) -> tuple[Face, ...] | None:
        return self._views.dice.get(cup)


class CupReading(HandReading):
    """A round of a blind cup, read by its tablebase, as long as some throw makes what a seat claims likely by that."""

    def __init__(self, params: LevelParams, doubts: Mapping[Seat, Fraction], cup: BlindCup) -> None:
        """Begin before the dice lie."""
        super().__init__(params, doubts)
        self._cup = cup
        self._every = all_hands(DICE, cup.faces)
        self._claims: list[int] = []
        self._strayed: set[Seat] = set()
        self._likely: Mapping[tuple[Face, ...], int] | None = None

    @property
    def is_by_table(self) -> bool:
        """Whether the dice are read by the tablebase: whoever threw them has not strayed from it in this round."""
        return self._likely is not None

    def take(self, step: Step) -> None:
        """Read an event of the round."""
        super().take(step)
        match step.event:
            case events.Rolled(cup=cup) if cup == PASSED_CUP:
                strayed = step.new.turn in self._strayed
                self._likely = None if strayed else dict(zip(self._every.hands, self._every.ways, strict=True))
            case events.HandClaimed(shape=shape, faces=faces):
                self._hear(self._cup.throw.ladder.rungs[Hand(shape, faces)], None if step.clock else step.seat)
            case _:
                pass

    def _hear(self, claim: int, seat: Seat | None) -> None:
        """Read a claim; what the table claims for a seat out of time says nothing."""
        if self._likely is not None and seat is not None:
            row = claim - lowest_after(self._claims)
            shares = {hand: self._cup.calls(self._claims, self._cup.rung_of(hand))[row] for hand in self._likely}
            whole = lcm(*[share.denominator for share in shares.values()])
            heard = {hand: chance * int(shares[hand] * whole) for hand, chance in self._likely.items()}
            self._likely = heard if any(heard.values()) else None
            self._strayed |= set() if self._likely else {seat}
        self._claims.append(claim)

    def hands(self, cup: CupId, seat: Seat | None) -> Mapping[tuple[Face, ...], int]:
        """Return how likely each hand of the cup is to a seat that may not look at it, or to everybody."""
        return super().hands(cup, seat) if self._likely is None else self._likely

    def chance(self, said: Said, seat: Seat | None, views: Viewpoints) -> Estimate:
        """Return the chance of a claim as the public or a seat reads it."""
        if self._likely is None or seat in said.state.places[PASSED_CUP].knowers:
            return super().chance(said, seat, views)
        assert isinstance(said.claim, Hand)
        return Estimate(self.truth_of(self._cup.throw.ladder.rungs[said.claim], seat))

    def truth_of(self, claim: int, seat: Seat | None) -> Fraction:
        """Return how likely dice make a claim to who may not look at them."""
        likely = self.hands(PASSED_CUP, seat)
        true = [chance for hand, chance in likely.items() if self._cup.rung_of(hand) >= claim]
        return Fraction(sum(true), sum([*likely.values()]))


Reading = CountReading | HandReading


def reading_of(
    rules: Rules,
    params: LevelParams,
    doubts: Mapping[Seat, Fraction],
    draws: Draws,
    table: SolvedTable | BlindCup | None = None,
) -> Reading:
    """Return what reads a round of a game.

    Args:
        rules: The game.
        params: The level that everybody is read by.
        doubts: How much each seat is doubted.
        draws: Where hands are drawn, by what.
        table: The table by which seats are read without a doubt, as long as they keep to it.
    """
    if isinstance(table, BlindCup):
        return CupReading(params, doubts, table)
    return CountReading(params, doubts, draws, table) if is_read_by_face(rules) else HandReading(params, doubts)


def told_reading(reading: Reading, said: Said, views: Viewpoints) -> ToldChance:
    """Return the chance of a claim by what has been read so far, for the public and each seat still in."""
    seats: dict[Seat, Printed] = {}
    for seat in said.state.remaining:
        known = views.of(seat, said.cups)
        seats[seat] = "not_shown" if known is None else reading.chance(said, seat, views).figure
    return ToldChance(reading.chance(said, None, views).figure, seats)


def is_drawn(hands: Hands) -> bool:
    """Report whether these are some hands, drawn, of more than there could be gone through."""
    return not hands.lasts


def _half_width(chance: Fraction, drawn: list[Belief]) -> Fraction | None:
    """Return half the 95 % interval of a chance by hands that were drawn; None where none were.

    As many draws of equal weight would be as sure as these are: the square of the sum of weights over the sum of their
    squares.
    """
    if not drawn:
        return None
    parts = [
        Fraction(sum([c * c * ROOT // ways for c, ways in zip(each.chances, each.hands.ways, strict=True)]), ROOT)
        / sum(each.chances) ** 2
        for each in drawn
    ]
    squared = SURE * chance * (1 - chance) * sum(parts, Fraction(0))
    return Fraction(isqrt(squared.numerator * ROOT * ROOT // squared.denominator) + 1, ROOT)
