"""Sets: commands of many streams, in whatever shards, in one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from infra.store import Append, Appended, Conflict, Outcome, batches, shard_of
from infra.store.batches import Queries

SEND_S: Final = 20.0
"""How long a set may take to commit before its connection is given up; one of 500 tables takes some hundred ms."""

Lends = Callable[[float], AbstractAsyncContextManager[Any]]
"""Lends a connection for so many seconds."""
Tells = Callable[[int, list[Append], list[Outcome]], object]
"""Tells of the lines that a batch has added to a shard."""


class Sets:
    """Stores sets."""

    def __init__(self, lends: Lends, tells: Tells) -> None:
        """Store over connections that are lent so, and tell so of what was stored."""
        self._lends = lends
        self._tells = tells

    async def send(self, _shard: int, appends: Sequence[Append]) -> list[Outcome]:
        """Store commands of any shards, all of them or none, and return what came of each, in their order."""
        parts = _parts_of(appends)
        async with self._lends(SEND_S) as connection:
            found = await _store(connection, parts)
        outcomes: dict[str, Outcome] = {}
        for (shard, batch), told in zip(parts, found, strict=True):
            self._tells(shard, batch, told)
            outcomes |= {append.stream: outcome for append, outcome in zip(batch, told, strict=True)}
        return [outcomes[append.stream] for append in appends]


def _parts_of(appends: Sequence[Append]) -> list[tuple[int, list[Append]]]:
    """Return the commands of each shard, in the order of the shards."""
    parts: dict[int, list[Append]] = {}
    for append in appends:
        parts.setdefault(shard_of(append.stream), []).append(append)
    return sorted(parts.items())


class _Undone(Exception):  # noqa: N818 - named for what happened
    """Something stands against a command: what was stored of the others is taken back."""


async def _store(connection: Queries, parts: Sequence[tuple[int, list[Append]]]) -> list[list[Outcome]]:
    """Store the commands of each shard in one transaction, or none.

    Each shard is held until the end. They are taken in one order everywhere, so that two sets wait for each other and
    not both; whoever writes to several shards otherwise passes over those that are held (`batches.store_plain`).
    """
    found: list[list[Outcome]] = []
    try:
        async with connection.transaction():
            for shard, batch in parts:
                found.append(await batches.store_any(connection, shard, batch))
            _check_appended(found)
    except _Undone:
        return [
            [_taken_back(*each) for each in zip(batch, told, strict=True)]
            for (_, batch), told in zip(parts, found, strict=True)
        ]
    return found


def _check_appended(found: Sequence[Sequence[Outcome]]) -> None:
    if not all(isinstance(outcome, Appended) for part in found for outcome in part):
        raise _Undone


def _taken_back(append: Append, outcome: Outcome) -> Outcome:
    return Conflict(append.expected) if isinstance(outcome, Appended) else outcome
