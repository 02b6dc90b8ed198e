"""The language of a terminal: `--lang`, or else what the environment says, as POSIX has it.

Source: https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html section 8.2: of `LC_ALL`, `LC_MESSAGES`
and `LANG` the first that is set and not empty counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from services.client.house import CannotDo
from services.words.catalogue import DEFAULT, LANGUAGES

OPTION: Final = "--lang"
SPEAKING: Final = frozenset({"play", "watch", "replay", "audit", "statistics", "tournament", "analyse"})
"""Commands that speak to a person in the language of the house's catalogue; what others print is read by operators."""
_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the language to speak, and the arguments without what says it.

    Raises:
        CannotDo: `--lang` names none that is spoken here.
    """
    rest = list(arguments)
    if not rest or rest[0] not in SPEAKING:
        return DEFAULT, rest
    at = next((place for place, one in enumerate(rest) if one.partition("=")[0] == OPTION), None)
    if at is None:
        return _of_environment(environment), rest
    _, equals, asked = rest.pop(at).partition("=")
    if not equals:
        asked = rest.pop(at) if at < len(rest) else ""
    if asked not in LANGUAGES:
        raise CannotDo(f"{OPTION} takes one of {', '.join(LANGUAGES)}")
    return asked, rest


def _of_environment(environment: Mapping[str, str]) -> str:
    said = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    language = said.partition(".")[0].partition("_")[0].lower()
    return language if language in LANGUAGES else DEFAULT
