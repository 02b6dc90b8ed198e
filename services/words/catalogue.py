"""The catalogue of sentences: messages by key, their arguments, and the words of numbers, dice, claims and amounts.

A message is a text with `{arguments}`, or an object that names one argument and has a message for each of its values,
`other` among them for all the rest. Arguments are texts; `no such thing` is `none`.
There are two files for each language, with the same keys in every one: what scripts of pages say as well, which
`services/web/static/words/catalogue.js` reads by the same rules, and a test holds the two against each other; and what
only the server and the terminal say. Which language is read is said once, by whoever knows whom it speaks to:
`with speaking("de"): ...` holds for what runs within, in this task or thread and in no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import resources
from typing import Any, Final

import msgspec

Message = Any
"""A text, or an object of one argument and its cases; each case is a message again."""
Facts = Mapping[str, str]
"""The arguments of a message, by name."""

LANGUAGES: Final = {"en": "English", "de": "Deutsch", "es": "Espa\u00f1ol"}
"""What there is a catalogue in, by its tag (RFC 5646), with its own name; the first where nobody says which."""
DEFAULT: Final = "en"


def sentences_in(language: str) -> dict[str, Any]:
    """Read the catalogue of a language from its files."""
    # What pages load lies where they load it from, as it is; beside this module lies what no script asks for.
    services, name = resources.files("services"), f"{language}.json"
    files = (services.joinpath("web", "static", "words", name), services.joinpath("words", name))
    return {key: text for file in files for key, text in msgspec.json.decode(file.read_bytes()).items()}


_CATALOGUES: Final = {language: sentences_in(language) for language in LANGUAGES}
_SPOKEN: Final = ContextVar("language", default=DEFAULT)


class _Catalogue(Mapping[str, Any]):
    """The catalogue of the language that is spoken where it is read; in English, what that has no words for."""

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - whatever the file has
        said = _CATALOGUES[_SPOKEN.get()]
        return said[key] if key in said else _CATALOGUES[DEFAULT][key]

    def __iter__(self) -> Iterator[str]:
        return iter(_CATALOGUES[DEFAULT])

    def __len__(self) -> int:
        return len(_CATALOGUES[DEFAULT])


CATALOGUE: Final[Mapping[str, Any]] = _Catalogue()
"""What it says depends on who is spoken to, so nothing of it is kept in a constant."""


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak this language to whoever is answered within.

    Args:
        language: One of `LANGUAGES`.
    """
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def spoken() -> str:
    """Return the language that is spoken here."""
    return _SPOKEN.get()


def message(key: str) -> Message:
    """Return the message with this key, such as `pages.lobby.title`; in English, what has no other words yet.

    Raises:
        KeyError: There is none.
    """
    try:
        return _found(_CATALOGUES[_SPOKEN.get()], key)
    except KeyError:
        return _found(_CATALOGUES[DEFAULT], key)


def _found(catalogue: Message, key: str) -> Message:
    for part in key.split("."):
        catalogue = catalogue[part]
    return catalogue


_ARGUMENT: Final = re.compile(r"\{([\w.]+)\}")


def term(text: str) -> str:
    """Return what stands beside a game's value in English, its title or an option's words, in the language spoken."""
    return str(CATALOGUE["terms"].get(text, text))


def say(message: Message, facts: Facts) -> str:
    """Return what a message comes to with these arguments.

    Raises:
        KeyError: The message names an argument that is not given.
    """
    return _ARGUMENT.sub(lambda found: facts[found[1]], chosen(message, facts))


def chosen(message: Message, facts: Facts) -> str:
    """Return the text that a message comes to by its arguments, which still stand in it."""
    while not isinstance(message, str):
        ((name, cases),) = message.items()
        value = facts[name]
        message = cases[value] if value in cases else cases["other"]
    return message


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
