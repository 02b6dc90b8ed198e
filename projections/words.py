"""Claims as people say them: the same words on the page, in the terminal and in a replay."""

from __future__ import annotations

from typing import Final

from domain.ids import Face, Units
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import POKER, Faces

NUMBERS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
COURT: Final = {11: "jack", 12: "queen", 13: "king", 14: "ace"}
SHAPES: Final = {
    "runt": "a runt",
    "single": "one {0}",
    "pair": "a pair of {0s}",
    "two_pair": "two pair, {0s} and {1s}",
    "three_pair": "three pair, {0s}, {1s} and {2s}",
    "three": "three {0s}",
    "straight": "a straight",
    "low_straight": "a low straight",
    "high_straight": "a high straight",
    "full_house": "a full house, {0s} over {1s}",
    "two_triplets": "two triplets, {0s} and {1s}",
    "four": "four {0s}",
    "four_and_pair": "four {0s} and a pair of {1s}",
    "five": "five {0s}",
    "six": "six {0s}",
}
"""How each shape is said: `{0}` is the first face it names, `{0s}` more than one of it."""


def claim_words(claim: Count | Hand, faces: Faces) -> str:
    """Return a claim in words, such as `five threes`, `two pair, kings and tens` or `6-4`."""
    if isinstance(claim, Count):
        quantity = NUMBERS[claim.quantity] if claim.quantity < len(NUMBERS) else str(claim.quantity)
        return f"{quantity} {_many(claim.face, faces) if claim.quantity != 1 else face_word(claim.face, faces)}"
    if claim.shape == "score":
        return "-".join(map(str, claim.faces))
    said = SHAPES[claim.shape]
    for index, face in enumerate(claim.faces):
        said = said.replace(f"{{{index}s}}", _many(face, faces)).replace(f"{{{index}}}", face_word(face, faces))
    kickers = [face_word(face, faces) for face in claim.faces[SHAPES[claim.shape].count("{") :]]
    return f"{said}, with {' '.join(kickers)}" if kickers else said


def face_word(face: Face, faces: Faces) -> str:
    """Return what one face is called."""
    if faces == POKER and face in COURT:
        return COURT[face]
    return ("zero", *NUMBERS[1:])[face] if face < len(NUMBERS) else str(face)


def _many(face: Face, faces: Faces) -> str:
    word = face_word(face, faces)
    return f"{word}es" if word in {"six", "zero"} else f"{word}s"


MARKS: Final = {10: "10", 11: "J", 12: "Q", 13: "K", 14: "A"}


def face_mark(face: Face, faces: Faces) -> str:
    """Return what is printed on a die: `3`, or `K` on a poker die."""
    return MARKS.get(face, str(face)) if faces == POKER else str(face)


UNITS: Final[dict[str, tuple[str, str]]] = {
    "die": ("die", "dice"),
    "loss": ("lost hand", "lost hands"),
    "win": ("won round", "won rounds"),
    "glass": ("glass", "glasses"),
    "buy_back": ("buy-back", "buy-backs"),
    "match": ("won match", "won matches"),
}
"""Units whose words are not the name of the unit, and that with an s."""


def amount_words(amount: Units, unit: str) -> str:
    """Return an amount as people say it, such as `2 dice` or `-1 unit`."""
    one, many = UNITS.get(unit, (unit, f"{unit}s"))
    return f"{amount} {one if abs(amount) == 1 else many}"
