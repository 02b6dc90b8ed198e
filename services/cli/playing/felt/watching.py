"""A match that is watched over the whole terminal: as it is played, or once more at its own pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from functools import partial
from types import TracebackType
from typing import Final, Self

from services.cli.playing.felt.table import TableApp
from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.cli.screen import show
from services.client.following import Broke, follow
from services.client.house import CannotDo
from services.client.proving import Proof
from services.client.seating import allows_hints
from services.client.signing import Shield


class Watching:
    """Somebody without a seat."""

    sitting: Final = None
    proof: Final[Proof] = "none"
    shield: Final[Shield] = "none"
    key: Final = None

    def __init__(self, items: AsyncGenerator[Json, None]) -> None:
        """Watch what these items say."""
        self._items = items

    async def __aenter__(self) -> Self:
        """Begin to look."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Look away."""
        await self._items.aclose()

    def items(self) -> AsyncGenerator[Json, None]:
        """Return what is said of the match."""
        return self._items

    async def ask(self, command: Json, *, host: bool = False) -> None:  # noqa: ARG002 - whatever it is
        """Refuse: who has no seat asks for nothing.

        Raises:
            CannotDo: Always.
        """
        raise CannotDo(phrase("felt", "watching"))


async def watch_felt(base: str, match: str) -> None:
    """Watch a match as it is played, over the whole terminal.

    Raises:
        CannotDo: Nobody answers, or what is answered is no stream of a match.
    """
    hints = await asyncio.to_thread(allows_hints, base, match)
    await _show(TableApp(partial(_live, base, match), hints=hints))


async def replay_felt(paced: Iterable[tuple[float, Json]]) -> None:
    """Show frames over the whole terminal, each after as many seconds as it says.

    Raises:
        CannotDo: They are not what this program knows.
    """
    await _show(TableApp(lambda _broke: Watching(items_of(paced)), hints=True))


async def items_of(paced: Iterable[tuple[float, Json]]) -> AsyncGenerator[Json, None]:
    """Yield frames, each after as many seconds as it says, and then that they have ended."""
    for seconds, frame in paced:
        await asyncio.sleep(seconds)
        yield frame
    yield {"ended": 0}


def _live(base: str, match: str, broke: Broke) -> Watching:
    return Watching(follow(base, match, broke=broke))


async def _show(app: TableApp) -> None:
    await show(app)
    if app.trouble is not None:
        raise app.trouble
