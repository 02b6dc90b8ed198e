"""Tokens that were shown to a node lately, by what they are known as there: each is shown to a dealer as it came."""

from __future__ import annotations

from uuid import UUID

from cachetools import LRUCache

from infra.store import Unavailable
from services.matches.reads.queries import TOKENS_MAX

KnownAs = str | tuple[UUID | str, str]
"""The scope of a request, whom a token speaks for, or what it is of and for whom."""


class ShownTokens:
    """What a node remembers of tokens, for the handlers that share it."""

    def __init__(self) -> None:
        """Remember none yet."""
        self._tokens: LRUCache[KnownAs, str] = LRUCache(3 * TOKENS_MAX)

    def keep(self, token: str, *known_as: KnownAs) -> None:
        """Remember a token of which a dealer has said what it is of."""
        for each in known_as:
            self._tokens[each] = token

    def token_of(self, known_as: KnownAs) -> str:
        """Return the token that was shown last for this.

        Raises:
            Unavailable: None was, or it is long ago.
        """
        token = self._tokens.get(known_as)
        if token is None:
            raise Unavailable("the token has to be shown again")
        return token
