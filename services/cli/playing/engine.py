"""A seat that a program of others plays (TCE/1): what its seat is shown goes to it, and its moves go to the house.

The law of the file: whoever sits at the table waits for no program longer than for a person. Before the clock of the
table the program is told to stop; what it does not do, or not by the rules, is what the clock would have done.

Source: the laws of analysis, section on engines (`.docs/engines.md`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import msgspec
from msgspec import Struct, to_builtins

from domain import commands
from domain.errors import Refused
from domain.table.decide import timeout_command
from infra.clock import now_ms, ticks_s
from infra.entropy import draw
from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.cli.screen import say, say_aside
from services.client.following import earlier_frames
from services.client.house import CannotDo, read_reply
from services.client.session import SeatSession
from services.client.tables import is_awaited
from services.engines.hosting import STOP_S, EngineHost, Go
from services.engines.levels import CHANCE_BYTES
from services.engines.lines import Greeting, Untold
from services.engines.process import EngineCommand, NoProgram
from services.engines.seen import OutOfOrder, SeenMatch

SENT_S: Final = 1.0
"""How long before the clock of the table a move is on its way at the latest."""
BUDGET_MIN_MS: Final = 50
"""What an engine is given where the clock has all but run out."""


class SeatEngine(Struct, frozen=True):
    """A program that plays a seat.

    Attributes:
        command: How it is started.
        budget_ms: What it may take over a move, if the clock of the table leaves it so much.
    """

    command: EngineCommand
    budget_ms: int


def engine_of(words: str, budget_ms: int, memory_mib: int) -> SeatEngine:
    """Return an engine by the words that start it; what it writes as errors goes to a file of its own."""
    return SeatEngine(
        EngineCommand(words, Path(mkdtemp(prefix="truecup-engine-")) / "engine.log", memory_mib), budget_ms
    )


async def greeting_of(engine: SeatEngine) -> Greeting:
    """Start an engine, return who it says it is, and end it.

    Raises:
        CannotDo: There is no such program, or it is no engine.
    """
    async with _started(EngineHost(engine.command)) as greeting:
        return greeting


@asynccontextmanager
async def _started(host: EngineHost) -> AsyncIterator[Greeting]:
    try:
        greeting = await host.start()
    except (NoProgram, Untold) as trouble:
        raise CannotDo(str(trouble)) from None
    try:
        yield greeting
    finally:
        await host.end()


class SeatedEngine:
    """An engine in a seat, from the moment at which the seat is taken up to the end of the match."""

    def __init__(self, session: SeatSession, engine: SeatEngine) -> None:
        """Play the seat of this session."""
        self._session, self._engine = session, engine
        self._host = EngineHost(engine.command)
        self._items: asyncio.Queue[tuple[Json, float]] = asyncio.Queue()
        self._waiting: list[Json] = []
        self._seen: SeenMatch | None = None
        self._done = 0

    def take(self, item: Json) -> None:
        """Take what is said of the match, in order."""
        self._items.put_nowait((item, ticks_s()))

    async def play(self) -> None:
        """Play until cancelled.

        Raises:
            CannotDo: The engine does not start, or has ended twice, and its seat is given up.
        """
        async with _started(self._host) as greeting:
            own = greeting.id
            say(phrase("engine", "plays", name=own.name, version=own.version, author=own.author))
            say(phrase("engine", "notes", file=str(self._engine.command.notes)))
            while True:
                item, came_s = await self._items.get()
                with read_reply():
                    view = item.get("snapshot") or item.get("view")
                if view is None:
                    continue
                frames = await self._frames(item, view)
                with read_reply():
                    for frame in frames:
                        await self._pass_on(frame)
                    is_now = not item.get("more") and self._is_now(view)
                    awaited, asked = is_now and is_awaited(view), is_now and _is_asked(view)
                if awaited:
                    await self._ready()
                elif asked:
                    await self._move(view, came_s, stale="snapshot" in item)

    async def _frames(self, item: Json, view: Json) -> list[Json]:
        """Return what an item adds to what the engine knows: a frame, or, for a snapshot, all up to it."""
        if "snapshot" not in item:
            return [item]
        sitting = self._session.sitting
        return await earlier_frames(sitting.base, sitting.match, sitting.token, view["version"])

    async def _pass_on(self, frame: Json) -> None:
        """Tell the engine a frame; how many play, and where it sits, it is told once that is settled."""
        self._waiting.append(frame)
        view = frame["view"]
        if view["phase"] == "lobby":
            return
        if self._seen is None:
            self._seen = SeenMatch(view["viewer"])
            await self._host.new_match(view["match"], view["rules"], view["viewer"], len(view["seats"]))
        told, self._waiting = self._waiting, []
        for each in told:
            raw = msgspec.json.encode(each)
            await self._host.frame(raw)
            with suppress(OutOfOrder):
                # What cannot be folded here is no reason not to tell it: only the clock's move is not known then.
                self._seen.take(raw)
        if view["winner"] is not None or view["phase"] == "finished":
            await self._host.end_match(view["winner"])

    def _is_now(self, view: Json) -> bool:
        newest = self._session.view
        return newest is not None and view["version"] == newest["version"] and view["version"] >= self._done

    async def _ready(self) -> None:
        # Where the pause is over already, nobody waits.
        with suppress(CannotDo):
            await self._session.ask({"type": "continue"})

    async def _move(self, view: Json, came_s: float, *, stale: bool) -> None:
        waited_ms, now = round((ticks_s() - came_s) * 1_000), now_ms() if stale else None
        budget_ms = budget_of(view, self._engine.budget_ms, waited_ms, now)
        go = Go(view["version"], budget_ms, draw(CHANCE_BYTES).hex())
        engaged = await self._host.choose(go, view["viewer"], self._tries)
        if engaged.fate == "move":
            return
        if engaged.fate == "died":
            with suppress(CannotDo):
                await self._session.ask({"type": "resign"})
            raise CannotDo(phrase("engine", "died", why=engaged.why, file=str(self._engine.command.log)))
        say_aside(phrase("engine", engaged.fate, why=engaged.why))
        await self._play_as_the_clock()

    async def _tries(self, command: commands.Play) -> str | None:
        """Ask the house for what the engine has chosen; return the code of its refusal.

        Raises:
            CannotDo: Nobody answers.
        """
        try:
            self._done = await self._session.ask(_body(command))
        except CannotDo as trouble:
            if trouble.code is None:
                raise
            return trouble.code
        return None

    async def _play_as_the_clock(self) -> None:
        """Do what is published for a seat out of time; where that cannot be told, or is not taken, the clock does."""
        state = None if self._seen is None else self._seen.state
        if state is None or self._seen is None or state.turn != self._seen.seat:
            return
        with suppress(CannotDo, Refused):
            self._done = await self._session.ask(_body(timeout_command(state)))


def budget_of(view: Json, most_ms: int, waited_ms: int, now: int | None) -> int:
    """Return what an engine may take over a move, in milliseconds, so that it is there before the clock of the table.

    Args:
        view: What its seat sees.
        most_ms: What it may take at most.
        waited_ms: How long ago that came.
        now: What time it is, where it may have been so for long when it came, as in a snapshot.
    """
    if view["due_at"] is None:
        return most_ms
    left: int = view["due_at"] - view["at"] - waited_ms
    if now is not None:
        left = min(left, view["due_at"] - now)
    return max(BUDGET_MIN_MS, min(most_ms, left - round((STOP_S + SENT_S) * 1_000)))


def _is_asked(view: Json) -> bool:
    """Report whether it is for the seat to act: in its turn, or where it has a say and nobody has the turn."""
    return bool(view["moves"]) and view["turn"] in {None, view["viewer"]}


def _body(command: commands.Play) -> Json:
    """Return a command as the interface takes it, which knows the seat by its token."""
    found: dict[str, Any] = to_builtins(command)
    del found["seat"]
    return found
