"""The sentences of the terminal, from the catalogue: said by their key below `terminal`, and words that are typed."""

from __future__ import annotations

from typing import Any, Final

from domain.log.receipts import AnotherHistory
from services.client.house import CannotDo, SeatLost
from services.client.records import Untrue
from services.words.catalogue import CATALOGUE, DEFAULT, say, speaking


def phrase(*path: str, **facts: str) -> str:
    """Return the sentence of the terminal that stands below these keys, with its arguments."""
    message: Any = CATALOGUE["terminal"]
    for key in path:
        message = message[key]
    return say(message, facts)


def typed_words(name: str) -> list[str]:
    """Return what may be typed for something that no game knows, the usual word first."""
    return [str(word) for word in CATALOGUE["terminal"]["typed"][name]]


def meant(line: str) -> str | None:
    """Return what of that somebody has typed, in English or the own language; None for what the game may know."""
    plain = " ".join(line.lower().split())
    own = {name: typed_words(name) for name in CATALOGUE["terminal"]["typed"]}
    with speaking(DEFAULT):
        return next((name for name, words in own.items() if plain in (*words, *typed_words(name))), None)


def help_lines() -> list[str]:
    """Return what may be typed at any table, on a line each."""
    names = [name for name in CATALOGUE["terminal"]["help"] if name in CATALOGUE["terminal"]["typed"]]
    rows = [phrase("help", name, words=phrase("help", "or").join(typed_words(name))) for name in names]
    return [phrase("help", "say"), *(f"  {row}" for row in rows)]


_WRITTEN: Final = frozenset({"bad_name", "bad_options", "bad_question", "malformed", "not_understood"})
"""Where the house says what is wrong with what somebody wrote; behind the other codes it says what programs do next."""


def refused_line(trouble: CannotDo) -> str:
    """Return what is said where something cannot be done: for a code of the house, the catalogue's sentence for it."""
    code = "" if trouble.code is None or trouble.code in _WRITTEN else trouble.code
    why = CATALOGUE["trouble"].get(code) or CATALOGUE["problems"].get(code) or str(trouble)
    return phrase("refused", why=why)


def farewell_line(lost: SeatLost) -> str:
    """Return what is said to somebody whose seat is gone: why, and what there is to do now."""
    own = CATALOGUE["own"]
    why = phrase("given up") if lost.reason is None else say(own["taken_out"], {"reason": lost.reason})
    return f"{why[:1].upper()}{why[1:]} {say(own['since'], {'stage': 'open' if lost.is_open else 'out'})}"


def alarm_words(trouble: Exception) -> str:
    """Return why a server is not to be trusted."""
    match trouble:
        case Untrue():
            return phrase("alarms", trouble.key, **trouble.facts)
        case AnotherHistory():
            return str(trouble)
        case _:
            raise trouble
