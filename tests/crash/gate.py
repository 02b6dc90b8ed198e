"""A gate before Postgres: it lets everything pass, until one message nobody in the product knows to be looked at.

The service talks to the database through it. When a statement comes that a moment names, the gate either keeps it, or
lets it through and keeps the answer; from then on nothing passes in either direction, and whoever is killed now is
killed exactly between two things the database knows.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, quote, urlsplit

from msgspec import Struct

SOCKET = ".s.PGSQL.5432"
HEADER = 5
"""A message is a letter, its length with itself in four bytes, and so many bytes."""


class Moment(Struct, frozen=True):
    """A place between two things the database knows.

    Attributes:
        name: What has happened there, and what has not.
        statement: What stands in the statement it is about.
        holds: What all stands in its arguments.
        lacks: What does not.
        kept: What the gate keeps: the statement itself, or the answer to it.
        commits: Whether not the statement itself is meant, but the commit of its transaction.
        nth: The how manieth such statement it is.
        once: What has to have been stored before any is counted.
        rules: What else the match is played by.
        withheld: Whether the second seat keeps its seed back.
    """

    name: str
    statement: str
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    kept: Literal["statement", "answer"] = "statement"
    commits: bool = False
    nth: int = 1
    once: str = "match.created"
    rules: dict[str, str] = {}
    withheld: bool = False

    def fits(self, statement: str, arguments: bytes) -> bool:
        """Report whether this is the statement, or another like it."""
        held = all(_typed(each) in arguments for each in self.holds)
        return self.statement in statement and held and not any(_typed(each) in arguments for each in self.lacks)


def _typed(kind: str) -> bytes:
    return f'"type":"{kind}"'.encode() if "." in kind else kind.encode()


class Gate:
    """Stands before the Postgres of this address, at an address of its own."""

    def __init__(self, url: str, folder: Path, moment: Moment) -> None:
        self.url = urlsplit(url)._replace(query=f"host={quote(str(folder))}").geturl()
        self.reached = asyncio.Event()
        self._real = Path(parse_qs(urlsplit(url).query)["host"][0]) / SOCKET
        self._folder = folder
        self._moment = moment
        self._begun = False
        self._seen = 0
        self._shut = False
        self._over = False
        self._lines: set[asyncio.StreamWriter] = set()
        self._server: asyncio.AbstractServer | None = None

    async def open(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self._folder / SOCKET)

    async def let_go(self) -> None:
        """Break every connection there is, and let everything pass from now on."""
        self._over, self._shut = True, False
        for line in self._lines:
            line.close()
        self._lines.clear()

    async def close(self) -> None:
        await self.let_go()
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, database = await asyncio.open_unix_connection(self._real)
        self._lines |= {writer, database}
        one = _Connection()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._ask(reader, database, one))
                group.create_task(self._answer(answers, writer, one))
        except* (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            database.close()

    async def _ask(self, reader: asyncio.StreamReader, database: asyncio.StreamWriter, one: _Connection) -> None:
        """Pass on what the service says, message by message."""
        length = await reader.readexactly(4)
        database.write(length + await reader.readexactly(int.from_bytes(length, "big") - 4))
        while True:
            message = await _message(reader)
            if not self._over and self._is_it(one, message):
                self._shut = self._moment.kept == "statement"
                one.silent = not self._shut
            if self._shut:
                self.reached.set()
                return
            database.write(message)

    async def _answer(self, answers: asyncio.StreamReader, writer: asyncio.StreamWriter, one: _Connection) -> None:
        """Pass on what the database says, until its answer to the statement that is meant is complete."""
        while True:
            message = await _message(answers)
            if one.silent and message[:1] == b"Z":
                self._shut = True
                self.reached.set()
            if self._shut:
                return
            if not one.silent:
                writer.write(message)

    def _is_it(self, one: _Connection, message: bytes) -> bool:
        """Report whether this is what the moment means; where that is a commit, the one after its statement."""
        statement, arguments = one.heard(message)
        self._begun = self._begun or _typed(self._moment.once) in arguments
        if one.meant:
            return statement.startswith("COMMIT")
        fits = self._begun and self._moment.fits(statement, arguments)
        self._seen += fits
        one.meant = fits and self._seen == self._moment.nth
        return one.meant and not self._moment.commits


class _Connection:
    """What is known of a connection: its prepared statements, whether one is meant, whether its answers are kept."""

    def __init__(self) -> None:
        self.prepared: dict[bytes, str] = {}
        self.meant = False
        self.silent = False

    def heard(self, message: bytes) -> tuple[str, bytes]:
        """Return the statement and the arguments of a message that asks for something to be done; else nothing."""
        kind, rest = message[:1], message[HEADER:]
        if kind == b"P":
            name, _, query = rest.partition(b"\0")
            self.prepared[name] = query.partition(b"\0")[0].decode()
        if kind == b"Q":
            return rest.rstrip(b"\0").decode(), b""
        if kind == b"B":
            _, _, named = rest.partition(b"\0")
            name, _, arguments = named.partition(b"\0")
            return self.prepared.get(name, ""), arguments
        return "", b""


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(HEADER)
    return head + await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
