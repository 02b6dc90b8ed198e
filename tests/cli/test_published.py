"""`truecup.client`: a program of somebody else plays, watches, replays and verifies."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from services.client.house import accepted
from services.client.seating import link_of
from tests.cli.conftest import Service
from tests.relay.playing import until
from truecup.client import (
    CannotDo,
    Newcoming,
    PlayingSeat,
    SeatLost,
    Turn,
    Wanted,
    join_table,
    open_table,
    record_of,
    replay_match,
    resume_seat,
    sync,
    verify_record,
    watch_match,
)

GUIDE = Path(__file__).parents[2] / ".docs" / "client.md"
CONTINUED = "game.continued"
QUICK = Wanted(bots=1, options={"dice_per_player": 1}, practice=True)


def boldly(turn: Turn) -> dict[str, object]:
    """Doubt what may be doubted, and otherwise bid the least."""
    names = [move["type"] for move in turn.moves]
    if "challenge" in names:
        return {"type": "challenge"}
    quantity, face = next(move for move in turn.moves if move["type"] == "bid")["lowest"][0]
    return {"type": "bid", "quantity": quantity, "face": face}


async def test_whoever_acts_when_it_is_their_turn_is_never_refused(running: Service, tmp_path: Path) -> None:
    versions = []
    async with open_table(running.url, wanted=QUICK, player=Newcoming("Ada"), data=tmp_path) as seat:
        async for turn in seat.turns():
            versions.append(turn.view["version"])
            assert len(turn.dice) == 1
            await seat.play(boldly(turn))
        match = seat.sitting.match
        await seat.compare()
        assert seat.view is not None
        assert seat.has_won == (seat.view["winner"] == seat.view["viewer"])
    assert versions
    assert versions == sorted(set(versions))
    frames = replay_match(match, running.url)
    told = [item async for item in watch_match(match, running.url)]
    assert frames[-1]["view"]["winner"] == told[0]["snapshot"]["winner"] is not None
    assert list(told[-1]) == ["ended"]
    record = record_of(match, running.url)
    (policy,) = (tmp_path / "receipts").glob("*.policy")
    assert verify_record(record).status != "FAULT"
    assert verify_record(record, policy.read_text(encoding="utf-8")).status != "FAULT"


async def test_a_seat_is_joined_left_taken_up_again_and_told_why_it_is_refused(
    running: Service, tmp_path: Path
) -> None:
    waits = Wanted(bots=0, options={"dice_per_player": 1}, practice=True, private=True)
    async with open_table(running.url, wanted=waits, player=Newcoming("Ada"), data=tmp_path / "ada") as host:
        match, invite = host.sitting.match, host.sitting.invite
        with pytest.raises(CannotDo) as uninvited:
            async with join_table(match, running.url, player=Newcoming("Ben"), data=tmp_path / "ben"):
                pass
        assert uninvited.value.code == "needs_invite"
        async with join_table(
            match, running.url, player=Newcoming("Ben"), invite=invite, data=tmp_path / "ben"
        ) as guest:
            token = guest.sitting.token
        await host.seat_bots(1)
        await host.start()
        async with resume_seat(match, token, running.url, data=tmp_path / "ben") as again:
            with pytest.raises(CannotDo) as refused:
                await again.play({"type": "bid", "quantity": 1, "face": 7})
            assert refused.value.code is not None
            assert again.sitting.token == token
            link = link_of(msgspec.structs.replace(again.sitting, seat=2))
        async with resume_seat(link, data=tmp_path / "elsewhere") as again:
            assert (again.sitting.base, again.sitting.token, again.sitting.seat) == (running.url, token, 2)
            # Its seeds come along.
            assert link_of(again.sitting) == link
        with pytest.raises(CannotDo, match="leads to no seat"):
            async with resume_seat(link.partition("#")[0], data=tmp_path / "elsewhere"):
                pass


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({"title": "a", "detail": "seats: b", "option": "seats", "why": "b"}, "a (seats: b)"),
        ({"title": "a", "detail": "a"}, "a"),
        ({"title": "a"}, "a"),
        ({"detail": "b"}, "b"),
        ({}, "for no reason"),
    ],
)
def test_a_no_of_the_house_is_said_with_its_detail_and_nothing_twice(problem: dict[str, str], said: str) -> None:
    with pytest.raises(CannotDo) as refused:
        accepted({"status": 422, **problem})
    assert str(refused.value) == f"the service said no: {said}"


async def test_what_is_no_address_of_a_house_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(CannotDo, match="no address"):
        async with open_table("nowhere", data=tmp_path):
            pass


async def test_a_program_is_ready_for_the_next_round_by_itself_or_when_it_says_so(
    running: Service, tmp_path: Path
) -> None:
    async with open_table(running.url, wanted=Wanted(bots=0, seats=2), player=Newcoming("Ada"), data=tmp_path) as ada:
        match = ada.sitting.match
        async with join_table(match, running.url, player=Newcoming("Ben"), data=tmp_path / "ben") as ben:
            await ada.start()
            pauses: list[Turn] = []

            async def play(seat: PlayingSeat, *, slow: bool) -> None:
                async for turn in seat.turns(pauses=slow):
                    if turn.is_pause:
                        pauses.append(turn)
                        assert not turn.moves
                        assert await seat.ready()
                        assert not await seat.ready(), "once is enough"
                    elif turn.view["round"] == 2:
                        return
                    else:
                        await seat.play(boldly(turn))

            both = [asyncio.create_task(play(seat, slow=seat is ben)) for seat in (ada, ben)]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for one in both:
                one.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            assert [task.exception() for task in both if task.done() and not task.cancelled()] == [None]
    asked = [
        frame["event"]["seat"] for frame in replay_match(match, running.url) if frame["event"]["type"] == CONTINUED
    ]
    assert sorted(asked) == [1, 2]
    assert [turn.view["phase"] for turn in pauses] == ["between_rounds"]


async def test_a_program_whose_seat_is_taken_out_is_told_so(running: Service, tmp_path: Path) -> None:
    async with open_table(running.url, wanted=Wanted(bots=0), player=Newcoming("Ada"), data=tmp_path) as host:
        match = host.sitting.match
        # A host takes nobody out who signs: nobody else can say that the seat is given up.
        without = Newcoming("Ben", signs=False)
        async with join_table(match, running.url, player=without, data=tmp_path / "ben") as guest:
            waiting = asyncio.create_task(anext(guest.turns()))
            await until(lambda: guest.view is not None)
            token = {"Authorization": f"Bearer {host.sitting.host}"}
            kick = {"type": "kick", "who": 2, "reason": "asked"}
            asked = f"{running.url}/api/v1/matches/{match}/commands"
            assert (await asyncio.to_thread(httpx.post, asked, json=kick, headers=token)).status_code == 200
            with pytest.raises(SeatLost) as lost:
                await waiting
            assert (lost.value.reason, lost.value.is_open) == ("asked", True)


def test_the_guide_to_the_client_is_so(running: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("URL", running.url)
    before, found = set(threading.enumerate()), dict[str, Any]()
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), found)
    assert found["seat"].view["phase"] == "finished"
    assert found["frames"][-1]["view"]["winner"] == found["seat"].view["winner"]
    assert set(threading.enumerate()) <= before


def test_who_awaits_nothing_is_told_the_same_and_leaves_no_thread_behind(running: Service, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    waits = Wanted(bots=0, options={"dice_per_player": 1}, practice=True)
    with sync.open_table(
        running.url, wanted=waits, player=Newcoming("Ada", signs=False), data=tmp_path / "ada"
    ) as host:
        match = host.sitting.match
        with sync.join_table(match, running.url, player=Newcoming("Ben"), data=tmp_path / "ben") as guest:
            token = guest.sitting.token
        host.seat_bots(1)
        host.start()
        # Nobody is to wait for the other person here, whoever opens; a bot stands in only for who does not sign.
        host.play({"type": "stand_in"})
        with sync.resume_seat(f"{running.url}/m/{match}#seat=2&token={token}", data=tmp_path / "ben") as again:
            turn = next(again.turns())
            assert turn.view["viewer"] == 2
            with pytest.raises(CannotDo) as refused:
                again.play({"type": "bid", "quantity": 1, "face": 7})
            assert refused.value.code is not None
    with pytest.raises(CannotDo), sync.open_table("nowhere", data=tmp_path):
        pass
    assert set(threading.enumerate()) <= before
