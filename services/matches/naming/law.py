"""The law of names: what a person may be called at a table.

A name is for the others at the table, who have to see it, to tell it from every other, and to read the sentence it
stands in. So it is normalised; what cannot be seen is refused, and so is what climbs out of its line, what mixes
scripts so that one letter passes for another, and what pretends to be a bot of the house.

Source: RFC 8266 (the Nickname profile of PRECIS) for the normal form, but for accents that stand alone; Unicode
Technical Standard 39, sections 5.2 and 5.4, for scripts and marks, with a lower bound on marks. Names that were stored
before there was this law stay as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final

import regex

from domain.errors import Refused
from services.matches.naming.lookalikes import alike, looks
from services.matches.naming.scripts import scripts_that_clash

COLUMNS_MAX: Final = 40
"""The width of a name, as a terminal counts it: what a seat of the page and a line of the terminal have room for.
Letters of the far east take two columns."""
MARKS_MAX: Final = 3
"""Marks on one letter. Vietnamese, Thai and pointed Hebrew need no more, and four reach into the line above."""
BOT_MARK: Final = "(bot)"
"""How a terminal marks the bots of the house behind their names."""

_BLANK: Final = frozenset("\u2800\ufffc\ufffd\U00016fe4\U0001d159")
"""Characters that Unicode calls visible and that show nothing, or that something is missing."""
_UNSEEN: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_EMOJI: Final = regex.compile(r"\p{Emoji}\ufe0f")
"""A character with the selector that asks for its coloured picture: the one place for something unseen."""
_MARKS: Final = frozenset({"Mn", "Me"})
_WIDE: Final = frozenset("WF")


class BadName(Exception):  # noqa: N818 - named for what happened
    """A text that nobody may be called; the message says why.

    Attributes:
        facts: What the message is about, as JSON values.
    """

    def __init__(self, why: str, **facts: object) -> None:
        """Say why, and what of it."""
        super().__init__(why)
        self.facts = facts


def name_of(text: str, bots: Iterable[str]) -> str:
    """Return the name that a text asks for, in its normal form.

    Args:
        text: What was typed, of at most some hundred characters.
        bots: What the bots of the house are called.

    Raises:
        BadName: It is no name for a person.
    """
    name = normal(text)
    for form in (text.strip(), name):
        _check_seen(form)
    _check_length(name)
    _check_marks(name)
    scripts = scripts_that_clash(name)
    if scripts:
        raise BadName(
            f"a name keeps to one script, or to some that are written together; this one mixes {' and '.join(scripts)}",
            scripts=scripts,
        )
    _check_is_no_bot(name, bots)
    return name


def normal(text: str) -> str:
    """Return the normal form of a name: composed, with plain characters for styled ones and single plain spaces."""
    plain = "".join(one if _stands_alone(one) else unicodedata.normalize("NFKC", one) for one in text)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def check_free(name: str, seated: Mapping[int, str]) -> None:
    """Let a person have this name if nobody at the table is called so, or like it.

    Args:
        name: In its normal form.
        seated: The names at the table, by seat.

    Raises:
        Refused: `name_taken`, with the seat that has it.
    """
    for seat, other in seated.items():
        if alike(name, normal(other)):
            raise Refused("name_taken", seat=seat)


def taken_among(names: Iterable[str], seated: Mapping[int, str]) -> Iterator[tuple[int, int | None]]:
    """Yield which of these names somebody is called already, or looks like, with who that is.

    Args:
        names: In their normal form, of people who come at the same time.
        seated: The names of who is there, by seat.

    Yields:
        The place of the name among them, from 0, and the seat; None where it is another of them who has it.
    """
    seen: tuple[dict[str, int | None], dict[str, int | None]] = ({}, {})
    for seat, other in seated.items():
        for known, look in zip(seen, looks(normal(other)), strict=True):
            known.setdefault(look, seat)
    for place, name in enumerate(names):
        mine = looks(name)
        found = [known[look] for known, look in zip(seen, mine, strict=True) if look in known]
        if found:
            yield place, found[0]
        for known, look in zip(seen, mine, strict=True):
            known.setdefault(look, None)


def _stands_alone(character: str) -> bool:
    """Report whether a character is an accent without a letter, which would come apart into a space and a mark."""
    return unicodedata.category(character) != "Zs" and unicodedata.normalize("NFKC", character).startswith(" ")


def _check_seen(text: str) -> None:
    """Check that every character can be seen, and turns nothing round; of spaces any will do."""
    hidden = dict.fromkeys(one for one in _EMOJI.sub("", text) if not _is_seen(one))
    if hidden:
        told = [f"U+{ord(one):04X}" for one in hidden]
        raise BadName(f"a name has nothing in it that cannot be seen: {', '.join(told)}", characters=told)


def _is_seen(character: str) -> bool:
    if unicodedata.category(character) == "Zs":
        return True
    return character.isprintable() and character not in _BLANK and _UNSEEN.fullmatch(character) is None


def _check_length(name: str) -> None:
    if not any(unicodedata.category(one)[0] in "LNS" for one in name):
        raise BadName("a name has at least one letter, digit or symbol")
    columns = sum(map(_columns, name))
    if columns > COLUMNS_MAX:
        raise BadName(
            f"a name is at most {COLUMNS_MAX} columns wide, and this one is {columns}",
            columns=columns,
            most=COLUMNS_MAX,
        )


def _columns(character: str) -> int:
    if unicodedata.category(character) in _MARKS or _UNSEEN.fullmatch(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _check_marks(name: str) -> None:
    """Check that marks stand on letters, a few on each, and none of them twice."""
    letters = regex.findall(r"[\p{Mn}\p{Me}]+|[^\p{Mn}\p{Me}]", name)
    for before, marks in pairwise(["", *letters]):
        if unicodedata.category(marks[0]) not in _MARKS:
            continue
        seen = marks.replace("\ufe0f", "")
        if before in {"", " "} or len(seen) > MARKS_MAX or len(set(seen)) < len(seen):
            raise BadName(
                f"marks stand on a letter, at most {MARKS_MAX} on each and none of them twice", most=MARKS_MAX
            )


def _check_is_no_bot(name: str, bots: Iterable[str]) -> None:
    """Check that nobody takes it for a bot of the house: `Basil`, `basil 2`, and `Ada (bot)`."""
    if alike(name[-len(BOT_MARK) :], BOT_MARK):
        raise BadName(f"{BOT_MARK} behind a name is how the house marks its own bots")
    alone = _letters(name)
    bot = next((bot for bot in bots if alike(alone, bot)), None)
    if bot is not None:
        raise BadName(f"{bot} is what a bot of the house is called", bot=bot)


def _letters(name: str) -> str:
    """Return the letters and marks of a name as people read them, without what stands around them."""
    return "".join(one for one in name if unicodedata.category(one)[0] in "LM")
