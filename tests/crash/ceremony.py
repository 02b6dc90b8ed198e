"""A match whose seats bring their own seeds, and patient players who ask again until they are answered."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx

from domain.fairness.deal import Cup, Deal, address, context, rules_hash, seed_commitment
from domain.fairness.sampling import value
from infra.config import Config
from infra.store import EventStore
from services.matches.secrets.keys import keys_of
from tests.crash.house import Sent, Service, Table

PATIENCE_S = 120.0
WITHHELD_S = 0.3
"""How long nobody looks again while a seed is kept back, which takes half a minute."""
AWAY = (httpx.TransportError, FileNotFoundError)
"""What a service that is dead or just starting looks like."""
Line = dict[str, Any]


class Ceremony(Table):
    """A match over HTTP of two people with seeds of their own and a bot."""

    def __init__(self, service: Service, rules: dict[str, Any], *, withheld: bool = False) -> None:
        self.service = service
        self.random = random.Random(1)
        self.sending = Sent
        self.sent: list[Sent] = []
        self.withheld = withheld
        given = {"game": "common_hand", "pause_ms": 0, "seats": 3, "options": {"dice_per_player": 1}, **rules}
        opened = self._asked("/matches", {"rules": given})
        self.id, host = opened["match"], opened["token"]
        self.path = f"/matches/{self.id}"
        people = [{"name": name, "custody": "client"} for name in ("Ana", "Ben")]
        self.tokens = [self._asked(f"{self.path}/seats", person)["token"] for person in people]
        self._asked(f"{self.path}/bots", {"count": 1}, host)
        self._asked(f"{self.path}/start", None, host)

    def _asked(self, path: str, body: dict[str, Any] | None, token: str | None = None) -> dict[str, Any]:
        """Ask, with the same key, until there is an answer."""
        told = json.dumps([path, body])
        headers = {"Idempotency-Key": hashlib.sha256(told.encode()).hexdigest()}
        headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            try:
                with self.service.client() as client:
                    answer = client.post(path, json=body, headers=headers)
            except AWAY:
                sleep(0.02)
                continue
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                assert answer.is_success or answer.status_code == httpx.codes.CONFLICT, answer.text
                return answer.json()
        raise AssertionError("nobody answers")

    def step(self, client: httpx.Client) -> bool:
        """Let whoever may give a seed do so; then play."""
        lines = [json.loads(line) for line in self.record(client).splitlines() if line.startswith(b"{")]
        committed = [line["data"] for line in lines if line["type"] == "deal.committed"]
        if committed:
            self._give_seeds(lines, committed[-1])
        return super().step(client)

    def _give_seeds(self, lines: list[Line], committed: dict[str, Any]) -> None:
        number = committed["deal"]
        deal, ctx = [line for line in lines if line["data"].get("deal") == number], ctx_of(lines, number)
        given = {(line["type"], line["data"].get("seat")) for line in deal}
        for seat, token in enumerate(self.tokens, start=1):
            seed = hashlib.sha256(f"{self.id} {number} {seat}".encode()).digest()
            commit = seed_commitment(seed, ctx, bytes.fromhex(committed["root"]), seat).hex()
            if not given & {("deal.sealed", None), ("seed.committed", seat)}:
                self._asked(f"{self.path}/commands", {"type": "commit_seed", "deal": number, "commit": commit}, token)
            withheld = self.withheld and seat == len(self.tokens)
            if withheld and not given & {("deal.ready", None), ("deal.voided", None)}:
                sleep(WITHHELD_S)
            if ("deal.logged", None) in given and ("seed.opened", seat) not in given and not withheld:
                self._asked(f"{self.path}/commands", {"type": "open_seed", "deal": number, "seed": seed.hex()}, token)


# ---- what the database knows --------------------------------------------------------------------


def ctx_of(lines: list[Line], number: int) -> bytes:
    """Return the context of a deal, from the lines of its match."""
    created, committed = lines[0]["data"], _deal(lines, "deal.committed", number)
    match = bytes.fromhex(created["match"].replace("-", ""))
    cups = tuple(Cup(*row) for row in committed["cups"])
    return context(match, number, rules_hash(created["rules"]), "all", cups)


def _deal(lines: list[Line], kind: str, number: int) -> dict[str, Any]:
    return next(line["data"] for line in lines if line["type"] == kind and line["data"]["deal"] == number)


async def secrets_of(store: EventStore, stream: str, folder: Path) -> dict[str, bytes]:
    """Return the secrets of a match by name, unwrapped as only the house can."""
    sealing = keys_of(Config(), folder).sealing
    stored = await store.secrets(stream)
    return {name: sealing.unwrap(wrapped, f"{stream}/{name}".encode()) for name, wrapped in stored.items()}


def dice_of(lines: list[Line], secrets: dict[str, bytes], number: int) -> list[list[int]]:
    """Return every die of a deal as (cup, roll, slot, modulus, value), from its stored secret."""
    ctx, mix = ctx_of(lines, number), bytes.fromhex(_deal(lines, "deal.ready", number)["mix"])
    cups = tuple(Cup(*row) for row in _deal(lines, "deal.committed", number)["cups"])
    deal = Deal(secrets[f"deal/{number}"], ctx, cups)
    found = []
    for line in lines:
        if line["type"] == "cup.rolled" and line["data"]["deal"] == number:
            cup, roll = line["data"]["cup"], line["data"]["roll"]
            for slot, m in zip(line["data"]["slots"], line["data"]["m"], strict=True):
                at = address(cup, roll, slot)
                found.append([cup, roll, slot, m, value(deal.key(cup, roll, slot), mix, at, m)])
    return sorted(found)
