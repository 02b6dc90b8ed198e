"""Versions of a match as entity tags, RFC 9110 section 8.8.3: `"v12"` is the match after its twelfth event.

Names are no events, and can be erased: `"v12.1"` is the same without the name of one of its people, so whoever has it
with the name is sent it anew. Both ask for version 12 where a command expects one.
"""

from __future__ import annotations

import re
from typing import Final

from services.http.problems import HttpProblem

_MEMBER: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,[ \t,]*|$)')
_VERSION: Final = re.compile(r"v([1-9][0-9]{0,17})(?:\.[1-9][0-9]{0,5})?")


def etag(version: int, nameless: int = 0) -> str:
    """Return the entity tag of a version; `nameless` counts those it shows whose names were erased."""
    return f'"v{version}.{nameless}"' if nameless else f'"v{version}"'


def expected_versions(if_match: str | None) -> tuple[int, ...] | None:
    """Return the versions an `If-Match` header asks for, None for any, in the order in which it names them.

    Tags are compared strongly (RFC 9110 section 13.1.1): a weak one matches no version, nor does one we never made. If
    there is no other, no version is asked for, and the answer is always no.

    Raises:
        HttpProblem: `bad_if_match`, for what is no list of entity tags.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    versions = (_VERSION.fullmatch(tag) for tag, is_weak in _tags(if_match) if not is_weak)
    return tuple(int(version[1]) for version in versions if version is not None)


def _tags(header: str) -> list[tuple[str, bool]]:
    """Return the tags of a list, each with whether it is weak; members may be empty (RFC 9110 section 5.6.1)."""
    tags, at = [], len(header) - len(header.lstrip(" \t,"))
    while at < len(header):
        member = _MEMBER.match(header, at)
        if member is None:
            raise HttpProblem("bad_if_match")
        tags.append((member[2], member[1] is not None))
        at = member.end()
    if not tags:
        raise HttpProblem("bad_if_match")
    return tags


def names(if_none_match: str | None, version: int, nameless: int = 0) -> bool:
    """Report whether an `If-None-Match` header names this version, with as many names."""
    return has(if_none_match, etag(version, nameless))


def has(if_none_match: str | None, tag: str) -> bool:
    """Report whether an `If-None-Match` header names this tag; tags are compared weakly, as for every GET."""
    if if_none_match is None:
        return False
    given = {one.strip().removeprefix("W/") for one in if_none_match.split(",")}
    return "*" in given or tag in given
