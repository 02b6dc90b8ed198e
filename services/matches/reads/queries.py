"""The matches of the house, read: folds in memory, kept up with the log, and what can be told from them.

What cannot be read is `Unreadable`, for that match alone; its record can be had nevertheless, by whoever can read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from msgspec import Struct

from domain import events
from domain.audit import access
from domain.fairness.openings import DealSecrets
from domain.ids import Seat, Version
from domain.match.ceremony import Ceremony
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, is_match, match_of, stream_of
from domain.table.judging import opening_events
from domain.table.places import Place
from infra.store import Card, EventStore
from projections.glass import Eyes
from projections.lengths import encode_openings
from projections.served_dice import dice_of_openings, dice_of_view
from projections.unshown_openings import unshown_openings
from projections.view import View, view_of
from services.audit.verdict import Evidence
from services.matches.naming.told import SeatNames
from services.matches.reads.records import Records
from services.matches.reads.replays import DealSecretsSource, Replays
from services.matches.reads.shared import SharedReads, shared_reads
from services.matches.secrets.tokens import Bearer, Holder, Role, digest
from services.matches.watching.bot_turns import BotTurns, ToldTurn
from services.matches.watching.listing import Listing
from services.matches.watching.tallies import HouseTallies
from services.matches.watching.telling import Telling, allowed
from services.matches.watching.told_frames import ToldFrames
from services.work.caches import LastUsed
from services.work.failures import Stuck, Unreadable, reading

NAME_OF_READS: Final = "reads"
"""What the reads of this program are called among the works that may get stuck."""
MATCHES_MAX = 4_096
"""Folds kept in memory; the rest are read again from the log."""
TOKENS_MAX: Final = 16_384
"""Tokens of which it is kept whom they speak for, some 300 bytes each; the rest are looked up again."""

_Found = TypeVar("_Found", bytes, list[bytes])
Viewer = int | Holder | None
"""Who looks: a seat, as programs of the house name it; whoever holds one, as a token says; None for a spectator."""


class UnknownMatch(Exception):  # noqa: N818 - named for what happened
    """No match has this id."""


class UnknownSeat(Exception):  # noqa: N818 - named for what happened
    """Nobody has this seat at the match."""

    def __init__(self, seat: Seat, seats: Sequence[Seat]) -> None:
        """Say which was asked for, and which there are."""
        super().__init__(f"seat {seat}")
        self.seats = seats


class CachedMatch(Struct, frozen=True):
    """A match in memory: the fold of its stream, and the secrets of its current deal where they may be had."""

    written: MatchAtHead
    keeper: DealSecrets | None

    @property
    def match(self) -> Match:
        """The match as of its last line."""
        return self.written.match

    @property
    def version(self) -> Version:
        """How many lines its stream has."""
        return self.match.version


class MatchQueries(SeatNames):
    """Every match, by id. Without `private` it knows no dice."""

    def __init__(
        self,
        store: EventStore,
        private: DealSecretsSource | None,
        shared: SharedReads | None = None,
        stuck: Stuck | None = None,
    ) -> None:
        """Read from this store, into memory that others share; `stuck` is told what cannot be read."""
        self._store = store
        self._stuck = stuck or Stuck()
        self._private = private
        shared = shared or shared_reads(store)
        self._milestones, self._ledger = shared.milestones, shared.access
        self._names, self._cards, self._delays = shared.names, shared.cards, shared.delays
        self._replays = Replays(self._milestones, self._names, self._ledger, private)
        self._records = Records(store, shared.embargo)
        self.lobby = Listing(store, self._delays, self._cards.of, self._look, self._names.of_all).rows
        self._hosted: LastUsed[UUID, CachedMatch] = LastUsed(MATCHES_MAX)
        self._bearers: LastUsed[bytes, Bearer] = LastUsed(TOKENS_MAX)
        self._told, tallies = ToldFrames(self._milestones, self._milestones.pace, shared.worths), HouseTallies(store)
        self.statistics, self.sheets = tallies.statistics, tallies.sheets

    async def load_match(self, match_id: UUID, at_least: int | None = None) -> CachedMatch:
        """Return the match as of the last line in the store. Cost: a query, and a step for each new line.

        With `at_least`, a version the caller has heard of, memory will do if it has come so far.

        Raises:
            UnknownMatch: There is no such match.
            Unreadable: This program cannot read it.
        """
        known, stream = self._hosted.get(match_id), stream_of(match_id)
        if known is not None and at_least is not None and known.match.version >= at_least:
            return known
        with self._reading(match_id):
            written = None if at_least is None else self._milestones.recent.newest(stream)
            if written is None or written.match.version < (at_least or 0):
                written = await self._milestones.newest(stream, None if known is None else known.written)
            if known is not None and written is not None and known.match.version == written.match.version:
                return known
            hosted = None if written is None else CachedMatch(written, await self._keeper(written.match))
        if hosted is None:
            raise UnknownMatch(str(match_id))
        self._keep(match_id, hosted)
        return hosted

    async def _match_as_stored(self, match_id: UUID) -> Match:
        return (await self.load_match(match_id)).match

    @contextmanager
    def _reading(self, match_id: UUID) -> Iterator[None]:
        """Name what keeps this program from reading a match, or from showing what it has read, and count it.

        Raises:
            Unreadable: Something does.
        """
        try:
            with reading(stream_of(match_id)):
                yield
        except Unreadable as unreadable:
            self._stuck.note(NAME_OF_READS, stream_of(match_id), unreadable)
            raise

    async def _cached_or_loaded(self, match_id: UUID) -> CachedMatch:
        return self._hosted.get(match_id) or await self.load_match(match_id)

    async def _keeper(self, match: Match) -> DealSecrets | None:
        return None if self._private is None else await self._private.keeper(match)

    def _keep(self, match_id: UUID, hosted: CachedMatch) -> None:
        known = self._hosted.get(match_id)
        if known is None or known.match.version < hosted.match.version:
            self._hosted[match_id] = hosted

    async def holding(self, match_id: UUID, viewer: Viewer) -> Viewer:
        """Return who looks; None, a spectator, for whoever has left the seat. Cost: a query for a holder."""
        if isinstance(viewer, Holder) and not viewer.sits_in((await self.load_match(match_id)).match):
            return None
        return viewer

    async def version_now(self, match_id: UUID) -> tuple[Version, bool]:
        """Return at which version a match is, which seats alone know at once, and whether it is over."""
        match = (await self.load_match(match_id)).match
        return match.version, match.ended

    async def view(self, match_id: UUID, viewer: Viewer) -> View:
        """Return the match as this viewer sees it now; for a spectator, as it was as long ago as its host wants."""
        return (await self._look(match_id, viewer))[1]

    async def _look(self, match_id: UUID, viewer: Viewer) -> tuple[MatchAtHead, View]:
        hosted = await self.load_match(match_id)
        seat = seat_of(viewer, hosted.match)
        with self._reading(match_id):
            written = hosted.written if seat is not None else await self._shown(hosted)
            keeper = hosted.keeper if written is hosted.written else None
            seen = view_of(written, seat, keeper, await self._names.of([written.match]))
            await self._ledger.ensure_recorded(written.match, dice_of_view(written.match, seen))
        self._stuck.clear(NAME_OF_READS, stream_of(match_id))
        return written, seen

    async def _shown(self, hosted: CachedMatch) -> MatchAtHead:
        """Return a match as it is shown to whoever holds no seat."""
        return await self._delays.shown(hosted.written, (await self._cards.of(hosted.match.id)).choices.delay_ms)

    async def wait_of(self, match_id: UUID) -> Callable[[], float] | None:
        """Return what says for how many seconds spectators are shown nothing more; None where they do not wait.

        Raises:
            UnknownMatch: There is no such match.
            Unreadable: This program cannot read it.
        """
        delay_ms, match = (await self.card(match_id)).choices.delay_ms, (await self._cached_or_loaded(match_id)).match
        return partial(self._delays.wait_s, stream_of(match_id), delay_ms) if delay_ms or match.settings.board else None

    async def card(self, match_id: UUID) -> Card:
        """Return what the table is called, and whether it is listed. Cost: nothing, or a query.

        Raises:
            UnknownMatch: There is no such match.
            Unreadable: This program cannot read it.
        """
        await self._cached_or_loaded(match_id)
        return await self._cards.of(match_id)

    async def frames(self, match_id: UUID, viewer: Viewer, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` encoded frames of this viewer with versions above `after`, ascending.

        Cost: as `Replays.frames` says; a query more where memory does not know that the match has come so far.
        """
        hosted = await self.load_match(match_id, after + limit)
        # Nobody leaves once there are dice: who holds the seat at the end has held it ever since.
        seat = seat_of(viewer, hosted.match)
        with self._reading(match_id):
            match = hosted.match if seat is not None else (await self._shown(hosted)).match
            return await self._replays.frames(match, seat, after, limit)

    async def bot_turns(self, match_id: UUID) -> list[ToldTurn]:
        """Return how bots have taken their turns, in deals that are over. Cost: the fold of the match, if any has."""
        shown = await self._shown(await self.load_match(match_id))
        return await BotTurns(self._store, self._milestones).told(shown)

    async def frames_through(self, match_id: UUID, eyes: Eyes, after: int, limit: int) -> list[bytes]:
        """Return frames as `frames` does for a spectator, with every die that is published by then for these eyes.

        Raises:
            UnknownSeat: Nobody has such a seat.
        """
        hosted = await self.load_match(match_id)
        if isinstance(eyes, int) and eyes not in hosted.match.seated:
            raise UnknownSeat(eyes, sorted(hosted.match.seated))
        with self._reading(match_id):
            told = (await self._shown(hosted)).match.version
            return await self._replays.through(match_id, eyes, after, min(after + limit, told), told)

    async def released(self, match_id: UUID) -> Version:
        """Return up to which version a caster is shown the match now."""
        hosted = await self.load_match(match_id)
        with self._reading(match_id):
            return (await self._replays.looked(match_id, (await self._shown(hosted)).match.version)).released

    async def frames_late(self, match_id: UUID, after: Version, limit: int, told: Version) -> list[bytes]:
        """Return at most `limit` frames up to version `told`, with every die that lines up to it publish."""
        with self._reading(match_id):
            return await self._replays.late.frames(match_id, after, limit, told)

    async def told(self, match_id: UUID, after: Version, limit: int, telling: Telling) -> list[bytes]:
        """Return at most `limit` frames of what is said, above version `after`, up to what spectators are shown."""
        hosted = await self.load_match(match_id, after + limit)
        with self._reading(match_id):
            upto = min(after + limit, (await self._shown(hosted)).match.version)
            may = allowed(telling, (await self._cards.of(match_id)).choices, hosted.match)
            return await self._told.frames(match_id, after, upto, may)

    async def openings(self, match_id: UUID, viewer: Viewer) -> list[events.Event]:
        """Return the proofs of the hidden dice this seat may know now (CUP/1 section 4.6), as they would be shown.

        Behind them come the choices that led to them, with the keys of their blind slots among the proofs (4.12).
        """
        return (await self._openings_on_record(match_id, viewer))[0]

    async def opened(self, match_id: UUID, viewer: Viewer) -> bytes:
        """Return `openings` as JSON, as long as it would be with any other dice under the seat's cup."""
        found, place, deal = await self._openings_on_record(match_id, viewer)
        return b"[]" if place is None or deal is None else encode_openings(found, place, deal)

    async def _openings_on_record(
        self, match_id: UUID, viewer: Viewer
    ) -> tuple[list[events.Event], Place | None, Ceremony | None]:
        """Return the openings of a viewer's hidden dice, which are on record now, where they lie and of which deal."""
        hosted = await self.load_match(match_id)
        state, deal, seat = hosted.match.table, hosted.match.ceremony, seat_of(viewer, hosted.match)
        place = None if state is None or seat is None else state.place_of(seat)
        if state is None or seat is None or place is None or deal is None or deal.mix is None or hosted.keeper is None:
            return [], None, None
        if seat not in place.knowers:
            return [], None, None
        with self._reading(match_id):
            found: list[events.Event] = list(opening_events(place, state, hosted.keeper.open_deal(deal.mix)))
            await self._ledger.ensure_recorded(hosted.match, dice_of_openings(hosted.match, seat, found))
            return found, place, deal

    async def folded(self, match_id: UUID, viewer: Viewer) -> list[events.Revealed]:
        """Return the openings of this seat's dice that deals now over have kept secret (CUP/1 section 5.4).

        Cost: the fold of the stream from its beginning, and an opening for each roll of the seat's cups, in slices of
        the event loop; nothing where deals publish all their dice.
        """
        match = (await self._cached_or_loaded(match_id)).match
        seat = seat_of(viewer, match)
        if seat is None or match.policy == "all":
            return []
        happened: list[events.Event] = []
        dealt: list[Match] = []
        with self._reading(match_id):
            async for steps in self._milestones.walk(stream_of(match_id)):
                happened += [event for _, event in steps]
                dealt += [written.match for written, event in steps if isinstance(event, events.DealReady)]
            found = unshown_openings(happened, seat, await self._replays.keepers(dealt))
            return await self._milestones.pace.collect(found)

    async def record(self, match_id: UUID) -> bytes:
        """Return the record file of CUP/1 section 4.10, the same bytes every time once the match is over and logged.

        Raises:
            UnknownMatch: There is no such match.
        """
        with self._reading(match_id):
            found = await self._records.record(stream_of(match_id))
        return _known(found, match_id)

    async def lines(self, match_id: UUID, after: Version, viewer: Viewer) -> list[bytes]:
        """Return the lines of the record behind a version, as `Records.lines` does.

        Raises:
            UnknownMatch: There is no such match.
        """
        with self._reading(match_id):
            seat = None if viewer is None else seat_of(viewer, await self._match_as_stored(match_id))
            found = await self._records.lines(stream_of(match_id), after, own=seat is not None)
        return _known(found, match_id)

    async def beginning(self, match_id: UUID) -> bytes:
        """Return the record up to its first checkpoint; all of it where it has none.

        Raises:
            UnknownMatch: There is no such match.
        """
        with self._reading(match_id):
            found = await self._records.beginning(stream_of(match_id))
        return _known(found, match_id)

    async def evidence(self, match_id: UUID) -> tuple[bytes, Evidence]:
        """Return all that an audit reads: the record, its access record unless it is very old, that of its board."""
        record, seen = await self.record(match_id), None
        with suppress(UnknownMatch):
            seen = await self.access(match_id)
        return record, Evidence(seen, board=await self._records.board(record))

    async def access(self, match_id: UUID) -> bytes:
        """Return the access record, in the format of the record: who was served which hidden dice.

        Raises:
            UnknownMatch: There is no such match, or it is older than access records and nobody has asked a node with
                the dealer's role for it.
        """
        stream = access.stream_of(match_id)
        with self._reading(match_id):
            found = await self._records.access(stream)
            if found is None and self._private is not None and await self._store.read(stream_of(match_id), 0, 1):
                await self._ledger.book(match_id)
                found = await self._records.access(stream)
        return _known(found, match_id)

    async def bearer(self, token: str) -> Bearer | None:
        """Return who this token speaks for, if anybody. Cost: a query the first time; it never speaks for another."""
        name = digest(token)
        known = self._bearers.get(name)
        if known is None and self._may_be_issued(token):
            found = await self._store.token(name)
            if found is None or not is_match(found.stream):
                return None
            holder = None if found.seat is None or found.player is None else Holder(found.seat, found.player)
            known = self._bearers[name] = Bearer(match_of(found.stream), _role(found.role), holder)
        return known

    def _may_be_issued(self, token: str) -> bool:  # noqa: ARG002 - for whoever can tell
        """Report whether a token may have been issued; a guess is not worth a look into the store."""
        return True


def seat_of(viewer: Viewer, match: Match) -> int | None:
    """Return the seat that looks; None for a spectator, and for whoever has left the seat."""
    if isinstance(viewer, Holder):
        return viewer.seat if viewer.sits_in(match) else None
    return viewer


def _known(found: _Found | None, match_id: UUID) -> _Found:
    if found is None:
        raise UnknownMatch(str(match_id))
    return found


def _role(text: str) -> Role:
    return "host" if text == "host" else "seat"
