"""The scheduler of matches: rounds dealt, sealed deals taken to the log, absent seats acted for, as they fall due.

Any number of schedulers may follow the same matches: whoever is second finds nothing due, or another version.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Literal
from uuid import UUID

import structlog
from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.ids import UnixMs, Version
from domain.match.ceremony import Ceremony
from domain.match.dues import beacon_due_at, due_at, waits_since
from domain.match.evolve import Match
from domain.match.record import is_match, match_of, stream_of
from infra.clock import now_ms
from infra.handoff.shares import Alone, Shares, late_ms
from infra.measures.buckets import Buckets
from infra.store import Unavailable
from services.dealer.beacon_client import BeaconClient
from services.dealer.meters.open_matches import OpenMatches
from services.dealer.notary import Notary, Proof
from services.matches.attendance import BotTables
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.requests import CommandMetadata, VersionPassed
from services.work.changes import ChangeCursor, LiveLog, LiveStreams, live_with_boards
from services.work.failures import Stuck, take_due
from services.work.together import in_rounds, side_by_side
from services.work.wakeups import Waker

IDLE_S = 0.25
"""How long the scheduler sleeps when nothing pokes it: the age at which another program's commit is noticed."""
AGAIN_MS = 100
"""How long to wait before asking again for what was refused as not due."""
PASSED_MAX = 3
"""How often somebody may have a line in just before the table acts, until it acts at whatever version there is."""
AT_ONCE = 8
"""How many matches are looked at, or acted at, side by side: fewer queries than the store has connections. Of those
that were there before so many are read, and then the moving ones have their turn."""
STARTS_AT_ONCE = 8
"""How many tables start in one round of those that were to start at a time: whole lists name the same one."""
STALE_MAX = 1_024
"""How many entries of the list of what is due may be out of date before it is made anew."""

NAME = "croupier"
"""What it is called among the works that may get stuck."""

log = structlog.get_logger(__name__)


class Due(Struct, frozen=True, order=True):
    """A match that has something to do at a time, in Unix milliseconds."""

    at: UnixMs
    match: UUID
    version: Version


