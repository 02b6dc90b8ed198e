"""A house whose deals wait for a beacon: rounds are heard, answers that are lies are not believed, all is audited.

Time runs twenty times as fast here as anywhere else, for the house, its witness and the beacon alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain.errors import Refused
from domain.events import data_of
from domain.fairness.proving import prove_opening
from domain.log.checkpoints import cosign
from domain.log.notes import COSIGNATURE, Key, parse
from domain.log.proofs import consistency_of
from domain.match.evolve import Match
from domain.match.record import fold
from infra.clock import now_ms
from infra.drand import verifier
from infra.posting import NoReply, PostReply
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.audit.beacons import BeaconSource, known_beacons, source_of
from services.audit.verdict import Evidence, Verdict, verdict_of
from services.dealer import beacon_client, scheduler
from services.dealer.beacon_client import BeaconClient
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.dealer.witness_client import Witnesses
from services.matches import handler
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.matches.witnesses import WitnessAddress
from tests.beacon.speaking import Relay, Speaker, http, relaying
from tests.fairness.scripted_server import ORIGIN, POLICY, POLICY_TEXT, SIGNERS, WITNESS

PATIENCE_S = 120
FASTER = 20
RULES = {
    "game": "common_hand",
    "options": {"dice_per_player": 1},
    "seats": 2,
    "clock": {"bank_ms": 1_000},
    "pause_ms": 0,
}
BEGUN = now_ms()


def fast_ms() -> int:
    return BEGUN + (now_ms() - BEGUN) * FASTER


class Nap:
    """Wakes its sleeper soon."""

    async def wait(self, timeout_s: float) -> None:
        await asyncio.sleep(min(timeout_s, 0.002))


class Seeing:
    """A witness that signs whatever it is asked about, until it goes."""

    def __init__(self) -> None:
        self.gone = False

    async def post(self, _url: str, body: bytes) -> PostReply:
        if self.gone:
            raise NoReply("it is gone")
        asked = consistency_of(body.decode())
        seen = parse(cosign(asked.checkpoint, WITNESS, fast_ms() // 1000, SIGNERS[WITNESS]))
        return PostReply(200, str(seen.signatures[-1]).encode())


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (handler, scheduler, beacon_client):
        monkeypatch.setattr(module, "now_ms", fast_ms)


class House:
    """A house that asks a beacon, and its log."""

    def __init__(self, relay: Relay, folder: Path) -> None:
        self.store = MemoryStore()
        self.witness = Seeing()
        self.source: BeaconSource = source_of(relay.speaker.file(folder))
        self.url = relay.url

    def matches(self) -> CommandHandler:
        return CommandHandler(
            self.store, Vault(self.store, Sealing(bytes(32))), TokenIssuer(bytes(32)), beacon=self.source
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        verify = verifier()
        assert verify is not None
        ear = BeaconClient(self.url, self.source, verify)
        await self.store.log_enforce(POLICY_TEXT)
        seen_by = WitnessAddress(Key(WITNESS, COSIGNATURE, SIGNERS[WITNESS].public_key), "http://w.example")
        asked = Witnesses([seen_by], self.witness)
        notary = Notary(self.store, ORIGIN, (SIGNERS[ORIGIN],), POLICY_TEXT, asked)
        scheduler = MatchScheduler(self.store, Heart(self.store), self.matches(), notary, Nap(), ear)
        task = asyncio.create_task(scheduler.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def begun(self, policy: Any = "all", name: str = "table", **other: Any) -> UUID:
        matches = self.matches()
        rules = {**RULES, "beacon": self.source.name, **other}
        match_id = UUID((await matches.open(rules, CommandMetadata("test", f"open-{name}", b""), policy)).match)
        await matches.seat_bots(match_id, 2, CommandMetadata("test", f"bots-{name}", b""))
        await matches.start(match_id, CommandMetadata("test", f"start-{name}", b""))
        return match_id

    async def until(self, match_id: UUID, true: Callable[[Match], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                (*_, (written, _)) = fold(await self.store.read(f"match/{match_id}"))
                if true(written.match):
                    return
                await asyncio.sleep(0.005)

    async def audited(self, match_id: UUID, source: BeaconSource | None) -> Verdict:
        async with asyncio.timeout(PATIENCE_S):
            while b"#tlog-proof" not in (record := await self.matches().record(match_id)):
                await asyncio.sleep(0.005)
            while b"#tlog-proof" not in (access := await self.matches().access(match_id)):
                await asyncio.sleep(0.005)
        return verdict_of(record, POLICY, known=known_beacons(source), beside=Evidence(access))


def is_over(match: Match) -> bool:
    return match.ended


def is_at(stage: str) -> Callable[[Match], bool]:
    return lambda match: match.ceremony is not None and match.ceremony.stage == stage


def speaker() -> Speaker:
    return Speaker(1_234_567, fast_ms() // 1000 - 1_000)


@pytest.mark.parametrize("policy", ["all", "shown"])
async def test_a_match_waits_for_its_beacon_and_is_fair_to_who_knows_it(policy: str, tmp_path: Path) -> None:
    async with relaying(speaker()) as relay:
        house = House(relay, tmp_path)
        async with house.running():
            match_id = await house.begun(policy)
            await house.until(match_id, is_over)
            verdict = await house.audited(match_id, house.source)
    assert (verdict.status, verdict.beacons) == ("OK", "checked"), verdict
    assert relay.asked


async def test_an_auditor_believes_no_beacon_that_only_the_record_names(tmp_path: Path) -> None:
    async with relaying(speaker()) as relay:
        house = House(relay, tmp_path)
        async with house.running():
            match_id = await house.begun()
            await house.until(match_id, is_over)
            verdict = await house.audited(match_id, None)
    assert verdict.code == "E_BEACON"


@pytest.mark.long
async def test_lies_and_silence_of_a_relay_are_waited_out(tmp_path: Path) -> None:
    lies = (http(b"", "503 Service Unavailable"), b"", Speaker(7_654_321, 0))
    async with relaying(speaker(), *lies) as relay:
        house = House(relay, tmp_path)
        async with house.running():
            match_id = await house.begun()
            await house.until(match_id, is_over)
            verdict = await house.audited(match_id, house.source)
    assert (verdict.status, verdict.beacons) == ("OK", "checked"), verdict


async def test_who_listens_may_die_while_the_beacon_is_waited_for(tmp_path: Path) -> None:
    async with relaying(speaker()) as relay:
        house = House(relay, tmp_path)
        async with house.running():
            match_id = await house.begun()
            await house.until(match_id, is_at("fixed"))
        async with house.running():
            await house.until(match_id, is_over)
            verdict = await house.audited(match_id, house.source)
    assert verdict.status == "OK", verdict


@pytest.mark.long
async def test_a_log_that_is_late_costs_a_deal_and_nobody_a_seat(tmp_path: Path) -> None:
    async with relaying(speaker()) as relay:
        house = House(relay, tmp_path)
        house.witness.gone = True
        async with house.running():
            match_id = await house.begun()
            await house.until(match_id, is_at("sealed"))
            await asyncio.sleep(60 / FASTER)
            house.witness.gone = False
            await house.until(match_id, is_over)
            verdict = await house.audited(match_id, house.source)
    assert verdict.status == "OK", verdict
    assert isinstance(verdict.deals, dict)
    assert len(verdict.deals) > 1


async def test_a_house_asks_only_the_beacon_it_knows(tmp_path: Path) -> None:
    async with relaying(speaker()) as relay:
        house = House(relay, tmp_path)
        for matches, name in ((house.matches(), "quicknet"), (plain(house), house.source.name)):
            with pytest.raises(Refused) as refused:
                await matches.open({**RULES, "beacon": name}, CommandMetadata("test", "open", b""))
            assert refused.value.facts["option"] == "beacon"


def plain(house: House) -> CommandHandler:
    return CommandHandler(house.store, Vault(house.store, Sealing(bytes(32))), TokenIssuer(bytes(32)))


async def test_a_seat_gets_its_folded_dice_and_can_prove_them(tmp_path: Path) -> None:
    async with relaying(speaker()) as relay:
        house = House(relay, tmp_path)
        async with house.running():
            game: dict[str, Any] = {"game": "individual_hand", "options": {}, "beacon": None}
            match_id = await house.begun("shown", **game)
            await house.until(match_id, is_over)
            assert (await house.audited(match_id, None)).status == "OK"
        record = await house.matches().record(match_id)
        folds = [one for seat in (1, 2) for one in await house.matches().folded(match_id, seat)]
    assert folds
    for one in folds:
        assert prove_opening(record, data_of(one)) == one
