"""A seat as a program has it: seeds of its own, and dice that it holds against what was fixed before."""

from __future__ import annotations

import asyncio
import json
import stat
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import playwright
import pytest

from services.cli.playing.phrases import alarm_words
from services.client import proving, seating
from services.client.evidence import receipts_of
from services.client.house import CannotDo
from services.client.records import Untrue
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.seeds import SeedFile, SeedKeeper
from services.client.session import SeatSession
from services.web.assets import FOLDER
from tests.cli.conftest import Service

NODE = Path(playwright.__file__).parent / "driver" / "node"


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


def record_lines(sitting: Sitting) -> list[str]:
    record = httpx.get(f"{sitting.base}/api/v1/matches/{sitting.match}/record", timeout=60).text
    return [line for line in record.splitlines() if line.startswith("{")]


def lines_of_seat(sitting: Sitting) -> list[tuple[str, dict[str, Any]]]:
    lines = map(json.loads, record_lines(sitting))
    return [(line["type"], line["data"]) for line in lines if line["data"].get("seat") == 1]


async def test_own_seeds_are_in_the_dice_and_the_dice_are_checked(sitting: Sitting) -> None:
    whole: list[bytes] = []

    def read(record: bytes) -> bytes:
        whole.append(record)
        return record

    session = SeatSession(sitting, lambda *_: None, LyingTransport("/record", read))
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
    assert whole == [], "the lines that are held say it"
    (kept,) = SeedFile(seeds).of(0)
    told = dict(lines_of_seat(sitting))
    assert (told["seed.committed"]["commit"], told["seed.opened"]["seed"]) == (kept.commit, kept.seed)


async def test_what_one_device_has_fixed_another_opens_that_has_the_link(sitting: Sitting, tmp_path: Path) -> None:
    session = SeatSession(sitting, lambda *_: None)
    async with followed(session) as items:
        async for item in items:
            if (item.get("snapshot") or item.get("view") or {"phase": "dealing"})["phase"] not in {"lobby", "dealing"}:
                break
    lines = record_lines(sitting)
    logged = next(place for place, line in enumerate(lines) if json.loads(line)["type"] == "deal.logged")

    link = seating.brought_by(seating.link_of(sitting))
    assert link is not None
    assert link.key is not None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    policy = tmp_path / "policy"
    there = msgspec.structs.replace(
        sitting, kept=receipts_of(sitting.base, elsewhere, elsewhere / "receipts", policy, sitting.match)
    )
    seating.take_key(there, link)
    sent: list[dict[str, Any]] = []

    async def send(command: dict[str, Any]) -> None:
        sent.append(command)

    async def until_logged(stream: str) -> bytes:
        assert stream == f"match/{sitting.match}"
        return "".join(f"{line}\n" for line in lines[: logged + 1]).encode()

    view = {"deal": {"number": 0, "stage": "logged", "waiting_for": [1]}, "viewer": 1}
    seats = [{"seat": 1, "custody": "client"}]
    await SeedKeeper(there, until_logged, send).see({**view, "seats": seats})
    assert sent == [{"type": "open_seed", "deal": 0, "seed": dict(lines_of_seat(sitting))["seed.opened"]["seed"]}]

    # Without the key it has nothing to open, and leaves that to whoever has.
    seating.keep_key(there, bytes(32))
    await SeedKeeper(there, until_logged, send).see({**view, "seats": seats})
    assert len(sent) == 1


def test_no_link_chooses_the_seeds_of_another_seat_nor_of_one_that_is_played(sitting: Sitting) -> None:
    planted = bytes([0xEE]) * 32
    others = f"{sitting.page}#seat=2&token=truecup_seat_{'x' * 43}&seeds={planted.hex()}"

    # Before the seat has a key of its own, and after.
    seating.sitting_at(sitting.base, others, lambda _: sitting.kept)
    own = seating.key_of(sitting)
    assert own != planted
    seating.sitting_at(sitting.base, others, lambda _: sitting.kept)
    seating.sitting_at(
        sitting.base,
        f"{sitting.page}#seat=1&token={sitting.token}&seeds={planted.hex()}",
        lambda _: sitting.kept,
    )
    assert seating.key_of(sitting) == own


def test_page_and_terminal_make_the_same_seeds_and_the_same_key_of_a_rematch() -> None:
    key, ctx, root = (bytes([place]) * 32 for place in (1, 2, 3))
    match = "018f4e6a-7c00-4000-8000-000000000001"
    script = """
      const [{ seedFrom, nextKey }, { hex, unhex }] = [await import(process.argv[1]), await import(process.argv[2])];
      const [key, ctx, root] = process.argv.slice(3, 6).map(unhex);
      console.log(hex(seedFrom(key, ctx, root, 254)), hex(nextKey(key, process.argv[6])));
    """
    paths = [str(FOLDER / name) for name in ("cup1.js", "bytes.js")]
    given = [*paths, key.hex(), ctx.hex(), root.hex(), match]
    run = subprocess.run(
        [str(NODE), "--input-type=module", "--eval", script, *given], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == [seating.seed_from(key, ctx, root, 254).hex(), seating.next_key(key, match).hex()]


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
    lie = LyingTransport("/lines", lambda told: told.replace(b'"seq":2', b'"seq":3', 1))
    alarm = await alarm_at(SeatSession(sitting, lambda *_: None, lie))
    assert alarm_words(alarm).startswith("line 3 of the record does not hold (E_CHAIN)")
    assert "seed.opened" not in dict(lines_of_seat(sitting))
