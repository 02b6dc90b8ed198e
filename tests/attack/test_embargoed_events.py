"""Embargo at an event: no result, page or head says what is bid at a table while its round goes on at another.

An evening of two tables with the same dice is held by its directors. Whatever the house answers to spectators, to an
official and to an entrant of the other table, about the event, the match and the log, is the same before a bid, behind
it, and once the match is over by it. What has happened is on record as soon as the round is over at the other table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

from domain import commands as of_matches
from domain.match.evolve import Match
from infra.feed.memory import MemoryFeed
from infra.store import EventStore
from infra.store.memory import MemoryStore
from services.api.application import create_app
from services.api.dependencies import Dependencies
from services.api.reference.openapi import describe
from services.audit.report import Audits
from services.http.game_cards import cards
from services.matches.reads.streams import StreamHub
from services.matches.reads.transparency import PublishedLog
from services.program.site import HouseSite, HouseTournaments
from services.web.pages import web_handlers
from tests.attack.test_embargo import OF_LOG
from tests.attack.test_watching import OF_EVENTS, OF_TOURNAMENTS, differences
from tests.attack.watched_house import NEVER, Ask, Told
from tests.bots.test_player import working
from tests.director.house import ORIGIN, QUICK, SIGNER, EventHouse
from tests.director.test_boards import MATCH
from tests.director.test_tables import Evening

FIRST: Final = 1
SECOND: Final = 2
STAGE: Final = {"format": "duplicate", "rounds": 1, "size": 2}
TIME: Final = {**QUICK, "no_show_ms": 3_600_000, "claims_ms": 3_600_000}
API: Final = "/api/v1/tournaments/{event}"
OF_ROUNDS: Final = ("", "/entrants/1", "/rounds/1/1", *(f"/rounds/1/1/tables/{table}" for table in (FIRST, SECOND)))
ASKED: Final = (
    *(f"/t/{{event}}{path}" for path in (*OF_EVENTS, "/entrants/1")),
    *(f"{API}/{what}" for what in OF_TOURNAMENTS if "{" not in what and "stream" not in what and what != "bundle"),
    *(f"{API}{path}" for path in OF_ROUNDS),
    *("/api/v1/tournaments", "/tournaments", "/m/{match}", "/api/v1/boards/{board}/record"),
    *(f"/api/v1/matches/{{match}}{path}" for path in ("", "/record", "/lines", "/access", "/audit", "/replay")),
    *OF_LOG,
)


class Shown:
    """An evening with its directors, as others are shown it."""

    def __init__(self) -> None:
        self.house = EventHouse(MemoryStore())
        self.evening = Evening(self.house)
        self._tokens: dict[str, dict[str, str]] = {}
        self.ids: dict[int, UUID] = {}

    async def begin(self) -> None:
        """Hold it until the dice lie at both tables."""
        announced = await self.house.announce("duplicate", match=MATCH, stages=[STAGE], time=TIME)
        entered = await self.house.enter("Ana", "Bob", "Cyd", "Dan")
        await self.house.check_in()
        held = await self.evening.started()
        self.ids = await self.evening.match_ids()
        for match in self.ids.values():
            await self.evening.ready(match, 1, 2)
            await self.evening.until(partial(self._is_to_speak, match))
        elsewhere = entered[held.tables[SECOND].seats[0] - 1]
        known = {"spectator": None, "official": announced.token, "neighbour": elsewhere.token}
        self._tokens = {name: {"Authorization": f"Bearer {token}"} if token else {} for name, token in known.items()}

    async def match(self, table: int) -> Match:
        return await self.evening.match(self.ids[table])

    async def _is_to_speak(self, match: UUID) -> bool:
        table = (await self.evening.match(match)).table
        return table is not None and table.turn is not None

    async def speak(self, table: int, *said: tuple[int, int] | str) -> None:
        """Let this be said at a table, by whoever is to speak there: bids, a doubt, or that somebody gives up."""
        for what in said:
            state = (await self.match(table)).table
            assert state is not None
            assert state.turn is not None
            ends: dict[Any, of_matches.MatchCommand] = {
                "doubt": of_matches.Challenge(state.turn), "leave": of_matches.Forfeit(state.turn)
            }  # fmt: skip
            command = of_matches.Bid(state.turn, *what) if isinstance(what, tuple) else ends[what]
            await self.house.matches.submit(self.ids[table], command, self.house.ask())

    async def has_result(self) -> bool:
        return FIRST in await self.evening.results()

    async def look(self) -> None:
        """Let a director who knows nothing but the log look as often as it may need to."""
        director = self.house.director()
        await director.begin()
        for _ in range(4):
            await director.round()

    async def answers(self) -> dict[str, Told]:
        """Return what is answered now by a program that knows nothing but the store, by who asks and what."""
        await self.house.notary().work()
        app, found = program(self.house.store), dict[str, Told]()
        board = (await self.match(FIRST)).settings.board
        assert board is not None
        named: dict[str, Any] = {"event": self.house.id, "match": self.ids[FIRST], "board": board.id}
        named["entries"] = await self.house.store.log_size()
        for who, token in self._tokens.items():
            for asked in ASKED:
                found[f"{asked} to the {who}"] = await told(app, asked.format(**named), token)
        return found


def program(store: EventStore) -> Any:
    """Return the application of a house over a store."""
    house, log = EventHouse(store), PublishedLog(store, ORIGIN, (SIGNER.public_key,))
    hub, audits = StreamHub(house.matches, MemoryFeed(), NEVER), Audits(log.policy_for)
    site = HouseSite(house.matches, audits.report, cards())
    pages = web_handlers(site, tuple, describe, HouseTournaments(house.tournaments, house.matches))
    return create_app(Dependencies(house.matches, hub, log, audits.report, cards(), **house.parts(), handlers=pages))


async def told(app: Any, address: str, token: Mapping[str, str]) -> Told:
    """Return what is answered there."""
    headers = [(name.lower().encode(), value.encode()) for name, value in {"Host": "house", **token}.items()]
    return await Ask(app, "GET", address, headers, b"").answered()


async def test_nothing_of_an_event_hangs_on_a_round_that_goes_on_at_another_table() -> None:
    shown = Shown()
    async with working(*shown.house.works(), shown.house.director().run()):
        await shown.begin()
        before = await shown.answers()
        assert differences(before, await shown.answers()) == set(), "no clock stands in an answer"
        assert sum(answered.status == 200 for answered in before.values()) > 3 * len(before) // 4
        for said in ((1, 2), (1, 3), "leave"):
            await shown.speak(FIRST, said)
            await shown.look()
            assert differences(before, await shown.answers()) == set(), said
        assert (await shown.match(FIRST)).ended
        await shown.speak(SECOND, (1, 2), "doubt")
        await shown.evening.until(shown.has_result)
    ended, result = await shown.match(FIRST), (await shown.evening.results())[FIRST]
    assert (result.match, result.version, result.how) == (str(ended.id), ended.version, "played")
    assert differences(before, await shown.answers()) != set()
