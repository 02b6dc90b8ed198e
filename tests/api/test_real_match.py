"""A round of common hand over HTTP, with the real rules over the store's double: what may be seen, and what may not."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID

import pytest

from domain import commands
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Table, served

BID = {"type": "bid", "quantity": 1, "face": 2}


class Prompt(CommandHandler):
    """Matches whose sealed deals count as logged at once: the log is not what is looked at here."""

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Start, and take the first deal past the log."""
        answer = await super().start(match_id, ask)
        logged = CommandMetadata("table", f"log-{match_id}", b"")
        await self.submit(match_id, commands.LogDeal(0, 0, (), "checkpoint"), logged)
        return answer


class Played:
    """A round that was played, and everything anybody was told in it."""

    def __init__(self) -> None:
        self.matches = Prompt(store := MemoryStore(), Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))
        self.to_spectators: list[str] = []
        self.to_seats: list[str] = []
        self.refusals: list[dict[str, Any]] = []
        with served(Bounds(), self.matches) as service:
            table = Table(service)
            self.seats = {1: table.join("Ada"), 2: table.join("Bob")}
            table.start()
            self.id = UUID(table.id)
            self._play(table)

    def _play(self, table: Table) -> None:
        self._look(table)
        turn = table.client.get(table.path).json()["turn"]
        self.refusals.append(table.play(self.seats[3 - turn], BID).json())
        self.refusals.append(table.play(self.seats[turn], {"type": "bid", "quantity": 1, "face": 7}).json())
        self.unsaid = table.play(self.seats[turn], {"type": "say", "text": "one kitten"})
        self.said = table.play(self.seats[turn], {"type": "say", "text": "one two"})
        self.standing = table.client.get(table.path).json()["standing"]
        self.refusals.append(table.play(self.seats[3 - turn], BID).json())
        self._look(table)
        self.hidden = [json.loads(told) for told in self.to_spectators]
        table.play(self.seats[3 - turn], {"type": "challenge"})
        self.through = {eyes: table.client.get(f"{table.path}/replay?eyes={eyes}") for eyes in ("all", "2", "9", "0")}
        self.settled = table.client.get(table.path).json()

    def _look(self, table: Table) -> None:
        for path in (table.path, f"{table.path}/replay"):
            self.to_spectators.append(table.client.get(path).text)
            self.to_seats += [table.client.get(path, headers=seat).text for seat in self.seats.values()]


@pytest.fixture(scope="module")
def played() -> Played:
    """Play once."""
    return Played()


def dice_of(view: dict[str, Any]) -> list[dict[str, Any]]:
    """Return every die of a view."""
    return [die for seat in view["seats"] for die in seat["dice"]]


def test_a_spectator_is_told_no_die_before_it_is_shown(played: Played) -> None:
    views = [told for told in played.hidden if "seats" in told]
    views += [frame["view"] for told in played.hidden if "frames" in told for frame in told["frames"]]

    assert any(dice_of(view) for view in views)
    # The one die that everybody has seen is the draw for who begins, which no seat holds.
    assert all(die == {"face": None, "shown": False, "cocked": False} for view in views for die in dice_of(view))


def test_a_seat_is_told_its_own_dice_and_no_others(played: Played) -> None:
    views = [json.loads(told) for told in played.to_seats]
    own = [view for view in views if "seats" in view]

    assert own
    for view in own:
        for seat in view["seats"]:
            assert all((die["face"] is not None) == (seat["seat"] == view["viewer"]) for die in seat["dice"])


def test_after_the_challenge_everybody_sees_every_die(played: Played) -> None:
    assert played.settled["last"]["kind"] == "challenge"
    assert all(die["shown"] and die["face"] is not None for die in dice_of(played.settled))


def test_who_looks_back_before_the_deal_has_closed_sees_what_the_challenge_showed(played: Played) -> None:
    for eyes, seats in (("all", {1, 2}), ("2", {2})):
        frames = played.through[eyes].json()["frames"]
        seen = [(seat["seat"], die) for frame in frames for seat in frame["view"]["seats"] for die in seat["dice"]]
        assert {seat for seat, die in seen if not die["shown"] and die["face"] is not None} == seats


def test_eyes_that_nobody_has_are_refused(played: Played) -> None:
    nobody, nonsense = played.through["9"], played.through["0"]
    assert (nobody.status_code, nobody.json()["code"], nobody.json()["seats"]) == (404, "unknown_seat", [1, 2])
    assert (nonsense.status_code, nonsense.json()["code"]) == (400, "malformed")


def test_nobody_is_told_the_secret_of_the_deal(played: Played) -> None:
    hosted = asyncio.run(played.matches.load_match(played.id))
    assert hosted.keeper is not None
    secret = hosted.keeper.secret.hex()

    assert all(secret not in told for told in played.to_spectators + played.to_seats)


def test_refusals_tell_the_rules_and_the_lowest_legal_bids(played: Played) -> None:
    early, no_face, too_low = played.refusals

    assert early["code"] == "not_your_turn"
    assert no_face["code"] in {"face_not_biddable", "claim_malformed"}
    assert no_face["minimum_raises"]
    assert too_low["code"] == "claim_not_higher"
    assert [1, 2] not in too_low["minimum_raises"]


def test_a_seat_may_type_what_it_asks_for(played: Played) -> None:
    assert played.said.status_code == 200
    assert (played.standing["quantity"], played.standing["face"]) == (1, 2)


def test_a_text_nobody_understands_is_answered_with_what_would_do(played: Played) -> None:
    assert played.unsaid.status_code == 400
    assert played.unsaid.json()["code"] == "not_understood"
    assert "5x3" in played.unsaid.json()["detail"]
