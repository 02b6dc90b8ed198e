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
OF_TWO: Final = ("round_robin", "single", "double", "dutch", "groups", "ladder")
"""Formats whose tables have two seats."""
OF_THREE: Final = ("knockout", "last_longer")
"""Formats whose tables have three at least."""
OF_SEASON: Final = ("/api/v1/seasons/{season}", "/api/v1/seasons/{season}/export", "/seasons/{season}")
"""What everybody may read of the season that a tournament is held for."""
OF_PLAYER: Final = ("/api/v1/players/{player}", "/players/{player}")
LONG_MS: Final = 604_800_000
WALK: Final = 7
"""How far what is asked for at a moment is from what was at the moment before."""


class EventTable(Table):
    """A match at a table of a tournament, and everything that everybody was told of both.

    Attributes:
        event: Where the tournament is.
        others: Where the other table is.
        numbers: The number of the entrant in each seat.
        entrants: What each entrant shows, by number.
        season: The season that it is held for, and one of its players; empty if it is held for none.
    """

    def __init__(self, house: ObservedHouse, plan: Plan) -> None:
        self.format = plan.event["format"]
        self.seats_max = 2 if self.format in OF_TWO else 3
        self.seats_min = 3 if self.format in OF_THREE else 2
        super().__init__(house, plan)
        self.event, self.elsewhere = "", ""
        self.numbers: dict[int, int] = {}
        self.entrants: dict[int, str] = {}
        self.season: dict[str, str] = {}

    # ---- its tournament -------------------------------------------------------------------------

    async def _sit_down(self) -> None:
        if self.plan.season:
            await self._begin_season()
        asked = {"rules": self._rules(), "title": f"Evening of {self.plan.game}"}
        opened = made(await self._post("/api/v1/tournaments", asked, "league"))
        self.event, self.tokens["director"] = opened["tournament"], opened["token"]
        await self._ask("director", type="open_entry")
        for kind in ("standard", "discord", "slack"):
            made(await self._post(self._address("{event}/webhooks"), {"url": HOOK, "kind": kind}, "director"))
        for number in range(1, 2 * self.seats + 1 - self.plan.bots):
            await self._enter(number)
        if self.plan.bots:
            made(await self._post(self._address("{event}/bots"), {"count": self.plan.bots}, "director"))
        await self._ask("director", type="open_check_in")
        for number in self.entrants:
            await self._ask_as(number, type="check_in", number=number)
        await self._until("counts", lambda counts: counts["here"] == 2 * self.seats)
        await self._ask("director", type="proceed")
        if self.format in {"arena", "ladder"}:
            await self._ask_for_tables()
        await self._until("round", lambda held: held is not None)
        await self._find_seats()

    async def _begin_season(self) -> None:
        league = {"rules": {"league": {"places": ["3", "2", "1"]}}, "title": "Autumn league"}
        begun = made(await self._post("/api/v1/seasons", {"game": self.plan.game, **league}))
        self.season["season"], self.tokens["league"] = begun["season"], begun["token"]

    async def _enter(self, number: int) -> None:
        """Let somebody enter, as a player where there is a season."""
        who = {"name": NAMES[number - 1]}
        if self.season:
            player = made(await self._post("/api/v1/players", who))
            self.season.setdefault("player", player["player"])
            who = {"player": player["token"]}
        entered = made(await self._post(self._address("{event}/entrants"), who))
        assert entered["number"] == number
        self.entrants[number] = entered["token"]

    async def _ask_for_tables(self) -> None:
        """Let everybody wait for a table of an arena, or the lower half of a ladder challenge the upper one."""
        await self._until("phase", lambda phase: phase == "running")
        if self.format == "arena":
            for number in self.entrants:
                await self._ask_as(number, type="wait", number=number)
            return
        order = [row["number"] for row in (await self._get("{event}/standings"))["rows"]]
        for number, (low, high) in enumerate(zip(order[len(order) // 2 :], order, strict=False), start=1):
            await self._ask_as(low, type="challenge", against=high)
            await self._ask_as(high, type="answer", challenge=number, accepted=True)

    def _rules(self) -> dict[str, Any]:
        plan = self.plan
        match = {"game": plan.game, "options": plan.options, "pause_ms": 0, **plan.rules}
        stages = [{**plan.event, **self._of_format()}]
        stages += [{"format": "single", "rounds_max": plan.event["rounds_max"]}] if self.format == "groups" else []
        time = {"check_in_ms": LONG_MS, "between_ms": 0, "claims_ms": 0}
        of_season = {"season": self.season["season"], "rated": True} if self.season else {}
        entry = {"bots": "labelled", "player": bool(self.season)}
        return {"match": match, "time": time, "entry": entry, "stages": stages, **of_season}

    def _of_format(self) -> dict[str, Any]:
        """Return what the rules of a stage say of its tables, so that there are two at once."""
        size = self.seats
        sizes = {"sizes": {"preferred": size, "min": size, "max": size}}
        found: dict[str, dict[str, Any]] = {
            "swiss": sizes,
            "arena": sizes,
            "balanced": {"size": size},
            "duplicate": {"size": size, "supervised": self.plan.season},
            "knockout": {"size": size, "through": 1},
            "last_longer": {"high": size},
            "groups": {"groups": 2, "through": 1},
            "ladder": {"reach": 2},
        }
        return found.get(self.format, {})

    async def _ask_as(self, entrant: int, **asked: Any) -> None:
        self.tokens["entrant"] = self.entrants[entrant]
        await self._ask("entrant", **asked)

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

    async def _seat_of(self, _number: int) -> dict[str, Any]:
        """Return the card of an entrant, by whose token it is asked, once it has the token of a seat."""
        while (own := await self._get("{event}/me", "entrant"))["token"] is None:
            await asyncio.sleep(REST_S)
        return dict(own)

    def _may_resign(self, _number: int) -> bool:
        """Report whether an entrant is one who may end what is played elsewhere."""
        return True

    async def _find_seats(self) -> None:
        """Find out who sits where once the tables are open, and let everybody say so."""
        cards: dict[int, dict[str, Any]] = {}
        for number, token in self.entrants.items():
            self.tokens["entrant"] = token
            cards[number] = await self._seat_of(number)
            self.match = self.match or cards[number]["card"]["table"]["match"]
        away = ""
        for number, own in cards.items():
            table = own["card"]["table"]
            if table["match"] == self.match:
                self.numbers[table["seat"]] = number
                self.tokens[table["seat"]] = own["token"]
                self.tokens[f"card {table['seat']}"] = self.entrants[number]
            elif self._may_resign(number):
                self.elsewhere, away = table["match"], self.entrants[number]
                self.tokens["rival"] = own["token"]
                # Whoever has the same dice knows them.
                self.known = (table["seat"],) if table["board"] else ()
        self.people = sorted(self.numbers)
        self.prober = self.prober and self.people[self.prober % len(self.people)]
        self.tokens["entrant"] = away
        for own in (each for each in cards.values() if not each["ready"]):
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
        found += [("outsider", each.format(**self.season)) for each in (OF_SEASON + OF_PLAYER if self.season else ())]
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
