"""Publishes the frames of a shard, one position after the other.

How far it has come is what the feed keeps; the cursor in the store helps when the feed has lost everything, or keeps
what is of no use: too old, or of another log. Two publishers of one shard do no harm: the feed keeps each position
once, and whoever is second goes on behind it.

Sequence and position march together, so there is a message for every position: where a match cannot be drawn here, one
without a frame, which only says that the match has this version. Whoever can read the match, as a program of another
version may, or this one a moment later, makes the frame from the log, so no reader misses it. The frame of a tournament
is its line, all of which is public, without what it moved: that takes a fold, which frames of matches would wait for,
and is made where somebody follows. Of any other stream no more is said than how far it has come.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Protocol

import structlog

from domain.fairness.openings import DealSecrets
from domain.ids import Seat, UnixMs
from domain.log import canonical
from domain.match.evolve import Match
from domain.match.record import goes_on, is_match
from domain.tournaments.record import is_tournament
from infra.feed import Feed, Placed
from infra.measures.tracing import span
from infra.store import EventStore, Recorded
from projections.frames import encode_frame, frame_of
from projections.served_dice import dice_of_view
from services.matches.reads.recent import Step
from services.matches.reads.shared import SharedReads, shared_reads
from services.matches.watching.embargo import is_kept_back
from services.tournaments.frames import tournament_frame
from services.work.failures import Stuck, due_in, reading
from services.work.slices import SLICE_S

BEHIND_MAX = 4_096
"""Frames published again after the feed has lost its newest; with more lost, viewers are served from the log."""

CURSOR_EVERY = 256
"""Frames between two writes of the cursor: that many more may be published again when the feed has lost everything."""

FRAME_BYTES_MAX = 512 * 1_024
"""The longest frame that is sent: half of what a NATS message may have unless its settings say otherwise. Frames have
some kilobytes; a longer one is left to the log, since one that the bus refuses would hold up its shard."""
_NAME = re.compile("[0-9a-zA-Z-]{1,64}")

log = structlog.get_logger(__name__)


class SeatSecrets(Protocol):
    """The secrets of deals, in programs that hold the key."""

    async def keeper(self, match: Match) -> DealSecrets | None:
        """Return the keeper of the match's current deal, if it has one."""


class Listeners(Protocol):
    """Who listens."""

    def is_there(self, match: str, seat: Seat) -> bool:
        """Report whether somebody listens for this seat, or may."""

    def known_at(self, match: str) -> frozenset[Seat]:
        """Return the seats, or the entrants of a tournament, for which somebody is known to listen."""


