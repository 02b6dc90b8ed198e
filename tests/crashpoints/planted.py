"""Planted bugs: faults as they are made in practice, most of which a kill at the right point brings to light."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any, Final
from unittest.mock import patch

from msgspec import Struct

from domain.match.ceremony import deal_secrets_of
from infra.entropy import draw
from infra.store import Append, Appended, Recorded
from infra.store.postgres import WAIT_S, PostgresStore
from services.matches import optimistic
from services.matches.handler import CommandHandler
from services.matches.secrets.vault import Vault
from services.relay.lobby_projector import LobbyProjector
from services.relay.statistics_projector import StatisticsProjector

Replaced = tuple[Any, str, Callable[..., Any]]
_unsent: set[asyncio.Task[Any]] = set()


class Planted(Struct, frozen=True):
    """A bug.

    Attributes:
        replaced: What it puts in whose place.
        near: What stands in the names of places at which it shows.
    """

    replaced: tuple[Replaced, ...]
    near: str = ""

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let the bug be there."""
        with ExitStack() as stack:
            for owner, name, other in self.replaced:
                stack.enter_context(patch.object(owner, name, other))
            yield


async def _acknowledged_too_soon(store: Any, command: Append, _kind: object) -> Any:
    """Say that a command is stored while it still is on its way to the database."""
    sending = asyncio.ensure_future(store.append(command))
    _unsent.add(sending)
    sending.add_done_callback(_unsent.discard)
    return Appended(command.expected + len(command.lines), 0)


async def _nothing_stored(*_asked: object) -> None:
    """Look for no stored answer."""


_append = optimistic.append


async def _answered_anew(store: Any, command: Append, kind: type[Any]) -> Any:
    """Answer a repeat with what it would lead to now."""
    outcome = await _append(store, command, kind)
    return Appended(command.expected + len(command.lines), 0) if isinstance(outcome, kind) else outcome


async def _token_drawn_anew(*_asked: object) -> str:
    """Give whoever asks again another token than the first time."""
    return f"truecup_seat_{draw(32).hex()[:43]}"


_start_counting = StatisticsProjector.start


async def _counted_from_the_first(projector: StatisticsProjector, shard: int) -> int:
    """Count all dice again after a restart, on top of what was counted."""
    await _start_counting(projector, shard)
    return 0


_take = LobbyProjector.take


async def _cursor_before_rows(projector: LobbyProjector, shard: int, page: Sequence[Recorded]) -> int:
    """Save how far the rows have come before they are there."""
    await projector._store.save_projection(projector.name, shard, page[-1].position, ())  # noqa: SLF001 - planted there
    return await _take(projector, shard, page)


@asynccontextmanager
async def _no_transaction(store: PostgresStore) -> AsyncIterator[Any]:
    """Let each statement of what belongs together commit by itself."""
    async with store._connection(WAIT_S) as connection:  # noqa: SLF001 - as above
        yield connection


_unwrap = Vault._unwrap  # noqa: SLF001 - as above


async def _dealt_anew(vault: Vault, stream: str, ceremony: Any) -> Any:
    """Draw the secret of a deal again where it is not in memory, as after a crash."""
    kept = await _unwrap(vault, stream, ceremony)
    return deal_secrets_of(ceremony, draw(32), dict(kept.seeds))


BUGS: Final = {
    "acknowledged before it is stored": Planted(((optimistic, "append", _acknowledged_too_soon),)),
    "repeat answered anew": Planted(
        ((optimistic, "append", _answered_anew), (CommandHandler, "_find_answer", _nothing_stored))
    ),
    "token drawn anew for a repeat": Planted(((optimistic, "token_of_command", _token_drawn_anew),)),
    "dice counted twice": Planted(((StatisticsProjector, "start", _counted_from_the_first),), "statistics"),
    "cursor saved before the rows": Planted(((LobbyProjector, "take", _cursor_before_rows),), "lobby_projector"),
    "transaction forgotten": Planted(((PostgresStore, "_transaction", _no_transaction),), "log_append"),
    "dice drawn anew after a crash": Planted(((Vault, "_unwrap", _dealt_anew),), "store_any"),
}
