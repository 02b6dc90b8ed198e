"""Envelopes of messages: what every question and every answer between nodes has."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from domain.match.signed_commands import SeatSignature
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import Bearer

Token = Annotated[str, Meta(pattern="^truecup_[a-z]{1,16}_[A-Za-z0-9_-]{43}$")]
"""A token of any role: one that is shown at the wrong address is answered as an unknown one there."""


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """What of a request's identity the dealer cannot know: its key, the hash of it, the version the asker has seen.

    So is the network it came from, for caps by address; whoever does not say it shares one with all who do not.
    Its scope and whose token it came with the dealer looks up.
    """

    key: Annotated[str, Meta(min_length=1, max_length=128)]
    fingerprint: Annotated[bytes, Meta(max_length=32)]
    expected: tuple[int, ...] | None = None
    network: Annotated[str, Meta(max_length=64)] = ""
    signature: SeatSignature | None = None

    def ask(self, scope: str, bearer: Bearer | None = None) -> CommandMetadata:
        """Return the identity of the request in this scope, of whoever bears its token: both follow from the token."""
        holder = None if bearer is None else bearer.holder
        opener = bearer is not None and bearer.role == "host"
        return CommandMetadata(
            scope, self.key, self.fingerprint, self.expected, holder, self.network, opener, self.signature
        )


def identity_of(ask: CommandMetadata) -> Asked:
    """Return what is told of a request's identity."""
    return Asked(ask.key, ask.fingerprint, ask.expected, ask.network or "", ask.signature)


class Question(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something a dealer is asked."""


class Reply(Struct, frozen=True, tag_field="type"):
    """What a dealer says."""
