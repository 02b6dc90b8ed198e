"""Hooks made, listed, dropped and tried, for whoever holds a tournament.

The secret of a hook is shown once, where it is made, and is stored nowhere: it follows from the key of the house and
the hook's id, and its hash tells under which key.
"""

from __future__ import annotations

import asyncio
from typing import Final, Literal
from uuid import UUID

import httpx
from msgspec import Struct

from domain.ids import UnixMs, Version
from domain.tournaments.record import stream_of
from infra.abroad.addresses import checked_url
from infra.abroad.pinned import PinnedPoster, Unreached
from infra.clock import now_ms
from infra.store import EventStore
from infra.store.hooks import HookState, StoredHook
from projections.tournaments.exports.hook_messages import HookMessage, hook_trial
from services.matches.requests import CommandMetadata, KeyUsed
from services.matches.secrets.tokens import TokenIssuer, digest
from services.webhooks.messages import Kind, post_of, secret_text

HOOKS_MAX: Final = 10
"""Hooks of a tournament."""
TRIALS_AT_ONCE: Final = 4
"""Hooks that one program tries at the same time: each waits for somebody else."""
SHOWN: Final = 4
"""How many of the last signs of an address its host is shown again: enough to tell two, too few to post to a chat."""


class UnknownHook(Exception):  # noqa: N818 - named for what happened
    """The tournament has no hook of this id."""


class TooManyHooks(Exception):  # noqa: N818 - named for what happened
    """The tournament has as many as it may."""


class TooManyTrials(Exception):  # noqa: N818 - named for what happened
    """As many hooks are being tried as may be at once."""


class HookOrder(Struct, frozen=True):
    """What hook is asked for; of all types of messages if no `events` are named."""

    url: str
    kind: Kind = "standard"
    language: Literal["en", "de", "es"] = "en"
    events: tuple[str, ...] = ()


class HookView(Struct, frozen=True):
    """A hook as its host sees it.

    Attributes:
        hook: Its id.
        url: The host of its address, and how that ends: the whole of it may be a secret.
        kind: How it is told: by the standard, or in words as a chat takes them.
        language: In which language, where it is told in words.
        events: Of which types of messages; of all for none.
        state: `off` after too many failures, `over` when the tournament has ended and all of it is told.
        made_at: When it was made, in Unix milliseconds.
        told_at: When it was last told something, in Unix milliseconds; null before.
        status: What it answered then; null where no answer came.
        why: Why it did not take that, or why it is off; null where it took it.
        waiting: How many messages wait to be sent again.
    """

    hook: str
    url: str
    kind: str
    language: str
    events: tuple[str, ...]
    state: HookState
    made_at: UnixMs
    told_at: UnixMs | None
    status: int | None
    why: str | None
    waiting: int


class HookMade(Struct, frozen=True):
    """A hook, as it was made.

    Attributes:
        made: The hook.
        secret: What its messages are signed with, which is shown only here; null for a chat, which checks nothing.
    """

    made: HookView
    secret: str | None


class HookTrial(Struct, frozen=True):
    """What came of a message that was sent to try a hook.

    Attributes:
        taken: Whether it was taken.
        status: What was answered; null where no answer came.
        why: Why it was not taken: `bad_url`, `no_address`, `not_public`, `no_answer`, `redirected`, `refused`.
        ms: How long it took, in milliseconds.
    """

    taken: bool
    status: int | None
    why: str | None
    ms: int


