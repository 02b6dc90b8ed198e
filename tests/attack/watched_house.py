"""A house that has a match with all its secrets, and everything that whoever asks it is told, byte for byte.

It is the whole program but for the server's sockets: the gate, the application, the handler of commands, the relay, the
streams and the pages over one store. A match is told to it command by command, so what is shown live is shown as the
relay tells it, to readers who were there before.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final, cast
from uuid import UUID

import msgspec
from litestar.types import ASGIApp
from msgspec import Struct

from domain.fairness.openings import DealSecrets
from domain.log import canonical
from domain.match.evolve import Match
from domain.match.record import stream_of
from infra.feed.memory import MemoryFeed
from infra.store import Append, Appended, Card, shard_of
from infra.store.memory import MemoryStore
from services.api.application import create_app
from services.api.dependencies import Dependencies
from services.api.reference.openapi import describe
from services.audit.report import Audits
from services.commentary.handler import CommentHandler
from services.commentary.reads import CommentQueries
from services.commentary.writers import WriterLookup
from services.http.bounds import Bounds
from services.http.front.bounded_streams import LOST
from services.http.front.gate import Gate
from services.http.front.proxies import Proxies
from services.http.front.sockets import Terms
from services.http.front.upgrades import EXTENSION
from services.http.game_cards import cards
from services.matches.handler import CommandHandler
from services.matches.reads.cards import PLAIN
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.shared import shared_reads
from services.matches.reads.streams import StreamHub
from services.matches.reads.transparency import PublishedLog
from services.matches.secrets.tokens import TokenIssuer, digest
from services.matches.watching.crowds import Crowds
from services.program.site import HouseSite, HouseTournaments
from services.relay.follower import FollowingWork
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.relay.statistics_projector import StatisticsProjector
from services.seasons.players import PlayerRegister
from services.tournaments.handler import TournamentHandler
from services.tournaments.streams import TournamentStreams
from services.web.pages import web_handlers
from tests.domain.swapped_dice import Watched

NEVER: Final = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=3_600)
"""What readers are told live is what the relay tells: nobody looks into the log instead."""
SILENT: Final = Bounds(beat_s=3_600)
"""A clock stands in a beat: it is for a silence, however long that was."""
TOKENS: Final = TokenIssuer(bytes(range(32)))
Headers = Sequence[tuple[bytes, bytes]]


def ends_of(lines: Sequence[bytes]) -> tuple[tuple[int, str, str], ...]:
    """Return the anchors of the lines that end a stream."""
    ends = [line for line in lines if canonical.decode(line)["type"] in {"match.ended", "board.closed"}]
    return tuple((canonical.decode(line)["seq"], canonical.head(line), "final") for line in ends)


class Told(Struct, frozen=True):
    """What an answer was: its status, its headers as they came, in their order, and its body in the chunks it had."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    chunks: tuple[bytes, ...]

    @property
    def body(self) -> bytes:
        """All chunks together."""
        return b"".join(self.chunks)

    def header(self, name: bytes) -> bytes | None:
        """Return the first header of this name."""
        return next((value for each, value in self.headers if each == name), None)

    def without(self, clocked: tuple[bytes, ...]) -> Told:
        """Return it without the lines that have one of these in them, and without the length that they change."""
        if not clocked:
            return self
        plain = gzip.decompress(self.body) if self.header(b"content-encoding") == b"gzip" else self.body
        lines = tuple(line for line in plain.splitlines() if not any(mark in line for mark in clocked))
        return Told(self.status, tuple(each for each in self.headers if each[0] != b"content-length"), lines)


