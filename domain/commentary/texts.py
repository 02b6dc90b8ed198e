"""The law of comments: what people may write about a match, and how the language of it is named.

A comment is for others to read, so it is normalised, and nothing is in it that cannot be seen or that turns round what
stands beside it: text that is shown in another order than it has can say one thing and mean another.

Source: Unicode Standard Annex 15 (NFC); Annex 9, section 2, for the characters that order text both ways (property
Bidi_Control); RFC 5646, section 2.1, for tags of languages.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

from domain.errors import Refused

CHARACTERS_MAX: Final = 1_000
LANG_MAX: Final = 35
"""The longest tag that software has to take (RFC 5646, section 4.4.1)."""
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order in which text is shown."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""What Persian, the scripts of India and pictures of several people cannot be written without."""
_NO_CHARACTERS: Final = 0xFFFE
"""The last two places of every plane are no characters, nor is U+FDD0 to U+FDEF (Unicode Standard, section 23.7)."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffc")
"""Characters that Unicode calls visible and that show nothing."""
_TAG: Final = re.compile(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?"
    r"|x(?:-[a-z0-9]{1,8})+",
    re.IGNORECASE | re.ASCII,
)


def comment_text(text: str) -> str:
    """Return a comment in its normal form, from 1 to `CHARACTERS_MAX` characters.

    Raises:
        Refused: `bad_comment`, with the field `text` and why.
    """
    normal = unicodedata.normalize("NFC", text)
    if not 1 <= len(normal) <= CHARACTERS_MAX:
        why = f"a comment has from 1 to {CHARACTERS_MAX} characters"
        raise Refused("bad_comment", field="text", why=why, characters=len(normal), most=CHARACTERS_MAX)
    odd = sorted({f"U+{ord(one):04X}" for one in normal if not _may_stand(one)})
    if odd:
        why = "nothing is in a comment that cannot be seen or that changes the order of what is, but new lines"
        raise Refused("bad_comment", field="text", why=why, odd=odd[:10])
    if not any(unicodedata.category(one)[0] in "LNPS" and one not in _BLANK for one in normal):
        raise Refused("bad_comment", field="text", why="nothing of this comment can be seen")
    return normal


def comment_lang(tag: str) -> str:
    """Return the tag of a language as it came, if it has the form of one.

    Raises:
        Refused: `bad_comment`, with the field `lang` and why.
    """
    if len(tag) > LANG_MAX or _TAG.fullmatch(tag) is None:
        why = "a language is named by a tag of BCP 47, such as en or de-AT"
        raise Refused("bad_comment", field="lang", why=why)
    return tag


def text_hash(salt: bytes, text: str) -> str:
    """Return what a line says of words: the hash of 16 random bytes and of the words behind them, as hex."""
    return hashlib.sha256(salt + text.encode()).hexdigest()


def _may_stand(character: str) -> bool:
    if character == "\n" or character in _JOINERS:
        return True
    if character in _BIDI or ord(character) & _NO_CHARACTERS == _NO_CHARACTERS or "\ufdd0" <= character <= "\ufdef":
        return False
    return unicodedata.category(character) not in _UNSEEN
