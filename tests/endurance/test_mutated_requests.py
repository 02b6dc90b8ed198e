"""Requests that are almost right, over every route of the interface and the pages.

Whatever is asked, the answer is one that the interface's own description has, an error is a problem document that says
the same as its status, nothing is the service's fault, and a command that was refused has recorded nothing.
"""

from __future__ import annotations

import http.client
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.endurance.judging import judge
from tests.endurance.mutations import Asked, Mutator, Place
from tests.sizes import cases

PAGES = ["/", "/tables/open", "/m/MATCH", "/m/MATCH/replay", "/statistics", "/audit", "/problems/bad_token", "/metrics"]
PATIENCE_S = 60
ENDLESS = ("/stream", "/caster")
"""What goes on for as long as its match does: of a yes, no more is read than its head."""
MOVING = {"dealing", "between_rounds"}


class Answer:
    """What came back."""

    def __init__(self, response: http.client.HTTPResponse, *, endless: bool) -> None:
        self.status = response.status
        self.kind = response.headers.get("content-type", "").partition(";")[0]
        self.body = b"" if endless and response.status == 200 else response.read()


class Line:
    """A connection that is opened again when it has been closed."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE_S)

    def close(self) -> None:
        self._line.close()

    def send(self, asked: Asked) -> Answer:
        try:
            return self._sent(asked)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self._line.close()
            return self._sent(asked)  # a server may close between two requests, and never on the first

    def _sent(self, asked: Asked) -> Answer:
        named = {name.lower() for name, _ in asked.headers}
        self._line.putrequest(asked.method, asked.target, skip_host="host" in named, skip_accept_encoding=True)
        for name, value in asked.headers:
            self._line.putheader(name, value)
        if asked.body is not None and "transfer-encoding" not in named:
            self._line.putheader("Content-Length", str(len(asked.body)))
        self._line.endheaders(asked.body)
        endless = any(stream in asked.target for stream in ENDLESS)
        answer = Answer(self._line.getresponse(), endless=endless)
        if endless:
            self._line.close()
        return answer


class House:
    """Matches of our own at a service that others use as well."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE_S)
        self.places = [self._place(starts=starts) for starts in (False, True, True)]
        tokens = self.places[0].tokens
        self.places = [Place(place.match, (*place.tokens, tokens[-1])) for place in self.places]

    def _place(self, *, starts: bool) -> Place:
        rules = {"game": "common_hand", "options": {"dice_per_player": 5}, "seats": 3, "pause_ms": 0}
        host = self._post("/matches", {"rules": rules})
        path = f"/matches/{host['match']}"
        seats = [self._post(f"{path}/seats", {"name": name}) for name in ("Ada", "Blaise")]
        if starts:
            self._post(f"{path}/start", None, host["token"])
        place = Place(host["match"], (host["token"], *(seat["token"] for seat in seats)))
        self.version(place.match)
        return place

    def _post(self, path: str, body: Any, token: str = "") -> Any:
        for _ in range(PATIENCE_S):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            answer = self.client.post(path, json=body, headers=headers)
            if answer.status_code != 429:
                break
        return answer.raise_for_status().json()

    def version(self, match: str) -> int:
        """Return the version of a match, once nothing moves it but people."""
        while True:
            view = self.client.get(f"/matches/{match}").raise_for_status().json()
            if view["phase"] not in MOVING:
                return int(view["version"])

    def mutator(self) -> Mutator:
        described = self.client.get(f"{self.url}/openapi.json").json()
        odds, games = self.client.get("/odds").json(), self.client.get("/games").json()
        options = [{"game": game["name"], "options": preset} for game in games for preset in presets(game)]
        return Mutator(described, self.places, PAGES, options, odds)


def presets(game: dict[str, Any]) -> list[dict[str, Any]]:
    """Return sets of options of a game: none, those it has names for, and each of its options alone."""
    alone = [{name: None} for name in game["options"].get("properties", {})]
    return [{}, *game.get("presets", {}).values(), *alone]


@pytest.fixture
def house(service_url: str) -> Iterator[House]:
    found = House(service_url)
    yield found
    found.client.close()


@pytest.fixture
def line(service_url: str) -> Iterator[Line]:
    found = Line(service_url)
    yield found
    found.close()


def test_whatever_is_asked_is_answered_as_the_description_says(house: House, line: Line) -> None:
    mutator = house.mutator()
    for number in range(cases(250, 20_592)):
        asked = mutator.asked(random.Random(number))
        before = house.version(asked.match) if asked.match and writes(asked) else 0
        answer = line.send(asked)
        judge(asked, answer.status, answer.kind, answer.body)
        if before and answer.status >= 400:
            assert house.version(asked.match or "") == before, asked


def writes(asked: Asked) -> bool:
    return asked.method in {"POST", "DELETE", "PUT", "PATCH"}
