"""Lookalikes: whether people can tell two names apart.

Each name has a skeleton, in which every character is replaced by the one that stands for all that look like it. Names
of one skeleton are told apart by nobody, whatever characters they are made of.

Source: Unicode Technical Standard 39, section 4; the table beside this file says where it comes from.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from unicodedata import normalize

import regex

_TABLE: Final = Path(__file__).with_name("confusables.tsv")
_NAMES_MAX: Final = 4_096
"""Names whose skeletons are remembered: a new one is held against all others at its table, again and again."""
_UNSEEN: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}")


def alike(one: str, other: str) -> bool:
    """Report whether two names look the same, or would if capitals were small: `Ada`, `ada`, and `\u0410da`."""
    return any(mine == theirs for mine, theirs in zip(looks(one), looks(other), strict=True))


def looks(name: str) -> tuple[str, str]:
    """Return what a name looks like as it is written, and in small letters; after that capitals tell nothing."""
    return skeleton(name).casefold(), skeleton(name.casefold()).casefold()


@lru_cache(_NAMES_MAX)
def skeleton(text: str) -> str:
    """Return what is left of a text when all that looks alike is the same."""
    seen = _UNSEEN.sub("", normalize("NFD", text))
    return normalize("NFD", seen.translate(_prototypes()))


@cache
def _prototypes() -> dict[int, str]:
    """Return the prototype of each character that has one, by code point. Cost: a file of 30 kB, once."""
    lines = _TABLE.read_text(encoding="ascii").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {
        int(source, 16): "".join(chr(int(one, 16)) for one in prototype.split())
        for prototype, sources in rows
        for source in sources.split()
    }
