"""Ladders drawn: which claims beat which, with the dice they name, asked of the engine itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, groupby
from typing import Any, Final

from msgspec import Struct

from domain.rules.claims import Auction, count_of, lowest_claims
from domain.rules.ladders import OF_A_KIND, Hand, Ladder, ladder_of
from domain.rules.orders import RANKS, Count
from domain.rules.rules import Counting, Faces, Rules, Rungs
from services.words.catalogue import CATALOGUE, count_words, face_words, hand_words, say

SEATS: Final = 4
"""How many play where claims are shown as examples, or as many as the game takes."""
ALL_MAX: Final = 21
"""The throws that are drawn each; of more, the highest and the lowest."""
ENDS: Final = 6


class Drawn(Struct, frozen=True):
    """A claim, or some dice, as a picture.

    Attributes:
        words: What it is for those who do not see it.
        dice: The faces.
        quantity: How often, where it is a count of one face.
    """

    words: str
    dice: tuple[int, ...]
    quantity: int | None = None


class LadderRow(Struct, frozen=True):
    """A line of pictures.

    Attributes:
        title: What it shows; nothing where the pictures say so.
        drawn: The pictures.
        ends: Whether they are the lowest and the highest of many.
    """

    title: str
    drawn: tuple[Drawn, ...]
    ends: bool = False


def rows_of(rules: Rules) -> tuple[LadderRow, ...]:
    """Return what beats what under these rules."""
    if isinstance(rules.claims, Counting):
        return tuple(_of_counts(rules, rules.claims))
    return tuple(_of_hands(rules, rules.claims))


def sample_of(rules: Rules) -> str:
    """Return a claim that may be made first, in words."""
    if isinstance(rules.claims, Counting):
        claim = _sample(rules)
        return count_words(claim.quantity, claim.face)
    hands = _ladder(rules, rules.claims).hands
    hand = hands[len(hands) // 2]
    return hand_words(hand.shape, hand.faces)


# ---- counts -------------------------------------------------------------------------------------


def _sample(rules: Rules) -> Count:
    """Return a claim that is neither low nor high: a sixth of the dice, or a tenth of the digits, and one more."""
    faces, tokens = rules.tokens.faces, rules.tokens.dice * min(SEATS, rules.seats[1])
    return Count(tokens // faces.count + 1, faces.first + faces.count // 2)


def _of_counts(rules: Rules, counting: Counting) -> Iterator[LadderRow]:
    words = CATALOGUE["rulebook"]["ladder"]
    faces, tokens = rules.tokens.faces, rules.tokens.dice * min(SEATS, rules.seats[1])
    sample = _sample(rules)
    if counting.wild != "never":
        counted = Auction(counting, tokens, faces, wild=True)
        every = tuple(face for face in _ranked(faces, counting) if count_of(counted, sample.face, [face]))
        title = say(words["counts"], {"face": face_words(sample.face, many=True)})
        yield LadderRow(title, tuple(Drawn(face_words(face), (face,)) for face in every))
    asked = [sample, *([Count(2, 1)] if counting.aces == "half_double" else [])]
    for standing in asked:
        yield _raises(Auction(counting, tokens, faces, wild=counting.wild != "never"), standing)


def _raises(auction: Auction, standing: Count) -> LadderRow:
    lowest = {claim.face: claim for claim in lowest_claims(auction, standing)}
    ordered = [lowest[face] for face in _ranked(auction.faces, auction.counting) if face in lowest]
    title = say(CATALOGUE["rulebook"]["ladder"]["raises"], {"claim": count_words(standing.quantity, standing.face)})
    return LadderRow(title, tuple(map(_counted, ordered)))


def _ranked(faces: Faces, counting: Counting) -> list[int]:
    return sorted(range(faces.first, faces.first + faces.count), key=RANKS[counting.rank])


def _counted(claim: Count) -> Drawn:
    return Drawn(count_words(claim.quantity, claim.face), (claim.face,), claim.quantity)


# ---- hands --------------------------------------------------------------------------------------


def _ladder(rules: Rules, rungs: Rungs) -> Ladder:
    return ladder_of(rungs, rules.tokens.dice, rules.tokens.faces, wild=rungs.wild != "never")


def _of_hands(rules: Rules, rungs: Rungs) -> Iterator[LadderRow]:
    ladder, faces = _ladder(rules, rungs), rules.tokens.faces
    words: dict[str, Any] = CATALOGUE["rulebook"]["ladder"]
    # Of so many of a kind, dice come to more than is claimed of them.
    of_a_kind = ladder.hands[0].shape == OF_A_KIND[1]
    lying = {} if of_a_kind else _dice_by_rung(ladder, rules.tokens.dice, faces)
    for shape, found in groupby(reversed(ladder.hands), key=lambda hand: hand.shape):
        hands = list(found)
        if shape == "score":
            yield from _scores(hands, words)
            continue
        ends = [hands[-1], hands[0]] if len(hands) > 1 else hands
        dice = [
            hand.faces * OF_A_KIND.index(shape) if of_a_kind else _laid(hand, lying[ladder.rungs[hand]])
            for hand in ends
        ]
        yield LadderRow(words["shapes"][shape], tuple(map(Drawn, map(_words, ends), dice)), ends=len(ends) > 1)


def _scores(hands: Sequence[Hand], words: dict[str, Any]) -> Iterator[LadderRow]:
    """Yield throws read as numbers: all of them, or both ends of what is too many."""
    drawn = [Drawn(_words(hand), hand.faces) for hand in hands]
    if len(drawn) <= ALL_MAX:
        yield LadderRow(words["highest"], tuple(drawn))
        return
    yield LadderRow(words["highest"], tuple(drawn[:ENDS]))
    yield LadderRow(say(words["gap"], {"count": str(len(drawn) - 2 * ENDS)}), tuple(drawn[-ENDS:]))


def _words(hand: Hand) -> str:
    return hand_words(hand.shape, hand.faces)


def _dice_by_rung(ladder: Ladder, dice: int, faces: Faces) -> dict[int, tuple[int, ...]]:
    """Return, for each rung, dice that reach it and no higher one."""
    found: dict[int, tuple[int, ...]] = {}
    for values in combinations_with_replacement(range(faces.count), dice):
        found.setdefault(ladder.measure(values), tuple(faces.first + value for value in values))
    return found


def _laid(hand: Hand, dice: tuple[int, ...]) -> tuple[int, ...]:
    """Return dice in the order in which the hand names them, those that only lie beside it last."""
    often, place = Counter(dice), {face: at for at, face in enumerate(hand.faces)}
    return tuple(sorted(dice, key=lambda face: (-often[face], place.get(face, len(place)), -face)))
