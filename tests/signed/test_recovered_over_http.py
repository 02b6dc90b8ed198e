"""A lost key over HTTP: what `truecup.client` signs with another one counts two minutes after the host has named it.

The clock of the house is a test's, so nobody waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from domain.fairness.chain import follow
from domain.fairness.records import split
from domain.fairness.signing.keyed_seats import RECOVERY_MS, KeyedSeats
from infra.clock import Clock
from infra.keys import ed25519_verify
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.audit.receipts import ReceiptBook
from services.client import seating
from services.client.house import CannotDo, answer_or_fail
from services.client.keys.joining import SeatWanted, ask_for_seat
from services.client.seating import Sitting
from services.client.signing import SeatSigner, Shield
from services.http.bounds import Bounds
from services.matches import handler
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, bearer, served
from tests.api.test_real_match import Prompt
from tests.fairness.scripted_server import POLICY

Json = dict[str, Any]
RULES = {"game": "common_hand", "pause_ms": 0, "seats": 2}
EARLY_MS = 30_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock of the house, which can be put forward."""
    found = Clock()
    monkeypatch.setattr(handler, "now_ms", found.now_ms)
    return found


@pytest.fixture
def service() -> Iterator[Service]:
    store = MemoryStore()
    with served(Bounds(), Prompt(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))) as made:
        yield made


class Device:
    """A device of the player: it looks, and signs what it asks for."""

    def __init__(self, client: httpx.Client, sitting: Sitting) -> None:
        self.signer = SeatSigner(sitting, self._lines, self._openings)
        self.shows = bearer(sitting.token)
        self._client = client
        self._path = f"/api/v1/matches/{sitting.match}"

    async def look(self) -> Shield:
        await self._see()
        return self.signer.shield

    async def ask(self, command: Json) -> int:
        """Ask for something as the table stands; return the version that it led to."""
        view = await self._see()
        async with self.signer.signed(command, view) as asked:
            posted = self._client.post(
                f"{self._path}/commands", json=asked, headers={**self.shows, "Idempotency-Key": str(uuid4())}
            )
            return int(answer_or_fail(posted).json()["version"])

    async def refused(self, command: Json) -> str | None:
        with pytest.raises(CannotDo) as no:
            await self.ask(command)
        return no.value.code

    async def _see(self) -> Json:
        view: Json = answer_or_fail(self._client.get(self._path, headers=self.shows)).json()
        self.signer.hear({"snapshot": view})
        await self.signer.reach(view["version"])
        return view

    async def _lines(self, after: int) -> bytes:
        asked = f"{self._path}/lines" + (f"?after={after}" if after else "")
        return answer_or_fail(self._client.get(asked, headers=self.shows)).content

    async def _openings(self) -> list[Json]:
        return msgspec.json.decode(
            answer_or_fail(self._client.get(f"{self._path}/openings", headers=self.shows)).content, type=list[Json]
        )


def sit(client: httpx.Client, match: str, folder: Path) -> Sitting:
    """Sit down with a key that is in this folder."""
    folder.mkdir()
    asking = SeatWanted(match, "server", None, bytes(32), folder)
    client.base_url = httpx.URL(f"{client.base_url}/api/v1")
    joined = ask_for_seat(client, asking, ("Ada",))
    answer = answer_or_fail(joined.answer).json()
    sitting = sitting_in(folder, match, answer["token"])
    assert joined.key is not None
    seating.keep_key(sitting, asking.secret)
    (kept,) = folder.glob("*.joining")
    kept.replace(seating.signing_file(sitting))
    return sitting


def sitting_in(folder: Path, match: str, token: str) -> Sitting:
    folder.mkdir(exist_ok=True)
    return Sitting("", match, token, ReceiptBook(match, folder / "receipts", POLICY), seat=1)


async def test_a_key_that_a_host_names_signs_after_two_minutes_in_which_the_old_one_was_silent(
    service: Service, clock: Clock, tmp_path: Path
) -> None:
    client = service.client
    opened = client.post("/api/v1/matches", json={"rules": RULES}).json()
    path, host = f"/api/v1/matches/{opened['match']}", bearer(opened["token"])
    with httpx.Client(base_url=service.url) as sits:
        sitting = sit(sits, opened["match"], tmp_path / "old")
    ben = bearer(client.post(f"{path}/seats", json={"name": "Ben"}).json()["token"])
    assert client.post(f"{path}/start", headers=host).status_code == 200
    if client.get(path).json()["turn"] == 2:
        assert client.post(f"{path}/commands", json={"type": "bid", "quantity": 1, "face": 2}, headers=ben).is_success
    old = Device(client, sitting)
    new = Device(client, sitting_in(tmp_path / "new", opened["match"], sitting.token))
    bid = {"type": "bid", "quantity": 2, "face": 5}
    assert (await old.look(), await new.look(), await new.refused(bid)) == ("signed", "lost", "lost_key")

    assert new.signer.public is not None
    named = client.post(f"{path}/seats/1/key", json={"key": new.signer.public}, headers=host)
    assert named.is_success
    at = named.json()["version"] - 1
    assert (await new.look(), await new.refused(bid)) == ("waits", "bad_signature")
    clock.advance_to(clock.now_ms() + RECOVERY_MS - EARLY_MS)
    assert await new.refused(bid) == "bad_signature"
    clock.advance_to(clock.now_ms() + EARLY_MS)
    version = await new.ask(bid)
    assert (await new.look(), await old.look(), await old.refused(bid)) == ("signed", "lost", "lost_key")

    lines = split(client.get(f"{path}/record").content).lines
    assert b'"sig":"' in lines[version - 1]
    seats, before = KeyedSeats(ed25519_verify), None
    for line in lines:
        before = follow(line, before)
        seats.step(before)
    found = seats.report()["1"]
    assert (seats.first_not_borne_out(), found.key, found.recovered) == (None, new.signer.public, [at])
