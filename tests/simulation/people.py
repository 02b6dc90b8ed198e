"""People: hosts, players and spectators of one table, who ask any node, and ask again where they got no answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from functools import partial
from itertools import count
from random import Random
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.match.signed_commands import SeatSignature
from infra.store import Unavailable
from projections.view import View
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import ANONYMOUS, Answer, CommandMetadata, KeyUsed, VersionPassed, scope_of
from services.matches.secrets.tokens import Bearer
from services.program.app import HouseProgram
from tests.domain.playing import commands_for
from tests.simulation.nodes import Lost, Node
from tests.simulation.world import World

AGAIN_S: Final = (0.02, 0.4)
"""How long somebody waits before asking again."""
THINK_S: Final = (0.0, 0.05)
RESTLESS: Final = 0.5
"""How likely a reader goes away again soon."""
ANOTHER: Final = 0.04
"""How likely somebody uses a key for two requests."""
STOPS: Final = {"turn_ms": 6_000, "turns": 1}
"""The idle rule of tables at which somebody stops."""
CLOCK: Final = {"bank_ms": 6_000, "increment_ms": 0, "on_timeout": "forfeit"}
"""The clock of tables at which somebody never acts."""
Does = Callable[[HouseProgram, CommandMetadata], Awaitable[Answer]]
Answered = TypeVar("Answered", bound=Any)


class GaveUp(Exception):  # noqa: N818 - named for what happened
    """Nobody answered until the schedule was to be at rest."""


class Acknowledged(Struct, frozen=True):
    """What somebody was told: a command is stored, with this answer; `expected` is the version it was meant for."""

    stream: str
    command: bytes
    answer: Answer
    expected: int | None


class Crowd:
    """All people of a schedule, and what they have been told.

    Attributes:
        world: Where they are.
        nodes: Whom they ask.
        leaps: Whether somebody sets the clocks of nodes.
        asked: Every command that was sent, answered or not.
        told: Every answer.
        denied: Every command that was refused.
        refused: How often which refusal was met.
    """

    def __init__(self, world: World, nodes: list[Node], until_s: float, *, leaps: bool = False) -> None:
        self.world = world
        self.nodes = nodes
        self.until_s = until_s
        self.leaps = leaps
        self.asked: set[bytes] = set()
        self.told: list[Acknowledged] = []
        self.denied: set[bytes] = set()
        self.refused: Counter[str] = Counter()
        self._keys = count(1)

    @property
    def chance(self) -> Random:
        return self.world.people

    def key(self) -> str:
        """Return an idempotency key that nobody has used."""
        return f"key-{self.world.seed}-{next(self._keys)}"

    async def any_node(self, *, deals: bool = False) -> Node:
        """Return a node that answers, once one does; one that deals, if need be."""
        while True:
            there = [node for node in self.nodes if node.answers and (not deals or "dealer" in node.roles)]
            if there:
                return self.chance.choice(there)
            self.check_time()
            await asyncio.sleep(0.05)

    @property
    def has_bots(self) -> bool:
        """Whether bots of the house play."""
        return any("bots" in node.roles for node in self.nodes)

    @property
    def left_s(self) -> float:
        """For how long anybody waits for anything, from now on."""
        return max(0.0, self.until_s - self.world.loop.time()) + 0.01

    def stays_s(self) -> float:
        """Return for how long a reader stays: until the end, or for hundredths of a second to some seconds."""
        return 0.03 * 100 ** self.chance.random() if self.chance.random() < RESTLESS else self.left_s

    def check_time(self) -> None:
        """Wait for nothing that has not come until all is to be at rest."""
        if self.world.loop.time() > self.until_s:
            raise GaveUp

    async def ask_dealer(self, ask: Callable[[HouseProgram], Awaitable[Any]]) -> Any:
        """Ask one node after the other of those that deal."""
        return await self.ask(ask, deals=True)

    async def ask_twice(self, kind: str, ask: Callable[[HouseProgram], Awaitable[Answered]]) -> Answered:
        """Have something stored, and ask for it once more: the answer is the same."""
        answer: Answered = await self.ask_dealer(ask)
        self.world.tell(f"acknowledged {kind} {answer.version} {answer.head[:12]}")
        again: Answered = await self.ask_dealer(ask)
        self.world.hold(again == answer, f"{kind} was answered otherwise when it was sent again")
        return answer

    def event_ask(self, kind: str) -> CommandMetadata:
        """Return the identity of a request about a tournament."""
        ask = CommandMetadata("host", self.key(), hashlib.sha256(kind.encode()).digest())
        self.asked.add(ask.command)
        return ask

    async def ask(self, ask: Callable[[HouseProgram], Awaitable[Any]], *, deals: bool = False) -> Any:
        """Ask one node after the other until one answers; what was asked has to bear asking again."""
        while True:
            node = await self.any_node(deals=deals)
            try:
                return await node.call(ask)
            except (Lost, Unavailable):
                self.check_time()
                await asyncio.sleep(self.chance.uniform(*AGAIN_S))

    async def command(
        self,
        kind: str,
        token: str | None,
        does: Does,
        expected: int | None = None,
        behind: str = "",
        seen: int = 0,
        signature: SeatSignature | None = None,
    ) -> Answer | None:
        """Have a command stored, with one key however often it is sent; None where it was refused.

        What is stored bears the key with `behind` behind it, where one request is several commands. `seen` is the
        version that whoever asks was shown, `signature` what a seat with a key has signed it with.
        """
        key, fingerprint = self.key(), hashlib.sha256(f"{kind} {token}".encode()).digest()
        scope = ANONYMOUS if token is None else scope_of(token)
        command = CommandMetadata(scope, key + behind, fingerprint).command
        before = range(int(behind.removeprefix("/") or 0))
        self.asked |= {command, *(CommandMetadata(scope, f"{key}/{one}", fingerprint).command for one in before)}

        async def asked(program: HouseProgram, fingerprint: bytes = fingerprint) -> Answer:
            ask = await self._identity(program, token, key, fingerprint, expected)
            return await does(program, replace(ask, signature=signature))

        try:
            answer: Answer = await self.ask(asked)
        except (Refused, VersionPassed) as no:
            self._note_refusal(kind, command, no, seen)
            return None
        self.told.append(Acknowledged(f"match/{answer.match}", command, answer, expected))
        self.world.tell(f"acknowledged {kind} {answer.version} {answer.head[:12]}")
        if self.chance.random() < 0.15:
            again = await self.ask(asked)
            self.world.hold(again == answer, f"{kind} was answered otherwise when it was sent again")
        if signature is None and self.chance.random() < ANOTHER:
            await self._ask_something_else(kind, asked)
        return answer

    def _note_refusal(self, kind: str, command: bytes, no: Refused | VersionPassed, seen: int) -> None:
        self.refused[no.code] += 1
        self.denied.add(command)
        self.world.tell(f"refused {kind} {no.code}")
        old = isinstance(no, VersionPassed) and no.version < seen
        self.world.hold(not old, f"{kind} was refused by an older match than was shown")

    async def _ask_something_else(self, kind: str, asked: Callable[..., Awaitable[Answer]]) -> None:
        """Ask for something else with a key that has been used."""
        with suppress(KeyUsed):
            await self.ask(partial(asked, fingerprint=hashlib.sha256(b"something else").digest()))
            self.world.violate(f"a key was taken for two requests, the first of which was {kind}")

    async def _identity(
        self, program: HouseProgram, token: str | None, key: str, fingerprint: bytes, expected: int | None
    ) -> CommandMetadata:
        """Return who asks, as the interface finds out."""
        if token is None:
            return CommandMetadata(ANONYMOUS, key, fingerprint, network="192.0.2.1")
        bearer = await self.bearer(program, token)
        versions = None if expected is None else (expected,)
        opener = bearer.role == "host"
        return CommandMetadata(scope_of(token), key, fingerprint, versions, bearer.holder, "192.0.2.1", opener)

    async def bearer(self, program: HouseProgram, token: str) -> Bearer:
        bearer = await program.matches().bearer(token)
        if bearer is None:
            self.world.violate("a token that was given out is not known")
            raise Unavailable("a token is not known")
        return bearer


class Seen(Struct, frozen=True):
    """As much of a view as people look at before they ask for one."""

    version: int = -1
    viewer: int | None = None
    turn: int | None = None


class Brought(Struct, frozen=True):
    """What a frame or a snapshot brings."""

    view: Seen | None = None
    snapshot: Seen | None = None


NOTHING_SEEN: Final = Seen()
BROUGHT: Final = msgspec.json.Decoder(Brought)


class Reader:
    """Somebody who follows a match, over as many connections as it takes.

    Attributes:
        name: Who it is, in the trace.
        frames: Every frame by its version, as it came.
        view: The newest view, as far as people look at it.
        ended: Whether the stream has said that the match is over.
        is_out: Whether the seat was lost before the match began, and what everybody sees is shown since.
    """

    def __init__(self, crowd: Crowd, match_id: UUID, token: str | None, seat: int | None) -> None:
        self._crowd = crowd
        self._match = match_id
        self._token = token
        self.seat = seat
        self.match = str(match_id)
        self.name = f"{self.match[:4]}/{seat}"
        self.frames: dict[int, bytes] = {}
        self.version: int | None = None
        self.began: int | None = None
        self.view = NOTHING_SEEN
        self.ended = False
        self.is_out = False
        self._moved = asyncio.Event()

    async def run(self) -> None:
        """Follow until the match is over."""
        with suppress(GaveUp):
            while not self.ended:
                node = await self._crowd.any_node()
                leaves_s = self._crowd.stays_s()
                with suppress(Lost, Unavailable, UnknownMatch):
                    await node.follow(self._read, leaves_s)
                self._crowd.check_time()
                await asyncio.sleep(self._crowd.chance.uniform(*AGAIN_S))

    async def _read(self, program: HouseProgram, over: asyncio.Future[None]) -> None:
        matches, viewer, source = program.matches(), None, None
        if self._token is not None:
            viewer = (await self._crowd.bearer(program, self._token)).holder
            source = matches.for_token(self._token)
        stream = program.streams.stream(self._match, viewer, self.version, source or matches, over)
        async with aclosing(stream) as items:
            async for item in items:
                self._take(item.kind, item.version, item.body)

    def _take(self, kind: str, version: int | None, body: bytes) -> None:
        world = self._crowd.world
        world.tell(f"{self.name} reads {kind} {version} {hashlib.blake2b(body, digest_size=4).hexdigest()}")
        assert version is not None, "nobody asked for beats"
        if kind == "snapshot":
            self._take_snapshot(version, body)
        elif kind == "frame":
            world.hold(version == (self.version or 0) + 1, f"{self.name} had {self.version}, and is told {version}")
            self.version, self.frames[version] = version, body
            self._show(BROUGHT.decode(body).view)
        elif kind == "ended":
            self.ended = True
        self._moved.set()

    def _take_snapshot(self, version: int, body: bytes) -> None:
        if self.version is None:
            self.version = self.began = version
        self._crowd.world.hold(version >= self.version, f"{self.name} is shown an older match than before")
        self._show(BROUGHT.decode(body).snapshot)

    def _show(self, view: Seen | None) -> None:
        assert view is not None, "a frame brings a view, and a snapshot itself"
        if view.version < self.view.version:
            return
        self.view = view
        self.is_out = self.is_out or (self.seat is not None and view.viewer is None)
        seen_as = None if self.is_out else self.seat
        self._crowd.world.hold(view.viewer == seen_as, f"{self.name} is shown what {view.viewer} sees")

    async def moved(self, for_s: float) -> None:
        """Return when something has come, or after the time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(for_s):
                await self._moved.wait()
        self._moved.clear()


