"""Hidden dice, from outside: matches with one public course and other dice are told alike to whoever may not know them.

Each game is played several times over HTTP, always the tamest claim and never a doubt, so that no hidden die is shown.
All that spectators, the host and seats not in turn are answered is then compared between those matches in which the
same seats did the same: views, frames, records, audits, pages, headers, and why an illegal command was refused.

What is drawn for everybody to see differs, and is masked: who begins, dice that lie open, ids, hashes, times, and what
the log of the house says of its own length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any, Final

import httpx
import pytest

from domain.games import rules_of
from tests.domain.test_every_game import OPTIONS
from tests.sizes import cases, spread

SETS: Final = [(game, options) for game, several in OPTIONS.items() for options in several]
STEPS = 6
MATCHES_MAX = 24
"""How many matches are played at most until two of them begin alike: the draw is everybody's to see."""
PATIENCE_S = 60.0
LOOK_S = 0.02
TAME = ("roll", "look", "choose_first", "bid", "call", "accept", "stop", "pass", "arrange")
"""What is done if it is on offer, the first of these; a doubt would show dice."""
ILLEGAL: Final[list[dict[str, Any]]] = [
    *({"type": "bid", "quantity": quantity, "face": face} for quantity in (-1, 0, 1, 3, 99) for face in (0, 1, 6, 7)),
    *({"type": kind} for kind in ("challenge", "spot_on", "pass", "roll", "accept", "catch", "count", "stop", "look")),
    *({"type": kind} for kind in ("show_cocked", "buy_back", "drop_out", "demand_bills")),
    *({"type": "choose_first", "who": seat} for seat in (1, 9)),
    *({"type": "arrange", "roll_inside": [0]}, {"type": "arrange", "outside": [0, 1]}, {"type": "say", "text": "5x3"}),
]
MASKS: Final = [
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"\b[0-9a-f]{64,}\b"), "<hash>"),
    (re.compile(r"\bp[0-9a-f]{24}\b"), "<player>"),
    (re.compile(r"\b1[0-9]{12}\b"), "<time>"),
    (re.compile(r"truecup_(host|seat)_[A-Za-z0-9_-]{43}"), "<token>"),
]
TIMES_FROM: Final = 10**12
"""Whole numbers from here on are times, in Unix milliseconds."""
DRAWN: Final = {"game.first_drawn", "deal.logged", "game.letters_drawn"}
"""Events of what everybody sees drawn, and of the log's length: of these, that they happened is compared."""
OWN_LENGTH: Final = {"date", "content-length", "etag"}


class Match:
    """One match over HTTP, and all that was told to those who may not know its dice."""

    def __init__(self, client: httpx.Client, game: str, options: dict[str, Any]) -> None:
        self.client = client
        rules = {"game": game, "options": options, "pause_ms": 0}
        opened = self.post("/matches", {"rules": rules})
        self.path, self.host = f"/matches/{opened['match']}", opened["token"]
        self.tokens: dict[int, str] = {}
        for name in ("Ada", "Blaise", "Carl", "Dora")[: rules_of(game, options).seats[0]]:
            joined = self.post(f"{self.path}/seats", {"name": name})
            self.tokens[joined["seat"]] = joined["token"]
        self.post(f"{self.path}/start", None, self.host)
        self.told: list[tuple[str, str]] = []
        self.course: list[str] = []

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> httpx.Response:
        shown = headers | ({} if token is None else {"Authorization": f"Bearer {token}"})
        deadline = monotonic() + PATIENCE_S
        while True:
            answer = self.client.request(method, path, json=body, headers=shown)
            if answer.status_code not in {429, 503} or monotonic() > deadline:
                return answer
            sleep(LOOK_S)

    def post(self, path: str, body: Any, token: str | None = None) -> dict[str, Any]:
        return self.ask("POST", path, body, token).raise_for_status().json()

    def play(self) -> None:
        """Play some steps, and look at everything after the last."""
        for _ in range(STEPS):
            offered = self.settled()
            if not offered:
                break
            seat, moves = offered[0]
            for other in self.tokens:
                if all(other != each for each, _ in offered):
                    self.refused(other)
            self.act(seat, moves)
        self.settled()
        self.look()

    def settled(self) -> list[tuple[int, list[dict[str, Any]]]]:
        """Return who may do what, once the table has nothing to do by itself."""
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            views = {seat: self.ask("GET", self.path, token=token).json() for seat, token in self.tokens.items()}
            offered = [(seat, view["moves"]) for seat, view in views.items() if view["moves"]]
            if offered or any(view["phase"] == "finished" for view in views.values()):
                return offered
            sleep(LOOK_S)
        raise AssertionError("nobody may do anything")

    def refused(self, seat: int) -> None:
        """Let a seat that is not in turn ask for what it may not have."""
        for body in ILLEGAL[:: cases(6, 1)]:
            answer = self.ask("POST", f"{self.path}/commands", body, self.tokens[seat])
            if answer.status_code == 200:
                continue  # some games let anybody say it at any time, and it shows no die
            self.keep(f"seat {seat} asks {body}", answer)

    def act(self, seat: int, moves: list[dict[str, Any]]) -> None:
        """Do the tamest thing that is on offer and fits the dice."""
        for kind in TAME:
            for move in (move for move in moves if move["type"] == kind):
                for body in bodies(move):
                    if self.ask("POST", f"{self.path}/commands", body, self.tokens[seat]).status_code == 200:
                        self.course.append(f"{seat} {json.dumps(body)}")
                        return

    def look(self) -> None:
        """Look at everything that may be looked at without being a seat that knows dice."""
        for token in (None, self.host):
            for rest in ("", "/replay", "/record", "/access"):
                self.keep(rest, self.ask("GET", self.path + rest, token=token))
        version = self.ask("GET", self.path).json()["version"]
        for accept in ("text/event-stream", "application/x-ndjson"):
            self.told.append((accept, "\n".join(self.streamed(accept, version))))
        self.keep("audit", self.ask("GET", f"{self.path}/audit"))
        for rest in ("", "/replay", "/audit"):
            page = self.ask("GET", str(self.client.base_url.join(f"/m{self.path.removeprefix('/matches')}{rest}")))
            self.told.append((rest, masked(page.text)))

    def streamed(self, accept: str, version: int) -> Iterator[str]:
        with self.client.stream("GET", f"{self.path}/stream?after=0", headers={"Accept": accept}) as answer:
            for line in answer.iter_lines():
                yield masked(line)
                if f'{{"version":{version},' in line:
                    return

    def keep(self, what: str, answer: httpx.Response) -> None:
        headers = sorted(f"{name}: {text}" for name, text in answer.headers.items() if name not in OWN_LENGTH)
        body = "\n".join(masked(line) for line in answer.text.splitlines())
        self.told.append((what, f"{answer.status_code}\n{masked(' '.join(headers))}\n{body}"))

    @property
    def kind(self) -> tuple[str, ...]:
        """What everybody saw happen: of two matches that are alike in it, everything else has to be alike."""
        lines = self.ask("GET", f"{self.path}/record").text.splitlines()
        events = [json.loads(line) for line in lines if line.startswith("{")]
        return (*self.course, *(f"{event['type']} {event['data'].get('slots')}" for event in events))

    @property
    def known(self) -> list[str]:
        """What the seats themselves see, who know their dice."""
        return [masked(self.ask("GET", self.path, token=token).text) for token in self.tokens.values()]


