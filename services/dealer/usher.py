"""The end of what nobody is at: lobbies that have expired or been left, and tables that bots play for nobody.

Lobbies that start at a time do so here, too, if they were there before the scheduler began.

What is due while a match moves, the scheduler knows from following the log; here are the lobbies that were there before
it began, and the tables whose end depends on who looks, of which the log knows nothing. Any number of ushers may do
this: whoever is second finds the match over. What lies at one of several databases that is away waits for the next
look at all lobbies, and keeps none of the others.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final
from uuid import UUID

import msgspec
import structlog
from msgspec import Struct

from domain import commands
from domain.errors import Refused
from domain.ids import UnixMs
from domain.match.dues import due_at, waits_since
from domain.match.record import stream_of
from domain.match.settings import DAY_MS, HOUSE_IDLE
from infra.clock import now_ms
from infra.store import Away, EventStore, ProjectionRow, RowPlace, Unavailable
from projections.lobby import OPEN
from services.matches.attendance import BotTable, BotTables
from services.matches.chance import NO_CHANCE
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.looks import Looks
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import CommandMetadata, VersionPassed
from services.work.failures import Stuck

NAME: Final = "usher"
"""What it is called where it says what it cannot end."""
LOOK_S: Final = 1.0
"""How often tables of bots are looked at, which costs no query until one is due."""
LOBBIES_S: Final = 60.0
"""How often the rows of all lobbies are read: a query for each page, 100 for ten thousand lobbies."""
STARTS_AT_ONCE: Final = 16
"""How many tables start in one look of those whose time has come: a list of 500 takes half a minute after a restart,
and tables in play do not wait for it."""
PAGE: Final = 100
FORGOTTEN_MS: Final = DAY_MS
"""When a lobby is closed whose rules would keep it for ever: as late as any rules can say."""
UNSEEN_MS: Final = 600_000
"""When a lobby is closed that nobody looks at, of those whose host chose no time for it: as a table of bots is."""
SHORTEST_MS: Final = 1_000
"""The shortest time that rules can give a lobby."""

log = structlog.get_logger(__name__)


class Expiring(Struct):
    """What a row of the lobby says of when its table expires, or starts; those of older matches, and rows, never do."""

    expires_at: UnixMs | None = None
    starts_at: UnixMs | None = None


class Usher:
    """Ends what nobody is at."""

    def __init__(
        self,
        store: EventStore,
        matches: CommandHandler,
        tables: BotTables,
        looks: Looks,
        stuck: Stuck | None = None,
        heart: Heart | None = None,
    ) -> None:
        """Find lobbies in this store, tables of bots among these, and act through these matches.

        `stuck` is told which of them cannot be ended; `heart` knows since when somebody has kept time.
        """
        self._heart = heart or Heart(store)
        self._stuck = stuck or Stuck()
        self._store = store
        self._matches = matches
        self._tables = tables
        self._looks = looks
        self._lobbies_at = 0
        self._starting: dict[str, tuple[UnixMs, ProjectionRow]] = {}

    async def run(self) -> None:
        """Go round until cancelled. A crash anywhere leaves what is still to be ended."""
        while True:
            try:
                await self._round()
            except Unavailable as trouble:
                log.warning("usher.waits", why=str(trouble))
            await asyncio.sleep(LOOK_S)

    async def _round(self) -> None:
        if self._heart.has_missed():
            return  # who was away, and for how long, is the scheduler's to find
        for table in self._tables.tables():
            if self._is_unattended(table):
                with suppress(Away), self._stuck.contain_failures(NAME, stream_of(table.match)):
                    await self._close(table)
        await self._start_tables()
        # A clock that leapt while others were acted for makes this due, and the lobbies.
        if now_ms() - self._lobbies_at >= LOBBIES_S * 1000 and not self._heart.has_missed():
            await self._end_lobbies()
            self._lobbies_at = now_ms()

    def _is_unattended(self, table: BotTable) -> bool:
        due = table.closable if table.due_at is None else now_ms() >= table.due_at
        return due and self._looks.is_unseen(str(table.match), table.unseen_s)

    async def _close(self, table: BotTable) -> None:
        """End a table of bots; one of before there was a rule for it, as its host might."""
        command = commands.CloseSession() if table.due_at is None else commands.CloseUnattended()
        with suppress(Refused, UnknownMatch):
            await self._matches.submit(table.match, command, CommandMetadata("table", f"unattended-{table.match}", b""))

    async def _end_lobbies(self) -> None:
        """End the lobbies whose time is over; no lobby's is shorter than a second, so the latest are passed over."""
        now = now_ms()
        for shelf in OPEN:
            before: RowPlace = (now - SHORTEST_MS, "")
            while rows := await self._store.projection("lobby", shelf, PAGE, before):
                for row in rows:
                    with suppress(Away), self._stuck.contain_failures(NAME, f"match/{row.key}"):
                        await self._look_at_lobby(row, now)
                before = rows[-1].place

    async def _look_at_lobby(self, row: ProjectionRow, now: int) -> None:
        """End a lobby that has expired; all of its time counts again after nobody was there.

        Whose rules say nothing of that, because they are older or their host wants to wait, is the house's to close in
        the end: lobbies cost nothing to open.
        """
        row_says = msgspec.json.decode(row.doc, type=Expiring)
        if row_says.starts_at is not None:
            if row_says.starts_at <= now + LOBBIES_S * 1000:
                self._starting[row.key] = (row_says.starts_at, row)
            return
        expires_at = row_says.expires_at
        uncounted = self._heart.uncounted_ms(row.at)
        closes_at = self._closes_at(row, expires_at)
        if expires_at is not None and expires_at + uncounted <= now:
            if await self._has_expired(row, now):
                await self._end(row, commands.Advance(NO_CHANCE))
        elif closes_at is not None and closes_at + uncounted <= now:
            await self._end(row, commands.CloseSession())

    async def _has_expired(self, row: ProjectionRow, now: int) -> bool:
        """Report whether a lobby has had all its time since somebody came; its row knows when it moved last."""
        with suppress(UnknownMatch):
            match = (await self._matches.load_match(UUID(row.key))).match
            due, since = due_at(match), waits_since(match)
            return due is not None and since is not None and due + self._heart.uncounted_ms(since) <= now
        return False

    async def _start_tables(self) -> None:
        """Start the tables whose time has come, or end those at which too few sit.

        A crash leaves them to be read again. What has moved since it was read, the scheduler knows from the log. Of
        many at once some start at each look, so that others have their turn: those first that were read first.
        """
        now = now_ms()
        come = [key for key, (at, _) in self._starting.items() if at <= now]
        for key in come[:STARTS_AT_ONCE]:
            _, row = self._starting.pop(key)
            with suppress(Away), self._stuck.contain_failures(NAME, f"match/{key}"):
                await self._end(row, commands.Advance(NO_CHANCE))

    def _closes_at(self, row: ProjectionRow, expires_at: UnixMs | None) -> UnixMs | None:
        """Return when the house closes a lobby whose rules keep it longer; None where they alone say when it ends.

        One that nobody looks at is closed early, unless its host said how long it is to wait.
        """
        if expires_at is None:
            return row.at + FORGOTTEN_MS
        usual = expires_at - row.at == HOUSE_IDLE.lobby_ms
        return row.at + UNSEEN_MS if usual and self._looks.is_unseen(row.key, UNSEEN_MS / 1000) else None

    async def _end(self, row: ProjectionRow, command: commands.MatchCommand) -> None:
        ask = CommandMetadata("table", f"advance-{row.key}-{row.version}", b"", (row.version,))
        with suppress(Refused, VersionPassed, UnknownMatch):
            await self._matches.submit(UUID(row.key), command, ask)
