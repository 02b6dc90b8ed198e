"""Clients that play over the socket, as a program: it opens tables, then measures what each line it reads asks for."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct, to_builtins

from services.cli.bench.clients import load
from services.cli.bench.clients.load import AHEAD, LoadAnswers
from services.cli.bench.clients.tables import BenchTable, open_tables
from services.cli.operating.until_stopped import event_loop
from services.cli.screen import say, say_json

OPENED: Final = "opened"
"""Printed when there are tables."""
TABLES_MIN: Final = 16
"""So many that the bound on one token does not hold up few clients."""

PlayersLoad = Literal["bare", "one", "ahead"]


class PlayersPlace(Struct, frozen=True):
    """Where there is something to measure.

    Attributes:
        service: The address of the service.
        bare: That of the bare route.
        clients: How many clients there are at most.
    """

    service: str
    bare: str
    clients: int


class PlayersOrder(Struct, frozen=True):
    """What to measure: the bare route, commands one at a time, or commands sent ahead of the answers.

    Attributes:
        clients: How many clients ask.
        seconds: For how long.
        first: The number of the first client; each comes from an address of its own.
    """

    load: PlayersLoad
    clients: int
    seconds: float
    first: int


async def _measured(place: PlayersPlace, tables: Sequence[BenchTable], order: PlayersOrder) -> LoadAnswers:
    if order.load == "bare":
        return await load.bare(place.bare, order.clients, order.seconds)
    ahead = AHEAD if order.load == "ahead" else 1
    return await load.over_socket(place.service, tables, order.clients, order.seconds, ahead, order.first)


def main() -> None:
    """Measure until there is no further line."""
    place = msgspec.json.decode(sys.argv[1], type=PlayersPlace)
    with asyncio.Runner(loop_factory=event_loop) as runner:
        tables = runner.run(open_tables(place.service, max(TABLES_MIN, place.clients)))
        say(OPENED)
        for line in sys.stdin:
            order = msgspec.json.decode(line, type=PlayersOrder)
            say_json(to_builtins(runner.run(_measured(place, tables, order))))


if __name__ == "__main__":
    main()
