"""Seats that clients take again with a key: at the next table, and where they were given out without one."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from services.client import seating
from services.client.evidence import receipts_of
from services.client.given.sitting_again import rematch
from services.client.seating import Newcoming, Wanted
from services.client.tables import PlayingSeat, open_table, resume_seat
from tests.cli.conftest import Service
from tests.cli.test_signing import PATIENCE_S, kept_of, lines_at, record_at, two_seats
from tests.fairness.javascript_auditor import Ask, told_in_javascript
from tests.signed.given_out import opened_in_bulk, start_as

Json = dict[str, Any]


async def resign(seat: PlayingSeat) -> None:
    """Give up, as soon as there are dice."""
    async for _ in seat.turns():
        await seat.play({"type": "resign"})
        return


async def both_give_up(ada: PlayingSeat, ben: PlayingSeat) -> None:
    """Have two come to their dice, until whose turn it is gives up."""
    playing = [asyncio.create_task(resign(seat)) for seat in (ada, ben)]
    done, waiting = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert done, "nobody plays"


async def test_who_has_signed_signs_at_the_next_table_and_both_auditors_find_it_so(
    running: Service, tmp_path: Path
) -> None:
    def keeps(folder: str) -> seating.Keeps:
        return partial(receipts_of, running.url, tmp_path / folder, None, None)

    async with two_seats(running, tmp_path) as (ada, ben):
        await both_give_up(ada, ben)
        before = {"ada": ada.sitting, "ben": ben.sitting}
    await asyncio.to_thread(running.wait_until_over, before["ada"].match)
    after = {name: await asyncio.to_thread(rematch, sitting, keeps(name)) for name, sitting in before.items()}
    # Whoever had no answer asks again, and has the same seat.
    repeated = await asyncio.to_thread(rematch, before["ada"], keeps("ada"))
    assert (repeated.token, repeated.host) == (after["ada"].token, after["ada"].host)
    match = after["ada"].match
    assert (after["ben"].match, match != before["ada"].match) == (match, True)
    assert kept_of(after["ada"]).public != kept_of(before["ada"]).public
    assert not list((tmp_path / "ada").rglob("*.joining"))

    async with ada.rematch() as first, ben.rematch() as second:
        assert (first.sitting.token, second.sitting.token) == (after["ada"].token, after["ben"].token)
        await both_give_up(first, second)
        assert (first.shield, second.shield) == ("signed", "signed")
    await asyncio.to_thread(running.wait_until_over, match)
    by_house, by_other = await asyncio.to_thread(audited, running.url, match)
    assert (by_house["status"], by_other["status"]) == ("OK", "OK"), (by_house, by_other)
    assert by_house["seats"].keys() == by_other["seats"].keys() == {"1", "2"}


def audited(base: str, match: str) -> tuple[Json, Json]:
    """Return what either auditor finds in a match."""
    with httpx.Client(base_url=f"{base}/api/v1", timeout=60) as client:
        found: Json = client.get(f"/matches/{match}/audit").json()
        policy, access = client.get("/log/policy").text, client.get(f"/matches/{match}/access").content
    (other,) = told_in_javascript([Ask(record_at(base, match), policy, (1, 2, 3), access)])
    return found, other


async def test_seats_of_a_list_are_taken_again_with_keys_by_who_was_given_their_tokens(
    running: Service, tmp_path: Path
) -> None:
    table = await asyncio.to_thread(opened_in_bulk, running.url)
    match, (ada, ben) = table["match"], [one["token"] for one in table["seats"]]
    async with (
        resume_seat(match, ada, running.url, data=tmp_path / "ada") as first,
        resume_seat(match, ben, running.url, data=tmp_path / "ben") as second,
    ):
        await asyncio.to_thread(start_as, running.url, table)
        await both_give_up(first, second)
        assert (first.shield, second.shield) == ("signed", "signed")
    await asyncio.to_thread(running.wait_until_over, match)
    by_house, by_other = await asyncio.to_thread(audited, running.url, match)
    assert (by_house["status"], by_other["status"]) == ("OK", "OK"), (by_house, by_other)
    assert by_house["seats"].keys() == {"1", "2"}


async def test_a_seat_whose_player_sat_down_without_a_key_stays_so_wherever_it_is_taken_up(
    running: Service, tmp_path: Path
) -> None:
    async with open_table(
        running.url, wanted=Wanted(seats=2, bots=0), player=Newcoming("Ada", signs=False), data=tmp_path / "ada"
    ) as ada:
        link = seating.link_of(ada.sitting)
        async with resume_seat(link, data=tmp_path / "elsewhere"):
            lines = lines_at(running.url, ada.sitting.match)
    assert [line["type"] for line in lines if line["type"].startswith("seat.")] == ["seat.joined"]