class Ask:
    """A request that is under way, and what has been answered so far; also a connection that a socket talks over."""

    def __init__(self, app: ASGIApp, method: str, address: str, headers: Headers, body: bytes) -> None:
        path, _, query = address.partition("?")
        self._messages: list[dict[str, Any]] = []
        self._complete = asyncio.Event()
        self._body: bytes | None = body
        self.talk: Any = None
        self.said: list[bytes] = []
        scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "method": method, "scheme": "http"}
        scope |= {"path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": ""}
        scope |= {"client": ("192.0.2.1", 1), "server": ("house", 80), "state": {}}
        scope |= {"headers": [*headers]}
        scope |= {"extensions": {LOST: lambda _leave: None, EXTENSION: self._switch}}
        self.task = asyncio.ensure_future(app(cast(Any, scope), cast(Any, self._receive), cast(Any, self._send)))

    async def _receive(self) -> dict[str, Any]:
        if self._body is None:
            # As the server has it: a connection is over for an answer once that is complete.
            await self._complete.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: dict[str, Any]) -> None:
        self._messages.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._complete.set()

    @property
    def chunks(self) -> tuple[bytes, ...]:
        """The parts of the body that have come so far."""
        return tuple(one["body"] for one in self._messages if one["type"] == "http.response.body")

    async def answered(self) -> Told:
        """Return the answer, once it is complete."""
        await self.task
        start = self._messages[0]
        return Told(start["status"], tuple((bytes(n), bytes(v)) for n, v in start["headers"]), self.chunks)

    def says(self, what: bytes) -> bool:
        """Report whether this has come, in a part of the body or in a message of a socket."""
        return any(what in part for part in (*self.chunks, *self.said))

    # ---- as a connection ------------------------------------------------------------------------

    def _switch(self, talk: Any, _pace: Any, head: bytes) -> None:
        self.talk = talk
        # A clock stands in its date, as the server puts one into other answers.
        self.said.append(b"\r\n".join(line for line in head.split(b"\r\n") if not line.startswith(b"Date: ")))
        talk.begin(self)

    def send(self, message: bytes) -> None:
        self.said.append(bytes(message))

    async def drained(self) -> None:
        return

    def hold(self, *, held: bool) -> None:
        self.said.append(b"held" if held else b"taken")

    def rest(self, *, rests: bool) -> None:
        self.said.append(b"rests" if rests else b"works")

    def close(self, code: int, reason: str) -> None:
        self.said.append(f"{code} {reason}".encode())


class Knowing:
    """A vault that has the secrets of every deal of a match."""

    def __init__(self, played: Watched) -> None:
        self._keepers = played.keepers | ({} if played.keeper is None else {played.keeper.number: played.keeper})

    async def keeper(self, match: Match) -> DealSecrets | None:
        return None if match.ceremony is None else self._keepers.get(match.ceremony.deal)

    async def keeper_of(self, *_board: object) -> None:
        """Return nothing: boards are shown without their secrets."""


class OnePolicy(PublishedLog):
    """A log that has had one policy: what the played matches have for checkpoints are none."""

    async def policy_for(self, record: bytes) -> str:
        assert record
        return (await self.policy()).decode()


class Leak:
    """What lets a test plant a leak of `hidden`, bytes that hang on all dice that seats know; by itself it is none."""

    def __init__(self, streams: StreamHub, hidden: bytes) -> None:
        self._streams = streams
        self.hidden = hidden

    def header(self, path: str, name: bytes, value: bytes) -> bytes:  # noqa: ARG002 - for whoever leaks
        """Return what this header of an answer is, given what it would be."""
        return value

    async def stream(self, *asked: Any) -> AsyncGenerator[Any, None]:
        """Yield what a stream says."""
        async with aclosing(self._streams.stream(*asked)) as items:
            async for item in items:
                yield item

    async def say(self, match: UUID, body: bytes) -> None:
        """Say what is said."""
        await self._streams.say(match, body)

    def planted(self, app: ASGIApp) -> ASGIApp:
        """Return an application with such headers."""

        async def leaky(scope: Any, receive: Any, send: Any) -> None:
            path = scope["path"]

            async def sending(message: Any) -> None:
                if message["type"] == "http.response.start":
                    named = [(name, self.header(path, name, value)) for name, value in message["headers"]]
                    message = {**message, "headers": named}
                await send(message)

            await app(scope, receive, sending)

        return leaky


