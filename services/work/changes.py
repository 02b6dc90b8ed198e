"""Change cursors: which matches have moved since one last looked, and which go on, for programs that follow the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, Protocol
from uuid import UUID

import structlog

from domain.match.record import stream_of
from domain.tournaments.boards.record import is_board
from domain.tournaments.boards.record import step as board_step
from infra.clock import ticks_s
from infra.store import Away, Recorded

PAGE = 512
BACK_S: Final = 1.0
"""How often a database that is away is asked whether it is there again."""

log = structlog.get_logger(__name__)


class Log(Protocol):
    """The part of the event store that is followed."""

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard."""

    async def follow(self, shard: int, after: int, limit: int) -> Sequence[Recorded]:
        """Return lines after a position."""


class LiveLog(Log, Protocol):
    """A log that also says which matches go on, and what is in them."""

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended."""

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return lines of a stream from a version on."""


class ChangeCursor:
    """Follows every shard at once. A look asks for the positions, and for the lines of each shard that has grown.

    What lives at a database that is away is found once that is back, and keeps nobody from what the others have.
    """

    def __init__(self, log: Log) -> None:
        """Follow this log from `begin` on."""
        self._log = log
        self._positions: dict[int, int] = {}

    async def begin(self) -> None:
        """Take everything there is now as seen."""
        self._positions = dict(await self._log.positions())

    async def look(self) -> dict[str, int]:
        """Return the streams with new lines, each with the version it has reached at least."""
        found: dict[str, int] = {}
        for shard, end in (await self._log.positions()).items():
            seen = self._positions.get(shard, 0)
            if end <= seen:
                continue
            # Others may reach a database that is away from here, and tell of what they store there.
            with suppress(Away):
                for row in await self._log.follow(shard, seen, PAGE):
                    found[row.stream] = row.seq + 1
                    self._positions[shard] = row.position
        return found


async def live_with_boards(log: LiveLog) -> list[str]:
    """Return the streams that go on, with the matches of boards that do, whose dice lie with the board.

    Cost: beside the query for all that go on, one for each board of these and each of its tables.

    Raises:
        Away: One of several databases does not answer; with what the others have.
        Unavailable: The home does not answer.
    """
    found, away = list[str](), list[Away]()
    with noting_away(away):
        found = list(await log.streams_live())
    found += (stream for trouble in away for stream in trouble.found)
    for board in [stream for stream in found if is_board(stream)]:
        with noting_away(away):
            for match in await _matches_of(log, board):
                with noting_away(away):
                    # What has not been opened yet, whoever opens it tells of.
                    found += [match] if await log.read(match, 0, 1) else []
    if away:
        raise Away(str(away[0]), found)
    return found


async def _matches_of(log: LiveLog, board: str) -> list[str]:
    """Return the streams of the matches of a board, as its first line has them."""
    (line,) = await log.read(board, 0, 1)
    rules = board_step(None, line)[0].board.rules
    return [stream_of(UUID(rules.match_at(table))) for table in range(1, rules.tables + 1)]


@contextmanager
def noting_away(away: list[Away]) -> Iterator[None]:
    """Pass over what lives at a database that is away, and note that, for who says so once all others are done."""
    try:
        yield
    except Away as trouble:
        away.append(trouble)


ListStreams = Callable[[], Awaitable[list[str]]]
"""Lists streams that go on; of those at a database that is away it says so, with the others."""


class LiveStreams:
    """The streams that go on, for whoever looks after all of them, while one of several databases may be away.

    Those that live there wait, and all others go on. When it is there again, whoever looks after them begins anew.

    Attributes:
        lacks: Whether some are not to be had.
    """

    def __init__(self, lists: ListStreams) -> None:
        """List them so, such as with `streams_live` of a log."""
        self._lists = lists
        self.lacks = False
        self._asked_s = 0.0

    async def list_them(self) -> list[str]:
        """Return those that are to be had.

        Raises:
            Unavailable: The home does not answer.
        """
        self.lacks = False
        try:
            return await self._lists()
        except Away as away:
            self._note(away)
            return away.found

    @contextmanager
    def contain_away(self) -> Iterator[None]:
        """Let what lives at a database that is away wait for it."""
        try:
            yield
        except Away as away:
            self._note(away)

    def _note(self, away: Away) -> None:
        if not self.lacks:
            log.warning("databases.away", why=str(away))
        self.lacks, self._asked_s = True, ticks_s()

    async def are_back(self) -> bool:
        """Report whether some were lacking, and all are to be had again. Cost: nothing, while none lacks."""
        if not self.lacks or ticks_s() - self._asked_s < BACK_S:
            return False
        self._asked_s = ticks_s()
        try:
            await self._lists()
        except Away:
            return False
        return True
