"""A table of a tournament in an observed house: its director, whoever sits elsewhere, and strangers look on.

The tournament has one table more, at which nobody's dice are others. Whoever sits there is an observer, and may end
what is played there, so that results and standings come in while dice are hidden here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Final

from tests.attack.watched_house import Told
from tests.noninterference.course import NAMES, PHRASES, REST_S, Act, Plan, Table, made
from tests.noninterference.house import ObservedHouse

HOOK: Final = "https://hooks.club.org/truecup"
PAGES: Final = (
    *("", "/entrants", "/entrants/1", "/rounds/1/1", "/rounds/1/1/tables/1", "/rounds/1/1/tables/2", "/standings"),
    *("/luck", "/bracket", "/export", "/lines", "/notes", "/why?number=1", "/certificate?stage=1&round=1"),
    *("/pairings.csv", "/results.csv", "/event.trf", "/bundle"),
)
"""What everybody may read of a tournament over the interface."""
PAPERS: Final = (
    *("", "/me", "/host", "/standings", "/standings.csv", "/luck", "/entrants/1", "/entrants/2", "/bracket"),
    *("/pairings", "/why?number=1", "/screen", "/tables", "/print", "/print/tables", "/print/slips"),
)
"""Its pages."""
OF_OFFICIALS: Final = ("/troubles", "/cases", "/notes", "/webhooks")
OF_MATCHES: Final = ("/api/v1/matches/{match}", "/m/{match}", "/m/{match}/replay", "/api/v1/matches/{match}/hint")
"""What whoever holds the tournament or plays in it asks about a match while it is played."""
GLANCES: Final = 3
"""How many of all these are asked for at a moment; at the last one all are."""
OFTEN: Final = 0.07
"""How likely each of what may be done beside the game is done at a moment."""
OF_TWO: Final = ("round_robin", "single")
"""Formats whose tables have two seats."""
LONG_MS: Final = 604_800_000
WALK: Final = 7
"""How far what is asked for at a moment is from what was at the moment before."""


class EventTable(Table):
    """A match at a table of a tournament, and everything that everybody was told of both.

    Attributes:
        event: Where the tournament is.
        others: Where the other table is.
        numbers: The number of the entrant in each seat.
    """

    def __init__(self, house: ObservedHouse, plan: Plan) -> None:
        self.seats_max = 2 if plan.event["format"] in OF_TWO else 3
        super().__init__(house, plan)
        self.event, self.elsewhere = "", ""
        self.numbers: dict[int, int] = {}

    # ---- its tournament -------------------------------------------------------------------------

    async def _sit_down(self) -> None:
        asked = {"rules": self._rules(), "title": f"Evening of {self.plan.game}"}
        opened = made(await self._post("/api/v1/tournaments", asked))
        self.event, self.tokens["director"] = opened["tournament"], opened["token"]
        await self._ask("director", type="open_entry")
        for kind in ("standard", "discord", "slack"):
            made(await self._post(self._address("{event}/webhooks"), {"url": HOOK, "kind": kind}, "director"))
        tokens = {}
        for number in range(1, 2 * self.seats + 1 - self.plan.bots):
            entered = made(await self._post(self._address("{event}/entrants"), {"name": NAMES[number - 1]}))
            tokens[entered["number"]] = entered["token"]
        if self.plan.bots:
            made(await self._post(self._address("{event}/bots"), {"count": self.plan.bots}, "director"))
        await self._ask("director", type="open_check_in")
        for number, token in tokens.items():
            self.tokens["entrant"] = token
            await self._ask("entrant", type="check_in", number=number)
        await self._until("counts", lambda counts: counts["here"] == 2 * self.seats)
        await self._ask("director", type="proceed")
        await self._until("round", lambda held: held is not None and held["round"] == 1)
        await self._find_seats(tokens)

    def _rules(self) -> dict[str, Any]:
        plan, size = self.plan, self.seats
        match = {"game": plan.game, "options": plan.options, "pause_ms": 0, **plan.rules}
        sizes: dict[str, Any] = {"size": size}
        if plan.event["format"] == "swiss":
            sizes = {"sizes": {"preferred": size, "min": size, "max": size}}
        stage = {**plan.event, **({} if plan.event["format"] in OF_TWO else sizes)}
        time = {"check_in_ms": LONG_MS, "between_ms": 0, "claims_ms": 0}
        return {"match": match, "time": time, "entry": {"bots": "labelled"}, "stages": [stage]}

    async def _ask(self, who: int | str, **asked: Any) -> Told:
        told = await self._post(self._address("{event}/commands"), asked, who)
        assert told.status == 200, told
        return told

    async def _get(self, path: str, who: int | str = "") -> Any:
        return made(await self._house.ask("GET", self._address(path), token=self.tokens.get(who)))

    async def _until(self, member: str, holds: Any) -> None:
        """Wait until a member of the tournament is like that."""
        while not holds((await self._get("{event}"))[member]):
            await asyncio.sleep(REST_S)

    async def _find_seats(self, tokens: dict[int, str]) -> None:
        """Find out who sits where once the tables are open, and let everybody say so."""
        cards: dict[int, dict[str, Any]] = {}
        for number, token in tokens.items():
            self.tokens["entrant"] = token
            while (own := await self._get("{event}/me", "entrant"))["token"] is None:
                await asyncio.sleep(REST_S)
            cards[number] = own
        here = cards[1]["card"]["table"]["match"]
        self.match, away = here, ""
        for number, own in cards.items():
            table = own["card"]["table"]
            if table["match"] == here:
                self.numbers[table["seat"]] = number
                self.tokens[table["seat"]], self.tokens[f"card {table['seat']}"] = own["token"], tokens[number]
            else:
                self.elsewhere, away = table["match"], tokens[number]
                self.tokens["rival"] = own["token"]
                # Whoever has the same dice knows them.
                self.known = (table["seat"],) if table["board"] else ()
        self.people = sorted(self.numbers)
        self.prober = self.prober and self.people[self.prober % len(self.people)]
        self.tokens["entrant"] = away
        for own in cards.values():
            self.tokens["ready"] = own["token"]
            where = f"/api/v1/matches/{own['card']['table']['match']}/commands"
            made(await self._post(where, {"type": "ready"}, "ready"))

    # ---- looking --------------------------------------------------------------------------------

    def _follow(self) -> None:
        super()._follow()
        for who, path in (("director", "stream"), ("entrant", "me/stream")):
            self._open(who, "event", self._address(f"{{event}}/{path}"))
        for seat in self.people:
            self._open(seat, "card", self._address("{event}/me/stream"), shows=f"card {seat}")
        self._open("rival", "stream", f"/api/v1/matches/{self.elsewhere}/stream")

    def _glances(self, *, is_last: bool) -> Iterator[tuple[int | str, str, str]]:
        yield from super()._glances(is_last=is_last)
        api, page = f"/api/v1/tournaments/{self.event}", f"/t/{self.event}"
        found = [("outsider", f"{api}{each}") for each in PAGES]
        found += [("outsider", f"{page}{each}") for each in PAPERS]
        found += [("director", f"{api}{each}") for each in OF_OFFICIALS]
        found += [(who, each.format(match=self.match)) for each in OF_MATCHES for who in ("director", "entrant")]
        found += [("entrant", f"{api}/me")]
        first = len(self.moments) * WALK * GLANCES
        if not is_last:
            found = [found[(first + WALK * each) % len(found)] for each in range(GLANCES)]
        yield from ((who, f"{who} {path}", path) for who, path in found)

    # ---- playing --------------------------------------------------------------------------------

    def _address(self, path: str) -> str:
        if path.startswith("{event}"):
            return f"/api/v1/tournaments/{self.event}{path.removeprefix('{event}')}"
        if path.startswith("{elsewhere}"):
            return f"/api/v1/matches/{self.elsewhere}{path.removeprefix('{elsewhere}')}"
        return super()._address(path)

    async def _begin(self) -> dict[tuple[str, str], Told]:
        return {}

    def _ends(self) -> bool:
        # Where tables share their dice a doubt shows none, as long as another table plays.
        return not self.known and super()._ends()

    def _beside(self) -> list[Act]:
        """Draw what is done beside the game: what officials do, what happens elsewhere."""
        drawn = self._drawn
        seat, rival = drawn.choice(self.people), drawn.choice(self.people)
        number = self.numbers[seat]
        possible = [
            Act(seat, "phrases", {"phrase": drawn.choice(PHRASES)}),
            Act("director", "{event}/commands", {"type": "penalise", "number": number, "kind": "warning"}),
            Act(
                "director", "{event}/commands", {"type": "penalise", "number": number, "kind": "points", "points": "1"}
            ),
            Act("director", "{event}/commands", {"type": "give_time", "table": 1, "number": number, "ms": 1_000}),
            Act("director", "{event}/commands", {"type": "forbid", "numbers": [number, self.numbers[rival]]}),
            Act("director", "{event}/preview", {}),
            Act("director", "{event}/commands", {"type": "pause", "text": "a break", "restricted": True}),
            Act("director", "{event}/commands", {"type": "resume"}),
            Act("entrant", "{event}/commands", {"type": "appeal", "line": 20, "text": "we were early"}),
            Act("rival", "{elsewhere}/commands", {"type": "resign"}),
        ]
        return [act for act in possible if drawn.random() < OFTEN]
