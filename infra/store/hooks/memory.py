"""Webhooks of the store's double."""

from __future__ import annotations

from abc import ABC, abstractmethod
from uuid import UUID

from msgspec.structs import replace

from infra.store.hooks import HookNote, Retry, StoredHook


class MemoryHooks(ABC):
    """The part of the double that keeps hooks."""

    def __init__(self) -> None:
        """Begin with none."""
        super().__init__()
        self._hooks: dict[UUID, StoredHook] = {}
        self._leases: dict[UUID, int] = {}
        self._retries: dict[UUID, dict[int, Retry]] = {}

    @abstractmethod
    def _grown(self, stream: str) -> tuple[int, bool]:
        """Return how many lines a stream has, and whether it has ended."""

    async def keep_hook(self, hook: StoredHook, most: int) -> StoredHook | None:
        """Keep a hook."""
        if len(await self.hooks(hook.stream)) < most and hook.id not in self._hooks:
            self._hooks[hook.id], self._leases[hook.id], self._retries[hook.id] = hook, 0, {}
        return self._hooks.get(hook.id)

    async def hooks(self, stream: str) -> list[StoredHook]:
        """Return the hooks of a stream."""
        found = [hook for hook in self._hooks.values() if hook.stream == stream]
        return sorted(found, key=lambda hook: (hook.made_at, hook.id))

    async def drop_hook(self, stream: str, hook: UUID) -> bool:
        """Forget a hook."""
        known = self._hooks.get(hook)
        if known is None or known.stream != stream:
            return False
        del self._hooks[hook], self._leases[hook], self._retries[hook]
        return True

    async def lease_hooks(self, now: int, until: int, limit: int) -> list[StoredHook]:
        """Return hooks that there is something to do for."""
        free = [hook for hook in self._hooks.values() if hook.state == "on" and self._leases[hook.id] <= now]
        found = sorted(filter(lambda hook: self._is_due(hook, now), free), key=lambda hook: self._leases[hook.id])
        self._leases.update({hook.id: until for hook in found[:limit]})
        return found[:limit]

    def _is_due(self, hook: StoredHook, now: int) -> bool:
        version, ended = self._grown(hook.stream)
        waiting = self._retries[hook.id].values()
        return version > hook.seq or any(one.due_at <= now for one in waiting) or (ended and not waiting)

    async def retries(self, hook: UUID) -> list[Retry]:
        """Return what a hook has to be told again."""
        return sorted(self._retries.get(hook, {}).values(), key=lambda one: (one.due_at, one.seq))

    async def retries_waiting(self) -> int:
        """Return how many lines wait to be told again."""
        return sum(len(lines) for hook, lines in self._retries.items() if self._hooks[hook].state == "on")

    async def note_told(self, hook: UUID, told: HookNote) -> bool:
        """Note what became of telling a hook."""
        known = self._hooks.get(hook)
        if known is None or known.state != "on":
            return False
        waits = told.state == "over" and self._retries[hook]
        kept = replace(known, seq=max(known.seq, told.seq), state="on" if waits else told.state)
        if told.at is not None:
            kept = replace(kept, told_at=told.at, status=told.status, why=told.why)
        self._hooks[hook], self._leases[hook] = kept, told.leased_until
        if told.taken is not None:
            self._retries[hook].pop(told.taken, None)
        if told.again is not None:
            self._retries[hook][told.again.seq] = told.again
        return True
