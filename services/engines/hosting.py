"""A host of TCE/1: an engine greeted, told of matches, asked for moves, and what becomes of it when it fails.

The law of the file: a match goes on whatever an engine does. Too late, or twice not by the rules, or more said than is
to be read, and the published action of the clock is played; it dies, and it is started again once a match, told all of
it anew; it dies again, and it has forfeited. Which of these it was, and what it said beside its moves, is its trace.

Source: the laws of analysis, section on engines (`.docs/engines.md`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from domain import commands
from domain.ids import Seat, Version
from services.engines.lines import (
    PROTOCOL,
    EngineLine,
    Greeting,
    Members,
    Untold,
    command_of,
    greeting_of,
    move_of,
    told,
)
from services.engines.process import Died, EngineCommand, EngineProcess, Flooded, start_engine

BUDGET_MS: Final = 5_000
"""What an engine may take over a move, if nobody says otherwise."""
GREETING_S: Final = 5.0
"""How long an engine may take to say who it is, and to be ready."""
STOP_S: Final = 1.0
"""How long it may take behind `stop`."""
TRIES: Final = 2
"""Moves that may be refused in one turn."""

NOTE_MAX: Final = 64 * 2**10
"""Bytes of what is stored of a turn."""
NOTES_MAX: Final = 64 * 2**20
"""Bytes of the file of it: a gauntlet of a thousand blocks has some 100,000 turns."""

Fate = Literal["move", "late", "foul", "died"]
Tries = Callable[[commands.Play], Awaitable[str | None]]
"""Does what an engine has chosen, and returns the code of its refusal; None where it was done."""


class Engaged(Struct, frozen=True):
    """What became of a turn.

    Attributes:
        fate: A move that was taken; or `late` or `foul`, where the published action of the clock is to be played; or
            `died`, where the seat forfeits.
        why: What was wrong, in words; empty for a move.
        info: What the engine said beside its move, the last of each member.
    """

    fate: Fate
    why: str = ""
    info: Members = {}


class Go(Struct, frozen=True):
    """What is asked of an engine: a move at this version, within so many milliseconds, with this chance in hex."""

    version: Version
    budget_ms: int
    chance: str


class TurnNote(Struct, frozen=True, omit_defaults=True):
    """What is stored of a turn of which an engine has said something: its line in `EngineCommand.notes`.

    Attributes:
        info: What the engine said beside its move, such as weights, as `Engaged` has it.
        size: How many bytes that would have had, where they are more than is stored; `info` is empty then.
    """

    match: str
    version: Version
    seat: Seat
    fate: Fate
    info: Members = {}
    size: int = 0


class EngineHost:
    """The host of one engine, in one match after the other."""

    def __init__(self, command: EngineCommand, options: Mapping[str, Any] | None = None) -> None:
        """Host an engine that is started so, with its options set to these."""
        self._command = command
        self._options = options or {}
        self._engine: EngineProcess | None = None
        self._match_id = ""
        self._match: list[bytes] = []
        self._restarts = 1
        self._info: Members = {}
        self._overdue: Version | None = None

    async def start(self) -> Greeting:
        """Start the engine and return who it says it is.

        Raises:
            NoProgram: There is no such program.
            Untold: Its greeting is none, or it gives none within five seconds.
        """
        self._engine = await start_engine(self._command)
        try:
            async with asyncio.timeout(GREETING_S):
                greeting = await self._greet(self._engine)
                await self._set_up(self._engine)
        except TimeoutError:
            await self.end()
            raise Untold(f"the engine gave no greeting within {GREETING_S:.0f} s") from None
        except Died as death:
            await self.end()
            raise Untold(str(death)) from None
        except Untold:
            await self.end()
            raise
        return greeting

    async def _greet(self, engine: EngineProcess) -> Greeting:
        await engine.tell(told(PROTOCOL))
        said: list[EngineLine] = []
        while (line := await engine.hear()).word != "tceok":
            if line.word in {"id", "option", "plays"}:
                said.append(line)
        return greeting_of(said)

    async def _set_up(self, engine: EngineProcess) -> None:
        for name, value in self._options.items():
            await engine.tell(told("setoption", {"name": name, "value": value}))
        await engine.tell(told("isready"))
        while (await engine.hear()).word != "readyok":
            pass

    async def new_match(self, match: str, rules: Mapping[str, Any], seat: Seat, seats: int) -> None:
        """Tell it of a match, whose frames follow."""
        self._match_id, self._match, self._restarts = match, [], 1
        await self._pass_on(told("newmatch", {"match": match, "rules": rules, "seat": seat, "seats": seats}))

    async def frame(self, frame: bytes) -> None:
        """Tell it what its seat sees after one more event: every version, in order."""
        await self._pass_on(told("frame", frame))

    async def end_match(self, winner: Seat | None) -> None:
        """Tell it that the match is over."""
        await self._pass_on(told("endmatch", {"winner": winner}))
        self._match = []

    async def _pass_on(self, line: bytes) -> None:
        """Tell a line of the match, which it is told again when it has to be started anew."""
        self._match.append(line)
        if self._engine is not None:
            with suppress(Died, TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await self._engine.tell(line)

    async def choose(self, go: Go, seat: Seat, tries: Tries) -> Engaged:
        """Ask for a move and have it done; return what became of the turn, within the budget and some seconds."""
        engaged = await self._engaged(go, seat, tries)
        self._store(TurnNote(self._match_id, go.version, seat, engaged.fate, engaged.info))
        return engaged

    async def _engaged(self, go: Go, seat: Seat, tries: Tries) -> Engaged:
        while True:
            try:
                return await self._asked(go, seat, tries)
            except Flooded as flood:
                # It writes on and reads nothing: it is ended, and would be started again for its next turn.
                await self.end()
                return Engaged("foul", str(flood), self._info)
            except Died as death:
                if not await self._start_again():
                    return Engaged("died", str(death), self._info)

    def _store(self, note: TurnNote) -> None:
        """Write down what was said in a turn, if anything was; a full file or disk takes no more, and play goes on."""
        if not note.info:
            return
        line = msgspec.json.encode(note)
        if len(line) > NOTE_MAX:
            line = msgspec.json.encode(msgspec.structs.replace(note, info={}, size=len(line)))
        with suppress(OSError), self._command.notes.open("ab") as file:
            if file.tell() + len(line) < NOTES_MAX:
                file.write(line + b"\n")

    async def _asked(self, go: Go, seat: Seat, tries: Tries) -> Engaged:
        engine = self._engine
        if engine is None:
            raise Died("the engine has ended")
        engine.allow_lines()
        self._info = {}
        turn = asyncio.ensure_future(self._turn(engine, go, seat, tries))
        try:
            async with asyncio.timeout(go.budget_ms / 1_000):
                return await asyncio.shield(turn)
        except TimeoutError:
            return await self._stopped(engine, turn, go.version)
        finally:
            turn.cancel()

    async def _stopped(self, engine: EngineProcess, turn: asyncio.Future[Engaged], version: Version) -> Engaged:
        """Return what an engine does whose time is over, within a second."""
        try:
            async with asyncio.timeout(STOP_S):
                await engine.tell(told("stop"))
                return await asyncio.shield(turn)
        except TimeoutError:
            # Its move may still come; the next turn passes over it.
            self._overdue = version
            return Engaged("late", "no move within its time", self._info)

    async def _turn(self, engine: EngineProcess, go: Go, seat: Seat, tries: Tries) -> Engaged:
        await engine.tell(told("go", go))
        why = ""
        for _ in range(TRIES):
            try:
                move = move_of(await self._moved(engine), go.version)
                command = command_of(move, seat)
                code = "unknown_command" if command is None else await tries(command)
            except Untold as fault:
                code, why = "bad_line", str(fault)
            else:
                why = code or ""
            if code is None:
                return Engaged("move", info=self._info)
            await engine.tell(told("refused", {"version": go.version, "code": code, "why": why}))
        return Engaged("foul", why, self._info)

    async def _moved(self, engine: EngineProcess) -> EngineLine:
        """Return the next move it says, but one that was due in the turn before."""
        while (line := await engine.hear()).word != "move" or line.members.get("version") == self._overdue:
            if line.word == "info":
                self._info.update(line.members)
        return line

    async def _start_again(self) -> bool:
        """Start a dead engine once more in this match, and tell it all of it; report whether that went well."""
        await self.end()
        if not self._restarts:
            return False
        self._restarts -= 1
        try:
            await self.start()
        except Untold:
            return False
        assert self._engine is not None
        with suppress(Died, TimeoutError):
            async with asyncio.timeout(GREETING_S):
                for line in self._match:
                    await self._engine.tell(line)
        return True

    async def end(self) -> None:
        """End the engine, if it runs."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with suppress(Died, TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await engine.tell(told("quit"))
            await engine.end()
