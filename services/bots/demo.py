"""The demo table: three house bots, so that a fresh installation has something to watch at once.

The tables are numbered, and a table's id follows from its number, so that whoever keeps them needs no memory: it looks
for the first number that is not over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol
from uuid import UUID

from domain.errors import Refused
from infra.store import Unavailable
from services.matches.handler import Answer, Ask
from services.matches.reads.queries import Hosted, UnknownMatch
from services.work.failures import Unreadable
from services.work.waiting import Waits

BOTS: Final = 3
LOOK_S: Final = 1.0
"""How often the keeper looks whether the table is over, and whether anybody is there to look at another."""
ALONE_S: Final = 300.0
"""After how long without a look at the house no other table opens; whoever comes then waits for it for `LOOK_S`."""
PAUSE_S: Final = 5.0
"""How long a finished table is left to be looked at before the next one opens."""
RULES: Final[dict[str, Any]] = {
    "game": "common_hand",
    "options": {"bid_aces": "half_double", "spot_on": True, "spot_on_win": "regain", "palifico": True},
    "seats": BOTS,
    "pause_ms": 4_000,
}

SHOWN: Final[tuple[dict[str, Any], ...]] = (
    RULES,
    {"game": "finska", "options": {"stake": 3}, "seats": BOTS, "pause_ms": 4_000},
    {"game": "boss_liars", "options": {}, "seats": BOTS, "pause_ms": 4_000},
    {"game": "six_six_six", "options": {}, "seats": BOTS, "pause_ms": 4_000},
)
"""What is played at the demo tables, in turn: games that come to an end by themselves."""


class House(Protocol):
    """Where tables are opened."""

    async def id_of(self, ask: Ask) -> UUID:
        """Return the id of the match that this request opens."""

    async def open(self, rules: dict[str, Any], ask: Ask) -> Answer:
        """Open a match under these rules."""

    async def seat_bots(self, match_id: UUID, count: int, ask: Ask) -> Answer:
        """Seat this many house bots."""

    async def start(self, match_id: UUID, ask: Ask) -> Answer:
        """Close the lobby and begin the first deal."""

    async def hosted(self, match_id: UUID) -> Hosted:
        """Return the match as of the last line in the store."""


async def keep_demo(
    house: House,
    is_alone: Callable[[], bool],
    pause_s: float = PAUSE_S,
    look_s: float = LOOK_S,
    shown: tuple[dict[str, Any], ...] = SHOWN,
) -> None:
    """Keep one demo table live, while anybody looks at the house, until cancelled.

    A table that nobody looks at ends like all tables of bots. Every step may be repeated: a crash anywhere leaves a
    table that the next keeper completes.
    """
    waits = Waits("demo")
    while True:
        while is_alone():
            await asyncio.sleep(look_s)
        try:
            number = await first_not_over(house)
            match_id = await _opened(house, number, shown[number % len(shown)])
            waits.over()
            await _over(house, match_id, look_s)
            await asyncio.sleep(pause_s)
        except (Unavailable, Unreadable, Refused) as trouble:
            # A lobby that somebody else sits in is theirs: it is begun, or expires, and then the next table comes.
            await waits.out(trouble)


async def _over(house: House, match_id: UUID, look_s: float) -> None:
    """Return when the match is over."""
    while True:
        if await _is_over_or_lost(house, match_id):
            return
        await asyncio.sleep(look_s)


async def first_not_over(house: House) -> int:
    """Return the number of the first demo table that is not over. Cost: about 2 log2 n looks at n tables."""
    over, not_over = -1, 0
    while await _is_over(house, not_over):
        over, not_over = not_over, 2 * not_over + 1
    while not_over - over > 1:
        middle = (over + not_over) // 2
        if await _is_over(house, middle):
            over = middle
        else:
            not_over = middle
    return not_over


async def _is_over(house: House, number: int) -> bool:
    try:
        return await _is_over_or_lost(house, await table_id(house, number))
    except UnknownMatch:
        return False


async def _is_over_or_lost(house: House, match_id: UUID) -> bool:
    """Report whether nobody here will play on at a table: it is over, or this program cannot read it."""
    try:
        return (await house.hosted(match_id)).match.ended
    except Unreadable:
        return True


async def table_id(house: House, number: int) -> UUID:
    """Return the id of a demo table of this house."""
    return await house.id_of(_ask(number, "open"))


async def _opened(house: House, number: int, rules: dict[str, Any]) -> UUID:
    answer = await house.open(rules, _ask(number, "open"))
    match_id = UUID(answer.match)
    await house.seat_bots(match_id, BOTS, _ask(number, "bots"))
    await house.start(match_id, _ask(number, "start"))
    return match_id


def _ask(number: int, step: str) -> Ask:
    return Ask("demo", f"demo-{number}-{step}", b"")
