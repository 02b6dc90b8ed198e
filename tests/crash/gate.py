"""A gate before Postgres: it lets everything pass, until one message nobody in the product knows to be looked at.

The service talks to the database through a proxy with it. When a statement comes that a moment names, the gate either
keeps it, or lets it through and keeps the answer; from then on nothing passes in either direction, and whoever is
killed now is killed exactly between two things the database knows.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from msgspec import Struct

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
    """Watches the connections of a proxy for a moment, and has it keep what is said then."""

    def __init__(self, moment: Moment) -> None:
        """Watch for this moment, once."""
        self._moment = moment
        self._begun = self._over = False
        self._seen = 0

    def listener(self) -> Conversation:
        """Return what hears one more connection."""
        return Conversation(self)

    def rest(self) -> None:
        """Watch for nothing."""
        self._over = True

    def watch(self) -> None:
        """Watch for the moment once more, from now on."""
        self._over, self._seen = False, 0

    def keeps(self, one: Conversation, message: bytes) -> bool:
        """Report whether this is to be kept itself; a connection whose answer is to be kept is silent from now on."""
        if self._over or not self._is_it(one, message):
            return False
        self._over, one.meant = True, False
        one.silent = self._moment.kept == "answer"
        return not one.silent

    def _is_it(self, one: Conversation, message: bytes) -> bool:
        """Report whether this is what the moment means; where that is a commit, the one after its statement."""
        statement, arguments = one.heard(message)
        self._begun = self._begun or _typed(self._moment.once) in arguments
        if one.meant:
            return statement.startswith("COMMIT")
        fits = self._begun and self._moment.fits(statement, arguments)
        self._seen += fits
        one.meant = fits and self._seen == self._moment.nth
        return one.meant and not self._moment.commits


class Conversation:
    """What is known of a connection: its prepared statements, whether one is meant, whether its answers are kept."""

    def __init__(self, gate: Gate) -> None:
        """Hear it for this gate."""
        self.prepared: dict[bytes, str] = {}
        self.meant = False
        self.silent = False
        self._gate = gate
        self._is_new = True

    async def next_asked(self, reader: asyncio.StreamReader) -> tuple[bytes, bool]:
        """Return what the service says next; its first message has no letter."""
        if self._is_new:
            self._is_new = False
            length = await reader.readexactly(4)
            return length + await reader.readexactly(int.from_bytes(length, "big") - 4), False
        message = await _message(reader)
        return message, self._gate.keeps(self, message)

    async def next_answered(self, reader: asyncio.StreamReader) -> tuple[bytes, bool]:
        """Return what the database says next; an answer that is to be kept, as a whole."""
        said = message = await _message(reader)
        while self.silent and message[:1] != b"Z":
            message = await _message(reader)
            said += message
        kept, self.silent = self.silent, False
        return said, kept

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
