"""Odds: how likely a claim is, as exact fractions.

Every chance is a `Fraction`, so that a published table can be compared digit by digit; `decimal` is for who prints.
Nothing reads hidden dice: a question is asked from what one viewer sees, and the rest is unknown. What nobody can ask,
of fewer than no dice or of a face no die has, raises `ValueError` with a sentence.

Source: the strategy part of the liar's dice article (chances of counts, expected quantity); the Wizard of Odds on
liar's poker (digits, patterns, raising); the bar games page (n of a kind, two dice). Ladders: `domain.rules.ladders`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, combinations_with_replacement
from math import comb, factorial, floor, perm, prod
from typing import Final

from msgspec import Struct

from domain.ids import Face, Quantity
from domain.rules.ladders import SPECIALS, Hand, Ladder, ladder_of
from domain.rules.orders import Count
from domain.rules.rules import DIGITS, PIPS, POKER, Faces, Rungs


def _require(condition: bool, sentence: str) -> None:  # noqa: FBT001  a condition is what it takes
    if not condition:
        raise ValueError(sentence)


def _require_known(shown: Iterable[int], faces: Faces) -> None:
    last = faces.first + faces.count - 1
    for face in shown:
        _require(faces.first <= face <= last, f"no token here shows {face}: its faces go from {faces.first} to {last}")


def chance_of(face: Face, faces: Faces = PIPS, *, wild: bool = False) -> Fraction:
    """Return the chance that a token counts for a face; the first, if wild, counts for all, alone for itself."""
    _require_known((face,), faces)
    return Fraction(2 if wild and face != faces.first else 1, faces.count)


@lru_cache(maxsize=128)
def chances_of_exactly(tokens: int, chance: Fraction) -> tuple[Fraction, ...]:
    """Return the chance that exactly 0, 1, ... all unknown tokens count, at p each: C(n,q) p^q (1-p)^(n-q)."""
    _require(tokens >= 0, f"the number of unknown tokens is 0 or more, not {tokens}")
    _require(0 <= chance <= 1, f"a chance lies between 0 and 1, not at {chance}")
    hits, misses = chance.numerator, chance.denominator - chance.numerator
    ways = (comb(tokens, q) * hits**q * misses ** (tokens - q) for q in range(tokens + 1))
    return tuple(Fraction(each, chance.denominator**tokens) for each in ways)


@lru_cache(maxsize=128)
def chances_of_at_least(tokens: int, chance: Fraction) -> tuple[Fraction, ...]:
    """Return the chance that at least 0, 1, ... all unknown tokens count; arguments as of `chances_of_exactly`."""
    return tuple(accumulate(reversed(chances_of_exactly(tokens, chance))))[::-1]


def chance_of_exactly(tokens: int, quantity: Quantity, chance: Fraction) -> Fraction:
    """Return the chance that exactly this many count: 0 outside 0 to `tokens`, where what is seen settles a claim."""
    each = chances_of_exactly(tokens, chance)
    return each[quantity] if 0 <= quantity <= tokens else Fraction(0)


def chance_of_at_least(tokens: int, quantity: Quantity, chance: Fraction) -> Fraction:
    """Return the chance that at least this many count: 1 for none or fewer, 0 for more than there are."""
    each = chances_of_at_least(tokens, chance)
    return each[max(quantity, 0)] if quantity <= tokens else Fraction(0)


def chance_of_natural(tokens: int, quantity: Quantity, natural: Fraction, ace: Fraction) -> Fraction:
    """Return the chance that at least this many naturals and aces lie there, and a natural among them.

    `natural` and `ace` are the chances that a token shows the face itself, or the wild one; none of the known ones is a
    natural. Source: the bar games page, liars and stud liars, where a claim does not hold by ones alone.
    """
    plain = 1 - natural - ace
    aces_only = (comb(tokens, q) * ace**q * plain ** (tokens - q) for q in range(max(quantity, 0), tokens + 1))
    return chance_of_at_least(tokens, quantity, natural + ace) - sum(aces_only)


def expected_quantity(tokens: int, chance: Fraction) -> int:
    """Return n p, rounded down; the article rounds before it doubles for wild ones, against its own example."""
    return floor(expected_at_most(tokens, tokens, chance))


def likeliest_quantities(tokens: int, chance: Fraction) -> dict[int, Fraction]:
    """Return the likeliest exact count with its chance; two, ascending, where they tie."""
    each = chances_of_exactly(tokens, chance)
    most = max(each)
    return {q: part for q, part in enumerate(each) if part == most}


def expected_at_most(tokens: int, most: int, chance: Fraction) -> Fraction:
    """Return how many count on average among tokens of which at most `most` are known to count."""
    each = chances_of_exactly(tokens, chance)[: max(most + 1, 0)]
    _require(any(each), f"it cannot be that at most {most} of {tokens} count, at a chance of {chance}")
    return sum((q * part for q, part in enumerate(each)), Fraction(0)) / sum(each)


def odds_against(chance: Fraction) -> Fraction:
    """Return x of the odds "x to 1 against"."""
    _require(0 < chance <= 1, f"odds are against a chance above 0 and up to 1, not {chance}")
    return 1 / chance - 1


def chance_of_bid(
    bid: Count, seen: Sequence[int], unseen: int, *, wild: bool, natural: bool = False, faces: Faces = PIPS
) -> Fraction:
    """Return the chance that a bid holds.

    Args:
        bid: The claim about all tokens in play.
        seen: The faces the viewer sees: his own, and what lies open.
        unseen: How many tokens he does not see.
        wild: Whether the first face counts for every other one now.
        natural: Whether one token at least has to show the face itself.
        faces: What the tokens show.
    """
    need = _shortfall(bid, seen, unseen, faces, wild=wild)
    chance, alone = chance_of(bid.face, faces, wild=wild), chance_of(bid.face, faces)
    if natural and bid.face not in seen:
        return chance_of_natural(unseen, need, alone, chance - alone)
    return chance_of_at_least(unseen, need, chance)


def chance_of_exact_bid(bid: Count, seen: Sequence[int], unseen: int, *, wild: bool, faces: Faces = PIPS) -> Fraction:
    """Return the chance that a bid is exactly right; the arguments are those of `chance_of_bid`."""
    need = _shortfall(bid, seen, unseen, faces, wild=wild)
    return chance_of_exactly(unseen, need, chance_of(bid.face, faces, wild=wild))


def _shortfall(bid: Count, seen: Sequence[int], unseen: int, faces: Faces, *, wild: bool) -> int:
    """Return how many of the unseen tokens have to count; none or fewer when enough are seen."""
    _require_known((bid.face, *seen), faces)
    most = len(seen) + unseen
    _require(1 <= bid.quantity <= most, f"of {most} tokens in play nobody can claim {bid.quantity}")
    helping = {bid.face, faces.first} if wild else {bid.face}
    return bid.quantity - sum(face in helping for face in seen)


def drinks_of_first_out(players: int, dice: int) -> int:
    """Return the most drinks of the first seat out: its own dice, and each die the others lose until one is left."""
    _require(players > 1 and dice > 0, "somebody goes out of two players or more, with a die or more each")
    return players * dice - 1


def decimal(value: Fraction, places: int) -> str:
    """Write a number of 0 or more with this many decimal places, 1 or more, rounded half to even."""
    whole, part = divmod(round(value * 10**places), 10**places)
    return f"{whole}.{part:0{places}d}"


# ---- serial numbers -----------------------------------------------------------------------------

SERIAL: Final = 8
"""Digits of a serial number."""
DIGIT: Final = chance_of(0, DIGITS)
Pattern = tuple[int, ...]
"""How often each different digit stands there, most first: 66847680 is (3, 2, 1, 1, 1)."""


def pattern_of(serial: str) -> Pattern:
    """Return the pattern of a number written in digits."""
    _require(serial.isascii() and serial.isdigit(), "a serial number is written in the digits 0 to 9")
    return tuple(sorted(Counter(serial).values(), reverse=True))


def pattern_chance(pattern: Pattern, faces: int = DIGITS.count) -> Fraction:
    """Return the chance of a pattern: the ways to give faces to its groups, times the orders these can stand in."""
    _require(min(pattern, default=0) > 0 and faces > 0, "a pattern has groups of a token or more, tokens have a face")
    given = perm(faces, len(pattern)) // prod(factorial(alike) for alike in Counter(pattern).values())
    return Fraction(given * _orders(pattern), faces ** sum(pattern))


def patterns(length: int = SERIAL, faces: int = DIGITS.count) -> dict[Pattern, Fraction]:
    """Return the chance of every pattern, one a partition of the length, in falling lexicographic order."""
    _require(length > 0, f"a pattern is one of a token or more, not of {length}")
    return {pattern: pattern_chance(pattern, faces) for pattern in _partitions(length, length)}


def greatest_frequency(most: int, length: int = SERIAL, faces: int = DIGITS.count) -> Fraction:
    """Return the chance that what stands there most often stands there `most` times, 1 to `length`."""
    _require(1 <= most <= length, f"the most frequent of {length} tokens is there 1 to {length} times, not {most}")
    return sum((chance for pattern, chance in patterns(length, faces).items() if pattern[0] == most), Fraction(0))


def raise_threshold(players: int, multiplier: int = 1) -> Fraction:
    """Return how likely a raise must hold to be no worse than a challenge, if all are sure to challenge it.

    A challenge loses 1 for certain. A raise wins `multiplier` from each of the others with chance x, or else loses 1 to
    each: x >= (n-2) / ((n-1)(multiplier+1)). Source: the Wizard of Odds, for a multiplier of 1.
    """
    _require(players > 1 and multiplier > 0, "a raise needs two players or more, and wins 1 or more from each")
    return Fraction(players - 2, (players - 1) * (multiplier + 1))


def winners_curse(doubters: int, raisers: int = 0) -> Fraction:
    """Return how many of a digit others hold on average: doubters one at most each, raisers whatever chance gave."""
    _require(min(doubters, raisers) >= 0, "there are 0 or more players of either kind")
    return doubters * expected_at_most(SERIAL, 1, DIGIT) + raisers * SERIAL * DIGIT


def _orders(groups: Collection[int]) -> int:
    """Count the orders in which tokens can lie that are alike within each group."""
    return factorial(sum(groups)) // prod(factorial(size) for size in groups)


def _partitions(length: int, largest: int) -> Iterator[Pattern]:
    if length == 0:
        yield ()
    for first in range(min(length, largest), 0, -1):
        yield from ((first, *rest) for rest in _partitions(length - first, first))


# ---- hands --------------------------------------------------------------------------------------


class Throw(Struct, frozen=True):
    """Dice thrown together, and the ladder they are measured on; see `domain.rules.ladders.ladder_of`."""

    rungs: Rungs
    dice: int
    faces: Faces = PIPS
    wild: bool = False

    @property
    def ladder(self) -> Ladder:
        """The hands that can be claimed."""
        return ladder_of(self.rungs, self.dice, self.faces, wild=self.wild)


THROWS: Final[dict[str, Throw]] = {
    "hoyle": Throw(Rungs("hoyle"), 5),
    "hoyle_ace_high": Throw(Rungs("hoyle", ace_high=True), 5),
    "finska": Throw(Rungs("finska"), 5, POKER),
    "german": Throw(Rungs("german"), 5, POKER),
    "german_spotted": Throw(Rungs("german", ace_high=True), 5),
    "stanford": Throw(Rungs("stanford", shorthand=True), 6),
    "kinds": Throw(Rungs("kinds"), 5),
    "kinds_wild": Throw(Rungs("kinds"), 5, wild=True),
    "six_six_six": Throw(Rungs("digits"), 3),
    "two_dice_doubles_high": Throw(Rungs("doubles_high"), 2),
    "two_dice_numeric": Throw(Rungs("digits"), 2),
    "mexican": Throw(Rungs("mexican", specials=("social", "reverse")), 2),
    "mexican_impose": Throw(Rungs("mexican", specials=("social", "reverse", "impose")), 2),
}
"""Every ladder of the house."""


def throws_of_hands(throw: Throw, kept: Sequence[int] = ()) -> tuple[int, ...]:
    """Count the throws for which each hand is the highest the dice make, by rung, as `chances_of_hands`."""
    _require_known(kept, throw.faces)
    _require(len(kept) <= throw.dice, f"of {throw.dice} dice nobody can keep {len(kept)}")
    ways = _count_by_rung(throw, tuple(sorted(face - throw.faces.first for face in kept)))
    return tuple([ways.get(rung, 0) for rung in range(len(throw.ladder.hands))])


def chances_of_hands(throw: Throw, kept: Sequence[int] = ()) -> dict[Hand, Fraction]:
    """Return the chance that each hand is the highest the dice make, lowest first.

    `kept` are the faces of dice that are known; the others are unknown or thrown again. Cost: the sets of faces these
    can show, 462 for six dice; remembered.
    """
    throws = throws_of_hands(throw, kept)
    every = throw.faces.count ** (throw.dice - len(kept))
    return {hand: Fraction(count, every) for hand, count in zip(throw.ladder.hands, throws, strict=True)}


def chances_of_hands_or_higher(throw: Throw, kept: Sequence[int] = ()) -> dict[Hand, Fraction]:
    """Return the chance that the dice make each hand or a higher one, lowest first, as `chances_of_hands`."""
    each = chances_of_hands(throw, kept)
    return dict(zip(each, tuple(accumulate(reversed(each.values())))[::-1], strict=True))


def chance_of_hand_or_higher(throw: Throw, hand: Hand, kept: Sequence[int] = ()) -> Fraction:
    """Return the chance that the dice make this hand or a higher one; the hand is named as in a claim."""
    rung = throw.ladder.rung_of(hand)
    if rung is None:
        raise ValueError(f"nobody can claim {label(hand)} here")
    return chances_of_hands_or_higher(throw, kept)[throw.ladder.hands[rung]]


def label(key: object) -> str:
    """Return how a table of chances names what one is of."""
    if isinstance(key, Hand):
        return f"{key.shape} {'-'.join(map(str, key.faces))}".rstrip()
    return "+".join(map(str, key)) if isinstance(key, tuple) else str(key)


def shapes(throw: Throw, kept: Sequence[int] = ()) -> dict[str, Fraction]:
    """Return the chance of each shape (of kinds: the best n of a kind), and of `nothing` if it can be."""
    each = chances_of_hands(throw, kept)
    nothing = 1 - sum(each.values(), Fraction(0))
    found = {"nothing": nothing} if nothing else {}
    for hand, chance in each.items():
        found[hand.shape] = found.get(hand.shape, Fraction(0)) + chance
    return found


def specials() -> dict[str, Fraction]:
    """Return the chance of each throw of Mexican that has a name; all are of two different dice."""
    return {name: Fraction(_orders((1, 1)), PIPS.count**2) for name in (*SPECIALS.values(), "mexican")}


@lru_cache(maxsize=256)
def _count_by_rung(throw: Throw, kept: tuple[int, ...]) -> dict[int, int]:
    """Count by rung the throws of the free dice that reach it and no higher; `kept` are values."""
    ways: Counter[int] = Counter()
    for free in combinations_with_replacement(range(throw.faces.count), throw.dice - len(kept)):
        ways[throw.ladder.measure((*kept, *free))] += _orders(Counter(free).values())
    return dict(ways)
