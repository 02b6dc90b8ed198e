"""A duel: a round of two seats in which claims are counts, and nothing is done but to bid and to doubt.

The opener bids; then each in turn raises or challenges; the claimant wins if the claim holds. Its public tree is small
enough to be solved. What is legal, and which claims hold, is asked of the rules.

A claim is written as one number, (quantity - 1) x faces + place of the face; 255 is the challenge.
Source: OpenSpiel's liar's dice, for the tree; `domain.rules.claims`, for its laws.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec import Struct

from domain.rules.claims import Auction, holds, legal_claims
from domain.rules.orders import Count
from domain.rules.rules import Counting, Faces
from domain.strategy.hands import Hands, all_hands
from domain.table.state import is_wild

CHALLENGE: Final = 255
"""The number of the challenge."""
CLAIMS_MAX: Final = CHALLENGE
"""How many claims have a number of their own."""


class Duel(Struct, frozen=True):
    """A round of two seats.

    Attributes:
        dice: How many dice the opener has, and the other one.
        faces: What a die shows.
        counting: The claims.
    """

    dice: tuple[int, int]
    faces: Faces
    counting: Counting

    @property
    def tokens(self) -> int:
        """The dice of both."""
        return sum(self.dice)

    @property
    def name(self) -> str:
        """What the policy of it is called: `1v1-d6-quantity_first-always-no`."""
        claims = self.counting
        parts = ["v".join(map(str, self.dice)), f"d{self.faces.count}", claims.order, claims.wild, claims.aces]
        natural, ranked = ["natural"] * claims.natural, [claims.rank] * (claims.rank != "natural")
        return "-".join(parts + natural + ranked)

    def auction(self, *, wild: bool = False) -> Auction:
        """Return the bidding, ones being wild or not."""
        return Auction(self.counting, self.tokens, self.faces, wild)

    def number(self, claim: Count) -> int:
        """Return the number of a claim."""
        return (claim.quantity - 1) * self.faces.count + claim.face - self.faces.first

    def claim(self, number: int) -> Count:
        """Return the claim of a number."""
        quantity, place = divmod(number, self.faces.count)
        return Count(quantity + 1, self.faces.first + place)

    def replies(self, made: bytes) -> bytes:
        """Return the numbers of what may be done after these claims, ascending."""
        return _replies(self, made[-1] if made else None)

    def is_wild(self, made: bytes) -> bool:
        """Report whether ones are wild after these claims, one or more."""
        return is_wild(self.counting, self.claim(made[0]))

    def hands(self, place: int) -> Hands:
        """Return what the opener (0) or the other one (1) may hold."""
        return all_hands(self.dice[place], self.faces)

    def verdicts(self, made: bytes) -> tuple[tuple[int, ...], ...]:
        """Return for each hand of the opener, and of the other one, 1 if the claim holds or else -1."""
        return _verdicts(self, made[-1], wild=self.is_wild(made))


@lru_cache(maxsize=4_096)
def _replies(duel: Duel, standing: int | None) -> bytes:
    legal = legal_claims(duel.auction(), None if standing is None else duel.claim(standing))
    raises = bytes(sorted(duel.number(claim) for claim in legal))
    return raises if standing is None else raises + bytes([CHALLENGE])


@lru_cache(maxsize=1_024)
def _verdicts(duel: Duel, number: int, *, wild: bool) -> tuple[tuple[int, ...], ...]:
    auction, claim = duel.auction(wild=wild), duel.claim(number)
    return tuple(
        tuple(1 if holds(auction, claim, own + other) else -1 for other in duel.hands(1).hands)
        for own in duel.hands(0).hands
    )
