"""Joining a set: what a process does that the supervisor has started."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from services.program.app import serve
from services.program.line import Line, Subject, Up, document_of
from services.program.member import Member
from services.program.processes.process import Charge

ALL_S: Final = 3.5
"""How long the supervisor may take to say how all are: a little longer than each of them."""
LEFT_ALONE: Final = 1
"""How a process ends that has nobody any more to end it."""


class Others:
    """Everybody of the set, asked through the supervisor."""

    def __init__(self) -> None:
        """Have no line to it yet."""
        self.line: Line | None = None

    async def ask_all(self, about: Subject) -> Mapping[str, bytes | None]:
        """Return what each says, by its name; None for one that says nothing, and nobody if there is no answer."""
        body = None if self.line is None else await self.line.ask(about, ALL_S)
        said = {} if body is None else msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        return {name: document_of(each) for name, each in said.items()}


async def take_part(charge: Charge, end: socket.socket, listening: tuple[socket.socket, ...]) -> None:
    """Do this part of a set until told to stop, at this end of the line to the supervisor.

    When that is no more, neither is this process, at once; on Linux the system sees to it, too.

    Raises:
        Unavailable: The database or the bus does not answer.
        CannotStart: The log in the database is another's, or no policy can be made.
        AnotherHistory: The log does not say what was signed.
    """
    others = Others()
    member = Member(charge.part, listening, others)
    line = others.line = await Line.over(end, member.answer)
    hearing = asyncio.create_task(line.run())
    hearing.add_done_callback(_end_alone)
    try:
        await serve(charge.config, Path(charge.folder), charge.where, lambda _: line.tell(Up()), member)
    finally:
        hearing.remove_done_callback(_end_alone)


def _end_alone(_hearing: asyncio.Task[None]) -> None:
    os._exit(LEFT_ALONE)
