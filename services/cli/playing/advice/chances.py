"""Odds at the table: how likely the standing claim is, and what could be bid over it, for who sees the viewer's dice.

Dice are fair and independent as long as nobody has shown them; nothing that others claim is taken for the truth.
"""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from domain.games import rules_of
from domain.rules.claims import Auction
from domain.rules.orders import Count
from domain.rules.rules import Counting
from domain.statistics.odds import chance_of_bid, chance_of_exact_bid
from domain.strategy.hands import needs_natural
from services.cli.playing.names import Json, TerminalNames
from services.cli.playing.phrases import phrase, typed_words
from services.words.catalogue import count_words


class DiceInView(Struct, frozen=True):
    """What somebody sees of the table: the faces known to them, and how many more tokens there are."""

    faces: tuple[int, ...]
    unknown: int


class Odds:
    """What a player is told of odds: nothing where the table does not allow it, else until it is turned off.

    Attributes:
        allowed: Whether the host of the table lets people be shown how likely claims are.
        shown: Whether they are shown beside what may be done.
    """

    def __init__(self, *, allowed: bool) -> None:
        """Show odds where they are allowed."""
        self.allowed = allowed
        self.shown = allowed

    def lines(self, view: Json) -> list[str]:
        """Return the odds of a view, on a line each."""
        return chance_lines(view) if self.allowed else [phrase("odds", "not here")]

    def turn(self, *, on: bool) -> str:
        """Show them from now on, or no longer, and return what is said of it."""
        self.shown = on and self.allowed
        if not self.allowed:
            return phrase("odds", "not here")
        return phrase("odds", "on" if on else "off", typed=typed_words("odds_off" if on else "odds_on")[0])


def chance_lines(view: Json) -> list[str]:
    """Return the odds of a view, on a line each: of the standing claim, and of the smallest raises."""
    return _told(view) or [phrase("odds", "none")]


def chances_prompt(view: Json) -> list[str]:
    """Return the odds of a view on one line, as they stand beside what may be typed; none where there are none."""
    told = _told(view)
    return [phrase("odds", "beside", odds="; ".join(told))] if told else []


def _told(view: Json) -> list[str]:
    rated = chances(view)
    names = TerminalNames(view)
    lines = []
    standing, auction = _standing(view), auction_of(view)
    if standing is not None and auction is not None and rated:
        seen = _in_view(view)
        claim = count_words(standing.quantity, standing.face)
        chance = chance_words(chance_of(auction, standing, seen))
        lines = [phrase("odds", "standing", claim=claim, name=names.of(view["standing"]["seat"]), chance=chance)]
        lines.append(phrase("odds", "exactly", chance=chance_words(chance_of_exactly(auction, standing, seen))))
    raises = [(claim, chance) for claim, chance in rated.items() if claim != standing]
    return lines + [
        phrase("odds", "raise", claim=count_words(claim.quantity, claim.face), chance=chance_words(chance))
        for claim, chance in raises
    ]


def chances(view: Json) -> dict[Count, Fraction]:
    """Return how likely the standing claim and the smallest raises are; nothing where claims count no dice."""
    raises = [(raised[0], raised[1]) for move in view["moves"] if move["type"] == "bid" for raised in move["minimum"]]
    standing = _standing(view)
    claims = raises if standing is None else [(standing.quantity, standing.face), *raises]
    return {Count(*claim): chance for claim, chance in chances_of(view, claims).items()}


def chances_of(view: Json, claims: list[tuple[int, int]]) -> dict[tuple[int, int], Fraction]:
    """Return how likely these claims of (quantity, face) are; nothing where claims count no dice."""
    auction, seen = auction_of(view), _in_view(view)
    if auction is None or not seen.unknown:
        return {}
    return {claim: chance_of(auction, Count(*claim), seen) for claim in claims}


def auction_of(view: Json) -> Auction | None:
    """Return the bidding of the round of a view; None where claims are no counts."""
    rules = rules_of(view["game"], view["rules"]["options"])
    if not isinstance(rules.claims, Counting):
        return None
    wild, palifico = "plain_ones" not in view["flags"], "palifico" in view["flags"]
    return Auction(rules.claims, view["dice_in_play"], rules.tokens.faces, wild, palifico)


def chance_of(auction: Auction, claim: Count, seen: DiceInView) -> Fraction:
    """Return the chance that a claim holds, for who sees this."""
    natural = needs_natural(auction, claim.face)
    if claim.quantity > len(seen.faces) + seen.unknown:
        return Fraction(0)
    return chance_of_bid(claim, seen.faces, seen.unknown, wild=auction.wild, natural=natural, faces=auction.faces)


def chance_of_exactly(auction: Auction, claim: Count, seen: DiceInView) -> Fraction:
    """Return the chance that exactly so many tokens count for the face."""
    if claim.quantity > len(seen.faces) + seen.unknown:
        return Fraction(0)
    return chance_of_exact_bid(claim, seen.faces, seen.unknown, wild=auction.wild, faces=auction.faces)


def chance_words(chance: Fraction) -> str:
    """Return a chance as people say it, never `0 %` of what may be, nor `100 %` of what may not."""
    percent = round(100 * chance)
    named = {0: "no" if chance == 0 else "low", 100: "yes" if chance == 1 else "high"}
    return phrase("odds", "sure", sure=named.get(percent, "other"), percent=str(percent))


def _standing(view: Json) -> Count | None:
    claim = view["standing"]
    return None if claim is None or claim["quantity"] is None else Count(claim["quantity"], claim["face"])


def _in_view(view: Json) -> DiceInView:
    dice = [die["face"] for seat in view["seats"] for die in seat["dice"]]
    known = tuple(face for face in dice if face is not None)
    return DiceInView(known, len(dice) - len(known))
