"""Optimistic concurrency: the loop of every handler of commands, whatever its streams hold.

A command is decided on what is in memory and appended at that version. Where somebody else was first, the stream is
read again and the command decided again, a few times at most. What was stored answers with its stored answer for ever.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.errors import Refused
from domain.ids import Version
from infra.measures.watches import Timed
from infra.store import Append, Appended, Conflict, EventStore, KeyReused, Repeated, Unavailable
from services.matches.requests import CommandMetadata, KeyUsed, VersionPassed
from services.matches.secrets.tokens import Role, TokenIssuer, digest

TRIES_MAX: Final = 5
"""How often a command is decided anew after somebody else was first."""


class Folded(Protocol):
    """A stream in memory."""

    @property
    def version(self) -> Version:
        """How many lines it has."""


Held = TypeVar("Held", bound=Folded)
Made = TypeVar("Made")
Said = TypeVar("Said", bound=Struct)


async def decide_with_retries(
    cached: Callable[[], Awaitable[Held]],
    load: Callable[[], Awaitable[Held]],
    attempt: Callable[[Held], Awaitable[Made | None]],
) -> Made:
    """Return what an attempt comes to, on a stream as it is in memory or, where that is behind, as it is stored.

    Args:
        cached: Returns the stream as it is in memory.
        load: Returns it as of the last line in the store, and keeps it in memory.
        attempt: Decides and appends once; None if somebody else was first.

    Raises:
        Refused: A rule says no; nothing is recorded.
        VersionPassed: The stream is at none of the versions that the command is meant for.
        Unavailable: Others were first too often.
    """
    for _ in range(TRIES_MAX):
        with Timed("read"):
            held = await cached()
        try:
            made = await attempt(held)
        except (Refused, VersionPassed):
            # What is in memory may be behind another program's commits: only the log may say no.
            if (await load()).version == held.version:
                raise
            continue
        if made is not None:
            return made
        with Timed("read"):
            await load()
    raise Unavailable("others were first too often")


def check_version(version: Version, ask: CommandMetadata) -> None:
    """Check that a command is meant for this version of its stream.

    Raises:
        VersionPassed: It is meant for others.
    """
    if ask.expected is not None and version not in ask.expected:
        raise VersionPassed(version)


async def append(store: EventStore, command: Append, kind: type[Said]) -> Said | Appended | Conflict:
    """Append a command, and return the stored answer of a repeat.

    Raises:
        KeyUsed: The idempotency key belongs to another request.
    """
    outcome = await store.append(command)
    if isinstance(outcome, KeyReused):
        raise KeyUsed
    if isinstance(outcome, Repeated):
        return msgspec.json.decode(outcome.answer, type=kind)
    return outcome


async def stored_answer(store: EventStore, stream: str, ask: CommandMetadata, kind: type[Said]) -> Said | None:
    """Return what a command was answered when it was stored, without the token it earned; None if it was not.

    Raises:
        KeyUsed: The idempotency key belongs to another request.
    """
    stored = await store.answer(stream, ask.command)
    if stored is None:
        return None
    fingerprint, answer = stored
    if fingerprint != ask.fingerprint:
        raise KeyUsed
    return msgspec.json.decode(answer, type=kind)


async def id_of(store: EventStore, tokens: TokenIssuer, ask: CommandMetadata, stream_of: Callable[[UUID], str]) -> UUID:
    """Return the id of what this request begins, or has begun, be it under a key of before.

    Cost: a query for each key of before.
    """
    newest, *before = (UUID(bytes=name, version=4) for name in tokens.names(ask.command))
    for older in before:
        if await store.answer(stream_of(older), ask.command) is not None:
            return older
    return newest


async def token_of_command(
    store: EventStore, tokens: TokenIssuer, about: UUID, role: Role, number: int | None, ask: CommandMetadata
) -> str:
    """Return the token that a stored command earned, under whichever key it was issued.

    Cost: nothing with one key; with more, a query for each key newer than the one it was issued under.
    """
    *newer, oldest = tokens.possible_tokens(about, role, number, ask.command)
    for token in newer:
        if await store.token(digest(token)) is not None:
            return token
    return oldest