class Publisher:
    """Publishes what spectators see and, where it may know it, what each seat sees.

    Attributes:
        published: Frames handed to the bus for spectators, by this program.
        told: Frames handed to it for seats.
    """

    name = "frames"
    page = 64
    pause_s = 0.0

    def __init__(
        self,
        store: EventStore,
        feed: Feed,
        private: SeatSecrets | None,
        shared: SharedReads | None = None,
        stuck: Stuck | None = None,
        audience: Listeners | None = None,
    ) -> None:
        """Publish from this store over this feed, with `shared` memory; without `private` no frames for seats.

        Those for seats are made where the `audience` has somebody; without one, for all.
        """
        self._audience = audience
        self._stuck = stuck or Stuck()
        self._store = store
        self._feed = feed
        self._private = private
        shared = shared or shared_reads(store)
        self._ledger, self._milestones, self._names = shared.access, shared.milestones, shared.names
        self._saved: dict[int, int] = {}
        self._unmade: dict[str, tuple[Recorded, bool]] = {}
        self._again: defaultdict[int, dict[str, UnixMs]] = defaultdict(dict)
        self.published = self.told = 0

    async def start(self, shard: int) -> int:
        """Return the position of the last frame the feed keeps, or of the cursor if it keeps nothing of use."""
        kept = await self._feed.last_position(shard)
        # Asked in this order, the log is never behind what was published from it.
        end = (await self._store.positions())[shard]
        cursor = min(await self._store.cursor(self.name, shard), end)
        self._saved[shard] = cursor
        if kept is None:
            return cursor
        if kept > end or kept < cursor - BEHIND_MAX:
            # What is kept comes from another log, or is too old to be of use to anybody.
            log.warning("relay.forgets", shard=shard, kept=kept, log=end)
            await self._feed.forget(shard)
            return cursor
        return kept

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Publish the frames of these lines, and return the position of the last frame the feed keeps then.

        A crash before the frames are published leaves seats with frames they will get again, which they know by the
        version. A crash before the cursor is saved leaves nothing to do: the feed tells how far it has come.
        """
        placed, clock = [], asyncio.get_running_loop().time
        until = clock() + SLICE_S
        for line, following in pairwise([*page, await self._behind(shard, page)]):
            assert line is not None, "only what is behind the page may be"
            placed.append(await self._frames_at(shard, line, more=_goes_on(line, following)))
            if clock() >= until:  # a page may be work for a tenth of a second, and nobody waits for all of it
                await asyncio.sleep(0)
                until = clock() + SLICE_S
        with span("relay.publish", shard=shard, frames=len(placed)):
            standing = await self._feed.publish(shard, placed)
        self.published += len(placed)
        if standing - self._saved[shard] >= CURSOR_EVERY:
            await self._store.save_projection(self.name, shard, standing, ())
            self._saved[shard] = standing
        return standing

    async def _behind(self, shard: int, page: Sequence[Recorded]) -> Recorded | None:
        """Return the line behind a page, if one may be stored with its last; a page that is not full ends a command."""
        if len(page) < self.page:
            return None
        return next(iter(await self._store.follow(shard, page[-1].position, 1)), None)

    async def try_again(self, shard: int, position: int) -> None:  # noqa: ARG002 - their places are taken
        """See whether the last frames of matches that could not be made can be by now; seats are told theirs.

        Everybody else has made them from the log, so it is no news, but that the match goes on here.
        """
        for stream in due_in(self._again[shard]):
            await self._try(shard, *self._unmade[stream])

    async def _frames_at(self, shard: int, line: Recorded, *, more: bool) -> Placed:
        kind = "tournaments" if is_tournament(line.stream) else "matches"
        body = await self._try(shard, line, more) if is_match(line.stream) or kind == "tournaments" else b""
        fits = len(body) <= FRAME_BYTES_MAX
        return Placed(line.position, _name_of(line.stream), line.seq + 1, body if fits else b"", kind)

    async def _try(self, shard: int, line: Recorded, more: bool) -> bytes:  # noqa: FBT001 - as it is kept
        """Return the frame of a line; nothing where it cannot be made here, or not now."""
        stream, body = line.stream, b""
        with self._stuck.contain_elsewhere(self.name, stream, shard) as contained:
            if is_match(stream):
                body = await self._make_frame(line, more=more)
            else:
                with reading(stream, line.line):
                    body = tournament_frame(canonical.decode(line.line))
        if contained.failed or stream in self._unmade:
            self._again[shard].pop(stream, None)
            self._unmade[stream] = line, more
            contained.put_back(self._again[shard], stream)
            if stream not in self._again[shard]:
                del self._unmade[stream]
        return body

    async def _make_frame(self, line: Recorded, *, more: bool) -> bytes:
        step = await self._milestones.after(line)
        match = step[0].match
        names = await self._names.of([match])
        with reading(line.stream):
            if self._private is not None:
                await self._tell_seats(step, self._private, names, more=more)
            # What others may not see yet is no frame: they are told that there is one, and get it from the log.
            return b"" if is_kept_back(match) else encode_frame(frame_of(*step, None, None, names, more=more))

    async def _tell_seats(self, step: Step, private: SeatSecrets, names: Mapping[str, str], *, more: bool) -> None:
        """Tell every seat that somebody listens for what it sees, once it is on record that it sees it."""
        match, audience = step[0].match, self._audience
        name = str(match.id)
        there = [seat for seat in match.seated if audience is None or audience.is_there(name, seat)]
        if not there:
            return
        keeper = await private.keeper(match)
        told = {seat: frame_of(*step, seat, keeper, names, more=more) for seat in there}
        served = [each for one in told.values() for each in dice_of_view(match, one.view)]
        await self._ledger.ensure_recorded(match, served)
        for seat, one in told.items():
            body = encode_frame(one)
            if len(body) <= FRAME_BYTES_MAX:
                await self._feed.tell(name, seat, match.version, body)
                self.told += 1


def _goes_on(line: Recorded, following: Recorded | None) -> bool:
    return following is not None and following.stream == line.stream and goes_on(line.line, following.line)


def _name_of(stream: str) -> str:
    """Return what a stream is called on the bus: the id of its match, or of what else it is of, unless it is none.

    The bus reads names: it would refuse one with a blank or a line end in it, and so hold up the shard.
    """
    name = stream.partition("/")[2]
    return name if _NAME.fullmatch(name) else "unnamed"
