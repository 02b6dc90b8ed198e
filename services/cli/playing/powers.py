"""Host powers as they are typed: `kick Bob conduct`, `pause break`, `back`; what they mean is asked of the server.

The grammar is a word of the catalogue, in English or the own language, then whose seat where it is about one, then a
reason where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.client.house import CannotDo
from services.client.seating import Sitting
from services.words.catalogue import CATALOGUE, DEFAULT, join_names, speaking

MINUTE_MS: Final = 60_000
OTHER: Final = "other"
_ABOUT: Final = {"kick": "who", "time": "who", "hand_over": "to", "stand_in": "who", "back": "who"}
"""What says whose seat it is about, by the word of the power."""
_OWN: Final = {"stand_in", "back"}
"""What a seat asks for itself, where no other is named."""
_REASONED: Final = {"kick", "pause", "time", "end"}
_TYPES: Final = {"time": "give_time", "back": "take_back", "end": "end_match"}
"""What is asked for, where that has another name than the word."""


def is_host(view: Json, sitting: Sitting | None) -> bool:
    """Report whether a seat has the powers of the host: whoever opened the table, until they are handed over."""
    if sitting is None:
        return False
    return has_opened(sitting) if view.get("host") is None else view["host"] == view["viewer"]


def has_opened(sitting: Sitting | None) -> bool:
    """Report whether whoever sits here opened the match, and so is its host until that is handed over."""
    return sitting is not None and sitting.host is not None


def is_stood_in(view: Json) -> bool:
    """Report whether a bot plays for the viewer."""
    return any(seat["stand_in"] for seat in view["seats"] if seat["seat"] == view["viewer"])


def power_of(line: str, view: Json) -> tuple[Json, bool] | None:
    """Return what a line asks for and whether the host asks for it; None if it names no power.

    Raises:
        CannotDo: It names one, and nobody who sits there, or no reason that there is.
    """
    words = _plain(line)
    found = max((one for one in _phrases("typed") if words[: len(one[0])] == one[0]), key=_length, default=None)
    if found is None:
        return None
    typed, power = found
    rest = words[len(typed) :]
    command: Json = {"type": _TYPES.get(power, power)}
    if power in _REASONED:
        rest, reason = _reason(rest, view)
        # A match may be ended without one; whatever else is done to others has one on record.
        command |= {} if power == "end" and reason == OTHER else {"reason": reason}
    if power == "time":
        command |= {"ms": MINUTE_MS}
    if power in _ABOUT and (rest or power not in _OWN):
        command |= {_ABOUT[power]: _seat(rest, view)}
    elif rest:
        reasons = ", ".join(reason_words())
        raise CannotDo(phrase("powers", "strange", words=" ".join(rest), reasons=reasons))
    return command, power not in _OWN or _ABOUT[power] in command


def power_lines() -> list[str]:
    """Return the powers that may be typed, on a line each."""
    words, helps = CATALOGUE["terminal"]["powers"]["typed"], CATALOGUE["terminal"]["powers"]["help"]
    or_ = phrase("help", "or")
    rows = [phrase("powers", "help", name, words=or_.join(words[name])) for name in helps if name in words]
    return [phrase("powers", "help", "say", reasons=", ".join(reason_words())), *(f"  {row}" for row in rows)]


def power_word(name: str) -> str:
    """Return what is usually typed for a power."""
    return str(CATALOGUE["terminal"]["powers"]["typed"][name][0])


def reason_words() -> list[str]:
    """Return the reasons, as they are usually typed."""
    return [str(words[0]) for words in CATALOGUE["terminal"]["powers"]["reasons"].values()]


def _plain(text: str) -> list[str]:
    return text.casefold().replace("-", " ").split()


def _length(found: tuple[list[str], str]) -> int:
    return len(found[0])


def _phrases(kind: str) -> Iterator[tuple[list[str], str]]:
    """Yield what may be typed for each power or reason, word by word: in the own language first, then in English."""
    own = CATALOGUE["terminal"]["powers"][kind]
    with speaking(DEFAULT):
        english = CATALOGUE["terminal"]["powers"][kind]
    for known in (own, english):
        for name, phrases in known.items():
            yield from ((_plain(typed), name) for typed in phrases)


def _reason(rest: list[str], view: Json) -> tuple[list[str], str]:
    """Return what stands before the reason, and the reason; a name that is one as well is a name."""
    if _called(" ".join(rest), view):
        return rest, OTHER
    found = next((name for typed, name in _phrases("reasons") if rest[-1:] == typed), None)
    return (rest, OTHER) if found is None else (rest[:-1], found)


def _seat(rest: list[str], view: Json) -> int:
    """Return the seat that is meant: by its number, by its name, or by how that begins."""
    names = join_names([f"{seat['name']} ({seat['seat']})" for seat in view["seats"] if seat["seat"] != view["viewer"]])
    if not rest:
        raise CannotDo(phrase("powers", "whom", names=names))
    called = " ".join(rest)
    found = _called(called, view)
    if not found:
        raise CannotDo(phrase("powers", "nobody", name=called, names=names))
    if len(found) > 1:
        raise CannotDo(phrase("powers", "unclear", name=called))
    return found[0]


def _called(text: str, view: Json) -> list[int]:
    """Return the seats that are called so: one whose name this is, or else all whose names begin so."""
    if not text:
        return []
    names = {seat["seat"]: " ".join(_plain(seat["name"])) for seat in view["seats"]}
    if text.isdecimal() and int(text) in names:
        return [int(text)]
    whole = [seat for seat, name in names.items() if name == text]
    return whole or [seat for seat, name in names.items() if name.startswith(text)]
