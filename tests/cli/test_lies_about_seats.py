"""Houses that lie about seats that sign: a line that nobody signed is an alarm, and what proves it is kept."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.log import canonical
from services.cli.playing.phrases import alarm_words
from services.client import seating
from services.client.records import Untrue
from services.client.session import SeatSession
from tests.cli.conftest import Service
from tests.cli.test_client import LyingTransport
from tests.cli.test_signing import PATIENCE_S, Json, first_to_act, two_seats


class OfBefore(LyingTransport):
    """Stands before a house as one of before would: it tells whole records alone."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/lines"):
            return httpx.Response(404, json={"code": "not_found", "title": "nothing is at this address"})
        return await super().handle_async_request(request)


@pytest.mark.parametrize(("path", "through"), [("/lines", LyingTransport), ("/record", OfBefore)])
async def test_a_bid_that_the_house_invents_is_an_alarm_and_its_record_is_kept(
    running: Service, tmp_path: Path, path: str, through: type[LyingTransport]
) -> None:
    async with two_seats(running, tmp_path) as (ada, ben):
        seat = await first_to_act(ada, ben)
        await seat.play("1x2")
        sitting = seat.sitting
    lie = through(path, lambda told: rewritten(told, "game.bid", signed=None, quantity=2))
    alarm = await alarm_of(SeatSession(sitting, lambda *_: None, lie))
    assert (alarm.key, alarm.facts["code"], alarm.facts["seat"]) == ("unsigned", "E_UNSIGNED", str(sitting.seat))
    evidence = seating.evidence_file(sitting).read_bytes().splitlines()
    assert (json.loads(evidence[-1])["type"], "signed" in json.loads(evidence[-1])) == ("game.bid", False)
    assert str(seating.evidence_file(sitting)) in alarm_words(alarm)


@pytest.mark.parametrize(
    ("says", "key"),
    [({"name": "f" * 64}, "unsigned"), ({"name": None, "key": None, "signed": None}, "join")],
    ids=["another name", "no key"],
)
async def test_another_name_or_no_key_where_one_sat_down_is_an_alarm(
    running: Service, tmp_path: Path, says: Json, key: str
) -> None:
    async with two_seats(running, tmp_path) as (ada, _):
        sitting = ada.sitting
    lie = LyingTransport("/lines", lambda told: rewritten(told, "seat.joined", 2, **says))
    alarm = await alarm_of(SeatSession(sitting, lambda *_: None, lie))
    assert alarm.key == key
    assert str(sitting.seat) in alarm_words(alarm)


def rewritten(record: bytes, kind: str, lines_max: int | None = None, **members: Any) -> bytes:
    """Return so much of a record in which the first line of a type says something else, chained anew."""
    lines, prev = [json.loads(line) for line in record.splitlines() if line.startswith(b"{")], "0" * 64
    told = next(line for line in lines if line["type"] == kind)
    for name, said in members.items():
        where = told if name == "signed" else told["data"]
        if said is None:
            where.pop(name, None)
        else:
            where[name] = said
    found = []
    for line in lines[:lines_max]:
        found.append(canonical.encode({**line, "prev": prev}))
        prev = canonical.head(found[-1])
    return b"".join(line + b"\n" for line in found)


async def alarm_of(session: SeatSession) -> Untrue:
    """Return the alarm with which a session ends."""

    async def follow() -> None:
        async with session, aclosing(session.items()) as items:
            async for _ in items:
                pass

    with pytest.raises(Untrue) as alarm:
        await asyncio.wait_for(follow(), PATIENCE_S)
    return alarm.value