class DueList:
    """What each match has to do next, the soonest first."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._order: list[Due] = []
        self._latest: dict[UUID, Due] = {}

    def forget(self, match_id: UUID) -> None:
        """Forget what a match was due for; it is passed over when its time comes."""
        self._latest.pop(match_id, None)

    def note(self, due: Due) -> None:
        """Put a match on the list, in the place of what it was due for before."""
        self._latest[due.match] = due
        heapq.heappush(self._order, due)
        if len(self._order) > STALE_MAX + 2 * len(self._latest):
            self._order = sorted(self._latest.values())

    def next_at(self) -> UnixMs | None:
        """Return when to look here again; None while nothing is due at any time."""
        return self._order[0].at if self._order else None

    def take(self, now: UnixMs) -> Due | None:
        """Return what is due by now, and remember it no more; None if nothing is."""
        while self._order and self._order[0].at <= now:
            due = heapq.heappop(self._order)
            if self._latest.get(due.match) == due:
                del self._latest[due.match]
                return due
        return None


class DueAnchor(Struct, frozen=True):
    """A line of a match that a deal waits for to be in the log."""

    seq: int
    kind: Literal["sealed", "opened"]


class Waiting(Struct):
    """A deal that waits for the log.

    Attributes:
        anchor: The line it waits for.
        covered: How many entries checkpoints covered when the line was last looked for.
        again_at: When to look for it again after that has failed, in Unix milliseconds.
    """

    anchor: DueAnchor
    covered: int = -1
    again_at: UnixMs = 0


def anchor_of(match: Match) -> DueAnchor | None:
    """Return what the current deal of a match waits for to be in the log."""
    return anchor_of_deal(match.ceremony, match.sealed_seq, match.opened_seq)


def anchor_of_deal(deal: Ceremony | None, sealed_seq: int | None, opened_seq: int | None) -> DueAnchor | None:
    """Return what a deal waits for to be in the log: its seal, or before a beacon speaks its last opening.

    Args:
        deal: The deal, if there is one.
        sealed_seq: Where its seal stands in the stream.
        opened_seq: Where its last opening stands.
    """
    if deal is not None and deal.stage == "sealed" and sealed_seq is not None:
        return DueAnchor(sealed_seq, "sealed")
    fixes = deal is not None and deal.stage == "logged" and deal.beacon is not None and not deal.waiting_for
    return DueAnchor(opened_seq, "opened") if fixes and opened_seq is not None else None


class MatchScheduler:
    """Follows the log and keeps what is due.

    Attributes:
        late: By how many seconds what was due was done late.
        seen: The matches that go on, as they were seen last.
    """

    def __init__(
        self,
        log: LiveLog,
        heart: Heart,
        matches: CommandHandler,
        notary: Notary,
        waker: Waker,
        ear: BeaconClient | None = None,
        stuck: Stuck | None = None,
        tables: BotTables | None = None,
        shares: Shares | None = None,
    ) -> None:
        """Follow this log, act through these matches, log through this notary, and hear a beacon by this ear.

        `heart` knows whether somebody has been there to keep time. `stuck` is told which matches it cannot go on with,
        `tables` is shown every match as it moves; at matches that `shares` give to another it acts later.
        """
        self._shares = shares or Alone()
        self._heart = heart
        self._stuck = stuck or Stuck()
        self._tables = tables or BotTables()
        self._log, self._matches = log, matches
        self._notary, self._waker = notary, waker
        self._due, self._starts = DueList(), DueList()
        self._ear = ear
        self._logging: dict[UUID, Waiting] = {}
        self._hearing: dict[UUID, Match] = {}
        self._touched, self._live = ChangeCursor(log), LiveStreams(partial(live_with_boards, log))
        self._unread: deque[str] = deque()
        self._again: dict[str, UnixMs] = {}
        self._beginning = 0
        self.late, self.seen = Buckets(), OpenMatches()

    @property
    def awaiting_log(self) -> int:
        """How many deals wait for the log."""
        return len(self._logging)

    @property
    def awaiting_beacon(self) -> int:
        """How many deals wait for a beacon."""
        return len(self._hearing)

    async def run(self) -> None:
        """Follow until cancelled. The notary works beside it, so that no witness who is slow keeps a match waiting."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._notary.run())
            group.create_task(self._heart.run())
            group.create_task(self._keep_following())

    async def _keep_following(self) -> None:
        """Follow; after trouble with the store, or time in which nobody was there, start like after a crash."""
        try:
            while True:
                try:
                    await self._follow()
                except Unavailable as trouble:
                    log.warning("croupier.waits", why=str(trouble))
                    await asyncio.sleep(IDLE_S)
        finally:
            if self._ear is not None:
                await self._ear.close()

    async def _follow(self) -> None:
        """Follow from the log on, while somebody is there."""
        await self._heart.find_gap()
        self._beginning = self._heart.beginnings
        await self._touched.begin()
        self._due, self._starts, self._logging, self._hearing = DueList(), DueList(), {}, {}
        self._unread = deque(filter(is_match, await self._live.list_them()))
        while self._is_there() and not await self._live.are_back():
            await self._round()

    def _is_there(self) -> bool:
        """Report whether nothing has to be given back but what was found at this beginning."""
        return not self._heart.has_missed() and self._heart.beginnings == self._beginning

    async def _round(self) -> None:
        for stream, version in (await self._touched.look()).items():
            if is_match(stream):
                await self._look_alone(stream, version)
        await self._read_some()
        await self._take_to_the_log()
        await self._hear()
        await self._do_what_is_due()
        await self._waker.wait(self._sleep_s())

    async def _read_some(self) -> None:
        """Look at some of the matches that were there before: what moves now never waits for all of them."""
        self._unread.extend(take_due(self._again))
        some = [self._unread.popleft() for _ in range(min(AT_ONCE, len(self._unread)))]
        await side_by_side(self._look_alone(stream) for stream in some)

    def _sleep_s(self) -> float:
        if self._unread:
            return 0.0
        times = [at for at in (self._due.next_at(), self._starts.next_at()) if at is not None]
        return min([IDLE_S, *(max(0.0, (at - now_ms()) / 1000) for at in times)])

    async def _look_alone(self, stream: str, version: Version | None = None) -> None:
        with self._live.contain_away(), self._stuck.contain_failures(NAME, stream) as contained:
            await self._look_at(stream, version)
        contained.put_back(self._again, stream)

    async def _look_at(self, stream: str, version: Version | None = None) -> None:
        match = (await self._matches.load_in_time(match_of(stream), version)).match
        self._tables.see(match)
        self.seen.see(match)
        anchor = anchor_of(match)
        if anchor is not None:
            self._logging[match.id] = Waiting(anchor)
        if anchor is not None or match.ended:
            self._notary.wake()
        if match.ceremony is not None and match.ceremony.stage == "fixed":
            self._hearing[match.id] = match
        self._remember(match, self._when(match))

    def _remember(self, match: Match, at: UnixMs | None) -> None:
        """Put a match on its list of what is due, and on no other; on none, where nothing is due at any time."""
        for dues in (self._due, self._starts):
            dues.forget(match.id)
        if at is not None:
            starts = match.table is None and match.settings.starts_at is not None
            (self._starts if starts else self._due).note(Due(at, match.id, match.version))

    def _when(self, match: Match) -> int | None:
        """Return when to act: when it is due, or later at the match of another dealer.

        Whoever was waited for while nobody ran gets the whole time again.
        """
        at, since = due_at(match), waits_since(match)
        if at is None:
            return None
        if since is not None:
            at += self._heart.uncounted_ms(since)
        if match.paused is not None:
            # However much more time those have whose seeds a deal waits for that began before the pause.
            at = min(at, match.paused.until + self._heart.uncounted_ms(match.paused.since))
        return at + late_ms(self._shares, match.id)

    async def _do_what_is_due(self) -> None:
        """Do all that is due, and then let some tables start whose time has come: tables in play never wait for those.

        However many start at one time, whoever plays waits for one round, of `STARTS_AT_ONCE` of them, and for what
        the tables that have started have to do. A table whose commit is slow holds up nobody of its round.
        """
        await in_rounds(self._take_due(self._due), AT_ONCE)
        await in_rounds(islice(self._take_due(self._starts), STARTS_AT_ONCE), STARTS_AT_ONCE)

    def _take_due(self, dues: DueList) -> Iterator[Coroutine[None, None, None]]:
        """Take out what is due, one after the other, as long as it is not to be looked at anew."""
        while self._is_there() and (due := dues.take(now_ms())) is not None:
            yield self._advance_alone(due, dues)

    async def _advance_alone(self, due: Due, dues: DueList) -> None:
        self.late.add(max(0, now_ms() - due.at) / 1_000)
        with self._live.contain_away(), self._stuck.contain_failures(NAME, stream_of(due.match)) as contained:
            await self._advance(due)
        if contained.again_at is not None:
            dues.note(replace(due, at=contained.again_at))

    async def _advance(self, due: Due) -> None:
        """Let the table act. A crash here leaves the match due, and the next scheduler finds it so.

        It is asked for at the version that was looked at, since whoever was waited for while nobody ran has more time
        than the rules know of. But whoever writes lines that change nothing of what is due must not keep it off: after
        some of them it is asked for at whatever version there is, and the rules alone say whether it is due.
        """
        version = due.version
        for left in reversed(range(PASSED_MAX + 1)):
            expected = (version,) if left else None
            ask = CommandMetadata("table", f"advance-{due.match}-{version}", b"", expected)
            try:
                await self._matches.advance(due.match, ask)
            except Refused:
                await self._look_again(due.match)
            except VersionPassed:
                match = (await self._matches.load_match(due.match)).match
                at, version = self._when(match), match.version
                if at is not None and at <= now_ms() and self._is_there():
                    continue
                self._remember(match, at)
            return

    async def _look_again(self, match_id: UUID) -> None:
        """Look again later: the clock that decides is behind the one that looked, or somebody was quicker."""
        match = (await self._matches.load_match(match_id)).match
        again = self._when(match)
        self._remember(match, None if again is None else max(again, now_ms() + AGAIN_MS))

    async def _take_to_the_log(self) -> None:
        """Tell each table that waits that it is logged, once it is; while no checkpoint comes, this costs one query."""
        covered, at = await self._notary.covered_size() if self._logging else 0, now_ms()
        news = [
            (match_id, one) for match_id, one in self._logging.items() if one.covered != covered and one.again_at <= at
        ]
        await in_rounds((self._log_alone(match_id, waiting, covered) for match_id, waiting in news), AT_ONCE)

    async def _log_alone(self, match_id: UUID, waiting: Waiting, covered: int) -> None:
        waiting.covered = covered
        with (
            self._live.contain_away(),
            self._stuck.contain_failures(NAME, stream_of(match_id), reads=False) as contained,
        ):
            await self._look_into_the_log(match_id, waiting)
        if contained.again_at is not None:
            self._logging[match_id] = Waiting(waiting.anchor, again_at=contained.again_at)

    async def _look_into_the_log(self, match_id: UUID, waiting: Waiting) -> None:
        anchor = waiting.anchor
        proof = await self._notary.proof(stream_of(match_id), anchor.seq, anchor.kind)
        if proof is None:
            return
        if self._logging.get(match_id) is waiting:
            del self._logging[match_id]
        await self._log_deal(match_id, anchor, proof)

    async def _log_deal(self, match_id: UUID, anchor: DueAnchor, proof: Proof) -> None:
        match = (await self._matches.load_match(match_id)).match
        if match.ceremony is None or anchor_of(match) != anchor:
            return
        kind = commands.LogDeal if anchor.kind == "sealed" else commands.FixDeal
        command = kind(match.ceremony.deal, proof.index, proof.path, proof.checkpoint)
        with suppress(Refused):
            await self._matches.submit(match_id, command, CommandMetadata("table", f"log-{match_id}-{anchor.seq}", b""))

    async def _hear(self) -> None:
        """Bring what the beacon has said to the deals that wait for it. A crash here leaves them waiting."""
        for match_id, match in list(self._hearing.items()):
            contains = self._stuck.contain_failures(NAME, stream_of(match_id), reads=False)
            with self._live.contain_away(), contains as contained, suppress(Refused):
                await self._hear_for(match_id, match)
            contained.put_back(self._again, stream_of(match_id))

    async def _hear_for(self, match_id: UUID, match: Match) -> None:
        deal, due_at = match.ceremony, beacon_due_at(match)
        assert deal is not None, "it waits"
        assert deal.beacon is not None, "for a beacon"
        assert due_at is not None, "which its rules name"
        said = None if self._ear is None else self._ear.signature_of(deal.beacon.chain, deal.beacon.round, due_at)
        if said is not None:
            del self._hearing[match_id]
            command = commands.HearBeacon(deal.deal, deal.beacon.round, said)
            await self._matches.submit(
                match_id, command, CommandMetadata("table", f"beacon-{match_id}-{deal.deal}", b"")
            )
