"""Watching: nothing that is shown to whoever holds no seat hangs on a die that nobody has shown.

Two houses that know all secrets have the same match, and in one of them every die that lies hidden is another. Whatever
they show without a token is the same in both: bytes, order, lengths and headers. That goes for pages, stages, cards as
drawn and as painted, frames live and through cups of glass, casts, phrases of moves, the lobby and how many watch.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any, cast

import httpx
import msgspec
import pytest
from litestar import Litestar

from domain.fairness.openings import DealSecrets
from domain.games import GAMES
from domain.match.evolve import Match
from domain.match.record import stream_of
from infra.feed.memory import MemoryFeed
from infra.store import ProjectionRow
from infra.store.memory import MemoryStore
from projections.lobby import row_of, shelf_of
from services.api.refusals import HANDLERS
from services.http.game_cards import cards
from services.matches.reads.queries import MatchQueries
from services.matches.reads.streams import StreamHub
from services.matches.watching import casting
from services.matches.watching.crowds import Crowds
from services.program.site import HouseSite
from services.web.pages import web_handlers
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_secrecy import PLAYED, compared
from tests.sizes import cases, spread

GAMES_TRIED = spread(list(GAMES), 4)
MOMENTS = cases(1, 4)
PAGES = (
    *("/", "/tables/live", "/tv", "/m/{}", "/m/{}/replay", "/m/{}/rules", "/embed/matches/{}"),
    *("/overlay/matches/{}", "/overlay/matches/{}?feed=caster", "/matches/{}/card.svg", "/matches/{}/card.png"),
)


class Knowing:
    """A source of secrets that has them all."""

    def __init__(self, played: Watched) -> None:
        self._keepers = played.keepers | ({} if played.keeper is None else {played.keeper.number: played.keeper})

    async def keeper(self, match: Match) -> DealSecrets | None:
        return None if match.ceremony is None else self._keepers.get(match.ceremony.deal)


class Knows:
    """A house that has a match, with all its secrets."""

    def __init__(self, played: Watched) -> None:
        self.match = played.match
        self.store = MemoryStore()
        self.store._streams[stream_of(self.match.id)] = list(played.lines)  # noqa: SLF001 - as they were written
        self.matches = MatchQueries(self.store, Knowing(played))
        self.crowds = Crowds()
        self.crowds.begin(str(self.match.id), "net", "Firefox")

    async def begin(self) -> None:
        """List the match in the lobby."""
        row = row_of(await self.matches.view(self.match.id, None))
        shelf = shelf_of(row, listed=True)
        told = ProjectionRow(row.match, row.version, msgspec.json.encode(row), shelf, row.at)
        await self.store.save_projection("lobby", 0, 1, [told])

    async def shown(self) -> AsyncIterator[tuple[str, object]]:
        """Yield what is shown to whoever holds no seat, by what it is."""
        match, matches = self.match.id, self.matches
        yield "view", msgspec.json.encode(await matches.view(match, None))
        yield "frames", await matches.frames(match, None, 0, 10_000)
        for eyes in ("all", None, *self.match.seated):
            yield f"glass {eyes}", await matches.frames_through(match, cast(Any, eyes), 0, 10_000)
        yield "lobby", msgspec.json.encode(await matches.lobby(None, 24))
        yield "watching", self.crowds.count(str(match))
        hub = StreamHub(matches, MemoryFeed())
        stream = casting.cast(hub.stream(match, None, None), matches, match, 0)
        released = await matches.released(match)
        yield "cast", [item.body async for item in _first(stream, 1 + released)]
        site = HouseSite(matches, _nothing, cards(), None, self.crowds.count)
        app = Litestar(web_handlers(site), openapi_config=None, logging_config=None, exception_handlers=HANDLERS)
        transport = httpx.ASGITransport(cast(Any, app))
        async with httpx.AsyncClient(transport=transport, base_url="http://house") as client:
            for path in PAGES:
                page = await client.get(path.format(match))
                assert page.status_code == 200
                yield path, (page.headers.multi_items(), page.content)


async def _nothing(_record: bytes, _access: bytes | None) -> dict[str, Any]:
    raise AssertionError("no page of these is an audit")


async def _first(stream: Any, count: int) -> AsyncIterator[Any]:
    try:
        for _ in range(count):
            yield await anext(stream)
    finally:
        await stream.aclose()


@pytest.mark.parametrize("game", GAMES_TRIED)
async def test_nothing_that_spectators_are_shown_hangs_on_a_die_that_nobody_has_shown(game: str) -> None:
    tried = 0
    for played, moment, _ in compared(game, len(PLAYED[game]) - 1):
        now = played.again(moment, lambda real: real)
        other = played.again(moment, partial(OtherDealer, mask=now.mask(None)))
        if all(now.received(seat) == other.received(seat) for seat in now.table.seats):
            continue
        one, two = Knows(now), Knows(other)
        await one.begin()
        await two.begin()
        shown = [dict([each async for each in house.shown()]) for house in (one, two)]
        for what, told in shown[0].items():
            assert told == shown[1][what], what
        tried += 1
        if tried == MOMENTS:
            break
    assert tried, "whoever knows the dice is shown that they are others"
