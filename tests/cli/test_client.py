"""A seat as a program has it: seeds of its own, and dice that it holds against what was fixed before."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.cli.playing.phrases import alarm_words
from services.client import proving, seating
from services.client.evidence import receipts_of
from services.client.house import CannotDo
from services.client.records import Untrue
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.seeds import SeedFile
from services.client.session import SeatSession
from tests.cli.conftest import Service


@pytest.fixture
def sitting(running: Service, tmp_path: Path) -> Sitting:
    """Return a seat against one bot, which draws its own seeds."""
    policy = tmp_path / "policy"
    policy.write_bytes(httpx.get(f"{running.url}/api/v1/log/policy", timeout=60).content)
    keeps = partial(receipts_of, running.url, tmp_path, tmp_path / "receipts", policy)
    wanted = Wanted(bots=1, options={"dice_per_player": 2})
    return seating.open_table(running.url, keeps, wanted, Newcoming("Ada"))


@asynccontextmanager
async def followed(session: SeatSession) -> AsyncIterator[AsyncGenerator[dict[str, Any], None]]:
    async with session, aclosing(session.items()) as items:
        yield items


class LyingTransport(httpx.AsyncHTTPTransport):
    """Carries requests, and changes the answers to some."""

    def __init__(self, path: str, lie: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self.path = path
        self.lie = lie

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.headers["Accept-Encoding"] = "identity"
        answer = await super().handle_async_request(request)
        if not request.url.path.endswith(self.path):
            return answer
        return httpx.Response(answer.status_code, content=self.lie(await answer.aread()))


async def alarm_at(session: SeatSession) -> Untrue:
    """Return the alarm with which a session ends; nothing is asked for any more then."""
    async with followed(session) as items:
        with pytest.raises(Untrue) as alarm:
            async for _ in items:
                pass
        with pytest.raises(CannotDo):
            await session.ask({"type": "say", "text": "liar"})
    return alarm.value


def lines_of_seat(sitting: Sitting) -> list[tuple[str, dict[str, Any]]]:
    record = httpx.get(f"{sitting.base}/api/v1/matches/{sitting.match}/record", timeout=60).text
    lines = [json.loads(line) for line in record.splitlines() if line.startswith("{")]
    return [(line["type"], line["data"]) for line in lines if line["data"].get("seat") == 1]


async def test_own_seeds_are_in_the_dice_and_the_dice_are_checked(sitting: Sitting) -> None:
    session = SeatSession(sitting, lambda *_: None)
    async with followed(session) as items:
        async for item in items:
            view = item.get("snapshot") or item.get("view")
            if view is not None and any(move["type"] == "bid" for move in view["moves"]):
                break
        while session.proof == "checking":
            await asyncio.sleep(0.05)
        assert session.proof == "verified"
    seeds = sitting.kept.file.with_name(f"{sitting.kept.file.name}.seeds")
    assert stat.S_IMODE(seeds.stat().st_mode) == 0o600
    (kept,) = SeedFile(seeds).of(0)
    told = dict(lines_of_seat(sitting))
    assert (told["seed.committed"]["commit"], told["seed.opened"]["seed"]) == (kept.commit, kept.seed)


async def test_dice_that_are_not_those_fixed_before_are_an_alarm(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proving, "AGAIN_S", 0.01)

    def others(told: bytes) -> bytes:
        openings = json.loads(told)
        changed = [one | {"values": [[slot, (value + 1) % 6] for slot, value in one["values"]]} for one in openings]
        return json.dumps(changed).encode()

    alarm = await alarm_at(SeatSession(sitting, lambda *_: None, LyingTransport("/openings", others)))
    assert alarm_words(alarm) == "your dice are not those that were fixed before the deal"


async def test_a_record_that_does_not_hold_is_an_alarm_before_a_seed_is_opened(sitting: Sitting) -> None:
    lie = LyingTransport("/record", lambda told: told.replace(b'"seq":2', b'"seq":3', 1))
    alarm = await alarm_at(SeatSession(sitting, lambda *_: None, lie))
    assert alarm_words(alarm).startswith("line 2 of the record does not hold (E_CHAIN)")
    assert "seed.opened" not in dict(lines_of_seat(sitting))
