"""Requests that are almost right, over every operation and page, within the process: no socket, all of the rest."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from services.http.problems import PROBLEMS
from tests.endurance.judging import judge
from tests.endurance.mutations import Asked, Mutator
from tests.malformed.asking import Answer, ask
from tests.malformed.house import House
from tests.malformed.people import People
from tests.malformed.tally import Tally

PAGES: Final = (
    *("/", "/tables/open", "/m/MATCH", "/m/MATCH/replay", "/m/MATCH/audit", "/m/MATCH/rules", "/m/MATCH/qr.svg"),
    *("/statistics", "/audit", "/problems/bad_token", "/metrics", "/matches/MATCH/card.svg", "/overlay/matches/MATCH"),
    *("/tournaments", "/t/EVENT", "/t/EVENT/entrants/1", "/t/EVENT/standings.csv", "/seasons", "/players", "/learn"),
    *("/embed/matches/MATCH?eyes=1", "/docs/first-bot", "/rules/finska", "/tv", "/asyncapi.json"),
)
BUSY: Final = {"too_many_analyses", "overloaded", "busy"}


class HttpDoor:
    """The interface, as whoever has passed the parser meets it."""

    name = "http"
    at_once = 1

    def __init__(self, house: House, people: People, tally: Tally) -> None:
        self._house, self._people, self._tally = house, people, tally

    async def begin(self) -> None:
        """Ask what there is to ask."""
        described = (await ask(self._house.gate, "GET", "/openapi.json")).json()
        odds, games = await self._people.get("GET", "/odds"), await self._people.get("GET", "/games")
        options = [{"game": game["name"], "options": preset} for game in games for preset in _presets(game)]
        event = self._people.places[0].parts["tournament_id"]
        pages = [page.replace("EVENT", event) for page in PAGES]
        self._mutator = Mutator(described, self._people.places, pages, options, odds)

    def asked(self, drawn: Random) -> Asked:
        """Return a request that is almost right."""
        return self._mutator.asked(drawn)

    async def send(self, numbers: range) -> int:
        """Ask these, one after the other, and return how many were done."""
        return sum([await self._send(number) for number in numbers])

    async def _send(self, number: int) -> bool:
        asked = self.asked(Random(f"http {number}"))
        answer = await ask(self._house.gate, asked.method, asked.target, asked.headers, asked.body or b"")
        self._tally.said[f"{answer.status}"] += 1
        try:
            judge(asked, answer.status, answer.kind, answer.body)
            check(answer)
        except (AssertionError, ValueError, KeyError) as fault:
            self._tally.find(f"{number} {asked.method} {asked.target} {asked.headers} {asked.body!r}: {fault!r}")
        return answer.status < 400 and asked.method != "OPTIONS"


def check(answer: Answer) -> None:
    """Check that a no is in our words, and that nobody is told that the house is at fault."""
    assert answer.status < 500, (answer.status, answer.body[:300])
    if answer.kind == "application/problem+json":
        assert answer.json()["code"] in PROBLEMS


def _presets(game: dict[str, Any]) -> list[dict[str, Any]]:
    alone = [{name: None} for name in game["options"].get("properties", {})]
    return [{}, *game.get("presets", {}).values(), *alone]
