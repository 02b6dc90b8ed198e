"""The catalogue of sentences: messages by key, their arguments, and the words of numbers, dice, claims and amounts.

A message is a text with `{arguments}`, or an object that names one argument and has a message for each of its values,
`other` among them for all the rest. Arguments are texts; `no such thing` is `none`.
`services/web/static/words/catalogue.js` reads the same file by the same rules, and a test holds the two against each
other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

import msgspec

Message = Any
"""A text, or an object of one argument and its cases; each case is a message again."""
Facts = Mapping[str, str]
"""The arguments of a message, by name."""

CATALOGUE: Final[dict[str, Any]] = msgspec.json.decode(
    # It lies where pages load it from, as it is.
    resources.files("services").joinpath("web", "static", "words", "en.json").read_bytes()
)

_ARGUMENT: Final = re.compile(r"\{([\w.]+)\}")


def say(message: Message, facts: Facts) -> str:
    """Return what a message comes to with these arguments.

    Raises:
        KeyError: The message names an argument that is not given.
    """
    while not isinstance(message, str):
        ((name, cases),) = message.items()
        value = facts[name]
        message = cases[value] if value in cases else cases["other"]
    return _ARGUMENT.sub(lambda found: facts[found[1]], message)


def sentence(text: str) -> str:
    """Return a text as a sentence: a capital first, a stop last; nothing of nothing."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def join_names(names: Sequence[str]) -> str:
    """Return names in a row, such as `Ann, Bob and Eve`."""
    words = CATALOGUE["list"]
    if not names:
        return str(words["none"])
    *others, last = names
    return say(words["last"], {"first": words["between"].join(others), "last": last}) if others else last


def count_noun(number: int, noun: str) -> str:
    """Return so many of a thing in digits, such as `2 deals`."""
    one, many = CATALOGUE["nouns"][noun]
    return f"{number} {one if number == 1 else many}"


def number_words(number: int) -> str:
    """Return a number as people say it, in digits where it is large."""
    numbers = CATALOGUE["numbers"]
    return str(numbers[number]) if 0 <= number < len(numbers) else str(number)


def face_words(face: int, *, many: bool = False) -> str:
    """Return what one face is called, or several of it; poker dice go on in court behind ten."""
    faces = CATALOGUE["faces"]
    return str(faces[face][many]) if face < len(faces) else str(face)


def amount_words(amount: int, unit: str) -> str:
    """Return an amount, such as `a die` or `two units`."""
    units = CATALOGUE["units"]
    one, many = (say(word, {"unit": unit}) for word in units.get(unit, units["other"]))
    facts = {"amount": str(amount), "amount.words": number_words(amount), "one": one, "many": many}
    return say(CATALOGUE["amount"], facts)


def count_words(quantity: int, face: int) -> str:
    """Return so many dice of a face, such as `five threes`."""
    facts = {
        "quantity": str(quantity),
        "quantity.words": number_words(quantity),
        "face": face_words(face),
        "faces": face_words(face, many=True),
    }
    return say(CATALOGUE["claim"], facts)


def die_words(number: int, face: int) -> str:
    """Return so many dice that lie there, such as `a six` or `two sixes`."""
    facts = {
        "number": str(number),
        "number.words": number_words(number),
        "face": face_words(face),
        "faces": face_words(face, many=True),
    }
    return say(CATALOGUE["dice"], facts)


def hand_words(shape: str, faces: Sequence[int]) -> str:
    """Return a hand, such as `two pair, kings and tens`, `a pair of threes, with six two` or `6-4`."""
    if shape == "score":
        return "\u2011".join(map(str, faces))
    shapes = CATALOGUE["shapes"]
    pattern = str(shapes.get(shape, shape))
    names = {str(at): face_words(face) for at, face in enumerate(faces)}
    many = {f"{at}s": face_words(face, many=True) for at, face in enumerate(faces)}
    hand = say(pattern, names | many)
    kickers = [face_words(face) for face in faces[pattern.count("{") :]]
    return say(CATALOGUE["kickers"], {"hand": hand, "kickers": " ".join(kickers)}) if kickers else hand
