"""Versions of a match as entity tags, RFC 9110 section 8.8.3: `"v12"` is the match after its twelfth event."""

from __future__ import annotations

import re
from typing import Final

from services.api.problems import Trouble

_TAG: Final = re.compile(r'"v([1-9][0-9]{0,17})"')


def etag(version: int) -> str:
    """Return the entity tag of a version."""
    return f'"v{version}"'


def expected_version(if_match: str | None) -> int | None:
    """Return the version an `If-Match` header asks for, None for any.

    Raises:
        Trouble: `bad_if_match`.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise Trouble("bad_if_match")
    return int(found[1])


def names(if_none_match: str | None, version: int) -> bool:
    """Report whether an `If-None-Match` header names this version."""
    return has(if_none_match, etag(version))


def has(if_none_match: str | None, tag: str) -> bool:
    """Report whether an `If-None-Match` header names this tag; tags are compared weakly, as for every GET."""
    if if_none_match is None:
        return False
    given = {one.strip().removeprefix("W/") for one in if_none_match.split(",")}
    return "*" in given or tag in given
