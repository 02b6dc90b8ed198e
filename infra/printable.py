r"""Printable text: what a terminal may be shown of words that others wrote.

A terminal obeys what it prints: an escape sequence renames its window, moves the cursor or recolours what follows, a
direction mark turns a line round, a line break begins a line that looks like ours. So whatever leaves for a terminal is
made printable at the very end, once for all: what would be obeyed, and what would not be seen, is spelled out as
Python does it, `\x1b` or `\u202e`.

Source: ECMA-48 section 5 for control functions, UAX 9 for direction marks, UAX 44 for general categories.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_BLANK: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
)
"""Letters, marks and symbols that have no picture. Variation selectors are not among them: emoji are written so."""
_SPELLED: Final = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}
_ODD: Final = re.compile(r"[^ -~]")


def printable(text: str) -> str:
    """Return this text on one line, with nothing in it that a terminal obeys or a person cannot see.

    Spaces of other widths become plain ones. What is printable stays as it is, and so does a backslash: whoever writes
    `x1b` behind one has written five harmless characters.
    """
    return _ODD.sub(lambda odd: _show(odd[0]), text)


def printable_json(document: str) -> str:
    """Return a JSON document that says the same with nothing in it that a terminal obeys or a person cannot see.

    Outside its strings JSON has only characters that can be seen, and spaces; inside them any may be written as an
    escape.

    Args:
        document: A JSON document on one line.
    """
    return _ODD.sub(lambda odd: odd[0] if _is_seen(odd[0]) else _escape(odd[0]), document)


def _show(character: str) -> str:
    if _is_seen(character):
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return _SPELLED.get(character) or ascii(character)[1:-1]


def _is_seen(character: str) -> bool:
    return character.isprintable() and character not in _BLANK


def _escape(character: str) -> str:
    """Return a character as JSON escapes it: above U+FFFF as a pair of surrogates (RFC 8259 section 7)."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
