"""The way in: a page of a tournament invites for as long as somebody may enter, late ones too."""

from __future__ import annotations

import re
from typing import Any

import pytest

from domain.tournaments import commands
from tests.tournaments.events_by_hand import HOST, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import reader

LATE = {"late_rounds": 1, "max": 5}


async def invites(event: WrittenEvent) -> bool:
    async with reader(OneTournament(event)) as client:
        page = (await client.get(f"/t/{TOURNAMENT}")).text
    assert "/me" in page
    assert ("/qr.svg" in page) is ('id="join"' in page)
    return 'id="join"' in page


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (LATE, [True, True, False, True, False]),
        ({}, [True, True, False, False, False]),
        ({"invited": True}, [False, False, False, False, False]),
    ],
    ids=["late", "nobody late", "invited"],
)
async def test_a_page_invites_for_as_long_as_somebody_may_enter(entry: dict[str, Any], said: list[bool]) -> None:
    event = WrittenEvent("pods", entry=entry)
    found = [await invites(event)]
    event.enter(0)
    for number in range(1, 5):
        event.do(commands.Register(by=HOST, player=player(number)))
    found.append(await invites(event))
    event.check_in()
    found.append(await invites(event))
    event.draw().step()
    found.append(await invites(event))
    if entry == LATE:
        event.enter(1)
    found.append(await invites(event))
    assert found == said, "announced, entry, check-in, late, full"


async def console(event: WrittenEvent) -> str:
    async with reader(OneTournament(event)) as client:
        return (await client.get(f"/t/{TOURNAMENT}/host")).text


def asked_by(page: str, act: str) -> list[str]:
    """Return what the console asks for before an act is done."""
    found = re.search(rf'data-key="{act}"[^>]* data-asks="([^"]*)"', page)
    assert found is not None
    return found[1].split()


@pytest.mark.parametrize("seeding", ["manual", "lots"])
async def test_places_among_the_seeds_are_asked_for_where_hosts_set_them(seeding: str) -> None:
    event = WrittenEvent("pods", seeding=seeding).enter(4)
    if seeding == "manual":
        event.do(commands.Seed(by=HOST, number=2, seed=3))
    page = await console(event)
    by_hand = seeding == "manual"
    assert ("seed" in asked_by(page, "enter")) is by_hand
    assert "own_seeds" in asked_by(page, "enter")
    assert ('data-act="seed"' in page) is by_hand
    assert ("Behind another semicolon" in page) is by_hand
    assert ("seed 3" in page) is by_hand
    assert 'data-act="seed"' not in await console(event.check_in().draw())


@pytest.mark.parametrize("player", [True, False])
async def test_where_players_alone_enter_nobody_is_entered_by_a_name(player: bool) -> None:  # noqa: FBT001
    page = await console(WrittenEvent("pods", entry={"player": player}).enter(0))
    assert ('data-act="enter"' in page, 'data-act="enter_list"' in page) == (not player, not player)
    assert ("each with the own token" in page) is player
