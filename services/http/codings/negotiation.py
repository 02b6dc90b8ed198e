"""`Accept-Encoding` and `Accept-Language` (RFC 9110, 12.5.3 and 12.5.4): how an answer is coded, and what it speaks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from litestar.datastructures import Headers

HEADER_MAX: Final = 512
"""What is longer is not read: browsers send some 30 characters."""
_MEMBER: Final = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?")
_ALIASES: Final = {"x-gzip": "gzip"}
"""RFC 9110 section 8.4.1.3."""


def coding_for(accepted: str | None, offered: Iterable[str]) -> str | None:
    """Return the coding to answer in, None for none.

    Args:
        accepted: The value of `Accept-Encoding`; None where a request has none, and takes things as they are.
        offered: The codings there are, the best first: it wins where the reader has no preference.

    A member that cannot be read is passed over, for an answer that is not compressed is good for everybody.
    """
    wanted = weights(accepted or "")
    rest = wanted.get("*", 0.0)
    best = max(((wanted.get(coding, rest), coding) for coding in offered), key=lambda one: one[0], default=None)
    if best is None or best[0] == 0 or best[0] < wanted.get("identity", 0.0):
        return None
    return best[1]


def weights(accepted: str) -> dict[str, float]:
    """Return how much each coding is wanted, from 0 to 1; languages are weighed alike (section 12.5.4)."""
    if len(accepted) > HEADER_MAX:
        return {}
    members = (_MEMBER.fullmatch(member.strip(" \t")) for member in accepted.split(","))
    found = ((member[1].lower(), float(member[2] or 1)) for member in members if member is not None)
    return {_ALIASES.get(coding, coding): weight for coding, weight in found}


def language_for(accepted: str, spoken: Iterable[str]) -> str | None:
    """Return the language to answer in, None where none that is spoken is wanted.

    It is the one wanted most, looked up by its first subtag, as `de-AT` is German (RFC 4647 section 3.4).
    """
    offered = frozenset(spoken)
    wanted = sorted(weights(accepted).items(), key=lambda one: -one[1])
    found = (language.partition("-")[0] for language, weight in wanted if weight)
    return next((language for language in found if language in offered), None)


def accepted_by(headers: Headers) -> str | None:
    """Return what a request says of the codings it takes, as one list (RFC 9110 section 5.3); None if nothing."""
    said = headers.getall("accept-encoding", [])
    return ",".join(said) if said else None
