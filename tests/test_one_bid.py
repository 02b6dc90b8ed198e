"""One bid, from a player's hand to a spectator's screen. Start reading here.

A host opens a table, two players sit down, the dice are dealt, one of them bids, and somebody who only watches sees it:
the same way a bid takes in earnest, over HTTP, through Postgres and NATS, into a stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx


def test_one_bid(service_url: str) -> None:
    with httpx.Client(base_url=f"{service_url}/api/v1", timeout=60) as client:
        # The host opens a table. The token is the host's alone; the match is everybody's to watch.
        table = opened(client, {"game": "common_hand", "seats": 2, "pause_ms": 0})
        match = f"/matches/{table['match']}"
        seats = {seat: joined(client, match, name) for seat, name in ((1, "Ana"), (2, "Ben"))}

        with client.stream("GET", f"{match}/stream", headers={"Accept": "application/x-ndjson"}) as stream:
            told = items(stream)
            assert next(told)["snapshot"]["phase"] == "lobby"

            # Starting deals: the server fixes every die, the seats' seeds fix the rest, the log witnesses it.
            client.post(f"{match}/start", headers=bearer(table["token"])).raise_for_status()
            seen = next(frame for frame in told if frame["view"]["dice_in_play"] == 10)
            turn = seen["view"]["turn"]

            # The player sees five dice; the spectator sees that there are five, and no more.
            own = client.get(match, headers=bearer(seats[turn])).json()
            assert [die["face"] for die in own["seats"][turn - 1]["dice"]] != [None] * 5
            assert [die["face"] for seat in seen["view"]["seats"] for die in seat["dice"]] == [None] * 10

            # The bid is on offer, so it is accepted; the answer names the version it made.
            quantity, face = own["moves"][0]["minimum"][0]
            bid = {"type": "bid", "quantity": quantity, "face": face}
            answer = client.post(f"{match}/commands", json=bid, headers=bearer(seats[turn])).raise_for_status().json()

            # The spectator's page has it, at that version.
            frame = next(frame for frame in told if frame["event"]["type"] == "game.bid")
            assert frame["event"] == {"type": "game.bid", "seat": turn, "quantity": quantity, "face": face}
            standing = frame["view"]["standing"]
            assert (standing["seat"], standing["quantity"], standing["face"]) == (turn, quantity, face)
            assert frame["version"] <= answer["version"]

        # It stands in the log as one line, chained to the one before, and no line of the log shows a die.
        lines = client.get(f"{match}/record").text.splitlines()
        line = json.loads(lines[frame["version"] - 1])
        assert (line["type"], line["data"]) == ("game.bid", {"seat": turn, "quantity": quantity, "face": face})
        assert not any(f'"cup":{seat},' in line and '"values"' in line for seat in seats for line in lines)

        # The same bid again is refused by a rule, with what would be legal instead; nothing is recorded.
        again = client.post(f"{match}/commands", json=bid, headers=bearer(seats[3 - turn]))
        assert (again.status_code, again.json()["code"]) == (409, "claim_not_higher")
        assert again.json()["minimum_raises"]
        assert client.get(match).json()["version"] == answer["version"]


def opened(client: httpx.Client, rules: dict[str, Any]) -> dict[str, Any]:
    return client.post("/matches", json={"rules": rules}).raise_for_status().json()


def joined(client: httpx.Client, match: str, name: str) -> str:
    return client.post(f"{match}/seats", json={"name": name}).raise_for_status().json()["token"]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def items(stream: httpx.Response) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in stream.iter_lines() if line)
