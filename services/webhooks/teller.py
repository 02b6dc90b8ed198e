"""The teller of webhooks: follows the log, and tells every hook of a tournament what it is to be told of.

The law of the file: a hook's cursor in the log moves on together with the note of what became of a line, so whatever is
killed, each message is sent at least once, under the same id each time. A hook has one teller at a time, for as long as
its lease lasts; any number of programs may have one. What an address does not take is sent again, later and later, and
holds up nothing that comes behind it; after the last time the hook is off, and says why to its host. Whoever answers
slowly has short turns and stands behind the others, and no tournament and no host has all who tell.

Source: Standard Webhooks 1.0, "Deliverability and reliability".
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Container
from http import HTTPStatus
from typing import Any, Final, Literal
from uuid import UUID

import httpx
import structlog
from cachetools import LRUCache
from msgspec import Struct

from domain.log import canonical
from infra.abroad.pinned import PinnedPoster, Unreached
from infra.clock import now_ms
from infra.entropy import draw
from infra.store import Card, EventStore, Unavailable
from infra.store.hooks import HookNote, Retry, StoredHook
from projections.tournaments.exports.hook_messages import hook_message
from services.matches.secrets.tokens import TokenIssuer
from services.webhooks.hooks import secret_of
from services.webhooks.messages import post_of
from services.work.waiting import Waits
from services.work.wakeups import Waker

RETRIES_S: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""How long after each failure a message is sent again."""
JITTER: Final = 10
"""The wait is longer by at most one part of so many, so that not all who failed together come back together."""
LEASE_MS: Final = 60_000
"""How long a teller has a hook without a note: longer than a post may take."""
HOOKS_MAX: Final = 16
"""Hooks that one program tells at the same time."""
LINES_MAX: Final = 64
"""Lines of a tournament that a hook is told of before another has its turn."""
TURN_S: Final = 2.0
"""How long a hook is told before another has its turn; one that takes longer stands behind those that do not."""
OF_TOURNAMENT_MAX: Final = 4
"""Hooks of one tournament that are told at the same time."""
OF_HOST_MAX: Final = 8
"""Hooks at one host that are told at the same time: those of a chat are many."""
SLOW_SHARE: Final = 2
"""Of those of one tournament, or at one host, only one part of so many may have been slow the last time. So whoever
answers fast finds room beside any number of slow ones with which it has its host, or its tournament, in common."""
REMEMBERED_MAX: Final = 4_096
"""Slow hooks that are remembered; one that is not is taken for fast, and has one turn as such."""
ASIDE_MS: Final = 1_000
"""How long a hook waits whose tournament or host has its share."""
PAUSE_MS: Final = 5_000
"""How long a hook is left alone after it has not taken something."""
WAITING_MAX: Final = 256
"""Messages of a hook that wait to be sent again; with so many it is told nothing new."""
IDLE_S: Final = 1.0
"""How long after a time came, or another program has stored something, it is noticed."""
GATHER_S: Final = 0.2
"""How long commits gather before it is looked whom they are told: the log grows by every turn of every match."""
ENDED: Final = "tournament.closed"
LOOK_MS: Final = 15_000
"""How often it is counted how many messages wait."""
Taken = Literal["taken", "not_taken"]

log = structlog.get_logger(__name__)


class _KnownHook(Struct, frozen=True):
    """A hook with its secret, and what its tournament is called."""

    hook: StoredHook
    secret: bytes
    title: str | None