class Player:
    """Somebody with a seat, who plays whatever is allowed, and now and then what is not; or stops after some acts."""

    def __init__(self, crowd: Crowd, match_id: UUID, token: str, seat: int, acts: int | None) -> None:
        self._acts = acts
        self.reader = Reader(crowd, match_id, token, seat)
        self._crowd = crowd
        self._match = match_id
        self._token = token
        self._seat = seat
        self._done_at = 0

    async def run(self) -> None:
        """Play until the match is over."""
        with suppress(GaveUp):
            while not self.reader.ended and self._acts != 0:
                await self._attend()
                version = self.reader.view.version
                if self.reader.view.turn == self._seat and version > self._done_at:
                    self._done_at = version
                    await asyncio.sleep(self._crowd.chance.uniform(*THINK_S))
                    if not await self._act():
                        self._done_at = version - 1  # what is refused is thought about anew
                elif self._crowd.chance.random() < 0.01:
                    await self._play(commands.Challenge(self._seat), None)
                await self.reader.moved(1.0)
                self._crowd.check_time()
                if self.reader.view.version == self._done_at and self._crowd.chance.random() < 0.3:
                    self._done_at -= 1  # what was asked for may have been refused

    async def _attend(self) -> None:
        """Do what is asked of a seat out of turn, which is nothing where the house draws its seeds."""

    async def _act(self) -> bool:
        """Do what is allowed, or nearly so, and report whether it was done."""
        view: View = await self._crowd.ask(self._look)
        if not view.moves:
            return True
        chance = self._crowd.chance
        command = chance.choice(commands_for(self._seat, chance.choice(view.moves)))
        self._acts = None if self._acts is None else self._acts - 1
        expected = chance.choices((view.version, None, view.version - 1), weights=(6, 3, 1))[0]
        return await self._play(command, expected, view.version)

    async def _look(self, program: HouseProgram) -> View:
        bearer = await self._crowd.bearer(program, self._token)
        return await program.matches().for_token(self._token).view(self._match, bearer.holder)

    async def _play(self, command: commands.MatchCommand, expected: int | None, seen: int = 0) -> bool:
        async def does(program: HouseProgram, ask: CommandMetadata) -> Answer:
            return await program.matches().for_token(self._token).submit(self._match, command, ask)

        name = type(command).__name__
        return await self._crowd.command(name, self._token, does, expected, seen=seen) is not None
