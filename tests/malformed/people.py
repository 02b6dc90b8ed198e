"""Whoever is at the house while nonsense is asked of it: tables to be asked about, and one at which play goes on."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import Any, Final

from tests.endurance.mutations import Place
from tests.malformed.asking import Answer, ask
from tests.malformed.house import House

API: Final = "/api/v1"
RULES: Final = {"game": "common_hand", "options": {"dice_per_player": 5}, "seats": 3, "pause_ms": 0}
DUEL: Final = {"game": "common_hand", "options": {"dice_per_player": 5, "palifico": False}, "seats": 2, "pause_ms": 0}
COME_S: Final = 0.002
LOOKS_MAX: Final = 5_000
_keys = count(1)


class People:
    """Those who open tables and sit down at them.

    Attributes:
        places: A table in the lobby, one in play, and one that is over, each beside one tournament.
    """

    def __init__(self, house: House) -> None:
        self._house = house
        self.places: list[Place] = []

    async def send(self, method: str, path: str, body: Any = None, token: str = "") -> Answer:
        """Ask for something as it ought to be asked for."""
        headers = [
            ("Content-Type", b"application/json"),
            ("Idempotency-Key", f"key-of-somebody-{next(_keys):06}".encode()),
        ]
        headers += [("Authorization", f"Bearer {token}".encode())] if token else []
        sent = b"" if body is None else json.dumps(body).encode()
        return await ask(self._house.gate, method, f"{API}{path}", tuple(headers), sent)

    async def get(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """Ask for something that is answered, and return what it says."""
        answer = await self.send(method, path, body, token)
        assert answer.status < 300, (method, path, body, answer)
        return answer.json()

    async def table(self, rules: Any, *names: str, starts: bool = True) -> tuple[str, list[str]]:
        """Open a table and have these sit down; return its id, and the tokens of the host and of each."""
        host = await self.get("POST", "/matches", {"rules": rules})
        path, tokens = f"/matches/{host['match']}", [host["token"]]
        tokens += [(await self.get("POST", f"{path}/seats", {"name": name}))["token"] for name in names]
        if starts:
            await self.get("POST", f"{path}/start", token=tokens[0])
        return host["match"], tokens

    async def come(self) -> None:
        """Sit down wherever nonsense is going to be asked."""
        event = await self._event()
        lobby, at_lobby = await self.table(RULES, "Ada", "Blaise", starts=False)
        running, at_running = await self.table(RULES, "Ada", "Blaise")
        over, at_over = await self.table(DUEL, "Ada", "Blaise")
        await self._house.settle()
        await self.get("POST", f"/matches/{over}/commands", {"type": "resign"}, at_over[1])
        tables = ((lobby, at_lobby), (running, at_running), (over, at_over))
        self.places = [Place(match, (*tokens, at_over[0]), *event) for match, tokens in tables]
        await self._house.settle()

    async def _event(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Announce a tournament and a season, and enter people; return their tokens, and what stands in addresses."""
        player = await self.get("POST", "/players", {"name": "Grace"})
        season = await self.get("POST", "/seasons", {"game": "common_hand"})
        event = await self.get("POST", "/tournaments", {"preset": "pods", "title": "Club night"})
        path, host = f"/tournaments/{event['tournament']}", event["token"]
        await self.get("POST", f"{path}/commands", {"type": "open_entry"}, host)
        entered = await self.get("POST", f"{path}/entrants", {"name": "Ada"})
        parts = {"tournament_id": event["tournament"], "season_id": season["season"], "player": player["player"]}
        parts |= dict.fromkeys(("number", "seat", "stage", "round", "table", "comment", "official"), "1")
        parts |= {"note": "0" * 32, "case": "k0", "hook": event["tournament"], "board_id": event["tournament"]}
        parts |= {"digest": "0" * 64, "name": "0" * 64}
        return (host, entered["token"], player["token"], season["token"]), parts


class Play:
    """A table at which two people go on playing; when they are done they sit down at the next.

    Attributes:
        moves: How often one of them has moved.
    """

    def __init__(self, people: People) -> None:
        self._people = people
        self._match, self._tokens = "", list[str]()
        self.moves = 0

    async def move(self) -> None:
        """Let whoever is to move do so, which has to be answered as ever."""
        if not self._match:
            self._match, self._tokens = await self._people.table(DUEL, "Edsger", "Barbara")
        view, token = await self._turn()
        if view["phase"] == "finished":
            self._match = ""
            return
        path = f"/matches/{self._match}"
        asked = _move(view)
        answered = await self._people.get("POST", f"{path}/commands", asked, token)
        seen = await self._people.get("GET", path)
        assert seen["version"] >= answered["version"] > view["version"], (asked, answered, seen)
        self.moves += 1

    async def _turn(self) -> tuple[Any, str]:
        """Return what somebody who may move sees, once somebody may, or the match is over."""
        for _ in range(LOOKS_MAX):
            for token in self._tokens[1:]:
                view = await self._people.get("GET", f"/matches/{self._match}", token=token)
                if view["phase"] == "finished" or (view["turn"] == view["viewer"] and view["moves"]):
                    return view, token
            await asyncio.sleep(COME_S)
        raise AssertionError(f"nobody may move at {self._match}")


def _move(view: Any) -> dict[str, Any]:
    """Return a bid that is as low as it may be, or a doubt once there is no more room."""
    offers = {move["type"]: move for move in view["moves"]}
    lowest = offers.get("bid", {}).get("lowest")
    if lowest and lowest[0][0] <= 3:
        return {"type": "bid", "quantity": lowest[0][0], "face": lowest[0][1]}
    return {"type": "challenge"}
