"""Writing systems: which scripts a text is written in, and whether people write it so.

A word that mixes scripts is how one name is made to look like another: a Cyrillic letter among Latin ones is not seen.
What is let through is the level "highly restrictive": one script, or those that are written together.

Source: Unicode Technical Standard 39, section 5.1 (mixed scripts) and 5.2 (restriction levels); the scripts are those
of UAX 31, tables 5 and 7. Script extensions come from the `regex` library.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import regex

_LIVING: Final = (
    "Latin Cyrillic Greek Armenian Georgian Hebrew Arabic Syriac Thaana Nko Adlam Mandaic Hanifi_Rohingya "
    "Han Hiragana Katakana Hangul Bopomofo Yi Miao Lisu Nyiakeng_Puachue_Hmong Mongolian Tibetan Lepcha Limbu "
    "Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Newa Chakma Meetei_Mayek "
    "Ol_Chiki Saurashtra Syloti_Nagri Wancho Thai Lao Khmer Myanmar Kayah_Li Cham Tai_Le New_Tai_Lue Tai_Tham Tai_Viet "
    "Balinese Batak Javanese Sundanese Ethiopic Bamum Tifinagh Vai Osage Cherokee Canadian_Aboriginal"
)
"""Scripts that people write today; all others count as one, for nobody mixes a living script with a dead one."""
_OTHER: Final = "another script"
_HAS: Final = {script: regex.compile(rf"\p{{scx={script}}}") for script in _LIVING.split()}
_COMMON: Final = regex.compile(r"[\p{scx=Common}\p{scx=Inherited}]")
_TOGETHER: Final = {
    "Han": ("Japanese", "Chinese", "Korean"),
    "Hiragana": ("Japanese",),
    "Katakana": ("Japanese",),
    "Bopomofo": ("Chinese",),
    "Hangul": ("Korean",),
}
"""Which writing systems of several scripts each of these belongs to; all three of them take Latin letters in."""
_SYSTEMS: Final = frozenset({"Japanese", "Chinese", "Korean"})
_CHARACTERS_MAX: Final = 4_096
"""Characters whose scripts are remembered: more than the names of a house have."""


def mixed(text: str) -> tuple[str, ...]:
    """Return the scripts of a text that are not written together, by name; empty where all is well.

    Args:
        text: Normalised. Digits, signs and emoji belong to every script and mix with all.
    """
    told = [scripts for scripts in map(_scripts, text) if scripts]
    if not told or frozenset.intersection(*told):
        return ()
    beside_latin = [scripts for scripts in told if "Latin" not in scripts]
    if frozenset.intersection(*beside_latin) & _SYSTEMS:
        return ()
    return tuple(sorted({min(scripts - _SYSTEMS) for scripts in told}))


@lru_cache(_CHARACTERS_MAX)
def _scripts(character: str) -> frozenset[str]:
    """Return the scripts, and the systems of several, that a character may belong to; none if it belongs to all."""
    if _COMMON.fullmatch(character):
        return frozenset()
    own = {script for script, has in _HAS.items() if has.fullmatch(character)} or {_OTHER}
    return frozenset(own.union(*(_TOGETHER.get(script, ()) for script in own)))
