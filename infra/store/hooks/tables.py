"""Tables of webhooks in Postgres."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import asyncpg
from msgspec import Struct

from infra.store import shard_of
from infra.store.hooks import HookNote, Retry, StoredHook

_columns: Final = (
    "id, stream, url, kind, language, events, digest, fingerprint, made_at, seq, state, told_at, status, why"
)
KEEP_HOOK: Final = (
    "insert into webhook (id, shard, stream, url, kind, language, events, digest, fingerprint, made_at, seq)"
    " select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11"
    " where (select count(*) from webhook where stream = $3) < $12 on conflict do nothing"
)
HOOK: Final = f"select {_columns} from webhook where id = $1"  # noqa: S608 - names of columns only
HOOKS: Final = f"select {_columns} from webhook where stream = $1 order by made_at, id"  # noqa: S608 - the same
DROP_HOOK: Final = "delete from webhook where stream = $1 and id = $2 returning id"
LEASE_HOOKS: Final = (
    "update webhook w set leased_until = $2 where w.id in ("  # noqa: S608 - names of columns only
    " select h.id from webhook h join stream s on s.shard = h.shard and s.stream = h.stream"
    " where h.state = 'on' and h.leased_until <= $1 and (s.version > h.seq"
    " or exists (select from webhook_retry r where r.hook = h.id and r.due_at <= $1)"
    " or s.ended and not exists (select from webhook_retry r where r.hook = h.id))"
    f" order by h.leased_until limit $3 for update of h skip locked) returning {_columns}"
)
# Where the streams of some hooks live at other primaries: who is free, by that of the longest ago, and who gets leased.
FREE: Final = (
    "select h.id, h.stream, h.seq, exists (select from webhook_retry r where r.hook = h.id) as waits,"
    " exists (select from webhook_retry r where r.hook = h.id and r.due_at <= $1) as is_due"
    " from webhook h where h.state = 'on' and h.leased_until <= $1 order by h.leased_until"
)
LEASE_THESE: Final = (
    "update webhook set leased_until = $2"  # noqa: S608 - names of columns only
    f" where id = any ($3::uuid[]) and state = 'on' and leased_until <= $1 returning {_columns}"
)
RETRIES: Final = "select seq, tries, due_at from webhook_retry where hook = $1 order by due_at, seq"
RETRIES_WAITING: Final = "select count(*) from webhook_retry r join webhook w on w.id = r.hook where w.state = 'on'"
NOTE_TOLD: Final = (
    "with kept as (update webhook set seq = greatest(seq, $2), leased_until = $3, state = case when $4 = 'over' and"
    " exists (select from webhook_retry where hook = $1) then 'on' else $4 end,"
    " told_at = coalesce($9, told_at), status = case when $9::bigint is null then status else $10 end,"
    " why = case when $9::bigint is null then why else $11 end"
    " where id = $1 and state = 'on' returning id),"
    " gone as (delete from webhook_retry r using kept where r.hook = kept.id and r.seq = $5),"
    " waiting as (insert into webhook_retry (hook, seq, tries, due_at) select kept.id, $6, $7, $8 from kept"
    " where $6::bigint is not null"
    " on conflict (hook, seq) do update set tries = excluded.tries, due_at = excluded.due_at)"
    " select id from kept"
)
STATEMENTS: Final = (
    KEEP_HOOK,
    HOOK,
    HOOKS,
    DROP_HOOK,
    LEASE_HOOKS,
    FREE,
    LEASE_THESE,
    RETRIES,
    RETRIES_WAITING,
    NOTE_TOLD,
)


class FreeHook(Struct, frozen=True):
    """A hook that nobody has: of which stream, told up to where, whether lines wait to be told again or are due."""

    id: UUID
    stream: str
    seq: int
    waits: bool
    is_due: bool


class WebhookTables(ABC):
    """The part of the Postgres store that keeps hooks; all of it needs the dealer's role."""

    @abstractmethod
    async def _fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        """Return the rows of a query."""

    async def keep_hook(self, hook: StoredHook, most: int) -> StoredHook | None:
        """Keep a hook. Two at once may be one too many, which harms nobody."""
        members = (hook.url, hook.kind, hook.language, hook.events, hook.digest, hook.fingerprint, hook.made_at)
        await self._fetch(KEEP_HOOK, hook.id, shard_of(hook.stream), hook.stream, *members, hook.seq, most)
        rows = await self._fetch(HOOK, hook.id)
        return _hook(rows[0]) if rows else None

    async def hooks(self, stream: str) -> list[StoredHook]:
        """Return the hooks of a stream."""
        return [_hook(row) for row in await self._fetch(HOOKS, stream)]

    async def drop_hook(self, stream: str, hook: UUID) -> bool:
        """Forget a hook."""
        return bool(await self._fetch(DROP_HOOK, stream, hook))

    async def lease_hooks(self, now: int, until: int, limit: int) -> list[StoredHook]:
        """Return hooks that there is something to do for."""
        return [_hook(row) for row in await self._fetch(LEASE_HOOKS, now, until, limit)]

    async def free_hooks(self, now: int) -> list[FreeHook]:
        """Return the hooks that nobody has, whatever there is to do for them."""
        return [FreeHook(UUID(bytes=row[0].bytes), *row[1:]) for row in await self._fetch(FREE, now)]

    async def lease_these(self, now: int, until: int, hooks: Sequence[UUID]) -> list[StoredHook]:
        """Return those of these hooks that are still free, which nobody else gets until then."""
        return [_hook(row) for row in await self._fetch(LEASE_THESE, now, until, list(hooks))]

    async def retries(self, hook: UUID) -> list[Retry]:
        """Return what a hook has to be told again."""
        return [Retry(*row) for row in await self._fetch(RETRIES, hook)]

    async def retries_waiting(self) -> int:
        """Return how many lines wait to be told again."""
        rows = await self._fetch(RETRIES_WAITING)
        waiting: int = rows[0][0]
        return waiting

    async def note_told(self, hook: UUID, told: HookNote) -> bool:
        """Note what became of telling a hook."""
        again = (None, None, None) if told.again is None else (told.again.seq, told.again.tries, told.again.due_at)
        what = (told.seq, told.leased_until, told.state, told.taken, *again, told.at, told.status, told.why)
        return bool(await self._fetch(NOTE_TOLD, hook, *what))


def _hook(row: asyncpg.Record) -> StoredHook:
    members = dict(row)
    return StoredHook(**{**members, "id": UUID(bytes=row["id"].bytes), "events": tuple(row["events"])})
