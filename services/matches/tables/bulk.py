"""Tables opened in bulk: all of them or none, in one commit, with those who are to play at them.

Everything follows from the request: the ids of the matches, who sits there, and what they play with. So a repeat is
given the same again, and a crash before the commit leaves cards of no tables, and one behind it all of them.
"""

from __future__ import annotations

import hashlib
from abc import ABC
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.audit import access
from domain.audit.access import AccessStream
from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.ids import Seat, Version
from domain.match.decide import Decision, open_seated
from domain.match.evolve import open_match
from domain.match.record import GENESIS, lines_of, stream_of, written_after
from domain.match.settings import DAY_MS, HOUSE_RULES
from infra.clock import now_ms
from infra.store import Access, Append, Appended, Card
from services.audit.beacons import BeaconSource
from services.matches.attendance import ScheduledTables
from services.matches.chance import beacon_setting
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata, KeyUsed
from services.matches.seating import Invitations
from services.matches.secrets.tokens import digest
from services.matches.tables.taking_keys import KeyedTables

TABLES_MAX: Final = 500
SEATS_MAX: Final = 4_096
"""How many people sit at all tables together: others wait while they are stored."""


class BulkTable(Struct, frozen=True):
    """A table to be opened.

    Attributes:
        rules: Its rules object, as its host asks for it.
        names: What those are called who sit there from the first, in seat order, in their normal form.
        custody: Who draws the seeds of their seats.
    """

    rules: dict[str, Any]
    policy: Policy = "all"
    card: Card = PLAIN
    names: tuple[str, ...] = ()
    custody: Literal["client", "server"] = "server"


class BulkSeat(Struct, frozen=True, omit_defaults=True):
    """A seat that was taken as the table was opened. What its player is called stands in the request alone.

    Attributes:
        token: The token of the seat, never stored.
    """

    seat: Seat
    token: str | None = None


class OpenedTable(Struct, frozen=True, omit_defaults=True):
    """A table that was opened.

    Attributes:
        match: The match.
        version: How many lines it has.
        head: The hash of the last of them.
        seats: Who sits there, in seat order.
        token: The token of its host, never stored.
        receipt: The receipt of the house for the last line, where it gives any.
        invite: The invitation to a private table.
        starts_at: When it starts, in Unix milliseconds, if its rules name a time.
    """

    match: str
    version: Version
    head: str
    seats: tuple[BulkSeat, ...] = ()
    token: str | None = None
    receipt: str | None = None
    invite: str | None = None
    starts_at: int | None = None


class BulkAnswer(Struct, frozen=True):
    """What opening tables in bulk has led to: the tables, in the order of the request."""

    tables: tuple[OpenedTable, ...]


class BadTables(Exception):  # noqa: N818 - named for what happened
    """Rules say no to some tables, and so all of them are refused: each with its place, from 0, and why."""

    def __init__(self, refused: Sequence[tuple[int, Refused]]) -> None:
        """Say which."""
        super().__init__("some tables are refused")
        self.refused = refused


class _Made(Struct, frozen=True):
    """A table as it is about to be opened."""

    append: Append
    opened: OpenedTable
    card: Card
    made: Decision
    book: AccessStream


