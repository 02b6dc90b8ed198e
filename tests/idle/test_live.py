"""People who stop at tables of the real service: all of them end by themselves, and their records are whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from domain.games import GAMES
from tests.crash.house import wait_until

DEADLINE_S = 180.0
LOOK_S = 0.2
IDLE = {"turn_ms": 1_000, "turns": 2, "seeds_ms": 0, "lobby_ms": 600_000, "bots_ms": 1_000}
AT_EASE = {**IDLE, "turn_ms": 5_000}
"""Time enough for a bot of a house that plays many other tables meanwhile."""


class Live:
    """The service, over HTTP."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=f"{url}/api/v1", timeout=60)

    def post(self, path: str, body: object, token: str | None = None) -> Any:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self.client.post(path, json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer.json()

    def opened(self, game: str, seats: int, **rules: Any) -> tuple[str, str]:
        """Open a table and return its path and its host's token."""
        asked = {"game": game, "seats": seats, "pause_ms": 0, "idle": IDLE, **rules}
        answer = self.post("/matches", {"rules": asked})
        return f"/matches/{answer['match']}", answer["token"]

    def begun(self, game: str, custody: tuple[str, ...], bots: int = 0, **rules: Any) -> str:
        """Return the path of a match at which people have sat down, and do nothing from now on."""
        path, host = self.opened(game, len(custody) + bots, **rules)
        for number, how in enumerate(custody, start=1):
            self.post(f"{path}/seats", {"name": f"Guest {number}", "custody": how})
        if bots:
            self.post(f"{path}/bots", {"count": bots}, host)
        self.post(f"{path}/start", {}, host)
        return path

    def record(self, path: str) -> list[str]:
        """Return the lines of a record: to read it is no look."""
        return [line for line in self.client.get(f"{path}/record").text.splitlines() if line.startswith("{")]

    def is_over(self, path: str) -> bool:
        return '"type":"match.ended"' in self.record(path)[-1]

    def audit(self, path: str) -> None:
        """Wait until the log vouches for the end; the house audits for one address a few times a second."""
        wait_until(lambda: self.client.get(f"{path}/audit").json()["status"] == "OK", DEADLINE_S, LOOK_S)


@pytest.fixture(scope="module")
def live(service_url: str) -> Iterator[Live]:
    live = Live(service_url)
    yield live
    live.client.close()


def test_in_every_game_a_match_ends_when_people_stop_and_its_record_audits(live: Live) -> None:
    paths = []
    for number, (name, game) in enumerate(GAMES.items()):
        seats = max(2, game.rules(game.options()).seats[0])
        custody = tuple("client" if (number + seat) % 3 == 0 else "server" for seat in range(seats))
        paths.append(live.begun(name, custody))
    for path in paths:
        wait_until(partial(live.is_over, path), DEADLINE_S, LOOK_S)
    for path in paths:
        live.audit(path)
    ends = [text for path in paths for text in live.record(path) if '"type":"game.forfeited"' in text]
    assert '"reason":"absent"' in "".join(ends)


@pytest.mark.long
def test_bots_play_on_without_a_person_who_stops(live: Live) -> None:
    games = ("common_hand", "finska", "boss_liars")
    for path in [live.begun(game, ("client",), bots=2, idle=AT_EASE) for game in games]:
        wait_until(lambda at=path: bool(forfeited(live.record(at))), DEADLINE_S, LOOK_S)  # type: ignore[misc]
        (out,) = forfeited(live.record(path))
        assert '"reason":"absent","seat":1' in out


def forfeited(record: list[str]) -> list[str]:
    """Return the lines by which somebody is out."""
    return [line for line in record if '"type":"game.forfeited"' in line]


@pytest.mark.long
def test_seats_that_bring_seeds_and_give_none_cost_no_more_than_their_time(live: Live) -> None:
    """Three confederates, each of whom would let the others wait half a minute a deal."""
    path = live.begun("common_hand", ("client", "client", "client", "server"), deal_per="round")
    wait_until(lambda: live.is_over(path), DEADLINE_S, LOOK_S)
    custody = [line for line in live.record(path) if '"type":"game.seed_custody"' in line]
    assert len(custody) == 4, "once each, and in no later deal again"
    live.audit(path)


def test_a_lobby_expires(live: Live) -> None:
    path, _ = live.opened("common_hand", 3, idle={**IDLE, "lobby_ms": 1_000})
    wait_until(lambda: live.is_over(path), DEADLINE_S, LOOK_S)
    assert '"why":"expired"' in live.record(path)[-2]


def test_the_host_ends_a_match_at_which_nobody_does_anything(live: Live) -> None:
    path, host = live.opened("liars_poker", 2, idle={**IDLE, "turns": 100})
    for name in ("Ada", "Bob"):
        live.post(f"{path}/seats", {"name": name})
    live.post(f"{path}/start", {}, host)
    live.post(f"{path}/commands", {"type": "end_match"}, host)
    wait_until(lambda: live.is_over(path), DEADLINE_S, LOOK_S)
    assert '"winner":null' in live.record(path)[-1]


def test_bots_that_nobody_looks_at_end_and_those_somebody_watches_do_not(live: Live) -> None:
    """A service that has just begun takes half a minute until it knows that nobody looks, on whichever node."""
    lonely, watched = (live.begun("liars_poker", (), bots=2, idle=AT_EASE) for _ in range(2))
    headers = {"Accept": "application/x-ndjson"}
    with live.client.stream("GET", f"{watched}/stream", headers=headers) as told:
        lines = told.iter_lines()
        wait_until(lambda: bool(next(lines)) and live.is_over(lonely), DEADLINE_S, LOOK_S)
        assert '"why":"unattended"' in "".join(live.record(lonely))
        assert not live.is_over(watched)