class Hooks:
    """The hooks of all tournaments."""

    def __init__(self, store: EventStore, tokens: TokenIssuer, poster: PinnedPoster) -> None:
        """Keep them in this store, with secrets of these tokens' keys; they lead where this poster does."""
        self._store = store
        self._tokens = tokens
        self._poster = poster
        self._trying = 0

    async def make(self, tournament_id: UUID, order: HookOrder, ask: CommandMetadata, version: Version) -> HookMade:
        """Make a hook that is told of what comes behind this version. A repeat gets the same one, and its secret.

        Raises:
            BadUrl: Nothing may be posted there.
            TooManyHooks: There are as many as there may be.
            KeyUsed: The idempotency key belongs to another request.
        """
        checked_url(order.url, anywhere=self._poster.anywhere)
        stream = stream_of(tournament_id)
        ids = [UUID(bytes=name, version=4) for name in self._tokens.names(ask.command, tournament_id)]
        known = {hook.id: hook for hook in await self._store.hooks(stream)}
        hook = next((known[one] for one in ids if one in known), None)
        if hook is None:
            given = _new_hook(ids[0], stream, order, self._tokens.hook_secrets(ids[0])[0], ask.fingerprint, version)
            hook = await self._store.keep_hook(given, HOOKS_MAX)
        if hook is None:
            raise TooManyHooks
        if hook.fingerprint != ask.fingerprint:
            raise KeyUsed
        secret = secret_of(self._tokens, hook)
        shown = hook.kind == "standard" and secret is not None
        return HookMade(await self._view(hook), secret_text(secret) if shown and secret is not None else None)

    async def all_of(self, tournament_id: UUID) -> list[HookView]:
        """Return the hooks of a tournament in the order they were made."""
        found = await self._store.hooks(stream_of(tournament_id))
        return await asyncio.gather(*map(self._view, found))

    async def drop(self, tournament_id: UUID, hook_id: UUID) -> None:
        """Forget a hook, and what it waits for.

        Raises:
            UnknownHook: There is none of this id.
        """
        if not await self._store.drop_hook(stream_of(tournament_id), hook_id):
            raise UnknownHook

    async def trial(self, tournament_id: UUID, hook_id: UUID, version: Version) -> HookTrial:
        """Send a message that says nothing, once, and return what came of it.

        Raises:
            UnknownHook: There is none of this id.
            TooManyTrials: As many are under way as may be.
        """
        if self._trying >= TRIALS_AT_ONCE:
            raise TooManyTrials
        self._trying += 1
        try:
            return await self._tried(tournament_id, hook_id, version)
        finally:
            self._trying -= 1

    async def _tried(self, tournament_id: UUID, hook_id: UUID, version: Version) -> HookTrial:
        found = (hook for hook in await self._store.hooks(stream_of(tournament_id)) if hook.id == hook_id)
        hook = next(found, None)
        secret = None if hook is None else secret_of(self._tokens, hook)
        if hook is None or secret is None:
            raise UnknownHook
        at = now_ms()
        told, card = hook_trial(str(tournament_id), version, at), await self._store.card(hook.stream)
        return await self._sent(hook, secret, told, None if card is None else card.name, at)

    async def _sent(
        self, hook: StoredHook, secret: bytes, told: HookMessage, title: str | None, at: UnixMs
    ) -> HookTrial:
        name = f"{told.data['tournament']}.{told.type}.{at}"
        post = post_of(hook.kind, hook.language, secret, name, told, at, title)
        try:
            status = await self._poster.post(hook.url, post.body, post.headers)
        except Unreached as trouble:
            return HookTrial(taken=False, status=trouble.status, why=trouble.why, ms=now_ms() - at)
        return HookTrial(taken=True, status=status, why=None, ms=now_ms() - at)

    async def _view(self, hook: StoredHook) -> HookView:
        told = (hook.told_at, hook.status, hook.why)
        made = (hook.kind, hook.language, hook.events, hook.state, hook.made_at)
        return HookView(str(hook.id), _shown(hook.url), *made, *told, len(await self._store.retries(hook.id)))


def _new_hook(
    hook_id: UUID, stream: str, order: HookOrder, secret: bytes, fingerprint: bytes, version: Version
) -> StoredHook:
    asked = (order.url, order.kind, order.language, tuple(dict.fromkeys(order.events)))
    return StoredHook(hook_id, stream, *asked, digest(secret_text(secret)), fingerprint, now_ms(), version)


def secret_of(tokens: TokenIssuer, hook: StoredHook) -> bytes | None:
    """Return the secret of a hook; None if no key at hand has made it."""
    possible = tokens.hook_secrets(hook.id)
    return next((secret for secret in possible if digest(secret_text(secret)) == hook.digest), None)


def _shown(url: str) -> str:
    """Return an address as far as its host is shown it again."""
    found = httpx.URL(url)
    return f"{found.scheme}://{found.netloc.decode('ascii')}/…{url[-SHOWN:]}"
