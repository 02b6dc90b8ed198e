"""Answers of level 1: how far a standing hand is believed, and what believing it is worth.

Source: section 5.2 of the specification, challenge of a hand and accept.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec.structs import replace

from domain import commands
from domain.rules.claims import minimum_claims
from domain.rules.orders import Count
from domain.rules.rules import Counting
from domain.statistics.odds import chance_of_bid
from domain.strategy.level_one.count_table import chance_of_pass
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_one.hands import (
    believed,
    chance_of_rung,
    own_faces,
    shown_of,
    throw_after,
    tries_of,
    trust,
    trust_of_rung,
)
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import weights_by_step
from domain.table.checks import lowest_rung
from domain.table.offers import AcceptMove, ChallengeMove, CountMove, PassMove


def trust_in_standing(sight: Sight, params: LevelParams) -> Fraction:
    """Return how far a seat believes the standing claim: 1 and 0 where it knows."""
    state = sight.state
    standing, claimant = state.round.standing, state.round.claimant
    assert standing is not None
    assert claimant is not None
    if isinstance(standing, Count):
        return _chance_of_count(sight, standing)
    place = state.place_of(claimant)
    assert place is not None
    throw = throw_after(state, None)
    known = (*sight.dice.get(place.cup, ()), *shown_of(state, claimant))
    return trust_of_rung(throw, throw.ladder.rungs[standing], tuple(sorted(known)), tries_of(state.rules, params))


def worth_of_accepting(sight: Sight, params: LevelParams) -> Fraction:
    """Return what believing is worth to a seat that then looks at the dice, or rolls them blind."""
    state = sight.state
    if state.rules.handling.gate == "look":
        return trust_in_standing(sight, params)
    if isinstance(state.rules.claims, Counting):
        unseen = replace(state, places={cup: replace(place, outside=()) for cup, place in state.places.items()})
        standing = state.round.standing
        least = minimum_claims(state.auction, standing if isinstance(standing, Count) else None)
        chance = max([_chance_of_count(Sight(unseen, sight.seat), claim) for claim in least])
        return worth_of_blind_roll(chance, params)
    throw = throw_after(state, None)
    return worth_of_blind_roll(chance_of_rung(throw, lowest_rung(state), ()), params)


def worth_of_blind_roll(chance: Fraction, params: LevelParams) -> Fraction:
    """Return what a roll is worth that makes the lowest claim which may follow with this chance: else one lies."""
    return chance + (1 - chance) * trust(chance, params.reach) * fraction_of(params.nerve)


def weights_of_answers(made: int, of: int, tries: int, params: LevelParams) -> tuple[int, int]:
    """Return the weights of doubting a hand, and of believing it with a look, in integers.

    Args:
        made: How many throws make it, of the dice that the seat does not know.
        of: Of how many.
        tries: As of `tries_of`.
        params: The constants.
    """
    trusted, every = believed(made, of, tries)
    steps = weights_by_step(params)
    return steps[params.grain * (every - trusted) // every], steps[params.grain * trusted // every]


def _chance_of_count(sight: Sight, claim: Count) -> Fraction:
    state, seen = sight.state, (*sight.shown, *sight.known)
    auction, unseen = state.auction, state.dice_in_play - len(seen)
    natural = auction.counting.natural and auction.wild
    return chance_of_bid(claim, seen, unseen, wild=auction.wild, natural=natural, faces=auction.faces)


def challenge(sight: Sight, move: ChallengeMove, params: LevelParams) -> Iterator[Worth]:
    """Yield doubting the standing hand, or the pass that waits: worth as much as it is not believed."""
    believed = _chance_of_pass(sight) if move.of == "pass" else trust_in_standing(sight, params)
    yield commands.Challenge(sight.seat), 1 - believed


def _chance_of_pass(sight: Sight) -> Fraction:
    state, passer = sight.state, sight.state.round.passer
    assert passer is not None
    hidden = len(state.places[passer].inside)
    return chance_of_pass(shown_of(state, passer), hidden, state.rules.tokens.faces.count)


def accept(sight: Sight, _move: AcceptMove, params: LevelParams) -> Iterator[Worth]:
    """Yield believing the standing claim."""
    yield commands.Accept(sight.seat), worth_of_accepting(sight, params)


def pass_on(sight: Sight, _move: PassMove, _params: LevelParams) -> Iterator[Worth]:
    """Yield saying that one's own dice all differ: worth 1 if they do."""
    own = own_faces(sight)
    yield commands.Pass(sight.seat), Fraction(int(len(set(own)) == len(own)))


def count(sight: Sight, _move: CountMove, params: LevelParams) -> Iterator[Worth]:
    """Yield having one's own hand tested, which all others doubt: worth 1 if it holds."""
    yield commands.AskCount(sight.seat), trust_in_standing(sight, params)