class WatchedHouse:
    """A house that knows all secrets of a match, and is told of it as it is played.

    Attributes:
        store: What it keeps.
        hidden: Bytes that follow from all that the seats know, for whoever wants to plant a leak.
    """

    def __init__(self, played: Watched, leak: type[Leak] = Leak, card: Card = PLAIN) -> None:
        self._played, self._card, self._position = played, card, 0
        self._stream, self._shard = stream_of(played.match.id), shard_of(stream_of(played.match.id))
        self.match, self.game, self.ended = str(played.match.id), played.match.settings.game, played.match.ended
        self.store, self.version = MemoryStore(), 0
        hidden = hashlib.sha256(b"".join(played.received(seat) for seat in played.table.seats)).digest()
        # By this clock the match has just come to its end.
        vault, shared = cast(Any, Knowing(played)), shared_reads(self.store, now=lambda: played.at)
        matches, feed = CommandHandler(self.store, vault, TOKENS, shared=shared), MemoryFeed()
        self._works: list[FollowingWork] = [
            Publisher(self.store, feed, vault, shared),
            LobbyProjector(self.store, shared),
            StatisticsProjector(self.store, cards=shared.cards),
        ]
        planted = leak(StreamHub(matches, feed, NEVER, wait_of=matches.wait_of), hidden)
        log = OnePolicy(self.store, "example.org/truecup", (bytes(32),))
        audits, crowds = Audits(log.policy_for), Crowds()
        site = HouseSite(matches, audits.report, cards(), None, crowds.count)
        events = TournamentHandler(self.store, vault, TOKENS)
        pages = web_handlers(
            site, tuple, describe, HouseTournaments(events, matches), None, CommentQueries(self.store, matches)
        )
        parts: dict[str, Any] = {"handlers": pages, "crowds": crowds, "bounds": SILENT, "seats": matches}
        lookup = WriterLookup(self.store, matches, PlayerRegister(self.store, TOKENS), events)
        parts["comments"] = CommentHandler(self.store, matches, lookup)
        parts |= {"tournaments": events, "tournament_streams": TournamentStreams(events, feed)}
        self.parts = Dependencies(matches, planted, log, audits.report, cards(), **parts)
        self.app = create_app(self.parts)
        self._gate: Any = Gate(planted.planted(cast(Any, self.app)), self.parts.doors, Terms(), Proxies())

    def bearer(self, seat: int) -> dict[str, str]:
        """Return the header that shows the token of a seat."""
        return {"Authorization": f"Bearer {self._token(seat)}"}

    def _token(self, seat: int) -> str:
        return TOKENS.issue(self._played.match.id, "seat", seat, b"test")

    def ask(
        self, address: str, headers: Mapping[str, str] | None = None, method: str = "GET", body: bytes = b""
    ) -> Ask:
        """Begin to ask for this."""
        given = {"Host": "house", "Accept-Encoding": "gzip", **(headers or {})}
        fields = [(name.lower().encode(), value.encode()) for name, value in given.items()]
        return Ask(self._gate, method, address, fields, body)

    async def told(self, address: str, headers: Mapping[str, str] | None = None, **how: Any) -> Told:
        """Return the answer to this."""
        return await self.ask(address, headers, **how).answered()

    async def view(self, token: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the match as it is shown."""
        plain = await self.told(f"/api/v1/matches/{self.match}", {"Accept-Encoding": "identity", **(token or {})})
        view: dict[str, Any] = msgspec.json.decode(plain.body)
        return view

    async def say(self, seat: int) -> Told:
        """Let a seat say something, and return what it is answered."""
        return await self.post("phrases", self.bearer(seat), b'{"phrase":"nice"}')

    async def post(self, what: str, token: Mapping[str, str], body: bytes) -> Told:
        """Return the answer to what somebody does at the match."""
        headers = {**token, "Content-Type": "application/json", "Idempotency-Key": "0123456789abcdef"}
        return await self.told(f"/api/v1/matches/{self.match}/{what}", headers, method="POST", body=body)

    async def come_so_far(self) -> tuple[int, int]:
        """Return at which version spectators are shown the match, and up to which one it is cast."""
        matches = self.parts.matches
        return (await matches.view(self._played.match.id, None)).version, await matches.released(self._played.match.id)

    # ---- what is played -------------------------------------------------------------------------

    async def begin(self) -> None:
        """Be told of the match but for its last command."""
        await self.store.keep_card(self._stream, self._card)
        for work in self._works:
            await work.start(self._shard)
        for lines in self._commands[:-1]:
            await self._take(lines)

    async def go_on(self) -> None:
        """Be told of the last command."""
        await self._take(self._commands[-1])

    @property
    def _commands(self) -> list[tuple[bytes, ...]]:
        """The lines of each command."""
        lines = iter(self._played.lines)
        counts = (1, *(len(happened) for happened in self._played.happened))
        return [tuple(next(lines) for _ in range(count)) for count in counts]

    async def _take(self, lines: tuple[bytes, ...]) -> None:
        """Store the lines of a command, and tell of them what the relay would."""
        joined = [one["data"] for one in map(msgspec.json.decode, lines) if one["type"] == "seat.joined"]
        tokens = tuple((digest(self._token(one["seat"])), "seat", one["seat"]) for one in joined)
        people = tuple((one["player"], f"Player {one['seat']}") for one in joined)
        command = hashlib.sha256(lines[-1]).digest()
        parts: dict[str, Any] = {"tokens": tokens, "people": people, "anchors": ends_of(lines)}
        append = Append(self._stream, self.version, lines, command, command, b"{}", **parts)
        assert isinstance(await self.store.append(append), Appended)
        self.version += len(lines)
        page = await self.store.follow(self._shard, self._position, 1_000)
        for work in self._works:
            assert await work.take(self._shard, page) == page[-1].position
        self._position = page[-1].position