def bodies(move: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a seat may say for a move, the tamest first; none of it depends on its dice."""
    match move["type"]:
        case "bid":
            return [{"type": "bid", "quantity": quantity, "face": face} for quantity, face in move["minimum"]]
        case "call":
            return [{"type": "call", "shape": move["minimum"]["shape"], "faces": move["minimum"]["faces"]}]
        case "choose_first":
            return [{"type": "choose_first", "who": move["seats"][0]}]
        case "arrange":
            placed = [{"type": "arrange", "outside": [0]}] if "roll_inside" not in move["placements"] else []
            return [*placed, {"type": "arrange", "roll_inside": move["inside"]}, {"type": "arrange"}]
        case kind:
            return [{"type": kind}]


def masked(text: str) -> str:
    """Return a text with what differs from match to match taken out of it; a document in it is read."""
    start = text.find("{")
    if start >= 0 and "<html" not in text:
        try:
            return without_ids(text[:start]) + json.dumps(covered(json.loads(text[start:])))
        except json.JSONDecodeError:
            pass
    return without_ids(text)


def without_ids(text: str) -> str:
    for mask, word in MASKS:
        text = mask.sub(word, text)
    return text


def covered(told: Any) -> Any:
    """Return a document with everything covered that was drawn for everybody to see, and everything with an id.

    Five numbers are a die in an audit: its cup, roll, slot and number of sides, and what it shows.
    """
    match told:
        case str():
            return without_ids(told)
        case int() if told >= TIMES_FROM:
            return "<time>"
        case {"type": str() as kind} if kind in DRAWN:
            return {"type": kind}
        case {"type": "cup.revealed"}:
            which = told.get("data", told)
            return {"type": "cup.revealed", "cup": which["cup"], "slots": [slot for slot, _ in which["values"]]}
        case {"face": _, "shown": True}:
            return {**told, "face": "<shown>"}
        case [int(), int(), int(), int(), int()]:
            return told[:-1]
        case list():
            return [covered(each) for each in told]
        case dict():
            return {name: covered(value) for name, value in told.items()}
        case _:
            return told


@pytest.mark.parametrize(("game", "options"), spread(SETS, 2), ids=str)
def test_matches_with_other_dice_are_told_alike(service_url: str, game: str, options: dict[str, Any]) -> None:
    with httpx.Client(base_url=f"{service_url}/api/v1", timeout=PATIENCE_S) as client:
        alike = pairs(client, game, options)
        assert any(map(is_of_other_dice, alike)), "no two matches took the same course with other dice"
    for first, *others in alike:
        for other in others:
            for (what, one), (_, another) in zip(first.told, other.told, strict=True):
                assert one == another, what


def pairs(client: httpx.Client, game: str, options: dict[str, Any]) -> list[list[Match]]:
    """Play matches until some are alike in what everybody saw happen, with other dice, and return those alike."""
    found: dict[tuple[str, ...], list[Match]] = {}
    for number in range(MATCHES_MAX):
        if number >= cases(2, 4) and any(map(is_of_other_dice, found.values())):
            break
        match = Match(client, game, options)
        match.play()
        found.setdefault(match.kind, []).append(match)
    return [some for some in found.values() if len(some) > 1]


def is_of_other_dice(alike: list[Match]) -> bool:
    """Report whether somebody knew other dice in one of these matches: two dice fall alike once in twenty throws."""
    return any(other.known != alike[0].known for other in alike)
