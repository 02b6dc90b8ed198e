"""Webhooks in the store: who is told of which stream, how far, and what has to be told again.

A hook has a cursor of its own in the stream, so that nothing is lost whatever is killed: it moves on with the note of
what became of a line, never before. What an address did not take waits apart and holds up nothing that comes behind.

In reading order:

    tables      the tables in Postgres
    memory      the same of the double
"""

from __future__ import annotations

from typing import Literal, Protocol
from uuid import UUID

from msgspec import Struct

HookState = Literal["on", "off", "over"]
"""`off` after too many failures, `over` when the stream has ended and all of it is told."""


class StoredHook(Struct, frozen=True):
    """A hook: who is told of a stream.

    Attributes:
        url: The address; only its host may read it, for it may hold a secret.
        kind: How it is told, as `services.webhooks` has it.
        language: In which language, where it is told in words.
        events: Of which types of messages; all of them for none.
        digest: The hash of its secret.
        fingerprint: The hash of the request that made it.
        made_at: When, in Unix milliseconds.
        seq: The first line that it has not been told of.
        state: Whether it is told at all.
        told_at: When it was last told something, in Unix milliseconds; None before.
        status: What it answered then; None where no answer came.
        why: Why it did not take that, or why it is off.
    """

    id: UUID
    stream: str
    url: str
    kind: str
    language: str
    events: tuple[str, ...]
    digest: bytes
    fingerprint: bytes
    made_at: int
    seq: int
    state: HookState = "on"
    told_at: int | None = None
    status: int | None = None
    why: str | None = None


class Retry(Struct, frozen=True):
    """A line that a hook has to be told of again: after so many failures, from this time on in Unix milliseconds."""

    seq: int
    tries: int
    due_at: int


class HookNote(Struct, frozen=True):
    """What became of telling a hook: where its cursor is, what it has taken, what it has to be told again.

    Attributes:
        leased_until: Until when nobody else shall tell it, in Unix milliseconds.
        at: When it was told; None where nothing was.
    """

    seq: int
    leased_until: int
    state: HookState = "on"
    taken: int | None = None
    again: Retry | None = None
    at: int | None = None
    status: int | None = None
    why: str | None = None


class Webhooks(Protocol):
    """The hooks of streams."""

    async def keep_hook(self, hook: StoredHook, most: int) -> StoredHook | None:
        """Keep a hook, and return the one that is kept under its id; None if its stream has `most` already."""

    async def hooks(self, stream: str) -> list[StoredHook]:
        """Return the hooks of a stream in the order they were made."""

    async def drop_hook(self, stream: str, hook: UUID) -> bool:
        """Forget a hook and what it waits for; False if the stream has none of this id."""

    async def lease_hooks(self, now: int, until: int, limit: int) -> list[StoredHook]:
        """Return at most `limit` hooks that there is something to do for, which nobody else gets until then.

        There is something to do where the stream has grown or ended, or a line is due again; times are Unix
        milliseconds.
        """

    async def retries(self, hook: UUID) -> list[Retry]:
        """Return what a hook has to be told again, the first that is due first."""

    async def retries_waiting(self) -> int:
        """Return how many lines wait to be told again, to all hooks that are on together."""

    async def note_told(self, hook: UUID, told: HookNote) -> bool:
        """Note what became of telling a hook; False if it is gone, off or over: then nothing is noted. One commit.

        Whoever is told so late has lost its lease, and somebody else has told the hook since. It is not over while
        lines wait to be told again.
        """
