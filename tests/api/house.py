"""A house without dice: the ports of the interface kept in memory, for tests of the interface alone.

It knows who sits and at which version a match is; the only claim it knows is a bid, and a bid has to have a higher
quantity than the one before. Everything it is told to refuse, it refuses.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from typing import Any, Literal, cast
from uuid import UUID

import msgspec
from msgspec import Struct

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.statistics.tallies import DiceTally, TallyQuestion
from domain.statistics.uniformity import Statistics, statistics
from domain.table.offers import BidMove
from infra.store import TOP, Card, ProjectionRow, RowPlace, Unavailable
from projections.glass import Eyes
from projections.lobby import State
from projections.sheets import Sheet, sums_of
from projections.view import View
from services.api.dependencies import Reading
from services.audit.verdict import Evidence
from services.matches.naming.law import check_free
from services.matches.reads.cards import PLAIN
from services.matches.reads.queries import UnknownMatch, UnknownSeat
from services.matches.requests import NO_MARK, Answer, CommandMetadata, KeyUsed, SeatMark, VersionPassed
from services.matches.secrets.tokens import Bearer, Holder
from services.matches.tables.rematches import NextTable, SeatAgain
from tests.api import rooms
from tests.api.bulk_rooms import BotlessRooms, BulkRooms

SECRET = "5ec2e700"
INVITE = "i" * 32
TALLY = DiceTally(1, 1, {TallyQuestion(6, "faces", "all"): [3, 1, 0, 1, 1, 1]}, {TallyQuestion(6, "faces", "all"): 2})
POLICY = b"log example.org/truecup+00000000+AAAA\n"


class Said(Struct, frozen=True):
    """An item of a stream."""

    kind: str
    version: int | None
    body: bytes


class Room:
    """One match: its views from version 1 on, as spectators see them."""

    def __init__(self, view: View) -> None:
        self.views = [view]
        self.said: list[bytes] = []
        self.moved = asyncio.Event()

    @property
    def view(self) -> View:
        return self.views[-1]

    def move(self, **changes: object) -> None:
        version = self.view.version + 1
        head = hashlib.sha256(f"{self.view.match}{version}".encode()).hexdigest()
        self.views.append(msgspec.structs.replace(self.view, version=version, head=head, **changes))
        self.stir()

    def stir(self) -> None:
        moved, self.moved = self.moved, asyncio.Event()
        moved.set()


class House(BulkRooms, BotlessRooms):
    """The ports `Matches`, `Streams` and `TransparencyLog`."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms: dict[UUID, Room] = {}
        self.bearers: dict[str, Bearer] = {}
        self.stored: dict[tuple[str, str], tuple[bytes, Answer]] = {}
        self.cards: dict[UUID, Card] = {}
        self.full = False
        self.broken = False
        self.signed: bytes | None = None
        self.notice: str | None = None
        self.quantity = 0

    # ---- commands -------------------------------------------------------------------------------

    async def open(
        self, rules: dict[str, Any], ask: CommandMetadata, policy: Policy = "all", card: Card = PLAIN
    ) -> Answer:
        """Open a room."""
        if rules["options"]:
            raise Refused("bad_options", option=next(iter(rules["options"])), why="the house has no options")
        match_id = UUID(bytes=ask.command[:16], version=4)
        token = "truecup_host_" + ask.command.hex()[:43]
        invite = None if card.listed else INVITE
        answer = Answer(str(match_id), 1, "0" * 64, None, token, invite=invite)
        repeated = self._repeated(ask)
        if repeated is None:
            self.cards[match_id] = card
            self.rooms[match_id] = Room(rooms.first_view(match_id, rules, policy))
            self.bearers[token] = Bearer(match_id, "host")
        return repeated or self._stored(ask, answer)

    async def card(self, match_id: UUID) -> Card:
        """Return the card of a room."""
        self._room(match_id)
        return self.cards.get(match_id, PLAIN)

    async def join(
        self,
        match_id: UUID,
        name: str,
        custody: Literal["client", "server"],
        ask: CommandMetadata,
        invite: str | None = None,
        mark: SeatMark = NO_MARK,  # noqa: ARG002 - nobody signs at a table without dice
    ) -> Answer:
        """Seat a person."""
        room = self._room(match_id)
        if not (await self.card(match_id)).listed and invite != INVITE:
            raise Refused("needs_invite")
        repeated = self._repeated(ask)
        if repeated is not None:
            return repeated
        if room.view.phase != "lobby":
            raise Refused("already_started")
        seat = len(room.view.seats) + 1
        if seat > 3:
            raise Refused("too_many_players", seats=3)
        if not name.startswith("bot "):
            check_free(name, {sitting.seat: sitting.name for sitting in room.view.seats})
        token = "truecup_seat_" + ask.command.hex()[:43]
        self.bearers[token] = Bearer(match_id, "seat", Holder(seat, f"p{seat}"))
        room.move(seats=(*room.view.seats, rooms.sat(seat, name, custody)))
        return self._stored(ask, Answer(str(match_id), room.view.version, room.view.head, seat, token))

    async def seat_bots(self, match_id: UUID, count: int, ask: CommandMetadata, _level: str = "L2") -> Answer:
        """Seat bots, for whoever opened the room."""
        _check_opener(ask)
        for number in range(count):
            one = msgspec.structs.replace(ask, key=f"{ask.key}/{number}")
            await self.join(match_id, f"bot {number}", "server", one, INVITE)
        return self._answer(match_id)

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Let the first seat begin, for whoever opened the room."""
        _check_opener(ask)
        room = self._room(match_id)
        repeated = self._repeated(ask)
        if repeated is not None:
            return repeated
        if len(room.view.seats) < 2:
            raise Refused("too_few_players", seats=2)
        room.move(phase="claiming", turn=1, round=1)
        return self._stored(ask, self._answer(match_id))

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Take a bid; a session is closed, or a match ended, by who opened the room; everything else is refused."""
        room = self._room(match_id)
        repeated = self._repeated(ask)
        if repeated is not None:
            return repeated
        if ask.expected is not None and room.view.version not in ask.expected:
            raise VersionPassed(room.view.version)
        match command:
            case commands.Bid():
                self._bid(room, command)
            case commands.CloseSession() | commands.EndMatch():
                _check_opener(ask)
                room.move(phase="finished", turn=None)
            case commands.Leave() if room.view.phase != "lobby":
                raise Refused("already_started")
            case commands.Leave():
                room.move(seats=tuple(one for one in room.view.seats if one.seat != command.seat))
            case _:
                raise Refused("wrong_phase", phase=room.view.phase)
        return self._stored(ask, self._answer(match_id))

    async def rematch(self, match_id: UUID, ask: CommandMetadata, again: object = None) -> Answer:  # noqa: ARG002
        """Open another room, once the first is over."""
        if self._room(match_id).view.phase != "finished":
            raise Refused("not_over")
        return await self.open({"game": "common_hand", "options": {}}, ask)

    async def next_table(self, match_id: UUID) -> NextTable:
        """Say that nobody has asked for one."""
        seats = (SeatAgain(one.seat, one.name, sits=False) for one in self._room(match_id).view.seats)
        return NextTable(None, started=False, seats=tuple(seats))

    def _bid(self, room: Room, bid: commands.Bid) -> None:
        if bid.seat != room.view.turn:
            raise Refused("not_your_turn", turn=room.view.turn)
        if bid.quantity <= self.quantity:
            raise Refused("claim_not_higher", standing=self.quantity)
        self.quantity = bid.quantity
        room.move(turn=bid.seat % len(room.view.seats) + 1)

    def _repeated(self, ask: CommandMetadata) -> Answer | None:
        if self.full:
            raise Unavailable("queue full")
        found = self.stored.get((ask.scope, ask.key))
        if found is not None and found[0] != ask.fingerprint:
            raise KeyUsed
        return None if found is None else found[1]

    def _stored(self, ask: CommandMetadata, answer: Answer) -> Answer:
        self.stored[ask.scope, ask.key] = (ask.fingerprint, answer)
        return answer

    def _answer(self, match_id: UUID) -> Answer:
        view = self._room(match_id).view
        return Answer(str(match_id), view.version, view.head)

    # ---- reading --------------------------------------------------------------------------------

    async def bearer(self, token: str) -> Bearer | None:
        """Return who it is."""
        return self.bearers.get(token)

    def for_token(self, token: str) -> House:
        """Return this house."""
        assert token in self.bearers
        return self

    async def holding(self, match_id: UUID, viewer: Holder | None) -> Holder | None:
        """Return who looks: nobody leaves this house."""
        self._room(match_id)
        return viewer

    async def version_now(self, match_id: UUID) -> tuple[int, bool]:
        """Return the last version."""
        view = self._room(match_id).view
        return view.version, view.phase == "finished"

    async def view(self, match_id: UUID, viewer: Holder | None) -> View:
        """Return the last view."""
        return self._seen(self._room(match_id).view, viewer)

    def _seen(self, view: View, viewer: Holder | None) -> View:
        seat = None if viewer is None else viewer.seat
        moves = (
            ()
            if seat is None or seat != view.turn
            else (BidMove(((self.quantity + 1, 2),), (2, 3), ((self.quantity + 1, 2),), 15),)
        )
        return msgspec.structs.replace(view, viewer=seat, moves=moves)

    async def frames(self, match_id: UUID, viewer: Holder | None, after: int, limit: int) -> list[bytes]:
        """Return frames."""
        views = self._room(match_id).views[after : after + limit]
        return [rooms.frame(self._seen(view, viewer)) for view in views]

    async def frames_through(self, match_id: UUID, eyes: Eyes, after: int, limit: int) -> list[bytes]:
        """Return frames as spectators see them: nothing hides here."""
        if isinstance(eyes, int) and eyes > len(self._room(match_id).view.seats):
            raise UnknownSeat(eyes, [seat.seat for seat in self._room(match_id).view.seats])
        return await self.frames(match_id, None, after, limit)

    async def released(self, match_id: UUID) -> int:
        """Return the last version: nothing hides here."""
        return self._room(match_id).view.version

    async def frames_late(self, match_id: UUID, after: int, limit: int, told: int) -> list[bytes]:
        """Return frames as spectators see them."""
        return (await self.frames(match_id, None, after, limit))[: told - after]

    async def told(self, match_id: UUID, after: int, limit: int, telling: Any) -> list[bytes]:
        """Return frames without figures."""
        return [rooms.said(view, telling) for view in self._room(match_id).views[after : after + limit]]

    async def opened(self, match_id: UUID, viewer: Holder) -> bytes:
        """Return one opening."""
        self._room(match_id)
        return msgspec.json.encode([events.Revealed(0, viewer.seat, 0, ("0" * 64,), (), ((0, "0" * 64),), ((0, 4),))])

    async def folded(self, match_id: UUID, viewer: Holder) -> list[events.Revealed]:
        """Return one opening."""
        self._room(match_id)
        return [events.Revealed(0, viewer.seat, 1, ("0" * 64,), (), ((0, "0" * 64),), ((0, 4),))]

    async def record(self, match_id: UUID) -> bytes:
        """Return a record of one line a version."""
        return b"".join(view.head.encode() + b"\n" for view in self._room(match_id).views)

    async def access(self, match_id: UUID) -> bytes:
        """Return an access record of one line."""
        return self._room(match_id).view.match.encode() + b"\n"

    async def beginning(self, match_id: UUID) -> bytes:
        """Return what there is of a record."""
        return await self.record(match_id)

    async def evidence(self, match_id: UUID) -> tuple[bytes, Evidence]:
        """Return the record and the access record."""
        return await self.record(match_id), Evidence(await self.access(match_id))

    async def report(self, record: bytes, _beside: Evidence) -> dict[str, Any]:
        """Audit a record."""
        assert not self.broken, SECRET
        return {"status": "OK", "head": record.splitlines()[-1].decode(), "anchored": True, "deals": {}}

    async def lobby(
        self, state: State | None, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows."""
        rows = [rooms.row(room.view, self.cards.get(match, PLAIN).name) for match, room in self.rooms.items()]
        phases = {"open": {"lobby"}, "live": {"claiming"}, "ended": {"finished"}}
        found = [row for row in rows if state is None or row["phase"] in phases[state]]
        found = [row for row in found if game in {None, row["game"]}]
        found.sort(key=lambda row: (row["at"], row["match"]), reverse=True)
        return [row for row in found if (row["at"], row["match"]) < before][:limit]

    async def statistics(self) -> Statistics:
        """Return what seven dice came to."""
        return statistics(TALLY)

    async def sheets(self, limit: int, before: RowPlace = TOP) -> list[ProjectionRow]:
        """Return a sheet of the seven dice for each match."""
        sheets = [Sheet(str(one), 9, "0" * 64, {"1": "p1"}, sums_of(TALLY)) for one in sorted(self.rooms, reverse=True)]
        rows = [ProjectionRow(one.match, one.version, msgspec.json.encode(one), at=1) for one in sheets]
        return [row for row in rows if row.place < before][:limit]

    async def checkpoint(self) -> bytes | None:
        """Return what was signed."""
        return self.signed

    async def tile(self, path: str) -> bytes | None:
        """Return the only tile there is."""
        return {"0/000.p/1": b"h" * 32, "entries/000": b"\x00\x05entry" * 256}.get(path)

    async def policy_for(self, record: bytes) -> str:
        """Return the policy of all records that are some."""
        assert record
        return POLICY.decode()

    async def policy(self) -> bytes:
        """Return a policy."""
        return POLICY

    async def say(self, match_id: UUID, body: bytes) -> None:
        """Tell who reads the room."""
        if self.full:
            raise Unavailable("the bus is away")
        self.rooms[match_id].said.append(body)
        self.rooms[match_id].stir()

    async def stream(
        self,
        match_id: UUID,
        viewer: Holder | None,
        after: int | None,
        source: Reading,
        over: asyncio.Future[None],
        beat_s: float,
        phrases: bool = False,  # noqa: FBT001, FBT002 - as the port has it
    ) -> AsyncGenerator[Said, None]:
        """Yield the snapshot, then frames and phrases as they come, with a beat in every silence, then the end."""
        assert source is cast(Any, self)
        room = self._room(match_id)
        snapshot = self._seen(room.view, viewer)
        version, heard = snapshot.version if after is None else after, len(room.said)
        yield Said("snapshot", snapshot.version, msgspec.json.encode({"snapshot": snapshot}))
        while True:
            moved = room.moved
            for view in room.views[version:]:
                version = view.version
                yield Said("frame", version, rooms.frame(self._seen(view, viewer)))
            said, heard = room.said[heard:] if phrases else [], len(room.said)
            for body in said:
                yield Said("phrase", None, body)
            if room.view.phase == "finished":
                yield Said("ended", version, msgspec.json.encode({"ended": version}))
                return
            growing = asyncio.ensure_future(moved.wait())
            await asyncio.wait(
                cast(set[asyncio.Future[Any]], {growing, over}), timeout=beat_s, return_when=asyncio.FIRST_COMPLETED
            )
            growing.cancel()
            if over.done():
                yield Said("bye", version, msgspec.json.encode({"bye": version}))
                return
            if not moved.is_set():
                yield Said("beat", None, b"")

    def _room(self, match_id: UUID) -> Room:
        if match_id not in self.rooms:
            raise UnknownMatch(str(match_id))
        return self.rooms[match_id]


def _check_opener(ask: CommandMetadata) -> None:
    if not ask.opener:
        raise Refused("not_the_host")
