"""Moves of level 2 where claims name hands: calls, what is said to one, and dice that are handled before it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from domain import commands, events
from domain.rules.ladders import Hand
from domain.strategy.hands import Hands, all_hands
from domain.strategy.level_one.arrangements import Arranger
from domain.strategy.level_one.arranging import worth_of_result
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_one.hands import own_faces, rung_made, shown_of, throw_after
from domain.strategy.level_two.handlings import Handlings, prospects_of
from domain.strategy.level_two.outlook import Outlook
from domain.strategy.reading.beliefs import ONE
from domain.strategy.reading.cups import may_be_shown
from domain.table.evolve import evolve
from domain.table.handling import forces_verdict
from domain.table.interlude import is_throwing_openly
from domain.table.moves import moves_of
from domain.table.offers import AcceptMove, ArrangeMove, CallMove, ChallengeMove
from domain.table.state import PASSED_CUP, State

LOOKED_AT_MAX: Final = 4_000
"""How many throws are gone through for all that is weighed in one turn; beyond, only the lowest call matters."""
ASKED_MAX: Final = 300
"""The same where whoever answers holds dice of its own, and each call is asked of all its hands."""


def challenge(outlook: Outlook, _move: ChallengeMove) -> Iterator[Worth]:
    """Yield doubting the standing hand: worth the chance that it is false."""
    yield commands.Challenge(outlook.sight.seat), 1 - truth_of_standing(outlook)


def truth_of_standing(outlook: Outlook) -> Fraction:
    """Return the chance that the standing hand is there, by reading, and 1 or 0 where the seat knows."""
    sight = outlook.sight
    state, claimant, standing = sight.state, sight.state.round.claimant, sight.state.round.standing
    assert isinstance(standing, Hand)
    assert claimant is not None
    place = state.place_of(claimant)
    assert place is not None
    throw, shown = throw_after(state, None), shown_of(state, claimant)
    hands, chances = _believed(outlook, place.cup)
    rung = throw.ladder.rungs[standing]
    good = [
        chance for hand, chance in zip(hands.hands, chances, strict=True) if rung_made(throw, (*hand, *shown)) >= rung
    ]
    return Fraction(sum(good), sum(chances))


def _believed(outlook: Outlook, cup: int) -> tuple[Hands, tuple[int, ...]]:
    """Return the hands a cup may hold, with their chances; the one that is known alone."""
    known = outlook.sight.dice.get(cup)
    if known is not None:
        return Hands((tuple(sorted(known)),), (1,)), (ONE,)
    belief = outlook.beliefs.beliefs[cup]
    return belief.hands, belief.chances


def call(outlook: Outlook, _move: CallMove) -> Iterator[Worth]:
    """Yield the calls that level 1 thinks of, with the answer to each in mind."""
    sight = outlook.sight
    prospects = prospects_of(outlook, sight.state)
    dice, shown = own_faces(sight), shown_of(sight.state, sight.seat)
    for rung in prospects.rungs(dice):
        hand = sight.state.ladder.hands[rung]
        yield commands.ClaimHand(sight.seat, hand.shape, hand.faces), Fraction(prospects.worth(rung, dice, shown), ONE)


# ---- believing ----------------------------------------------------------------------------------


def accept(outlook: Outlook, move: AcceptMove) -> Iterator[Worth]:
    """Yield believing the standing hand: worth the best that may follow, the mean over what the cup may hold."""
    seat = outlook.sight.seat
    after = evolve(outlook.sight.state, events.Accepted(seat))
    yield commands.Accept(seat), _after_a_look(outlook, after) if move.looks else _after_a_roll(outlook, after)


def _after_a_roll(outlook: Outlook, after: State) -> Fraction:
    prospects = prospects_of(outlook, after, alone=True)
    tokens = after.rules.tokens
    throws = all_hands(tokens.dice, tokens.faces)
    worths = [prospects.best(hand, ()) * ways for hand, ways in zip(throws.hands, throws.ways, strict=True)]
    return Fraction(sum(worths), sum(throws.ways) * ONE)


def _after_a_look(outlook: Outlook, after: State) -> Fraction:
    seat, place = outlook.sight.seat, after.places[PASSED_CUP]
    hands, chances = outlook.some(*_believed(outlook, place.cup))
    shown, handles = shown_of(after, seat), any(isinstance(move, ArrangeMove) for move in moves_of(after, seat))
    handlings, budget, worth = Handlings(outlook, after), LOOKED_AT_MAX // len(hands.hands), 0
    for hand, chance in zip(hands.hands, chances, strict=True):
        best = handlings.stays.best(tuple(sorted((*hand, *shown))), shown)
        if handles:
            best = max([best, *handlings.worths(hand, budget)])
        worth += best * chance
    return Fraction(worth, sum(chances) * ONE)


# ---- dice that are handled ----------------------------------------------------------------------


def arrange(outlook: Outlook, _move: ArrangeMove) -> Iterator[Worth]:
    """Yield every lawful way to handle the dice: worth the best call after it, the mean over what is thrown."""
    sight = outlook.sight
    state, arranger = sight.state, Arranger(sight.state, sight.seat)
    known = sight.dice.get(arranger.place.cup, ())
    if len(known) < len(arranger.place.inside):
        return
    handlings = Handlings(outlook, state)
    forced = forces_verdict(state, state.round.handled.get(sight.seat, 0) + 1)
    # In cups of their own, each set of open dice asks anew for all hands of whoever answers.
    budget = LOOKED_AT_MAX if arranger.place.cup != sight.seat else 0 if may_be_shown(state.rules) else ASKED_MAX
    for made in arranger.arrangements(known):
        result = made.result
        budget -= handlings.throws(result.roll_inside, result.roll_outside)
        if is_throwing_openly(state):
            worth = worth_of_result(sight, result, outlook.beliefs.params)
        elif forced and result.roll_inside + result.roll_outside:
            worth = 1 - truth_of_standing(outlook)
        else:
            known_after = tuple(sorted(result.inside + result.outside))
            exact = handlings.worth((known_after, result.outside), result.roll_inside, result.roll_outside, budget)
            worth = Fraction(exact, ONE)
        yield made.command, worth