class BulkTables(KeyedTables, ABC):
    """Matches, and tables opened many at once."""

    _invitations: Invitations
    _scheduled: ScheduledTables
    _beacon: BeaconSource | None

    async def open_all(self, tables: Sequence[BulkTable], ask: CommandMetadata) -> BulkAnswer:
        """Open all of these tables, or none, and return the tokens of their hosts and of who sits there.

        A network opens one list after the other. Cost: one commit, and a small write for each table that has a card.

        Raises:
            BadTables: `bad_options`, `too_many_players`, of some of them.
            Refused: `too_many_tables`.
            KeyUsed: The idempotency key belongs to another request.
        """
        async with self._scheduled.turn(ask.network):
            found = await self.opened_all(ask)
            return await self._open_all(tables, ask) if found is None else found

    async def _open_all(self, tables: Sequence[BulkTable], ask: CommandMetadata) -> BulkAnswer:
        now = now_ms()
        self._scheduled.check_room(ask.network, len(tables), now)
        tried = await self._milestones.pace.collect(self._make(tables, ask, now))
        refused = [(place, one) for place, one in enumerate(tried) if isinstance(one, Refused)]
        if refused:
            raise BadTables(refused)
        made = [one for one in tried if isinstance(one, _Made)]
        for one in made:
            await self._invitations.keep(UUID(one.opened.match), one.card)
        answer = BulkAnswer(tuple(one.opened for one in made))
        first, *others = (one.append for one in made)
        outcomes = await self._store.append_all([replace(first, answer=msgspec.json.encode(answer)), *others])
        if not isinstance(outcomes[0], Appended):
            return await self._opened_meanwhile(ask)
        for one in made:
            *_, written = written_after(None, one.append.lines, one.made.events, one.made.steps)
            self._remember(one.made, written, one.book)
            self._scheduled.note(ask.network, UUID(one.opened.match), one.opened.starts_at or now + DAY_MS)
        return await self._with_tokens(answer, ask, 0)

    async def _opened_meanwhile(self, ask: CommandMetadata) -> BulkAnswer:
        """Return what the same request has led to, which somebody has sent twice at once."""
        found = await self.opened_all(ask)
        if found is None:
            raise KeyUsed
        return found

    async def opened_all(self, ask: CommandMetadata) -> BulkAnswer | None:
        """Return what a request has led to before; None if it has not.

        Cost: a query for each key of the service.

        Raises:
            KeyUsed: The idempotency key belongs to another request.
        """
        for which, name in enumerate(self._tokens.names(_name_of(ask, 0))):
            stored = await self._store.answer(stream_of(UUID(bytes=name, version=4)), ask.command)
            if stored is not None:
                fingerprint, answer = stored
                if fingerprint != ask.fingerprint:
                    raise KeyUsed
                return await self._with_tokens(msgspec.json.decode(answer, type=BulkAnswer), ask, which)
        return None

    async def _with_tokens(self, answer: BulkAnswer, ask: CommandMetadata, which: int) -> BulkAnswer:
        """Return an answer with its tokens, which were all issued under the key of this number, the newest being 0."""

        def each() -> Iterator[OpenedTable]:
            for table in answer.tables:
                match_id = UUID(table.match)
                host = self._tokens.possible_tokens(match_id, "host", None, ask.command)[which]
                seats = tuple(
                    replace(one, token=self._tokens.possible_tokens(match_id, "seat", one.seat, ask.command)[which])
                    for one in table.seats
                )
                yield replace(table, token=host, seats=seats)

        return BulkAnswer(tuple(await self._milestones.pace.collect(each())))

    def _make(self, tables: Sequence[BulkTable], ask: CommandMetadata, at: int) -> Iterator[_Made | Refused]:
        """Yield each table as it would be opened, or why it cannot be."""
        for place, table in enumerate(tables):
            match_id = UUID(bytes=self._tokens.name(_name_of(ask, place)), version=4)
            try:
                yield self._make_one(match_id, table, ask, at)
            except Refused as refused:
                yield refused

    def _make_one(self, match_id: UUID, table: BulkTable, ask: CommandMetadata, at: int) -> _Made:
        beacon = beacon_setting(self._beacon, table.rules.get("beacon"))
        event = open_match(match_id, {**HOUSE_RULES, **table.rules, "beacon": beacon}, table.policy)
        players = [
            "p" + self._tokens.name(_name_of(ask, seat), match_id).hex()[:24]
            for seat, _ in enumerate(table.names, start=1)
        ]
        made = open_seated(event, at, [(player, table.custody) for player in players])
        lines, head = lines_of(match_id, 0, GENESIS, at, made.events)
        answer = self._answer(match_id, made.match.version, head)
        first, book = access.new_access_stream(match_id, at)
        seats = tuple(BulkSeat(seat) for seat, _ in enumerate(table.names, start=1))
        opened = OpenedTable(
            match=answer.match,
            version=answer.version,
            head=answer.head,
            seats=seats,
            receipt=answer.receipt,
            invite=self._invitations.of(match_id, table.card),
            starts_at=made.match.settings.starts_at,
        )
        of_host = (digest(self._tokens.issue(match_id, "host", None, ask.command)), "host", None)
        of_seats = [(digest(self._tokens.issue(match_id, "seat", n.seat, ask.command)), "seat", n.seat) for n in seats]
        append = Append(
            stream=stream_of(match_id),
            expected=0,
            lines=lines,
            command=ask.command,
            fingerprint=ask.fingerprint,
            answer=msgspec.json.encode(answer),
            people=tuple(zip(players, table.names, strict=True)),
            tokens=(of_host, *of_seats),
            access=Access(access.stream_of(match_id), 0, first),
        )
        return _Made(append, opened, table.card, made, book)


def _name_of(ask: CommandMetadata, number: int) -> bytes:
    """Return what stands for a table of a request, or for a seat of one, where a single command has its id."""
    return hashlib.sha256(ask.command + b"bulk" + number.to_bytes(4)).digest()
