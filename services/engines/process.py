"""An engine's process: started in a cell, told lines, read line by line, ended.

Its bounds hold whatever it does: a line has at most 256 KiB, a turn at most 10,000 lines and 4 MiB, and nobody waits
for it longer than was said. Only the process that was started here is ended, and what it has started itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct

from services.engines import cell
from services.engines.lines import LINE_MAX, EngineLine, Untold, line_of

LINES_MAX: Final = 10_000
"""Lines an engine may say in one turn, or as its greeting."""
BYTES_MAX: Final = 4 * 2**20
"""Bytes of these lines, those that are too long among them."""
QUIT_S: Final = 1.0
"""How long an engine may take to end by itself."""
GONE_S: Final = 0.2
"""How long one may take to be gone that takes nothing any more."""
MEMORY_MIB: Final = 1_024
"""What an engine may take if nobody says otherwise."""


class NoProgram(Exception):  # noqa: N818 - named for what is the matter
    """A program cannot be started; the sentence says why."""


class Died(Exception):  # noqa: N818 - named for what happened
    """An engine ended by itself, or would not be told anything any more."""


class Flooded(Died):
    """An engine has said more than anybody has to read in one turn: it runs, but nobody listens to it any more."""


class EngineCommand(Struct, frozen=True):
    """How an engine is started.

    Attributes:
        words: The program and its arguments, as somebody types them.
        log: The file its error output goes to.
        memory_mib: How much memory it may take.
    """

    words: str
    log: Path
    memory_mib: int = MEMORY_MIB

    @property
    def notes(self) -> Path:
        """The file of what it says beside its moves: one JSON object a line."""
        return self.log.with_suffix(".ndjson")

    def arguments(self) -> list[str]:
        """Return the program by its whole path, and its arguments.

        Raises:
            NoProgram: There is no such program.
        """
        try:
            words = shlex.split(self.words)
        except ValueError as fault:
            raise NoProgram(f"`{self.words}` is no command: {fault}") from None
        program = shutil.which(words[0]) if words else None
        if program is None:
            raise NoProgram(f"there is no program `{words[0] if words else self.words}`")
        return [str(Path(program).absolute()), *words[1:]]


class EngineProcess:
    """A running engine."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Talk with this process."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin, self._stdout = process.stdin, process.stdout
        self._lines_left, self._bytes_left = LINES_MAX, BYTES_MAX

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def allow_lines(self) -> None:
        """Begin a turn: it may say as many lines again."""
        self._lines_left, self._bytes_left = LINES_MAX, BYTES_MAX

    async def tell(self, line: bytes) -> None:
        """Tell it something; whoever waits for that says for how long.

        Raises:
            Died: It does not take it any more.
        """
        try:
            self._stdin.write(line)
            await self._stdin.drain()
        except (ConnectionError, RuntimeError) as fault:
            raise Died(await self._what_became_of_it()) from fault

    async def _what_became_of_it(self) -> str:
        """Return why it takes nothing: what a program reads is closed a moment before the program has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GONE_S):
                await self._process.wait()
                return "the engine has ended"
        return "the engine takes nothing any more"

    async def hear(self) -> EngineLine:
        """Return the next line it says.

        Raises:
            Died: It has ended.
            Flooded: It has said more than it may.
            Untold: The line is none; what comes behind it can be heard.
        """
        if self._lines_left == 0:
            raise Flooded(f"the engine said more than {LINES_MAX} lines in one turn")
        self._lines_left -= 1
        try:
            raw = await self._stdout.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            raise Died("the engine has ended") from None
        except asyncio.LimitOverrunError as over:
            await self._pass_over(over.consumed)
            raise Untold(f"the line is too long: {LINE_MAX} bytes at most") from None
        self._take(len(raw))
        return line_of(raw)

    def _take(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise Flooded(f"the engine said more than {BYTES_MAX} bytes in one turn")

    async def _pass_over(self, waiting: int) -> None:
        """Read to the end of a line that is too long, and keep none of it."""
        while True:
            self._take(len(await self._stdout.readexactly(waiting)))
            try:
                self._take(len(await self._stdout.readuntil(b"\n")))
            except asyncio.LimitOverrunError as over:
                waiting = over.consumed
            except asyncio.IncompleteReadError:
                raise Died("the engine has ended") from None
            else:
                return

    async def end(self) -> None:
        """End it, and whatever it has started, if it does not end by itself within a second."""
        self._stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIT_S):
                await self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIT_S):
                # A process is over once its output is, and of one that has flooded nobody has read it.
                while await self._stdout.read(LINE_MAX):
                    pass
                await self._process.wait()


async def start_engine(command: EngineCommand) -> EngineProcess:
    """Start an engine in its cell: without environment, descriptors of ours, or network where the system can.

    Raises:
        NoProgram: There is no such program, or its log cannot be written.
    """
    arguments = command.arguments()
    try:
        errors = command.log.open("ab")
    except OSError as fault:
        raise NoProgram(f"{command.log} cannot be written: {fault.strerror}") from None
    with errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", cell.__file__, str(command.memory_mib), *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env={},
            # A group of its own, so that what it starts ends with it.
            start_new_session=True,
            limit=LINE_MAX,
        )
    return EngineProcess(process)