class Teller:
    """Tells hooks.

    Attributes:
        posts: What became of messages.
        waiting: How many of the house waited to be sent again when it was looked last.
    """

    def __init__(
        self,
        store: EventStore,
        tokens: TokenIssuer,
        poster: PinnedPoster,
        waker: Waker,
        *,
        turn_s: float = TURN_S,
    ) -> None:
        """Tell the hooks of this store, with the secrets that these tokens' keys have made, by this poster."""
        self._store = store
        self._tokens = tokens
        self._poster = poster
        self._waker = waker
        self._turn_s = turn_s
        self._slow: LRUCache[UUID, None] = LRUCache(REMEMBERED_MAX)
        self._waits = Waits("webhooks")
        self._look_at = 0
        self.posts: Counter[Taken] = Counter()
        self.waiting = 0

    async def run(self) -> None:
        """Tell until cancelled; what was under way is sent again by whoever comes next."""
        try:
            async with asyncio.TaskGroup() as group:
                busy: dict[asyncio.Task[None], StoredHook] = {}
                while True:
                    busy = {task: hook for task, hook in busy.items() if not task.done()}
                    for hook in await self._lease(HOOKS_MAX - len(busy)):
                        if has_room(hook, busy.values(), self._slow):
                            busy[group.create_task(self._contained(self.tell, hook))] = hook
                        else:
                            group.create_task(self._contained(self._set_aside, hook))
                    await self._waker.wait(IDLE_S)
                    await asyncio.sleep(GATHER_S)
        finally:
            await self._poster.close()

    async def _lease(self, limit: int) -> list[StoredHook]:
        if limit <= 0:
            return []
        try:
            now = now_ms()
            if now >= self._look_at:
                self.waiting, self._look_at = await self._store.retries_waiting(), now + LOOK_MS
            found = await self._store.lease_hooks(now, now + LEASE_MS, limit)
        except Unavailable as trouble:
            await self._waits.out(trouble)
            return []
        self._waits.over()
        return found

    async def _contained(self, work: Callable[[StoredHook], Awaitable[None]], hook: StoredHook) -> None:
        """Work at a hook. Where the store goes away, the lease runs out, and the last message is sent again."""
        try:
            await work(hook)
        except Unavailable as trouble:
            log.warning("webhook.waits", hook=str(hook.id), why=str(trouble))

    async def _set_aside(self, hook: StoredHook) -> None:
        await self._store.note_told(hook.id, HookNote(hook.seq, now_ms() + ASIDE_MS))

    async def work(self) -> int:
        """Tell every hook that there is something to do for, one after the other; return how many there were."""
        found = await self._lease(HOOKS_MAX)
        for hook in found:
            await self.tell(hook)
        return len(found)

    async def tell(self, hook: StoredHook) -> None:
        """Tell a leased hook what is due again, then what is new, for as long as a turn lasts, and let it go."""
        secret = secret_of(self._tokens, hook)
        if secret is None:
            # The key that made it is none of the house's any more: nothing that is sent could be told from a forgery.
            await self._store.note_told(hook.id, HookNote(hook.seq, 0, "off", at=now_ms(), why="no_secret"))
            return
        known = _KnownHook(hook, secret, (await self._store.card(hook.stream) or Card()).name)
        clock = asyncio.get_running_loop().time
        until = clock() + self._turn_s
        cursor = await self._tell_until(known, until)
        slow = clock() >= until
        if slow:
            self._slow[hook.id] = None
        else:
            self._slow.pop(hook.id, None)
        if cursor is not None:
            await self._let_go(hook, cursor, slow=slow)

    async def _tell_until(self, known: _KnownHook, until: float) -> int | None:
        """Tell a hook for so long, and return how far it has come; None if it is not to be gone on with."""
        clock, hook = asyncio.get_running_loop().time, known.hook
        cursor: int = hook.seq
        waiting = await self._store.retries(hook.id)
        for retry in [one for one in waiting if one.due_at <= now_ms()]:
            (line,) = await self._store.read(hook.stream, retry.seq, 1)
            if not await self._tell_line(known, canonical.decode(line), cursor, retry.tries):
                return None
            if clock() >= until:
                return cursor
        fresh = await self._store.read(hook.stream, cursor, LINES_MAX) if len(waiting) < WAITING_MAX else []
        for document in map(canonical.decode, fresh):
            cursor = document["seq"] + 1
            if not await self._tell_line(known, document, cursor, 0):
                return None
            if clock() >= until:
                return cursor
        return cursor

    async def _tell_line(self, known: _KnownHook, line: dict[str, Any], cursor: int, tries: int) -> bool:
        """Tell a hook of a line, if it is to be told of it, and move its cursor; report whether to go on with it.

        A crash before the note leaves the message to be sent again, under the same id.
        """
        hook, told = known.hook, hook_message(line)
        if told is None or (hook.events and told.type not in hook.events):
            return True
        name = f"{told.data['tournament']}.{line['seq']}"
        post = post_of(hook.kind, hook.language, known.secret, name, told, now_ms(), known.title)
        try:
            status = await self._poster.post(hook.url, post.body, post.headers)
        except Unreached as trouble:
            self.posts["not_taken"] += 1
            await self._store.note_told(hook.id, _failed(trouble, line["seq"], cursor, tries + 1))
            return False
        self.posts["taken"] += 1
        now = now_ms()
        noted = HookNote(cursor, now + LEASE_MS, taken=line["seq"], at=now, status=status)
        return await self._store.note_told(hook.id, noted)

    async def _let_go(self, hook: StoredHook, cursor: int, *, slow: bool) -> None:
        """Let others have a hook, a slow one behind all that are not; one that was told all that happens is over.

        With one that is told nothing new they need not share before the first of what waits is due.
        """
        waiting, now, over = await self._store.retries(hook.id), now_ms(), False
        if not waiting:
            (last,) = await self._store.read(hook.stream, cursor - 1, 1)
            over = canonical.decode(last)["type"] == ENDED
        free_at = now if slow else 0
        if len(waiting) >= WAITING_MAX:
            free_at = max(now, waiting[0].due_at)
        await self._store.note_told(hook.id, HookNote(cursor, free_at, "over" if over else "on"))


def has_room(hook: StoredHook, busy: Collection[StoredHook], slow: Container[UUID]) -> bool:
    """Report whether a hook may be told beside those that are: its tournament and its host have not their share yet.

    Args:
        hook: The hook.
        busy: Those that are told.
        slow: Those that were slow the last time, which have a part of each share.
    """
    host = httpx.URL(hook.url).raw_host
    of_tournament = [one for one in busy if one.stream == hook.stream]
    of_host = [one for one in busy if httpx.URL(one.url).raw_host == host]
    return all(
        len(found) < most and (hook.id not in slow or sum(one.id in slow for one in found) < most // SLOW_SHARE)
        for found, most in ((of_tournament, OF_TOURNAMENT_MAX), (of_host, OF_HOST_MAX))
    )


def _failed(trouble: Unreached, seq: int, cursor: int, tries: int) -> HookNote:
    """Return what becomes of a hook that has not taken a line for the `tries`-th time."""
    now = now_ms()
    if trouble.status == HTTPStatus.GONE or tries > len(RETRIES_S):
        why = "gone" if trouble.status == HTTPStatus.GONE else "gave_up"
        return HookNote(cursor, 0, "off", at=now, status=trouble.status, why=why)
    wait_ms = 1_000 * RETRIES_S[tries - 1]
    wait_ms += wait_ms * int.from_bytes(draw(2)) // (JITTER << 16)
    again = Retry(seq, tries, now + wait_ms)
    return HookNote(cursor, now + PAUSE_MS, again=again, at=now, status=trouble.status, why=trouble.why)
