"""Labels: what a claim was by what its claimant knew, and what became of it.

Comparison is of fractions. There is no threshold but one half and what the public thinks; the first word is never
overwritten, whatever lay under the cups.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal

from domain import commands
from domain.analysis.odds.chances import CountOdds, chance_of_claim, cup_of
from domain.ids import Seat
from domain.rules import claims
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import Counting
from domain.strategy.knowledge import Knowledge
from domain.table.checks import lowest_raise, lowest_rung, refusal
from domain.table.state import Claim, State

Label = Literal["true", "truthful", "semi-bluff", "bluff"]
After = Literal["true", "truthful", "semi-bluff", "bluff", "lucky", "unlucky"]
Outcome = Literal["caught", "passed", "believed", "tested"]
Flag = Literal["blind", "empty", "jump", "modest", "cornered"]
BLUFFS: Final[frozenset[Label]] = frozenset({"bluff", "semi-bluff"})
"""What a claim is called that its claimant did not believe in."""
HALF: Final = Fraction(1, 2)


def label_of(own: Fraction, public: Fraction) -> Label:
    """Return what a claim was, by the chances that its claimant and the public gave it."""
    if own == 1:
        return "true"
    if own >= HALF:
        return "truthful"
    return "semi-bluff" if 0 < own >= public else "bluff"


def label_after(label: Label, *, held: bool) -> After:
    """Return what a claim was, once its dice were seen as they lay when it was made."""
    if label in BLUFFS and held:
        return "lucky"
    return "unlucky" if label == "truthful" and not held else label


def outcome_of(*, held: bool, challenged: bool) -> Outcome:
    """Return what became of a claim."""
    if challenged:
        return "tested" if held else "caught"
    return "believed" if held else "passed"


def is_blind(state: State, claimant: Seat) -> bool:
    """Report whether a claimant has not looked at the dice it handles, some of which lie hidden."""
    place = state.places[cup_of(state, claimant)]
    return bool(place.inside) and claimant not in place.knowers


def is_jump(before: State, claim: Claim) -> bool:
    """Report whether a raise is none of the smallest; an opening raises nothing."""
    standing = before.round.standing
    if isinstance(claim, Count) and isinstance(standing, Count):
        return claim not in claims.minimum_claims(before.auction, standing)
    if isinstance(claim, Hand) and isinstance(standing, Hand):
        return before.ladder.rungs[claim] > lowest_raise(before)
    return False


def is_cornered(before: State, claimant: Seat, knowledge: Knowledge, alike: CountOdds | None = None) -> bool:
    """Report whether nothing a seat could say was likelier right than wrong, by its own dice.

    Every lawful claim was likelier false than true, and a challenge likelier lost than won, where it could challenge.

    Args:
        before: The game before a claim.
        claimant: Who made it.
        knowledge: What it knew of hidden dice.
        alike: The odds of counts behind the claim, where it was one.
    """
    if any(chance >= HALF for chance in _likeliest(before, claimant, knowledge, alike)):
        return False
    standing, other = before.round.standing, before.round.claimant
    if standing is None or other is None or refusal(before, commands.Challenge, claimant) is not None:
        return True
    return 1 - chance_of_claim(before, standing, other, knowledge) < HALF


def _likeliest(before: State, claimant: Seat, knowledge: Knowledge, alike: CountOdds | None) -> Iterator[Fraction]:
    """Yield the chances of the lowest lawful claims: whatever is higher, of any face, is no likelier."""
    standing = before.round.standing
    if isinstance(before.rules.claims, Counting):
        odds = CountOdds(before, alike)
        for claim in claims.lowest_claims(before.auction, standing if isinstance(standing, Count) else None):
            yield odds.chance(claim, knowledge)
    else:
        yield chance_of_claim(before, before.ladder.hands[lowest_rung(before)], claimant, knowledge)
