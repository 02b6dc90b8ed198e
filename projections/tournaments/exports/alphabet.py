"""Alphabets: names in the order in which people look them up, in their language.

Letters count first, without their accents, as DIN 5007-1 has it (Ä with A, ß as ss) and dictionaries of English do;
among names of the same letters accents count. In Spanish Ñ is a letter of its own behind N. Signs that are no letters,
such as quotes around a name, are passed over.

Source: Unicode Technical Standard 10, whose levels these are; Ortografía de la lengua española (2010), on Ñ.
"""

from __future__ import annotations

import unicodedata
from typing import Final

Key = tuple[str, str]
_LETTERS: Final = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that Unicode takes apart into no other."""
_BEHIND: Final = "\U0010ffff"
"""Stands behind every letter that may follow."""


def alphabet_key(name: str, language: str = "en") -> Key:
    """Return what to sort a name by, in a language by its tag (`de`, `en`, `es`)."""
    plain = unicodedata.normalize("NFC", name).casefold()
    kept = plain.replace("ñ", f"n{_BEHIND}") if language == "es" else plain
    apart = unicodedata.normalize("NFKD", kept).translate(_LETTERS)
    letters = "".join(sign for sign in apart if sign == _BEHIND or sign.isalnum() or sign.isspace())
    return " ".join(letters.split()), plain


def folded(text: str) -> str:
    """Return a text as people search for it: capitals and accents do not matter."""
    # Signs of mathematics are taken apart into capitals, which are folded in turn.
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text.casefold()).casefold()).translate(_LETTERS)
    return "".join(sign for sign in apart if not unicodedata.combining(sign))
